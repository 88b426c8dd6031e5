"""The tool calls of a tape, each once and in turns, with what was recorded for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from amberfork_cli.core.dialects.ledger import Entry, Ledger, RecordedResult, Side
from amberfork_cli.core.dialects.model import ToolCall, ToolResult
from amberfork_cli.core.tape import Exchange

__all__ = ["RecordedCall", "RecordedResult", "ResultPlace", "Side", "Turn", "result_places", "tool_turns"]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One tool call of a tape, where it was found first, and its result, if the tape holds one."""

    call: ToolCall
    exchange: int
    side: Side
    result: RecordedResult | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """The calls that a model made at once; `exchange` is the one in which they were found first."""

    exchange: int
    calls: tuple[RecordedCall, ...]


@dataclass(frozen=True, slots=True)
class ResultPlace:
    """One place where a recorded result stands in a request: every later request repeats it.

    `turn` and `call` count from 0 in what `tool_turns` gives for the same exchanges.
    """

    exchange: int
    result: ToolResult
    turn: int
    call: int


def tool_turns(exchanges: Iterable[Exchange]) -> tuple[Turn, ...]:
    """The turns of a tape that call tools, in the order in which they appear.

    Calls come from responses and, where a response is missing, from the histories of later requests. Those
    that the provider ran are among them, and those that a stream cut short.
    """
    ledger = Ledger()
    for exchange in exchanges:
        ledger.read(exchange)
    return tuple(
        Turn(turn.exchange, tuple(_recorded(entry) for entry in turn.entries)) for turn in ledger.turns
    )


def result_places(exchanges: Iterable[Exchange]) -> Iterator[ResultPlace]:
    """Every place of a request where the result of a known call stands, in the order of the tape."""
    ledger = Ledger()
    for exchange in exchanges:
        for result, entry in ledger.read(exchange):
            yield ResultPlace(exchange.number, result, entry.turn.number, entry.number)


def _recorded(entry: Entry) -> RecordedCall:
    return RecordedCall(entry.call, entry.turn.exchange, entry.turn.side, entry.result)
