"""The turns of one WebSocket as they come in, each on the tape before the next one goes on.

A turn is one message of the agent and what the provider said until the agent's next. What the provider says
first, before the agent has said anything, is the answer to the opening, which is a turn without a message. So
the order in which the recorder saw the messages of both sides is that of the tape, read line by line. Runs of
messages are not put together: where one ends is an accident of timing, and two recordings of one agent would
not compare.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import Exchange, Headers, JsonValue, Request
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.edge.calls import Call
from amberfork_cli.proxy.edge.messages import Message, heard_response, said_body, said_extra
from amberfork_cli.proxy.edge.sending import Closing
from amberfork_cli.proxy.providers.credentials import kept_headers
from amberfork_cli.proxy.recording.exchange import CUT, Tape

CONNECTION: Final = "websocket"
"""Member of an exchange through a WebSocket: which connection it belongs to, and its place there.

`id` is the connection's, `turn` counts from 0, the opening. The last turn has how it was `closed`.
"""

_LARGE: Final = 4 << 20  # bytes; the line of a larger turn is made beside the event loop


def connection_of(exchange: Exchange) -> str | None:
    """Which connection a recorded exchange belongs to, `None` where the tape does not say."""
    noted = exchange.extra.get(CONNECTION)
    name = noted.get("id") if isinstance(noted, dict) else None
    return name if isinstance(name, str) else None


def closing_after(exchange: Exchange) -> Closing | None:
    """How the connection was closed after a recorded exchange, `None` where it went on."""
    noted = exchange.extra.get(CONNECTION)
    closed = noted.get("closed") if isinstance(noted, dict) else None
    if not isinstance(closed, dict):
        return None
    code = closed.get("code")
    return Closing(str(closed.get("by")), code if type(code) is int else None, str(closed.get("reason", "")))


def said_request(call: Call, message: Message | None) -> Request:
    """A message of the agent as the request of an exchange; `None` is the opening of the connection."""
    if message is None:
        return call.request
    return replace(call.request, headers=(), body=said_body(message), extra=said_extra(message))


@dataclass(slots=True)
class Turn:
    """One turn as it comes in. `begun` is when, on the clock of `time.monotonic`."""

    number: int
    message: Message | None
    begun: float
    headers: Headers = ()
    noted: dict[str, JsonValue] = field(default_factory=dict)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    heard: list[tuple[int, Message]] = field(default_factory=list)

    def hear(self, message: Message) -> None:
        """The provider said something."""
        self.heard.append((round((time.monotonic() - self.begun) * 1000), message))

    @property
    def size(self) -> int:
        """Roughly how many bytes it is."""
        return len(self.message or "") + sum(len(message) for _, message in self.heard)

    def exchange(self, call: Call, connection: str) -> Exchange:
        """The turn as the tape holds it."""
        extra: dict[str, JsonValue] = {
            "provider": call.upstream.name,
            "base_url": call.upstream.shown,
            "recorded_at": self.at.isoformat(timespec="milliseconds"),
            "duration_ms": self.heard[-1][0] if self.heard else 0,
            CONNECTION: {"id": connection, "turn": self.number, **self.noted},
        }
        response = heard_response(self.heard, self.headers)
        return Exchange(0, said_request(call, self.message), response, extra=extra)


class Turns:
    """Puts a connection on the tape, turn by turn; what keeps a turn raises OutputError.

    `headers` are what the provider accepted the connection with.
    """

    def __init__(self, call: Call, tape: Tape, *, headers: Headers) -> None:
        self._call, self._tape, self._id = call, tape, uuid4().hex
        self._lock = asyncio.Lock()
        self._ended = False
        self._turn = Turn(0, None, call.begun, kept_headers(headers))

    async def said(self, message: Message) -> bool:
        """The agent said something, which ends a turn. Tells whether the provider still listens."""
        async with self._lock:
            if self._ended:
                return False
            ended, self._turn = self._turn, Turn(self._turn.number + 1, message, time.monotonic())
            if ended.size > _LARGE:
                await asyncio.shield(asyncio.to_thread(self._keep, ended))
            else:
                self._keep(ended)
            return True

    async def heard(self, message: Message) -> bool:
        """The provider said something. Tells, once all turns before are kept, whether it is still heard."""
        async with self._lock:
            if not self._ended:
                self._turn.hear(message)
            return not self._ended

    def closed(self, closing: Closing) -> None:
        """The connection was closed as it should be."""
        if not self._ended:
            self._ended = True
            self._turn.noted["closed"] = closing.noted
            self._keep(self._turn)

    def cut(self, by: str) -> None:
        """The connection broke."""
        if self._ended:
            return
        self._ended = True
        exchange = self._turn.exchange(self._call, self._id)
        if not _is_whole(exchange):
            exchange = replace(exchange, extra={**exchange.extra, CUT: by})
        with suppress(OutputError):  # nobody is left to be told, and the tape knows its failure
            self._tape.append(exchange)

    def _keep(self, turn: Turn) -> None:
        self._tape.append(turn.exchange(self._call, self._id))


def _is_whole(exchange: Exchange) -> bool:
    """Whether what the provider said spells an answer that reached its end."""
    answer = None if exchange.response is None else response_json(exchange.response)
    return answer is not None and answer.complete and not isinstance(answer.body, list)
