"""Chat requests of a few messages, as a test of one comparison needs them."""

from typing import Any

Json = Any


def chat(*messages: Json, **more: Json) -> Json:
    """A chat request that begins with a user's message."""
    return {"model": "m", "messages": [{"role": "user", "content": "Go."}, *messages], **more}


def calls(*names: str, prefix: str = "c") -> Json:
    """A message that calls those, without arguments."""
    made = [
        {"id": f"{prefix}{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for at, name in enumerate(names)
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(at: int, text: str, prefix: str = "c") -> Json:
    """The result of the call at that position."""
    return {"role": "tool", "tool_call_id": f"{prefix}{at}", "content": text}
