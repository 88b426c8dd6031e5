"""Which result answers which call, within one body.

IDs repeat: some servers count from zero every turn, some write one constant, some nothing at all. So a result
answers the earliest unanswered call of its ID, else the latest. Where there is no ID to go by, it answers the
earliest unanswered call of its name in the turn before it; without a name, the earliest of all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from amberfork_cli.core.dialects.model import Message, Role, ToolCall, ToolResult
from amberfork_cli.core.paths import Path


def linked(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages with each result's `answers` filled in, where a call before it explains it."""
    linker = Linker()
    return tuple(linker.read(message) for message in messages)


class Linker:
    """The calls of a history as it is read, and which of them nothing has answered yet."""

    def __init__(self) -> None:
        self._open: dict[str, deque[ToolCall]] = {}
        self._latest: dict[str, ToolCall] = {}
        self._turn: list[ToolCall] = []
        self._answered: set[Path] = set()
        self._last_role = Role.USER

    def read(self, message: Message) -> Message:
        """The next message, its results linked."""
        if message.role is Role.ASSISTANT and self._last_role is not Role.ASSISTANT:
            self._turn.clear()
        self._last_role = message.role
        for call in message.calls:
            self._declare(call)
        if not message.results:
            return message
        results = tuple(replace(result, answers=self._answered_by(result)) for result in message.results)
        return replace(message, results=results)

    def _declare(self, call: ToolCall) -> None:
        self._turn.append(call)
        if call.id is not None:
            self._open.setdefault(call.id, deque()).append(call)
            self._latest[call.id] = call

    def _answered_by(self, result: ToolResult) -> ToolCall | None:
        if result.id is not None and result.id in self._latest:
            call: ToolCall | None = self._of_id(result.id)
        else:
            call = next(self._of_name(result), None)
        if call is not None:
            self._answered.add(call.path)
        return call

    def _of_id(self, call_id: str) -> ToolCall:
        waiting = self._open[call_id]
        while waiting:
            call = waiting.popleft()
            if call.path not in self._answered:
                return call
        return self._latest[call_id]

    def _of_name(self, result: ToolResult) -> Iterator[ToolCall]:
        """The calls of the turn that a result can mean whose ID says nothing, the earliest first.

        A name that no call of the turn bears is a client's slip: then only the order is left.
        """
        named = result.name is not None and any(call.name == result.name for call in self._turn)
        if result.id is not None and not named:
            return
        for call in self._turn:
            if call.path in self._answered or (result.id is not None and call.id is not None):
                continue
            if not named or call.name == result.name:
                yield call
