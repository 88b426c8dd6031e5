"""Fresh results in the place of recorded ones."""

from __future__ import annotations

import pytest
from run_samples import Asked, chat_exchanges

from amberfork_cli.core.comparison import compare
from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.invocation import Invocation, Outcome
from amberfork_cli.core.plan import Choice, plan_run
from amberfork_cli.core.refreshing import in_form_of, refreshed
from amberfork_cli.core.report import TapeFacts
from amberfork_cli.core.run_report import CallReport, RunReport
from amberfork_cli.core.tool import Effect


def ok(data, text=None) -> Invocation:
    """A tool that answered."""
    return Invocation(Outcome.OK, "f", data=data, text=text, duration_ms=7.0)


FAILED = Invocation(Outcome.FAILED, "f", error="ValueError: no luck", duration_ms=7.0)


@pytest.mark.parametrize(
    ("recorded", "end", "written"),
    [
        ("sunny", ok("rain"), "rain"),
        ("17", ok(18), "18"),
        ('{"t": 17}', ok({"t": 18}), '{"t": 18}'),
        ('{"t":17}', ok({"t": 18}), '{"t":18}'),
        ('{\n  "t": 17\n}', ok({"t": 18}), '{\n  "t": 18\n}'),
        ('{"t": "é"}', ok({"t": "ü"}), '{"t": "ü"}'),
        ('{"t": "\\u00e9"}', ok({"t": "ü"}), '{"t": "\\u00fc"}'),
        ("{'t': 17}", ok({"t": 18}), "{'t': 18}"),
        ("Point(x=1)", ok({"x": 2}, text="Point(x=2)"), "Point(x=2)"),
        ('{"result": 17}', ok(18), '{"result": 18}'),
        ('{"ok":true,"data":17,"durationMs":3}', ok(18), '{"ok":true,"data":18,"durationMs":7}'),
        ("sunny", FAILED, "ValueError: no luck"),
        (
            '{"ok":true,"data":17,"durationMs":3}',
            FAILED,
            '{"ok":false,"error":"ValueError: no luck","durationMs":7}',
        ),
        ([{"type": "text", "text": "sunny"}], ok("rain"), [{"type": "text", "text": "rain"}]),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], ok(["a", "c"]),
         [{"type": "text", "text": "a"}, {"type": "text", "text": "c"}]),
        ([{"json": {"t": 17}}], ok({"t": 18}), [{"json": {"t": 18}}]),
        ([{"json": {"t": 17}}], FAILED, [{"text": "ValueError: no luck"}]),
        ([], ok("rain"), [{"type": "text", "text": "rain"}]),
        ({"t": 17}, ok({"t": 18}), {"t": 18}),
        ({"result": 17}, ok(18), {"result": 18}),
        ({"output": 17}, ok(18), {"output": 18}),
        ({"error": "bad"}, ok(18), {"result": 18}),
        ({"t": 17}, ok(18), {"result": 18}),
        ({"t": 17}, FAILED, {"error": "ValueError: no luck"}),
        (None, ok(18), 18),
    ],
)  # fmt: skip
def test_a_fresh_result_takes_the_form_of_the_recorded_one(recorded, end, written):
    """Text stays text in its spelling of JSON, parts stay parts, an object stays an object."""
    assert in_form_of(recorded, end) == written


def test_only_what_changed_is_replaced_and_everywhere():
    """Later requests repeat a result; the rest of the tape is the very same."""
    exchanges = chat_exchanges(
        [Asked("f", result="old"), Asked("f", {"n": 1}, result="same")], [Asked("f", {"n": 2}, result="x")]
    )
    report = _report(exchanges, [ok("new"), ok("same"), ok("x")])

    fresh = list(refreshed(exchanges, report))

    assert fresh[0] is exchanges[0]
    assert [_results(exchange) for exchange in fresh] == [[], ["new", "same"], ["new", "same", "x"]]
    assert [_results(exchange) for exchange in exchanges] == [[], ["old", "same"], ["old", "same", "x"]]


def test_nothing_changed_is_the_tape_itself():
    """Byte for byte, since nothing is touched."""
    exchanges = chat_exchanges([Asked("f", result="same")])

    fresh = list(refreshed(exchanges, _report(exchanges, [ok("same")])))

    assert all(one is other for one, other in zip(fresh, exchanges, strict=True))


def test_what_could_not_run_keeps_its_recorded_result():
    """There is no fresh one."""
    exchanges = chat_exchanges([Asked("f", result="old")])
    skipped = Invocation(Outcome.SKIPPED, "f", error="not run: side effect")

    fresh = list(refreshed(exchanges, _report(exchanges, [skipped])))

    assert _results(fresh[1]) == ["old"]


def _report(exchanges, ends):
    turns = plan_run(tool_turns(exchanges), {"f": Effect.READ_ONLY}, Choice())
    calls = [(turn.exchange, number, call) for number, turn in enumerate(turns) for call in turn.calls]
    return RunReport(
        TapeFacts("run.jsonl", len(exchanges)),
        "tools.py",
        tuple(
            CallReport(exchange, number, call, end, compare(call.recorded.result.result.content, end))
            for (exchange, number, call), end in zip(calls, ends, strict=True)
        ),
        turns=len(turns),
    )


def _results(exchange):
    return [m["content"] for m in exchange.request.body.value["messages"] if m["role"] == "tool"]
