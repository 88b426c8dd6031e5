"""Answer calls from a tape, without network and without cost; what is not on it is told, or relayed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from amberfork_cli.core.tape import NOTHING, WEBSOCKET, Exchange, JsonValue, Response
from amberfork_cli.proxy.edge.answering import answer_whole, begin, break_off, end, hand_on, refuse
from amberfork_cli.proxy.edge.calls import FINAL_ERROR_HEADERS, Call
from amberfork_cli.proxy.edge.server import Service
from amberfork_cli.proxy.edge.wire import pieces, sendable
from amberfork_cli.proxy.recording.exchange import CUT, Tape
from amberfork_cli.proxy.recording.relay import Relay
from amberfork_cli.proxy.replaying.choices import OnMiss, Pace
from amberfork_cli.proxy.replaying.recorded import Miss, RecordedTape
from amberfork_cli.proxy.replaying.reissue import MISSED, NOT_ON_THE_TAPE, Reissue, Tally
from amberfork_cli.proxy.replaying.socket_replay import WebSocketReplay

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

_UNREACHABLE: Final = 502  # with it the recorder itself answered for a provider that did not


class Replay(Service):
    """Answers calls from a tape, and puts what was asked on another, if there is one.

    `relay` takes what is not on the tape where `on_miss` says so. `tell` is told of every miss. `header` is
    what the recorded tape says of itself: where it is redacted, so is what is asked.
    """

    def __init__(
        self,
        recorded: RecordedTape,
        *,
        reissued: Tape,
        relay: Relay,
        tell: Callable[[str], None],
        on_miss: OnMiss = OnMiss.FAIL,
        pace: Pace = Pace.NONE,
        header: Mapping[str, JsonValue] = NOTHING,
    ) -> None:
        self._recorded, self._relay = recorded, relay
        self._reissue = Reissue(recorded, reissued, tell=tell, header=header)
        self._on_miss, self._pace = on_miss, pace
        self._websockets = WebSocketReplay(recorded, self._reissue, relay=relay, on_miss=on_miss, pace=pace)

    @property
    def tally(self) -> Tally:
        """What it came to so far."""
        return self._reissue.tally

    async def open(self) -> None:
        """Get ready to relay."""
        await self._relay.open()

    async def close(self) -> None:
        """Give up what relaying took."""
        await self._websockets.close()
        await self._relay.close()

    async def answer(self, call: Call) -> StreamResponse:
        """Answer a call as it was answered when it was recorded."""
        if self._reissue.failure is not None:
            return await refuse(call, self._reissue.failure)
        if call.method == WEBSOCKET:
            return await self._websockets.answer(call)
        asked = self._reissue.asked(call.request)
        found = self._recorded.look_up(asked)
        if isinstance(found, Miss):
            return await self._missed(call, asked, found)
        self._reissue.hit(found.exchange)
        return await self._answer_as(call, asked, found.exchange)

    async def _missed(self, call: Call, asked: Exchange, miss: Miss) -> StreamResponse:
        problem = self._reissue.missed(asked, miss)
        if self._on_miss is OnMiss.RELAY:
            self._reissue.tell(f"{problem}; asking {call.upstream.shown}")
            return await self._relay.answer(call)
        nearest = miss.nearest if self._on_miss is OnMiss.NEAREST else None
        if nearest is not None and nearest.response is not None:
            self._reissue.tell(f"{problem}; answered as #{nearest.number}")
            return await self._answer_as(call, asked, nearest)
        return await self._fail(call, asked, problem)

    async def _fail(self, call: Call, asked: Exchange, problem: str) -> StreamResponse:
        self._reissue.tell(problem)
        if (unwritable := self._reissue.keep_missed(call, asked, problem)) is not None:
            return await refuse(call, unwritable)
        body = call.error(NOT_ON_THE_TAPE, MISSED, problem)
        return await answer_whole(call, NOT_ON_THE_TAPE, FINAL_ERROR_HEADERS, body)

    async def _answer_as(self, call: Call, asked: Exchange, recorded: Exchange) -> StreamResponse:
        response = recorded.response or Response()
        if (unwritable := self._reissue.keep(call, asked, recorded)) is not None:
            return await refuse(call, unwritable)
        content, headers = sendable(response)
        in_pieces = list(pieces(content, response))
        cut = CUT in recorded.extra and response.status != _UNREACHABLE
        if len(in_pieces) < 2 and not cut:
            return await answer_whole(call, response.status or 200, headers, content)
        answer = await begin(call, response.status or 200, headers)
        for milliseconds, piece in in_pieces:
            await self._wait(call, milliseconds)
            await hand_on(answer, piece)
        if cut:
            break_off(call)
        else:
            await end(answer)
        return answer

    async def _wait(self, call: Call, milliseconds: int) -> None:
        """Let the event loop send what it has, and where that is wanted, the time pass that passed then."""
        left = call.begun + milliseconds / 1000 - time.monotonic() if self._pace is Pace.REAL else 0
        await asyncio.sleep(max(left, 0))
