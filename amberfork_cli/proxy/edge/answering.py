"""Answers on their way to the agent: whole, piece by piece, or cut off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from amberfork_cli.core.tape import Headers
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.edge.calls import FINAL_ERROR_HEADERS, HOP_BY_HOP, Call

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

_BODILESS: Final = frozenset({204, 304})


class AgentLeftError(ConnectionError):
    """The agent has closed the connection, so nothing can be sent to it."""


async def answer_whole(call: Call, status: int, headers: Headers, body: bytes) -> StreamResponse:
    """Send an answer that is at hand. Raises AgentLeftError."""
    response = await begin(call, status, headers, length=len(body))
    if body and call.method != "HEAD":
        await hand_on(response, body)
    await end(response)
    return response


async def refuse(call: Call, error: OutputError) -> StreamResponse:
    """Tell the agent that nothing more is recorded: an answer that is not on the tape would be lost."""
    body = call.error(507, "recording_error", str(error))
    return await answer_whole(call, 507, FINAL_ERROR_HEADERS, body)


async def begin(
    call: Call, status: int, headers: Headers, *, length: int | None = None, reason: str | None = None
) -> StreamResponse:
    """Send the beginning of an answer, whose body of `length` bytes follows, or comes in pieces.

    Raises AgentLeftError, as all that follows does.
    """
    from aiohttp.web import StreamResponse

    response = StreamResponse(status=status, reason=reason)
    for name, value in headers:
        if name.lower() not in HOP_BY_HOP:
            response.headers.add(name, value)
    if length is not None and status not in _BODILESS:
        response.content_length = length
    with _leaving():
        await response.prepare(call.incoming)
    return response


async def hand_on(response: StreamResponse, piece: bytes) -> None:
    """Send the next piece of an answer."""
    with _leaving():
        await response.write(piece)


async def end(response: StreamResponse) -> None:
    """Send the end of an answer."""
    with _leaving():
        await response.write_eof()


def break_off(call: Call) -> None:
    """Cut the connection, so that the agent cannot take what it has for the whole."""
    if call.incoming.transport is not None:
        call.incoming.transport.abort()


@contextmanager
def _leaving() -> Iterator[None]:
    try:
        yield
    except ConnectionError as error:
        raise AgentLeftError from error
