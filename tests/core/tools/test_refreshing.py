"""Fresh results in the place of recorded ones."""

from __future__ import annotations

import pytest
from tool_run_samples import SKIPPED, Asked, chat_exchanges, failed, ok, report_on, run_report

from amberfork_cli.core.tape import Body, Exchange, Request
from amberfork_cli.core.tools.invocation import Outcome
from amberfork_cli.core.tools.refreshing import in_form_of, refreshed

FAILED = failed("ValueError: no luck", duration_ms=7.0)


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
    turns = [
        [Asked("search", result="old"), Asked("search", {"n": 1}, "same")],
        [Asked("search", {"n": 2}, "x")],
    ]
    exchanges = chat_exchanges(*turns)

    fresh = list(refreshed(exchanges, run_report(turns, [ok("new"), ok("same"), ok("x")])))

    assert fresh[0] is exchanges[0]
    assert [_results(exchange) for exchange in fresh] == [[], ["new", "same"], ["new", "same", "x"]]
    assert [_results(exchange) for exchange in exchanges] == [[], ["old", "same"], ["old", "same", "x"]]


@pytest.mark.parametrize(
    ("asked", "end"),
    [
        (Asked("search", result="same"), ok("same")),
        (Asked("refund", result="old"), SKIPPED),
        (Asked("search", result="old"), failed("no", Outcome.INVALID)),
        (Asked("nobody", result="old"), failed("no", Outcome.UNKNOWN)),
        (Asked("search"), ok("new")),
    ],
)
def test_where_nothing_changed_the_tape_is_itself(asked, end):
    """Where there is no fresh result, too."""
    exchanges = chat_exchanges([asked])

    fresh = list(refreshed(exchanges, run_report([[asked]], [end])))

    assert all(one is other for one, other in zip(fresh, exchanges, strict=True))


def test_a_provider_that_marks_errors_is_told_of_them():
    """Anthropic's results say of themselves that they are errors."""
    block = {"type": "tool_result", "tool_use_id": "t", "content": "fine"}
    call = {"type": "tool_use", "id": "t", "name": "search", "input": {}}
    body = {
        "model": "m",
        "max_tokens": 1,
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [block]},
        ],
    }
    exchange = Exchange(0, Request("POST", "/v1/messages", body=Body.json(body)))
    report = report_on([exchange], [FAILED])

    (fresh,) = refreshed([exchange], report)

    assert fresh.request.body.value["messages"][2]["content"] == [
        {**block, "content": "ValueError: no luck", "is_error": True}
    ]


def _results(exchange):
    return [m["content"] for m in exchange.request.body.value["messages"] if m["role"] == "tool"]
