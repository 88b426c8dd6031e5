"""What the edge sends through a WebSocket: messages, closings, and what it has to say itself."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.proxy.edge.calls import Call
from amberfork_cli.proxy.edge.messages import Message

if TYPE_CHECKING:
    from aiohttp import ClientWebSocketResponse, WSMessage
    from aiohttp.web import WebSocketResponse

    Socket: TypeAlias = WebSocketResponse | ClientWebSocketResponse

AGENT: Final = "agent"
PROVIDER: Final = "provider"

CLOSE_S: Final = 10.0
"""Seconds to wait for the answer to a closing."""

REFUSED: Final = 1008
"""The code that amberfork closes with: one that no SDK takes for a reason to connect again."""

_MOST_REASON: Final = 123  # bytes that a frame of control has room for
_CLOSES_ONLY: Final = frozenset({"gemini"})  # its Live API has no event for an error: the closing says it


@dataclass(frozen=True, slots=True)
class Closing:
    """How a WebSocket was closed: by the `agent` or the `provider`; `code` is `None` where none was given."""

    by: str
    code: int | None
    reason: str

    @property
    def noted(self) -> JsonValue:
        """The closing as a tape holds it."""
        return {"by": self.by, "code": self.code, "reason": self.reason}


def closing_of(message: WSMessage | None, *, by: str) -> Closing | None:
    """The closing that a message is; `None` where it is none, or the connection broke."""
    from aiohttp import WSMsgType

    if message is None or message.type is not WSMsgType.CLOSE:
        return None
    return Closing(by, message.data or None, message.extra or "")


async def send(socket: Socket, message: Message) -> None:
    """Send a message; raises ConnectionError where the other side is gone."""
    if isinstance(message, str):
        await socket.send_str(message)
    else:
        await socket.send_bytes(message)


async def send_closing(socket: Socket, closing: Closing) -> None:
    """Send that the WebSocket is closed, or the answer to that; raises ConnectionError."""
    from aiohttp import WSMsgType

    code = b"" if closing.code is None else closing.code.to_bytes(2, "big")
    await socket.send_frame(code + closing.reason.encode(), WSMsgType.CLOSE)


async def send_error(socket: Socket, call: Call, status: int, kind: str, problem: str) -> None:
    """Say what is wrong, in the provider's own way, and close; raises ConnectionError."""
    message = f"amberfork: {problem}"
    if call.upstream.name not in _CLOSES_ONLY:
        error: JsonValue = {"type": kind, "code": None, "message": message, "param": None}
        event: JsonValue = {"type": "error", "event_id": "amberfork", "status": status, "error": error}
        await send(socket, jsontext.dumps(event).decode())
    reason = message.encode()[:_MOST_REASON].decode(errors="ignore")
    await send_closing(socket, Closing(PROVIDER, REFUSED, reason))


async def hear_closing(socket: Socket) -> None:
    """Wait for the answer to a closing, whatever comes before it, but not for long."""
    from aiohttp import WSMsgType

    lively = (WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.PING, WSMsgType.PONG)
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_S):
            while (await socket.receive()).type in lively:
                pass


def hang_up(call: Call) -> None:
    """Close the connection to the agent, once it has what was sent."""
    if call.incoming.transport is not None:
        call.incoming.transport.close()
