"""A run of tools as JUnit XML: what a well-kept reader makes of it."""

from __future__ import annotations

from diff_samples import changed_argument
from hypothesis import given, settings
from junitparser import Failure, JUnitXml, Skipped, TestCase
from run_samples import a_run, every_end, plan, runs
from tool_run_samples import Asked, ok, run_report

from amberfork_cli.core.tools.run_report import RunReport
from amberfork_cli.render.junit import to_junit as diff_to_junit
from amberfork_cli.render.run_junit import to_junit


def test_a_reader_finds_a_case_for_every_call() -> None:
    """One that answers as it did passes, one that changed fails, one that was not run is skipped."""
    (suite,) = JUnitXml.fromstring(to_junit(a_run()))

    assert suite.name == "amberfork run-tools run.jsonl --registry mytools.py"
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (3, 1, 0, 1)
    assert [read(case) for case in suite] == [
        ('#0 search(city="Seoul")', 0.007, [(Failure, "changed", "changed")]),
        ("#0 refund()", None, [(Skipped, None, "skipped: side effect")]),
        ("#1 search()", 1.234, []),
    ]
    assert {case.classname for case in suite} == {"amberfork.tools"}
    assert [(each.name, each.value) for each in suite.properties()] == [
        ("summary", "3 calls: 1 same, 1 changed (search), 1 skipped (refund: side effect).")
    ]


def test_every_end_fails_passes_or_is_skipped() -> None:
    """By its status; what a call printed is its output."""
    (suite,) = JUnitXml.fromstring(to_junit(every_end()))
    cases = [*suite]

    assert [result.type for case in cases for result in case.result if isinstance(result, Failure)] == [
        *("changed", "error-now", "error-then", "invalid-arguments", "timed-out", "interrupted"),
        *("unknown-tool", "not-comparable"),
    ]
    assert [result.message for case in cases for result in case.result if isinstance(result, Skipped)] == [
        "skipped: side effect",
        "no recorded result",
        "left out",
    ]
    assert cases[0].system_out == "one\ntwo\nthree\nfour\n7 more characters"
    assert cases[3].result[0].text == "\nfailed now\n- sunny\n+ ValueError: no luck\n"


def test_in_full_a_failure_has_its_traceback() -> None:
    """Where the tool failed."""
    (suite,) = JUnitXml.fromstring(to_junit(every_end(), full=True))

    assert [*suite][3].result[0].text == (
        "\nfailed now\n- sunny\n+ ValueError: no luck\nTraceback:\n  line 7\n"
    )


def test_a_plan_fails_only_where_a_call_could_not_run() -> None:
    """What would run passes."""
    (suite,) = JUnitXml.fromstring(to_junit(plan(), is_plan=True))

    assert (suite.tests, suite.failures, suite.skipped) == (2, 0, 1)


def test_no_two_cases_have_one_name() -> None:
    """The same call twice in a turn is told apart by its number."""
    twice = run_report([[Asked("search", {}, "x"), Asked("search", {}, "x")]], [ok("x"), ok("x")])

    (suite,) = JUnitXml.fromstring(to_junit(twice))

    assert [case.name for case in suite] == ["#0 search()", "#0 search() (2)"]


def test_beside_a_diff_it_is_one_more_suite() -> None:
    """And counts in the whole file."""
    whole = JUnitXml.fromstring(diff_to_junit(changed_argument(), tools=a_run()))

    assert [suite.name for suite in whole] == [
        "amberfork diff monday.jsonl tuesday.jsonl",
        "amberfork run-tools run.jsonl --registry mytools.py",
    ]
    assert (whole.name, whole.tests, whole.failures, whole.skipped) == ("amberfork check", 15, 2, 8)


@settings(max_examples=40, deadline=None)
@given(runs())
def test_no_run_breaks_the_file(report: RunReport) -> None:
    """Controls, halves of characters and markup are text that any XML parser reads."""
    whole = JUnitXml.fromstring(to_junit(report))

    assert sum(len([*suite]) for suite in whole) == len(report.calls)


def read(case: TestCase) -> tuple[str, float | None, list[tuple[type, str | None, str | None]]]:
    return case.name, case.time, [(type(one), one.type, one.message) for one in case.result]
