"""Small tapes of tool calls, written as a test needs them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amberfork_cli.core.tape import Body, Exchange, ExchangeList, Request, Response


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
