"""Workflow commands: one line each, and nothing of a tape begins another."""

from __future__ import annotations

import re
from dataclasses import replace

from diff_samples import (
    all_same,
    changed_argument,
    fork,
    forked_alike,
    many_conversations,
    report,
    said,
    setting,
)
from hostile import reports
from hypothesis import given, settings

from amberfork_cli.core.compare.report import DiffReport, Origin
from amberfork_cli.render.github import to_github


def test_a_fork_is_an_error_that_says_the_sentence() -> None:
    """Title and message are those of the report."""
    assert to_github(changed_argument()) == (
        "::error title=amberfork%3A forked::Forked at #4 (recorded #4): the model called get_weather "
        'with city="Porto", not "Lisbon". 4 match, 1 changed, 7 carried, 0 missing, 0 extra.\n'
    )


def test_where_all_is_the_same_it_is_a_notice() -> None:
    """Nothing turns red."""
    assert to_github(all_same()) == "::notice title=amberfork%3A same::Same: all 12 exchanges match.\n"


def test_further_forks_have_an_error_each_and_those_alike_none() -> None:
    """What the sentence does not tell is told; what it counts is not told again."""
    several, alike = to_github(many_conversations()), to_github(forked_alike())

    assert several.splitlines()[1:] == [
        "::error title=amberfork%3A fork at #13::Fork at #13: the temperature changed"
    ]
    assert len(alike.splitlines()) == 1


def test_no_more_than_ten_are_written() -> None:
    """A step shows ten of a kind, and the first of them counts the forks."""
    forks = [
        replace(fork(n, Origin.SETTINGS, said(f"setting {n} changed"), [setting("n", n, -n)]), conversation=n)
        for n in range(30)
    ]

    assert len(to_github(report(forks)).splitlines()) == 10


def test_what_a_command_cannot_hold_is_escaped() -> None:
    """Percent signs stay percent signs; a line break or a colon of a tape begins nothing."""
    cause = said("the result of ", 'f(x="100%")\n::error::no', " changed")

    written = to_github(report([fork(0, Origin.TOOL_RESULT, cause, [setting("x", 1, 2)])]))

    assert written == (
        "::error title=amberfork%3A forked::Forked at #0 (recorded #0): the result of "
        'f(x="100%25")\\u000a::error::no changed. 0 match, 1 changed, 0 carried, 0 missing, 0 extra.\n'
    )


@settings(max_examples=40, deadline=None)
@given(reports())
def test_every_line_is_a_command_of_ours(report: DiffReport) -> None:
    """Whatever a tape held."""
    command = re.compile(r"::(error|notice) title=amberfork%3A [^:,\r\n]*::[^\r\n]*")

    assert [line for line in to_github(report).split("\n")[:-1] if not command.fullmatch(line)] == []
