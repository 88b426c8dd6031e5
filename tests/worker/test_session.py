"""The calls of a tape, run again and compared."""

from __future__ import annotations

import pytest
from tool_run_samples import Asked, chat_tape

from amberfork_cli.core.tape import Body, Exchange, ExchangeList, Request
from amberfork_cli.core.tools.comparison import Status
from amberfork_cli.core.tools.plan import Choice
from amberfork_cli.worker.session import CallBegun, plan_tape, run_plan

TOOLS = """
    import os, time
    from amberfork_cli.core.tools.registry import ToolContext, ToolRegistry

    registry = ToolRegistry()

    @registry.tool
    def add(a: int, b: int) -> int:
        return a + b

    @registry.tool
    def fails():
        raise ValueError("no luck")

    @registry.tool(timeout_ms=200)
    def hangs():
        time.sleep(60)

    @registry.tool(read_only=False)
    def refund() -> str:
        return "sent"

    @registry.tool(read_only=False)
    def cut():
        os._exit(1)

    @registry.tool
    def asks(context: ToolContext):
        return [context.get("user"), context.call_id, context.recorded_result, context.idempotency_key]
"""


def run(client, *turns, choice=None, **options):
    """The report of a tape of these turns."""
    plan = plan_tape(chat_tape(*turns), client, choice or Choice())
    return run_plan(plan, client, registry="mytools.py", **options)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (Asked("add", {"a": 1, "b": 2}, "3"), Status.SAME),
        (Asked("add", {"a": 1, "b": 2}, "4"), Status.CHANGED),
        (Asked("add", {"a": 1, "b": 2}), Status.NO_RECORDED_RESULT),
        (Asked("add", {"a": 1}, "3"), Status.INVALID_ARGUMENTS),
        (Asked("add", '{"a": 1, "b"', "3"), Status.INVALID_ARGUMENTS),
        (Asked("fails", {}, "fine"), Status.ERROR_NOW),
        (Asked("fails", {}, "ValueError: no luck"), Status.SAME_ERROR),
        (Asked("add", {"a": 1, "b": 2}, "Error: no luck"), Status.ERROR_THEN),
        (Asked("hangs", {}, "x"), Status.TIMED_OUT),
        (Asked("refund", {}, "sent"), Status.SKIPPED_SIDE_EFFECT),
        (Asked("nobody", {}, "x"), Status.UNKNOWN_TOOL),
    ],
)
def test_every_call_has_a_status(resident, asked, status):
    """What became of it, in one word."""
    report = run(resident(TOOLS), [asked])

    assert [call.status for call in report.calls] == [status]


def test_free_text_is_the_only_argument_of_a_tool(resident):
    """As a custom tool of OpenAI's gets it; a tool that takes more cannot be run with it."""
    tools = """
        def evaluate(code: str) -> int:
            return eval(code)

        def several(code: str, more: int = 0) -> int:
            return 1

        tools = [evaluate, several]
    """
    items = [
        {"role": "user", "content": "go"},
        {"type": "custom_tool_call", "call_id": "call_1", "name": "evaluate", "input": "3**3"},
        {"type": "custom_tool_call_output", "call_id": "call_1", "output": "27"},
        {"type": "custom_tool_call", "call_id": "call_2", "name": "several", "input": "3**3"},
        {"type": "custom_tool_call_output", "call_id": "call_2", "output": "27"},
    ]
    asked = Exchange(0, Request("POST", "/v1/responses", body=Body.json({"model": "m", "input": items})))

    with resident(tools) as client:
        plan = plan_tape(ExchangeList([asked]), client, Choice())
        report = run_plan(plan, client, registry="mytools.py")

    assert [call.status for call in report.calls] == [Status.SAME, Status.INVALID_ARGUMENTS]


def test_a_result_is_compared_once(resident):
    """What is told when a call ends stands in the report."""
    events = []

    report = run(resident(TOOLS), [Asked("add", {"a": 1, "b": 2}, "3")], on_event=events.append)

    assert events[-1] is report.calls[0]


def test_an_allowed_side_effect_runs_and_one_that_is_cut_is_interrupted(resident):
    """Neither runs a second time."""
    report = run(
        resident(TOOLS), [Asked("refund", {}, "sent"), Asked("cut", {}, "x")], choice=Choice(allow=["*"])
    )

    assert [call.status for call in report.calls] == [Status.SAME, Status.INTERRUPTED]
    assert [call.runs for call in report.calls] == [1, 1]


def test_calls_stand_in_the_order_of_the_tape_whatever_runs(resident):
    """With those that did not run in their places, and those left out without a status."""
    report = run(
        resident(TOOLS),
        [Asked("refund", {}, "sent"), Asked("add", {"a": 1, "b": 2}, "3"), Asked("fails", {}, "x")],
        [Asked("add", {"a": 2, "b": 2}, "4")],
        choice=Choice(skip=["fails"]),
    )

    assert [(call.exchange, call.turn, call.planned.position, call.status) for call in report.calls] == [
        (0, 0, 0, Status.SKIPPED_SIDE_EFFECT),
        (0, 0, 1, Status.SAME),
        (0, 0, 2, None),
        (1, 1, 0, Status.SAME),
    ]
    assert (report.turns, report.good) == (2, True)


def test_a_tool_is_told_of_its_call(resident):
    """The caller's values, the ID and the recorded result; the key is its own, and the same in every run."""
    tools = resident(TOOLS)
    turn = [Asked("asks", {}, "then"), Asked("asks", {}, "then")]

    first, again = (run(tools, turn, values={"user": "ann"}) for _ in range(2))

    told = [call.invocation.data for call in first.calls]
    assert [each[:3] for each in told] == [["ann", "call_0_0", "then"], ["ann", "call_0_1", "then"]]
    assert told[0][3] != told[1][3]
    assert told == [call.invocation.data for call in again.calls]


def test_checking_runs_nothing(resident):
    """What would run is skipped; what could not is told."""
    report = run(
        resident(TOOLS),
        [Asked("hangs"), Asked("add", {"a": "x"}), Asked("nobody")],
        check_only=True,
    )

    assert [(call.status, call.runs) for call in report.calls] == [
        (Status.SKIPPED_SIDE_EFFECT, 0),
        (Status.INVALID_ARGUMENTS, 0),
        (Status.UNKNOWN_TOOL, 0),
    ]


def test_what_happens_is_told(resident):
    """Each call as it begins, and as it ends, those that did not run too."""
    events = []

    report = run(resident(TOOLS, jobs=1), [Asked("asks"), Asked("refund")], on_event=events.append)

    assert [type(event).__name__ for event in events] == ["CallBegun", "CallReport", "CallReport"]
    assert events[0] == CallBegun(0, report.calls[0].planned)
    assert events[1:] == list(report.calls)


def test_a_tape_without_calls_is_no_work(resident):
    """And nothing to worry about."""
    report = run(resident(TOOLS))

    assert (report.calls, report.good, report.tape.exchanges) == ((), True, 1)
