"""What the parts of a report are called in its links."""

from __future__ import annotations

from amberfork_cli.core.compare.report import ExchangeDiff


def anchor(exchange: ExchangeDiff) -> str:
    """The name of an exchange: `x4` by its re-issued number, `m7` where only the recorded tape has it."""
    return f"m{exchange.recorded}" if exchange.reissued is None else f"x{exchange.reissued}"


def difference_anchor(exchange: ExchangeDiff, number: int) -> str:
    """The name of a difference: `x4-d2`, counted from 1."""
    return f"{anchor(exchange)}-d{number}"


def conversation_anchor(conversation: int) -> str:
    """The name of a conversation, by the number that people see."""
    return f"c{conversation + 1}"
