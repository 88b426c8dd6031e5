"""A run of tools as text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tool_run_samples import SKIPPED, Asked, failed, ok, run_report

from amberfork_cli.core.compare.report import plain
from amberfork_cli.core.tools.invocation import Outcome
from amberfork_cli.core.tools.plan import Choice
from amberfork_cli.render.lines import line_width, plain_text
from amberfork_cli.render.run_labels import sentence
from amberfork_cli.render.run_text import lay_out

CITY = {"city": "Seoul"}


def text(report, *, width=100, **options) -> str:
    """The lines without their styles."""
    return "".join(f"{plain_text(line)}\n" for line in lay_out(report, width=width, **options))


def test_a_run_is_a_table_then_what_changed_then_an_answer():
    """With what would run the calls that were not."""
    report = run_report(
        [[Asked("search", CITY, '{"t": 17}'), Asked("refund", {}, "sent")], [Asked("search", {}, "x")]],
        [ok({"t": 18}), SKIPPED, ok("x", ms=1234.0)],
    )

    assert (
        text(report)
        == """\
tape      run.jsonl   3 calls in 2 turns
registry  mytools.py

◆ #0  search(city="Seoul")  changed               7 ms
○ #0  refund()              skipped: side effect
· #1  search()              same                  1.2 s

◆ #0  search(city="Seoul")  changed
┃ result.t  17 → 18

3 calls: 1 same, 1 changed (search), 1 skipped (refund: side effect).
To run more of them: --allow refund
"""
    )


def test_what_went_wrong_is_told_beside_what_was_recorded():
    """All faults of arguments, and what the tool printed."""
    faults = ({"path": "/a", "message": "Field required"}, {"path": "/b", "message": "Extra"})
    report = run_report(
        [
            [
                Asked("search", {}, "sunny"),
                Asked("search", {"b": 1}, "sunny"),
                Asked("mcp__x__search", {}, "x"),
            ]
        ],
        [
            failed("ValueError: no luck", duration_ms=0.2),
            failed(
                "the arguments do not fit: /a: Field required (and 1 more)", Outcome.INVALID, details=faults
            ),
            failed("unknown tool 'mcp__x__search'", Outcome.UNKNOWN),
        ],
    )
    calls = (replace(report.calls[0], printed="one\ntwo\n", printed_more=5), *report.calls[1:])

    assert (
        text(replace(report, calls=calls, restarts=1))
        == """\
tape      run.jsonl   3 calls in 1 turn
registry  mytools.py

◆ #0  search()          failed now         <1 ms
◆ #0  search(b=1)       invalid arguments
◆ #0  mcp__x__search()  unknown tool

◆ #0  search()  failed now
┃ - sunny
┃ + ValueError: no luck
┃ printed  one
┃ printed  two
┃ 5 more characters

◆ #0  search(b=1)  invalid arguments
┃ - sunny
┃ + the arguments do not fit: /a: Field required (and 1 more)
┃   /a: Field required
┃   /b: Extra

◆ #0  mcp__x__search()  unknown tool
┃ - x
┃ + unknown tool 'mcp__x__search'

3 calls: 1 failed now (search), 1 invalid arguments (search), 1 unknown tool (mcp__x__search).
The registry was loaded anew once; what it held in memory was lost.
To run more of them: --alias mcp__x__search=search
"""
    )


def test_in_full_nothing_is_left_out():
    """All lines of an error and of what was printed, every fault, and where the tool failed."""
    trace = 'Traceback (most recent call last):\n  File "mytools.py", line 7, in search\nValueError: one'
    faults = tuple({"path": f"/{number}", "message": "Extra"} for number in range(10))
    report = run_report(
        [[Asked("search", {}, "rain\nand wind"), Asked("search", {"b": 1}, "x")]],
        [
            failed("ValueError: one\ntwo", trace=trace),
            failed("the arguments do not fit", Outcome.INVALID, details=faults),
        ],
    )
    printed = "".join(f"{number}\n" for number in range(20))
    report = replace(report, calls=(replace(report.calls[0], printed=printed), report.calls[1]))

    brief, full = text(report).splitlines(), text(report, full=True).splitlines()

    assert [line for line in full if line.startswith("┃ - ")] == ["┃ - rain", "┃ - and wind", "┃ - x"]
    assert full[9:14] == ["┃ + ValueError: one", "┃ + two", *(f"┃ {line}" for line in trace.splitlines())]
    assert sum("printed" in line for line in full) == 20
    assert sum(": Extra" in line for line in full) == 10
    assert [line for line in brief if line.startswith("┃ - ")] == ["┃ - rain and wind", "┃ - x"]
    assert "┃ 12 more lines" in brief


def test_what_a_call_printed_stands_under_it():
    """A call that is no news has nothing else to say."""
    report = run_report([[Asked("search", {}, "a"), Asked("search", {"n": 2}, "b")]], [ok("a"), ok("b")])
    first, second = report.calls

    shown = text(replace(report, calls=(replace(first, printed="1\n2\n3\n4\n5\n"), second)))

    assert shown.splitlines()[3:9] == [
        "· #0  search()     same  7 ms",
        "┃ printed  1",
        "┃ printed  2",
        "┃ printed  3",
        "┃ 2 more lines",
        "· #0  search(n=2)  same  7 ms",
    ]


def test_a_plan_says_what_would_run_and_what_would_not():
    """And why."""
    would_run = replace(SKIPPED, error="")
    report = run_report(
        [[Asked("search"), Asked("refund"), Asked("helper"), Asked("search", {"x": 1})]],
        [would_run, would_run, SKIPPED, failed("the arguments do not fit: /x: Extra", Outcome.INVALID)],
        choice=Choice(allow=["refund"]),
    )

    assert (
        text(report, is_plan=True)
        == """\
tape      run.jsonl   4 calls in 1 turn
registry  mytools.py

· #0  search()     would run
· #0  refund()     would run alone
○ #0  helper()     skipped: not declared read-only
◆ #0  search(x=1)  invalid arguments

◆ #0  search(x=1)  invalid arguments
┃ + the arguments do not fit: /x: Extra

4 calls: 1 would run, 1 would run alone, 1 skipped: not declared read-only, 1 invalid arguments.
To run more of them: --allow helper
"""
    )


@pytest.mark.parametrize("width", [60, 80, 140])
def test_no_line_is_wider_than_the_terminal(width):
    """Long arguments, results, errors and prints are cut."""
    long = {"text": "word " * 200, "wide": "漢字" * 200}
    report = run_report(
        [[Asked("search", long, "old " * 200), Asked("search", long, "x"), Asked("refund", long, "y")]],
        [ok("new " * 200), failed("why " * 200), SKIPPED],
        strays=((0, "stray " * 100),),
    )
    report = replace(report, calls=tuple(replace(call, printed="p " * 300) for call in report.calls))

    for options in ({}, {"is_plan": True}, {"full": True}):
        assert max(map(line_width, lay_out(report, width=width, **options))) <= width


def test_what_stands_on_the_tape_cannot_drive_the_terminal():
    """Controls and markup are shown."""
    evil = "\x1b[2J[/bold]\x07"
    report = run_report(
        [[Asked("search", {"a": evil}, evil), Asked(evil, {}, evil)]], [ok(f"{evil}!"), SKIPPED]
    )
    report = replace(report, calls=tuple(replace(call, printed=evil) for call in report.calls))

    shown = text(report) + text(report, ascii=True)

    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[/bold]" in shown


def test_an_unknown_tool_is_told_once():
    """However often the tape calls it."""
    unknown = failed("unknown tool 'x'", Outcome.UNKNOWN)

    shown = text(run_report([[Asked("x"), Asked("x")], [Asked("x")]], [unknown] * 3))

    assert shown.count("◆") == 3 + 1


def test_plain_glyphs_where_there_are_no_others():
    """For terminals that have only ASCII."""
    assert text(run_report([[Asked("search", {}, "a")]], [ok("b")]), ascii=True).isascii()


@pytest.mark.parametrize(
    ("names", "choice", "said"),
    [
        ([], None, "No tool call to run."),
        (["search"], None, "1 call: 1 no recorded result."),
        (["refund", "helper"], None,
         "2 calls: 2 skipped (refund, helper: side effects, or not declared read-only)."),
        (["helper"], None, "1 call: 1 skipped (helper: not declared read-only)."),
        (["search", "refund"], Choice(skip=["refund"]), "2 calls: 1 no recorded result, 1 left out."),
        (["a", "b", "c", "d", "e"], None, "5 calls: 5 unknown tool (a, b, c and 2 more)."),
    ],
)  # fmt: skip
def test_the_sentence_answers(names, choice, said):
    """Tools are named where it matters which, three at most."""
    ends = {"search": ok(1), "refund": SKIPPED, "helper": SKIPPED}
    unknown = failed("unknown", Outcome.UNKNOWN)
    turns = [[Asked(name) for name in names]] if names else []

    report = run_report(turns, [ends.get(name, unknown) for name in names], choice=choice)

    assert plain(sentence(report)) == said
