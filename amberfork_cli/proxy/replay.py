"""Answer calls from a tape, without network and without cost; what is not on it is told, or relayed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from amberfork_cli.core.tape import NOTHING, Exchange, JsonValue, Response
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.answering import answer_whole, begin, break_off, end, hand_on, refuse
from amberfork_cli.proxy.calls import ERROR_HEADERS, FINAL_ERROR_HEADERS, Call
from amberfork_cli.proxy.choices import OnMiss, Pace
from amberfork_cli.proxy.misses import explain
from amberfork_cli.proxy.recorded import Hit, Miss, RecordedTape
from amberfork_cli.proxy.recording import CUT, Tape
from amberfork_cli.proxy.redacted import redactor_of
from amberfork_cli.proxy.relay import Relay
from amberfork_cli.proxy.server import Service
from amberfork_cli.proxy.wire import body_of, pieces, sendable

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

REPLAYED: Final = "replayed"
"""Member of a re-issued exchange: the number of the recorded one whose answer it was given."""

_NOT_ON_THE_TAPE: Final = 404


@dataclass(slots=True)
class Tally:
    """What a replay came to, counted as it goes."""

    hits: int = 0
    misses: int = 0


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
        self._recorded, self._reissued, self._relay = recorded, reissued, relay
        self._tell, self._on_miss, self._pace = tell, on_miss, pace
        self._header, self._redactor = header, redactor_of(header)
        self.tally = Tally()

    async def open(self) -> None:
        """Get ready to relay."""
        await self._relay.open()

    async def close(self) -> None:
        """Give up what relaying took."""
        await self._relay.close()

    async def answer(self, call: Call) -> StreamResponse:
        """Answer a call as it was answered when it was recorded."""
        if self._reissued.failure is not None:
            return await refuse(call, self._reissued.failure)
        asked = self._as_kept(Exchange(self.tally.hits + self.tally.misses, call.request))
        found = self._recorded.look_up(asked)
        if isinstance(found, Hit):
            self.tally.hits += 1
            self._as_kept(found.exchange)  # whose answer gives out IDs, and those are to stay
            return await self._answer_as(call, asked, found.exchange)
        self.tally.misses += 1
        return await self._missed(call, asked, found)

    def _as_kept(self, exchange: Exchange) -> Exchange:
        """The exchange as the recorded tape would hold it."""
        return exchange if self._redactor is None else self._redactor.exchange(exchange)

    async def _missed(self, call: Call, asked: Exchange, miss: Miss) -> StreamResponse:
        recorded = self._recorded
        problem = explain(miss, asked, source=recorded.source, options=recorded.options, header=self._header)
        if self._on_miss is OnMiss.RELAY:
            self._tell(f"{problem}; asking {call.upstream.shown}")
            return await self._relay.answer(call)
        nearest = miss.nearest if self._on_miss is OnMiss.NEAREST else None
        if nearest is not None and nearest.response is not None:
            self._tell(f"{problem}; answered as #{nearest.number}")
            return await self._answer_as(call, asked, nearest)
        self._tell(problem)
        body = call.error(_NOT_ON_THE_TAPE, "not_found_error", problem)
        response = Response(_NOT_ON_THE_TAPE, ERROR_HEADERS, body_of(body, ERROR_HEADERS))
        if (unwritable := self._kept(call, asked, response, {})) is not None:
            return await refuse(call, unwritable)
        return await answer_whole(call, _NOT_ON_THE_TAPE, FINAL_ERROR_HEADERS, body)

    async def _answer_as(self, call: Call, asked: Exchange, recorded: Exchange) -> StreamResponse:
        response = recorded.response or Response()
        noted: dict[str, JsonValue] = {REPLAYED: recorded.number}
        noted |= {CUT: recorded.extra[CUT]} if CUT in recorded.extra else {}
        if (unwritable := self._kept(call, asked, response, noted)) is not None:
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

    def _kept(
        self, call: Call, asked: Exchange, response: Response, noted: dict[str, JsonValue]
    ) -> OutputError | None:
        """Put an exchange on the tape of what was re-issued; gives back why it could not be."""
        extra: dict[str, JsonValue] = {
            "provider": call.upstream.name,
            "base_url": call.upstream.shown,
            "recorded_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            **noted,
        }
        exchange = replace(asked, response=response, extra=extra)
        try:
            self._reissued.append(exchange)
        except OutputError as error:
            return error
        return None


_UNREACHABLE: Final = 502  # with it the recorder itself answered for a provider that did not


def replayed(exchange: Exchange) -> int | None:
    """The number of the recorded exchange whose answer this one was given, if it was."""
    number = exchange.extra.get(REPLAYED)
    return number if isinstance(number, int) else None


class Nowhere:
    """A tape that keeps nothing."""

    failure: OutputError | None = None

    def append(self, exchange: Exchange) -> None:
        """Let an exchange go."""

    def close(self) -> None:
        """There is nothing to close."""
