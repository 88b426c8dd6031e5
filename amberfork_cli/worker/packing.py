"""The core's own objects as the JSON text that a message carries, and back."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.invocation import Invocation, Outcome
from amberfork_cli.core.tools.tool import ToolContext


def pack(value: object) -> str:
    """A JSON value, or one of the flat data classes below, as text."""
    if isinstance(value, (Invocation, ToolContext)):
        value = {part.name: getattr(value, part.name) for part in fields(value)}
    return jsontext.dumps(value).decode("utf-8")


def unpack(text: str) -> JsonValue:
    """The JSON value again."""
    return jsontext.loads(text)


def unpack_invocation(text: str) -> Invocation:
    """The invocation again."""
    said = _members(text)
    said["outcome"] = Outcome(said["outcome"])
    said["details"], said["lossy"] = tuple(said["details"]), tuple(said["lossy"])
    return Invocation(**said)


def unpack_context(text: str) -> ToolContext:
    """The context again."""
    return ToolContext(**_members(text))


def _members(text: str) -> dict[str, Any]:
    value: Any = jsontext.loads(text)
    return dict(value)
