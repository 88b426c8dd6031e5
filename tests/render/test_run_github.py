"""A run of tools as workflow commands: one line each, and nothing of a tape begins another."""

from __future__ import annotations

import re

from diff_samples import all_same, many_conversations
from hypothesis import given, settings
from run_samples import a_run, all_well, plan, runs
from tool_run_samples import Asked, ok, run_report

from amberfork_cli.core.tools.run_report import RunReport
from amberfork_cli.render.github import to_github as diff_to_github
from amberfork_cli.render.run_github import to_github


def test_a_call_that_changed_is_an_error_below_the_sentence() -> None:
    """What was asked, and what differs, on lines of their own."""
    assert to_github(a_run()) == (
        "::error title=amberfork%3A tools answer otherwise::"
        "3 calls: 1 same, 1 changed (search), 1 skipped (refund: side effect).\n"
        '::error title=amberfork%3A changed at #0::search(city="Seoul")  changed%0Aresult.t  17 → 18\n'
    )


def test_where_all_is_well_it_is_a_notice() -> None:
    """Nothing turns red, and neither does a plan."""
    assert to_github(all_well()) == "::notice title=amberfork%3A tools answer as they did::2 calls: 2 same.\n"
    assert to_github(plan(), is_plan=True) == (
        "::notice title=amberfork%3A plan of a run of tools::2 calls: 1 would run, 1 skipped: side effect.\n"
    )


def test_no_more_than_ten_are_written() -> None:
    """A step shows ten of a kind, and the first of them counts the calls."""
    asked = [[Asked("search", {"n": number}, "old")] for number in range(30)]

    assert len(to_github(run_report(asked, [ok("new")] * 30)).splitlines()) == 10


def test_beside_a_diff_both_answers_come_first() -> None:
    """Whatever else there is to say is cut where a run shows no more."""
    asked = [[Asked("search", {"n": number}, "old")] for number in range(30)]

    both = diff_to_github(many_conversations(), tools=run_report(asked, [ok("new")] * 30)).splitlines()
    well = diff_to_github(all_same(), tools=all_well()).splitlines()

    assert [line.split("::")[1] for line in both[:4]] == [
        "error title=amberfork%3A forked",
        "error title=amberfork%3A tools answer otherwise",
        "error title=amberfork%3A fork at #13",
        "error title=amberfork%3A changed at #0",
    ]
    assert len(both) == 10
    assert [line.split("::")[1] for line in well] == [
        "notice title=amberfork%3A same",
        "notice title=amberfork%3A tools answer as they did",
    ]


@settings(max_examples=40, deadline=None)
@given(runs())
def test_every_line_is_a_command_of_ours(report: RunReport) -> None:
    """Whatever a tape held, and whatever a tool answered."""
    command = re.compile(r"::(error|notice) title=amberfork%3A [^:,\r\n]*::[^\r\n]*")

    assert [line for line in to_github(report).split("\n")[:-1] if not command.fullmatch(line)] == []
