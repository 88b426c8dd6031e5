"""Runs of tools to show: small ones, one with every end that a call can come to, and hostile ones."""

from __future__ import annotations

from dataclasses import replace

from hostile import texts
from hypothesis import strategies as st
from tool_run_samples import SKIPPED, Asked, failed, ok, run_report

from amberfork_cli.core.tools.invocation import Invocation, Outcome
from amberfork_cli.core.tools.plan import Choice
from amberfork_cli.core.tools.run_report import RunReport

SEOUL = {"city": "Seoul"}


def a_run() -> RunReport:
    """Three calls in two turns: one the same, one changed, one skipped."""
    return run_report(
        [[Asked("search", SEOUL, '{"t": 17}'), Asked("refund", {}, "sent")], [Asked("search", {}, "x")]],
        [ok({"t": 18}), SKIPPED, ok("x", ms=1234.0)],
    )


def all_well() -> RunReport:
    """Two calls that answer as they did."""
    return run_report([[Asked("search", {}, "x"), Asked("search", {"n": 1}, "y")]], [ok("x"), ok("y")])


def plan() -> RunReport:
    """A call that would run, and one that would not."""
    return run_report([[Asked("search", {}, "x"), Asked("refund", {}, "y")]], [SKIPPED, SKIPPED])


def every_end() -> RunReport:
    """One call for each status, and one that was left out."""
    at = "3f2b8c1e-1f0a-4a5e-9c3e-{:012x}"
    calls = [
        (Asked("search", {"n": 0}, "x"), ok("x")),
        (Asked("search", {"n": 1}, at.format(1)), ok(at.format(2))),
        (Asked("search", {"n": 2}, "old words"), ok("new words")),
        (Asked("search", {"n": 3}, "sunny"), failed("ValueError: no luck", trace="Traceback:\n  line 7")),
        (Asked("search", {"n": 4}, "Error: no luck at all"), ok("sunny")),
        (Asked("search", {"n": 5}, "ValueError: no luck at all"), failed("ValueError: no luck at all")),
        (Asked("search", {"n": 6}, "sunny"), _unfit()),
        (Asked("search", {"n": 7}, "sunny"), failed("timed out after 5 ms", Outcome.TIMED_OUT)),
        (Asked("search", {"n": 8}, "sunny"), failed("interrupted", Outcome.INTERRUPTED)),
        (Asked("nobody", {"n": 9}, "sunny"), failed("unknown tool 'nobody'", Outcome.UNKNOWN)),
        (Asked("refund", {"n": 10}, "sent"), SKIPPED),
        (Asked("search", {"n": 11}), ok("sunny")),
        (Asked("search", {"n": 12}, '{"a": 1}'), replace(ok("<object>"), lossy=("the whole value: repr",))),
        (Asked("helper", {"n": 13}, "sunny"), SKIPPED),
    ]
    report = run_report(
        [[asked] for asked, _ in calls],
        [end for _, end in calls],
        choice=Choice(skip=["helper"]),
        restarts=1,
        strays=((3, "a stray line\n"),),
        by_provider=2,
    )
    printed = replace(
        report.calls[0], printed="one\ntwo\nthree\nfour\n", printed_more=7, runs=2, state_lost=True
    )
    return replace(report, calls=(printed, *report.calls[1:]))


@st.composite
def runs(draw: st.DrawFn) -> RunReport:
    """Runs whose names, arguments, results, errors and prints try to break a display."""
    calls = draw(st.lists(_called(), max_size=6))
    turns, ends = [[asked] for asked, _, _ in calls], [end for _, end, _ in calls]
    report = run_report(turns, ends, restarts=draw(st.integers(0, 2)))
    made = tuple(replace(call, printed=said) for call, (_, _, said) in zip(report.calls, calls, strict=True))
    strays = draw(st.lists(st.tuples(st.integers(0, 9), texts.filter(bool)), max_size=1).map(tuple))
    tape = replace(report.tape, source=draw(texts))
    return replace(report, calls=made, tape=tape, registry=draw(texts), strays=strays)


@st.composite
def _called(draw: st.DrawFn) -> tuple[Asked, Invocation, str]:
    arguments = draw(st.dictionaries(texts, texts, max_size=2))
    name = draw(st.one_of(st.sampled_from(["search", "refund", "helper"]), texts))
    asked = Asked(name, arguments, draw(st.one_of(st.none(), texts)))
    faults = tuple({"path": draw(texts), "message": draw(texts)} for _ in range(draw(st.integers(0, 3))))
    answers = st.one_of(texts, st.dictionaries(texts, texts, max_size=2), st.lists(texts, max_size=2))
    end = draw(
        st.one_of(
            st.builds(ok, answers, ms=st.floats(0, 1e5)),
            st.builds(failed, texts, st.sampled_from([Outcome.FAILED, Outcome.TIMED_OUT, Outcome.UNKNOWN])),
            st.builds(lambda said: failed(said, Outcome.INVALID, details=faults), texts),
            st.just(SKIPPED),
        )
    )
    return asked, replace(end, trace=draw(texts) if not end.ok else ""), draw(texts)


def _unfit() -> Invocation:
    faults = ({"path": "/a", "message": "Field required"}, {"path": "/b", "message": "Extra"})
    return failed(
        "the arguments do not fit: /a: Field required (and 1 more)", Outcome.INVALID, details=faults
    )
