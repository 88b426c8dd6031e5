"""What reports have in common as data: a tape, values, pointers, and nothing that says nothing.

What JSON has no room for is marked: bytes as base64, numbers that are not finite as the text of the whole
value.
"""

from __future__ import annotations

import base64
from typing import TypeAlias

from amberfork_cli.core.compare.report import MISSING, Side, TapeFacts
from amberfork_cli.core.jsontext import NonFinite, dumps
from amberfork_cli.core.tape import JsonValue

Members: TypeAlias = dict[str, JsonValue]


def of_tape(tape: TapeFacts) -> Members:
    """A tape: what it is called, how much it holds, what of it was left out."""
    left_out = tape.left_out
    torn = left_out.torn_end
    return {
        "source": tape.source,
        "exchanges": tape.exchanges,
        **told(
            {
                "bad_lines": [_line(*line) for line in left_out.bad_lines],
                "torn_end": _line(*torn) if torn else None,
                "non_finite": left_out.non_finite,
                "duplicate_keys": left_out.duplicate_keys,
                "ignored": tape.ignored,
                "replaced": tape.replaced,
                "unexplained": tape.unexplained,
            }
        ),
    }


def _line(number: int, problem: str) -> Members:
    return {"line": number, "problem": problem}


def of_value(name: str, value: Side) -> Members:
    """The value under its name, or under a name that says how it is written."""
    if value is MISSING:
        return {}
    if isinstance(value, bytes):
        return {f"{name}_base64": base64.b64encode(value).decode()}
    if _holds_non_finite(value):
        return {f"{name}_text": dumps(value).decode()}
    return {name: value}


def _holds_non_finite(value: Side) -> bool:
    waiting: list[Side] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, NonFinite):
            return True
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return False


def told(members: Members) -> Members:
    """The members that say something: not false, not zero, not empty."""
    return {name: value for name, value in members.items() if value}
