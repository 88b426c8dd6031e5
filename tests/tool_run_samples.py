"""Small tapes of tool calls, written as a test needs them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amberfork_cli.core.compare.report import TapeFacts
from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.tape import Body, Exchange, ExchangeList, Request, Response
from amberfork_cli.core.tools.comparison import NOT_RECORDED, compare
from amberfork_cli.core.tools.invocation import Invocation, Outcome
from amberfork_cli.core.tools.plan import Choice, Decision, plan_run
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.core.tools.tool import Effect


@dataclass(frozen=True, slots=True)
class Asked:
    """One call as it stands on a tape: arguments as a value or as text, the text of its result."""

    name: str
    arguments: Any = None
    result: str | None = None


def chat_exchanges(*turns: list[Asked]) -> list[Exchange]:
    """An agent on OpenAI's chat API that makes these calls, turn by turn, and then says that it is done."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    exchanges = []
    for number, turn in enumerate(turns):
        answer = _answer(number, turn)
        exchanges.append(_exchange(number, messages, answer))
        messages = [*messages, answer, *_results(number, turn)]
    exchanges.append(_exchange(len(turns), messages, {"role": "assistant", "content": "Done."}))
    return exchanges


def chat_tape(*turns: list[Asked]) -> ExchangeList:
    """The same as a tape."""
    return ExchangeList(chat_exchanges(*turns), source="run.jsonl")


def write_tape(path: Path, *turns: list[Asked]) -> Path:
    """The same as a file."""
    lines = []
    for exchange in chat_exchanges(*turns):
        assert exchange.response is not None
        request = {"method": "POST", "path": exchange.request.path, "body": exchange.request.body.value}
        lines.append(
            json.dumps(
                {"request": request, "response": {"status": 200, "body": exchange.response.body.value}}
            )
        )
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


TOOLS = {"search": Effect.READ_ONLY, "refund": Effect.SIDE_EFFECT, "helper": Effect.UNDECLARED}
SKIPPED = Invocation(Outcome.SKIPPED, "refund", error="not run: side effect")


def ok(data: Any, *, ms: float = 7.0, text: str | None = None) -> Invocation:
    """A tool that answered."""
    return Invocation(Outcome.OK, "search", data=data, text=text, duration_ms=ms)


def failed(error: str, outcome: Outcome = Outcome.FAILED, **members: Any) -> Invocation:
    """A tool that did not."""
    return Invocation(outcome, "search", error=error, **members)


def run_report(turns: list[list[Asked]], ends: list[Invocation], **members: Any) -> RunReport:
    """What these calls came to, by these ends in their order."""
    return report_on(chat_exchanges(*turns), ends, **members)


def report_on(
    exchanges: list[Exchange], ends: list[Invocation], *, choice: Choice | None = None, **members: Any
) -> RunReport:
    """What the calls of these exchanges came to; `members` are more of the report."""
    planned = plan_run(tool_turns(exchanges), TOOLS, choice or Choice())
    calls = [(turn.exchange, number, call) for number, turn in enumerate(planned) for call in turn.calls]
    reports = []
    for (exchange, number, call), end in zip(calls, ends, strict=True):
        recorded = call.recorded.result.result.content if call.recorded.result else NOT_RECORDED
        compared = None if call.decision is Decision.LEFT_OUT else compare(recorded, end)
        reports.append(CallReport(exchange, number, call, end, compared))
    facts = TapeFacts("run.jsonl", len(exchanges))
    return RunReport(facts, "mytools.py", tuple(reports), turns=len(planned), **members)


def _answer(number: int, turn: list[Asked]) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{number}_{place}",
            "type": "function",
            "function": {"name": asked.name, "arguments": _spelled(asked.arguments)},
        }
        for place, asked in enumerate(turn)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _spelled(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments or {})


def _results(number: int, turn: list[Asked]) -> list[dict[str, Any]]:
    return [
        {"role": "tool", "tool_call_id": f"call_{number}_{place}", "content": asked.result}
        for place, asked in enumerate(turn)
        if asked.result is not None
    ]


def _exchange(number: int, messages: list[dict[str, Any]], answer: dict[str, Any]) -> Exchange:
    request = {"model": "m", "messages": messages}
    response = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": answer, "finish_reason": "stop"}],
    }
    return Exchange(
        number,
        Request("POST", "/v1/chat/completions", body=Body.json(request)),
        Response(200, body=Body.json(response)),
    )
