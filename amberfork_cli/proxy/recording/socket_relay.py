"""Pass WebSockets on to their providers, message by message as they come, and keep what was said.

Pings and closings go through as well, so that each side hears of the other what the other said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeAlias

from amberfork_cli.core.tape import Headers
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.edge.answering import answer_whole, refuse
from amberfork_cli.proxy.edge.calls import ERROR_HEADERS, Call
from amberfork_cli.proxy.edge.handshake import Opening, Refusal, RefusedError, accept
from amberfork_cli.proxy.edge.messages import Message
from amberfork_cli.proxy.edge.sending import (
    AGENT,
    CLOSE_S,
    PROVIDER,
    Closing,
    closing_of,
    hang_up,
    hear_closing,
    send,
    send_closing,
    send_error,
)
from amberfork_cli.proxy.edge.under_way import UnderWay
from amberfork_cli.proxy.providers.connections import Proxies, provider_session
from amberfork_cli.proxy.recording.exchange import AGENT_LEFT, STOPPED, Recording, Tape, in_words
from amberfork_cli.proxy.recording.socket_turns import Turns

if TYPE_CHECKING:
    from aiohttp import ClientWebSocketResponse, WSMessage
    from aiohttp.web import StreamResponse, WebSocketResponse

    from amberfork_cli.proxy.edge.sending import Socket

_BROKE_OFF: Final = "the provider broke off"


class WebSocketRelay:
    """Relays WebSockets to their providers, and puts every turn on a tape."""

    def __init__(self, tape: Tape, *, connect_s: float, proxies: Proxies) -> None:
        self._tape, self._connect_s, self._proxies = tape, connect_s, proxies
        self._under_way = UnderWay()
        self._closing = False

    def stop(self) -> None:
        """Say that what is cut from now on is cut by the recorder."""
        self._closing = True

    async def close(self) -> None:
        """Wait until what was under way is on the tape; nothing may be relayed any more."""
        await self._under_way.end()

    async def answer(self, call: Call) -> StreamResponse:
        """Open a WebSocket to the provider, and relay it to its end."""
        return await self._under_way.answer(call, self._answer(call))

    async def _answer(self, call: Call) -> StreamResponse:
        from aiohttp import ClientError

        if self._tape.failure is not None:
            return await refuse(call, self._tape.failure)
        opening = Opening()
        async with provider_session(connect_s=self._connect_s, trace=opening.trace) as session:
            try:
                provider = await opening.reach(call, session, proxy=self._proxies.to(call.upstream.host))
            except asyncio.CancelledError:
                self._keep_unanswered(call)
                raise
            except RefusedError as error:
                return await self._refuse(call, error.refusal)
            except (ClientError, OSError) as error:
                return await self._refuse(call, _unreachable(call, error), cut=in_words(error))
            try:
                return await self._relay(call, provider, opening.headers)
            finally:
                opening.hang_up()

    def _who_left(self) -> str:
        return STOPPED if self._closing else AGENT_LEFT

    def _keep_unanswered(self, call: Call) -> None:
        recording = Recording(call)
        recording.cut = self._who_left()
        with suppress(OutputError):  # nobody is left to be told, and the tape knows its failure
            self._tape.append(recording.exchange())

    async def _refuse(self, call: Call, refusal: Refusal, *, cut: str | None = None) -> StreamResponse:
        """Answer the agent as the provider did, once that is on the tape."""
        recording = Recording(call)
        recording.begin(refusal.status, refusal.headers)
        recording.take(refusal.body)
        recording.cut = None if cut is None else f"no answer from the provider: {cut}"
        try:
            self._tape.append(recording.exchange())
        except OutputError as error:
            return await refuse(call, error)
        return await answer_whole(call, refusal.status, refusal.headers, refusal.body)

    async def _relay(self, call: Call, provider: ClientWebSocketResponse, headers: Headers) -> StreamResponse:
        turns = Turns(call, self._tape, headers=headers)
        try:
            agent = await accept(call, headers, subprotocol=provider.protocol)
        except (asyncio.CancelledError, ConnectionError):
            turns.cut(self._who_left())
            raise
        await _Conversation(call, agent, provider, turns, self._who_left).run()
        return agent


class _Conversation:
    """A WebSocket that is open on both sides."""

    def __init__(
        self,
        call: Call,
        agent: WebSocketResponse,
        provider: ClientWebSocketResponse,
        turns: Turns,
        who_left: Callable[[], str],
    ) -> None:
        self._call, self._agent, self._provider = call, agent, provider
        self._turns, self._who_left = turns, who_left

    async def run(self) -> None:
        """Relay until either side has closed or broken off, and keep the last turn."""
        sides = (
            asyncio.create_task(self._pump(self._agent, self._provider, self._turns.said)),
            asyncio.create_task(self._pump(self._provider, self._agent, self._turns.heard)),
        )
        try:
            await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
            await self._end(*sides)
        except OutputError as error:
            await self._tell(error)
        except asyncio.CancelledError:
            self._turns.cut(self._who_left())
            raise
        finally:
            for side in sides:
                side.cancel()
            await asyncio.gather(*sides, return_exceptions=True)

    async def _pump(self, source: Socket, target: Socket, keep: _Keep) -> WSMessage | None:
        """Pass on what one side says; gives back how it ended, `None` where the other side was gone first."""
        from aiohttp import WSMsgType

        with suppress(ConnectionError):
            while True:
                message = await source.receive()
                if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                    if await keep(message.data):
                        await send(target, message.data)
                elif message.type is WSMsgType.PING:
                    await target.ping(message.data)
                elif message.type is WSMsgType.PONG:
                    await target.pong(message.data)
                else:
                    return message
        return None

    async def _end(self, agent: _Side, provider: _Side) -> None:
        """One side has ended: see to it that the other one and the tape hear of it."""
        first, other = (provider, agent) if provider.done() else (agent, provider)
        if first.result() is None:
            first, other = other, first
            await asyncio.wait({first}, timeout=CLOSE_S)
        ended = first.result() if first.done() else None
        closing = closing_of(ended, by=AGENT if first is agent else PROVIDER)
        if closing is None:
            self._turns.cut(self._who_left() if first is agent else _broke_off(ended))
            hang_up(self._call)
        else:
            await self._close(closing, other)

    async def _close(self, closing: Closing, other: _Side) -> None:
        """Pass a closing on, and the answer to it back."""
        source: Socket = self._agent
        target: Socket = self._provider
        if closing.by == PROVIDER:
            self._turns.closed(closing)  # before the agent has it
            source, target = target, source
        with suppress(ConnectionError):
            await send_closing(target, closing)
        await asyncio.wait({other}, timeout=CLOSE_S)
        self._turns.closed(closing)
        answer = closing_of(other.result(), by=closing.by) if other.done() else None
        with suppress(ConnectionError):
            if answer is not None:
                await send_closing(source, answer)
        hang_up(self._call)

    async def _tell(self, error: OutputError) -> None:
        """Nothing more is recorded: end it, for what is not on the tape would be lost."""
        with suppress(ConnectionError):
            await send_error(self._agent, self._call, 507, "recording_error", str(error))
            await hear_closing(self._agent)
        hang_up(self._call)


_Side: TypeAlias = "asyncio.Task[WSMessage | None]"
_Keep: TypeAlias = Callable[[Message], Awaitable[bool]]


def _unreachable(call: Call, error: Exception) -> Refusal:
    message = f"no answer from {call.upstream.shown}: {in_words(error)}"
    return Refusal(502, ERROR_HEADERS, call.error(502, "api_connection_error", message))


def _broke_off(ended: WSMessage | None) -> str:
    error = None if ended is None else ended.data
    return f"{_BROKE_OFF}: {in_words(error)}" if isinstance(error, Exception) else _BROKE_OFF
