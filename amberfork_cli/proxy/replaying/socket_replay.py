"""Answer WebSockets from a tape: what the provider said after a message is sent when that message comes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias
from uuid import uuid4

from amberfork_cli.core.tape import Exchange, JsonValue, Response
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.edge.answering import AgentLeftError, answer_whole, refuse
from amberfork_cli.proxy.edge.calls import FINAL_ERROR_HEADERS, Call
from amberfork_cli.proxy.edge.handshake import accept, offered
from amberfork_cli.proxy.edge.messages import Message, heard_messages
from amberfork_cli.proxy.edge.sending import (
    AGENT,
    CLOSE_S,
    PROVIDER,
    closing_of,
    hang_up,
    send,
    send_closing,
    send_error,
)
from amberfork_cli.proxy.edge.under_way import UnderWay
from amberfork_cli.proxy.edge.wire import sendable
from amberfork_cli.proxy.recording.exchange import AGENT_LEFT, CUT
from amberfork_cli.proxy.recording.socket_turns import CONNECTION, closing_after, said_request
from amberfork_cli.proxy.replaying.choices import OnMiss, Pace
from amberfork_cli.proxy.replaying.recorded import Miss, RecordedTape
from amberfork_cli.proxy.replaying.recorded_sockets import Playback, RecordedSockets
from amberfork_cli.proxy.replaying.reissue import MISSED, NOT_ON_THE_TAPE, Reissue
from amberfork_cli.proxy.replaying.socket_names import Names

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse, WebSocketResponse

_OPEN: Final = 101
_NOT_RELAYED: Final = "a WebSocket that is under way cannot be relayed"


class _Relay(Protocol):
    async def answer(self, call: Call) -> StreamResponse:
        """Pass a call on, and its answer back."""


class WebSocketReplay:
    """Answers WebSockets from a tape, and keeps what was said.

    `relay` takes those that are not on the tape where `on_miss` says so, but whole ones only: of one that is
    under way, the provider has heard nothing.
    """

    def __init__(
        self, recorded: RecordedTape, reissue: Reissue, *, relay: _Relay, on_miss: OnMiss, pace: Pace
    ) -> None:
        self._sockets = RecordedSockets(recorded)
        self._reissue, self._relay = reissue, relay
        self._on_miss, self._pace = on_miss, pace
        self._under_way = UnderWay()

    async def close(self) -> None:
        """Wait until what was said is kept; nothing may be answered any more."""
        await self._under_way.end()

    async def answer(self, call: Call) -> StreamResponse:
        """Open a WebSocket, and answer it to its end."""
        asked = self._reissue.asked(call.request)
        found = self._sockets.open(asked)
        if isinstance(found, Miss):
            return await self._missed(call, asked, found)
        opening = self._sockets.opening(found)
        if opening is not None:
            self._reissue.hit(opening)
        return await self._under_way.answer(call, self._answer(call, asked, found, opening))

    async def _missed(self, call: Call, asked: Exchange, miss: Miss) -> StreamResponse:
        problem = self._reissue.missed(asked, miss)
        if self._on_miss is OnMiss.RELAY:
            self._reissue.tell(f"{problem}; asking {call.upstream.shown}")
            return await self._relay.answer(call)
        if self._on_miss is OnMiss.NEAREST and miss.nearest is not None:
            self._reissue.tell(f"{problem}; answered as #{miss.nearest.number}")
            playback = self._sockets.open_again(miss.nearest)
            return await self._under_way.answer(call, self._answer(call, asked, playback, miss.nearest))
        self._reissue.tell(problem)
        if (unwritable := self._reissue.keep_missed(call, asked, problem)) is not None:
            return await refuse(call, unwritable)
        body = call.error(NOT_ON_THE_TAPE, MISSED, problem)
        return await answer_whole(call, NOT_ON_THE_TAPE, FINAL_ERROR_HEADERS, body)

    async def _answer(
        self, call: Call, asked: Exchange, playback: Playback, opening: Exchange | None
    ) -> StreamResponse:
        conversation = _Conversation(
            call, self._sockets, playback, self._reissue, on_miss=self._on_miss, pace=self._pace
        )
        response = Response() if opening is None else opening.response
        if opening is not None and (unwritable := conversation.keep(asked, opening)) is not None:
            return await refuse(call, unwritable)
        if response is None:  # it was cut before there was an answer
            raise AgentLeftError
        if (response.status or _OPEN) != _OPEN:
            content, headers = sendable(response)
            return await answer_whole(call, response.status or _OPEN, headers, content)
        agent = await accept(call, response.headers, subprotocol=next(iter(offered(call)), None))
        await conversation.run(agent, opening)
        return agent


class _Conversation:
    """A WebSocket of the agent."""

    def __init__(
        self,
        call: Call,
        sockets: RecordedSockets,
        playback: Playback,
        reissue: Reissue,
        *,
        on_miss: OnMiss,
        pace: Pace,
    ) -> None:
        self._call, self._sockets, self._playback = call, sockets, playback
        self._reissue, self._on_miss, self._pace = reissue, on_miss, pace
        self._id, self._turn, self._names = uuid4().hex, 0, Names()
        self._to_send: asyncio.Queue[tuple[float, _Act]] = asyncio.Queue()
        self._ends = self._closed = False

    async def run(self, agent: WebSocketResponse, opening: Exchange | None) -> None:
        """Answer what the agent says until either side has closed."""
        if opening is not None:
            self._play(agent, opening, self._call.begun)
        sending = asyncio.create_task(self._send())
        try:
            with suppress(ConnectionError):
                await self._hear(agent)
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            hang_up(self._call)

    def keep(self, asked: Exchange, recorded: Exchange) -> OutputError | None:
        """Keep what the agent said, answered as that exchange was; gives back why it could not be."""
        return self._reissue.keep(self._call, asked, recorded, self._noted(recorded))

    async def _hear(self, agent: WebSocketResponse) -> None:
        from aiohttp import WSMsgType

        while True:
            message = await agent.receive()
            if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                if not self._ends:  # the provider would not hear it either
                    self._answer(agent, message.data)
            elif message.type is WSMsgType.PING:
                await agent.pong(message.data)
            elif message.type is not WSMsgType.PONG:
                closing = closing_of(message, by=AGENT)
                if closing is not None and not self._closed:
                    await send_closing(agent, closing)
                return

    def _answer(self, agent: WebSocketResponse, message: Message) -> None:
        begun = time.monotonic()
        self._turn += 1
        asked = self._reissue.asked(said_request(self._call, message))
        found = self._sockets.look_up(self._playback, asked)
        if isinstance(found, Miss):
            self._missed(agent, asked, found, begun)
        else:
            self._reissue.hit(found.exchange)
            self._names.learn(found.exchange, asked)
            self._answer_as(agent, asked, self._names.in_answer(found.exchange), begun)

    def _missed(self, agent: WebSocketResponse, asked: Exchange, miss: Miss, begun: float) -> None:
        problem = self._reissue.missed(asked, miss)
        if self._on_miss is OnMiss.NEAREST and miss.nearest is not None:
            self._reissue.tell(f"{problem}; answered as #{miss.nearest.number}")
            self._answer_as(agent, asked, miss.nearest, begun)
            return
        if self._on_miss is OnMiss.RELAY:
            problem = f"{problem}; {_NOT_RELAYED}"
        self._reissue.tell(problem)
        unwritable = self._reissue.keep_missed(self._call, asked, problem, self._noted(None))
        if unwritable is None:
            self._fail(agent, NOT_ON_THE_TAPE, MISSED, problem)
        else:
            self._fail_to_keep(agent, unwritable)

    def _answer_as(self, agent: WebSocketResponse, asked: Exchange, recorded: Exchange, begun: float) -> None:
        unwritable = self.keep(asked, recorded)
        if unwritable is None:
            self._play(agent, recorded, begun)
        else:
            self._fail_to_keep(agent, unwritable)

    def _noted(self, recorded: Exchange | None) -> dict[str, JsonValue]:
        closing = None if recorded is None else closing_after(recorded)
        closed: dict[str, JsonValue] = {} if closing is None else {"closed": closing.noted}
        return {CONNECTION: {"id": self._id, "turn": self._turn, **closed}}

    def _play(self, agent: WebSocketResponse, recorded: Exchange, begun: float) -> None:
        """Say what the provider said then, and end as it ended."""
        at = begun
        for milliseconds, message in heard_messages(recorded.response or Response()):
            at = begun + milliseconds / 1000
            self._to_send.put_nowait((at, partial(send, agent, message)))
        closing = closing_after(recorded)
        if closing is not None and closing.by == PROVIDER:
            self._end((at, partial(self._close, partial(send_closing, agent, closing))))
        elif recorded.extra.get(CUT, AGENT_LEFT) != AGENT_LEFT:
            self._end((at, self._break_off))

    def _fail(self, agent: WebSocketResponse, status: int, kind: str, problem: str) -> None:
        say = partial(send_error, agent, self._call, status, kind, problem)
        self._end((time.monotonic(), partial(self._close, say)))

    def _fail_to_keep(self, agent: WebSocketResponse, error: OutputError) -> None:
        self._fail(agent, 507, "recording_error", str(error))

    def _end(self, last: tuple[float, _Act]) -> None:
        self._ends = True
        self._to_send.put_nowait(last)

    async def _send(self) -> None:
        with suppress(ConnectionError):
            while True:
                at, act = await self._to_send.get()
                if self._pace is Pace.REAL:
                    await asyncio.sleep(max(at - time.monotonic(), 0))
                await act()

    async def _close(self, say: _Act) -> None:
        """Say that it is closed; the agent answers that, unless it takes too long."""
        self._closed = True
        await say()
        await asyncio.sleep(CLOSE_S)
        hang_up(self._call)

    async def _break_off(self) -> None:
        hang_up(self._call)


_Act: TypeAlias = Callable[[], Awaitable[None]]
