"""A diff as JUnit XML: what a well-kept reader makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from diff_samples import (
    SITUATIONS,
    all_same,
    changed_argument,
    every_kind,
    forked_alike,
    inserted_retry,
    missing_extra,
    two_conversations,
)
from hostile import reports
from hypothesis import given, settings
from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.render.junit import to_junit

Read = tuple[str, str, list[tuple[type, str | None, str | None]]]


def test_a_reader_finds_a_case_for_every_exchange(tmp_path: Path) -> None:
    """Matches pass, the fork fails with its kind and cause, what only repeats it is skipped."""
    suite = _suites(changed_argument(), tmp_path)[0]

    assert suite.name == "amberfork diff monday.jsonl tuesday.jsonl"
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (12, 1, 0, 7)
    assert [_read(case) for case in suite][3:6] == [
        ("amberfork", "#3 POST /v1/chat/completions", []),
        (
            "amberfork",
            "#4 POST /v1/chat/completions",
            [(Failure, "value", 'fork: the model called get_weather with city="Porto", not "Lisbon"')],
        ),
        (
            "amberfork",
            "#5 POST /v1/chat/completions",
            [(Skipped, None, "carried: repeats the change at #4")],
        ),
    ]


def test_the_text_of_a_failure_says_all_that_its_message_says(tmp_path: Path) -> None:
    """Servers that ignore the message show the text: the message again, then what differs."""
    case = [*_suites(changed_argument(), tmp_path)[0]][4]

    assert case.result[0].text == (
        '\nfork: the model called get_weather with city="Porto", not "Lisbon"\n'
        "messages[8]  assistant calls get_weather\n"
        '  arguments.city  "Lisbon" → "Porto"\n'
    )


def test_the_sentence_is_a_property_of_every_suite(tmp_path: Path) -> None:
    """Whoever opens a suite reads the answer first."""
    answer = "Forked at #5 (recorded #5): the model called book_hotel with nights=3, not 2."
    counts = "7 match, 2 changed, 3 carried, 0 missing, 0 extra."

    suites = _suites(two_conversations(), tmp_path)

    assert [[(one.name, one.value) for one in suite.properties()] for suite in suites] == [
        [("summary", f"{answer} {counts}")]
    ] * 2


def test_each_conversation_is_a_suite(tmp_path: Path) -> None:
    """Its number is part of the name and of the class of its cases."""
    suites = _suites(two_conversations(), tmp_path)

    assert [(suite.name, len([*suite]), suite.failures) for suite in suites] == [
        ("amberfork diff monday.jsonl tuesday.jsonl: conversation 1", 8, 2),
        ("amberfork diff monday.jsonl tuesday.jsonl: conversation 2", 4, 0),
    ]
    assert {case.classname for case in suites[1]} == {"amberfork.conversation 2"}


def test_exchanges_of_one_tape_fail_with_what_tells_them_apart(tmp_path: Path) -> None:
    """Missing ones by their recorded number, extra ones with the nearest recorded exchange."""
    cases = [_read(case) for suite in _suites(missing_extra(), tmp_path) for case in suite if case.result]

    assert cases[0] == (
        "amberfork",
        "recorded #5 POST /v1/chat/completions",
        [(Failure, "missing", 'missing: last message: "And which of the two is nearer?"')],
    )
    assert cases[2][2] == [(Failure, "extra", 'extra: last message: "Tell me what you know so far."')]
    extra = next(case for suite in _suites(inserted_retry(), tmp_path) for case in suite if "#6" in case.name)
    assert "nearest recorded: #5, without messages[9]–[10]" in (extra.result[0].text or "")


def test_the_type_of_a_failure_names_every_kind_once(tmp_path: Path) -> None:
    """In the order of their first difference."""
    case = [*_suites(every_kind(), tmp_path)[0]][1]

    assert case.result[0].type == "type,added,reordered,orphan,status,value"


def test_where_all_is_the_same_all_pass(tmp_path: Path) -> None:
    """No failure, nothing skipped."""
    suite = _suites(all_same(), tmp_path)[0]

    assert (suite.tests, suite.failures, suite.skipped) == (12, 0, 0)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_the_counts_are_those_of_the_cases(situation: object, tmp_path: Path) -> None:
    """Suites and the whole file count what they hold."""
    report = situation()  # type: ignore[operator]
    whole = _parsed(report, tmp_path)

    cases = [case for suite in whole for case in suite]

    assert whole.tests == len(cases) == len(report.exchanges)
    assert whole.failures == sum(isinstance(result, Failure) for case in cases for result in case.result)
    assert whole.skipped == sum(isinstance(result, Skipped) for case in cases for result in case.result)


@settings(max_examples=40, deadline=None)
@given(reports())
def test_no_tape_breaks_the_file(report: DiffReport) -> None:
    """Controls, halves of characters and markup are text that any XML parser reads."""
    whole = JUnitXml.fromstring(to_junit(report))

    assert sum(len([*suite]) for suite in whole) == len(report.exchanges)


def _parsed(report: DiffReport, folder: Path) -> JUnitXml:
    file = folder / "report.xml"
    file.write_bytes(to_junit(report))
    return JUnitXml.fromfile(str(file))


def _suites(report: DiffReport, folder: Path) -> list[TestSuite]:
    return [*_parsed(report, folder)]


def _read(case: TestCase) -> Read:
    return case.classname, case.name, [(type(one), one.type, one.message) for one in case.result]


def test_conversations_of_one_exchange_each_share_a_suite(tmp_path: Path) -> None:
    """500 suites of one case would help nobody."""
    (suite,) = _suites(forked_alike(), tmp_path)

    assert (suite.name, suite.tests) == ("amberfork diff monday.jsonl tuesday.jsonl", 60)
