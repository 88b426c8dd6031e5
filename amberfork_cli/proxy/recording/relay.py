"""Pass calls on to their providers, byte for byte, and keep what was said.

A short answer is passed on when it is whole and on the tape; anything else piece by piece as it comes, the
end of it when the exchange is on the tape. So what an agent has completely is on the tape, however the
recorder ends.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Final

from amberfork_cli.core.tape import WEBSOCKET
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.edge.answering import (
    AgentLeftError,
    answer_whole,
    begin,
    break_off,
    end,
    hand_on,
    refuse,
)
from amberfork_cli.proxy.edge.calls import ERROR_HEADERS, FINAL_ERROR_HEADERS, HOP_BY_HOP, Call
from amberfork_cli.proxy.edge.server import Service
from amberfork_cli.proxy.providers.connections import CONNECT_S, Proxies, provider_session, watched
from amberfork_cli.proxy.recording.exchange import AGENT_LEFT, STOPPED, Recording, Tape, in_words
from amberfork_cli.proxy.recording.signing import Signer, SigningError
from amberfork_cli.proxy.recording.socket_relay import WebSocketRelay

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession
    from aiohttp.web import StreamResponse

_SHORT: Final = 1 << 20  # bytes; an answer announced as no longer is passed on whole
_LARGE: Final = 4 << 20  # bytes; the line of a larger exchange is made beside the event loop
_AT_ONCE: Final = 512 << 10  # bytes that aiohttp takes in one piece without a word about it


class Relay(Service):
    """Answers calls with what their providers say, and puts every exchange on a tape."""

    def __init__(self, tape: Tape, *, connect_s: float = CONNECT_S) -> None:
        self._tape, self._connect_s = tape, connect_s
        self._session: ClientSession
        self._closing = False
        self._proxies = Proxies()
        self._signer = Signer(os.environ)
        self._websockets = WebSocketRelay(tape, connect_s=connect_s, proxies=self._proxies)

    async def open(self) -> None:
        """Open the connections to the providers."""
        self._session = provider_session(connect_s=self._connect_s)

    async def close(self) -> None:
        """Close them."""
        await self._websockets.close()
        await self._session.close()

    def stop(self) -> None:
        """Say that what is cut from now on is cut by the recorder."""
        self._closing = True
        self._websockets.stop()

    async def answer(self, call: Call) -> StreamResponse:
        """Pass a call on, and its answer back."""
        from aiohttp import ClientError

        if call.method == WEBSOCKET:
            return await self._websockets.answer(call)
        if self._tape.failure is not None:
            return await refuse(call, self._tape.failure)
        try:
            call = self._signer.signed(call)
        except SigningError as error:
            body = call.error(403, "permission_error", str(error))
            return await answer_whole(call, 403, FINAL_ERROR_HEADERS, body)
        recording = Recording(call)
        try:
            upstream = await self._send(call)
        except asyncio.CancelledError:
            self._keep_cut(recording, by=self._who_cut)
            raise
        except (ClientError, OSError) as error:
            return await self._unreachable(call, recording, error)
        async with upstream:
            recording.begin(upstream.status, tuple(upstream.headers.items()))
            if upstream.content_length is not None and upstream.content_length <= _SHORT:
                return await self._pass_whole(call, upstream, recording)
            return await self._pass_on(call, upstream, recording)

    @property
    def _who_cut(self) -> str:
        return STOPPED if self._closing else AGENT_LEFT

    async def _send(self, call: Call) -> ClientResponse:
        from yarl import URL

        headers = [pair for pair in call.headers if pair[0].lower() not in HOP_BY_HOP]
        body: bytes | BytesIO | None = call.body
        if len(call.body) > _AT_ONCE:
            body = BytesIO(call.body)
        elif not call.body and "Content-Length" not in call.incoming.headers:
            body = None
        return await self._session.request(
            call.method,
            URL(call.upstream.host + call.target, encoded=True),
            headers=headers,
            data=body,
            allow_redirects=False,
            proxy=self._proxies.to(call.upstream.host),
        )

    async def _unreachable(self, call: Call, recording: Recording, error: Exception) -> StreamResponse:
        """Tell the agent, and the tape, that there was no answer."""
        problem = in_words(error)
        message = f"no answer from {call.upstream.shown}: {problem}"
        body = call.error(502, "api_connection_error", message)
        recording.begin(502, ERROR_HEADERS)
        recording.take(body)
        recording.cut = f"no answer from the provider: {problem}"
        if (unwritable := await self._kept(recording)) is not None:
            return await refuse(call, unwritable)
        return await answer_whole(call, 502, ERROR_HEADERS, body)

    async def _pass_whole(self, call: Call, upstream: ClientResponse, recording: Recording) -> StreamResponse:
        from aiohttp import ClientError

        try:
            body = await upstream.read()
        except asyncio.CancelledError:
            self._keep_cut(recording, by=self._who_cut)
            raise
        except (ClientError, OSError) as error:
            return await self._unreachable(call, Recording(call), error)
        recording.take(body)
        if (unwritable := await self._kept(recording)) is not None:
            return await refuse(call, unwritable)
        headers = tuple(upstream.headers.items())
        length = upstream.content_length if call.method == "HEAD" else len(body)
        response = await begin(call, upstream.status, headers, length=length, reason=upstream.reason)
        if body:
            await hand_on(response, body)
        await end(response)
        return response

    async def _pass_on(self, call: Call, upstream: ClientResponse, recording: Recording) -> StreamResponse:
        from aiohttp import ClientError

        left = upstream.content_length
        try:
            headers = tuple(upstream.headers.items())
            response = await begin(call, upstream.status, headers, length=left, reason=upstream.reason)
            with watched(upstream):
                async for piece in upstream.content.iter_any():
                    recording.take(piece)
                    if left is not None and recording.size >= left:
                        await self._keep_before_the_end(call, recording)
                    await hand_on(response, piece)
        except (asyncio.CancelledError, AgentLeftError):
            self._keep_cut(recording, by=self._who_cut)
            raise
        except (ClientError, OSError) as error:
            self._keep_cut(recording, by=f"the provider broke off: {in_words(error)}")
            break_off(call)
            return response
        await self._keep_before_the_end(call, recording)
        await end(response)
        return response

    async def _keep_before_the_end(self, call: Call, recording: Recording) -> None:
        """Put the exchange on the tape; if that fails, the agent must not take what it has for the whole."""
        if await self._kept(recording) is not None:
            break_off(call)

    async def _kept(self, recording: Recording) -> OutputError | None:
        """Put an exchange on the tape, once; gives back why it could not be."""
        if recording.kept:
            return None
        recording.kept = True
        try:
            if recording.size + len(recording.call.body) > _LARGE:
                await asyncio.shield(asyncio.to_thread(self._put, recording))
            else:
                self._put(recording)
        except OutputError as error:
            return error
        return None

    def _keep_cut(self, recording: Recording, *, by: str) -> None:
        """Put an exchange on the tape that ended early, unless it had said all it had to say."""
        if recording.kept:
            return
        recording.kept = True
        if not recording.complete:
            recording.cut = by
        with suppress(OutputError):  # nobody is left to be told, and the tape knows its failure
            self._put(recording)

    def _put(self, recording: Recording) -> None:
        self._tape.append(recording.exchange())
