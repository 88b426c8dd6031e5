"""Request bodies and tapes of one small agent, as the command line gets them."""

import json
from collections.abc import Iterable
from typing import Any

ID = "call_9Ys2kQ81"


def call(id_: str = ID, **arguments: str) -> dict[str, Any]:
    """An assistant's message that calls one tool."""
    function = {"name": "get_weather", "arguments": json.dumps(arguments)}
    return {"role": "assistant", "tool_calls": [{"id": id_, "type": "function", "function": function}]}


def result(id_: str = ID, content: str = "rain") -> dict[str, Any]:
    """What the tool answered."""
    return {"role": "tool", "tool_call_id": id_, "content": content}


def body(*messages: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A request body that begins with a question."""
    return {"model": "m", "messages": [{"role": "user", "content": "Weather?"}, *messages], **members}


def exchange(request: dict[str, Any], response: dict[str, Any] | None = None) -> dict[str, Any]:
    """An exchange as a tape has it."""
    asked = {"method": "POST", "path": "/v1/chat/completions", "body": request}
    return {"request": asked} if response is None else {"request": asked, "response": response}


def run(id_: str = ID, city: str = "Seoul", content: str = "rain") -> list[dict[str, Any]]:
    """Three requests of one conversation, in the second of which a tool was called."""
    first = (call(id_, city=city), result(id_, content))
    rest = ({"role": "assistant", "content": "It rains."}, {"role": "user", "content": "Thanks"})
    return [exchange(body()), exchange(body(*first)), exchange(body(*first, *rest))]


def lines(exchanges: Iterable[dict[str, Any]]) -> list[str]:
    """The exchanges as lines of a tape."""
    return [json.dumps(each, separators=(",", ":")) for each in exchanges]
