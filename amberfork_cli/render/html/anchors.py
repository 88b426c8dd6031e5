"""What the parts of a report are called in its links."""

from __future__ import annotations

from amberfork_cli.core.compare.report import ExchangeDiff

TOOLS = "tools"
"""The part of a diff's page that is a run of tools."""


def anchor(exchange: ExchangeDiff) -> str:
    """The name of an exchange: `x4` by its re-issued number, `m7` where only the recorded tape has it."""
    return f"m{exchange.recorded}" if exchange.reissued is None else f"x{exchange.reissued}"


def difference_anchor(within: str, number: int) -> str:
    """The name of a difference in what is called `within`: `x4-d2`, counted from 1."""
    return f"{within}-d{number}"


def call_anchor(number: int) -> str:
    """The name of a tool call, by its place among all that were run, from 1."""
    return f"t{number}"


def conversation_anchor(conversation: int) -> str:
    """The name of a conversation, by the number that people see."""
    return f"c{conversation + 1}"
