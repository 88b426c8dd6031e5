"""What is asked of a tape now: seen as the tape would hold it, counted, told, and kept on another tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from amberfork_cli.core.tape import NOTHING, Exchange, JsonValue, Request, Response
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.edge.calls import ERROR_HEADERS, Call
from amberfork_cli.proxy.edge.wire import body_of
from amberfork_cli.proxy.recording.exchange import CUT, Tape
from amberfork_cli.proxy.recording.redacted import redactor_of
from amberfork_cli.proxy.replaying.misses import explain
from amberfork_cli.proxy.replaying.recorded import Miss, RecordedTape

REPLAYED: Final = "replayed"
"""Member of a re-issued exchange: the number of the recorded one whose answer it was given."""

THIS_RUN: Final = "this run"
"""What a tape of what is asked now is called, and not by the name of a temporary file."""

NOT_ON_THE_TAPE: Final = 404
MISSED: Final = "not_found_error"


def replayed(exchange: Exchange) -> int | None:
    """The number of the recorded exchange whose answer this one was given, if it was."""
    number = exchange.extra.get(REPLAYED)
    return number if isinstance(number, int) else None


@dataclass(slots=True)
class Tally:
    """What a replay came to, counted as it goes."""

    hits: int = 0
    misses: int = 0


class Reissue:
    """What is asked of `recorded` now. What keeps an exchange on `tape` gives back why it could not.

    `tell` is told of every miss. `header` is what the recorded tape says of itself: where it is redacted, so
    is what is asked.
    """

    def __init__(
        self,
        recorded: RecordedTape,
        tape: Tape,
        *,
        tell: Callable[[str], None],
        header: Mapping[str, JsonValue] = NOTHING,
    ) -> None:
        self.tally = Tally()
        self.tell = tell
        self._recorded, self._tape = recorded, tape
        self._header, self._redactor = header, redactor_of(header)

    @property
    def failure(self) -> OutputError | None:
        """Why nothing more is kept."""
        return self._tape.failure

    def asked(self, request: Request) -> Exchange:
        """A request as the recorded tape would hold it."""
        return self._as_kept(Exchange(self.tally.hits + self.tally.misses, request))

    def hit(self, recorded: Exchange) -> None:
        """Count a request that this exchange answers."""
        self.tally.hits += 1
        self._as_kept(recorded)  # whose answer gives out IDs, and those are to stay

    def missed(self, asked: Exchange, miss: Miss) -> str:
        """Count a request that is not on the tape; gives back what there is to say of it."""
        self.tally.misses += 1
        recorded = self._recorded
        return explain(miss, asked, source=recorded.source, options=recorded.options, header=self._header)

    def keep(
        self, call: Call, asked: Exchange, recorded: Exchange, noted: Mapping[str, JsonValue] = NOTHING
    ) -> OutputError | None:
        """Keep a request that was answered as a recorded one was."""
        cut = {CUT: recorded.extra[CUT]} if CUT in recorded.extra else {}
        more: dict[str, JsonValue] = {REPLAYED: recorded.number, **cut, **noted}
        return self._keep(call, asked, recorded.response or Response(), more)

    def keep_missed(
        self, call: Call, asked: Exchange, problem: str, noted: Mapping[str, JsonValue] = NOTHING
    ) -> OutputError | None:
        """Keep a request that was answered with what there is to say of it."""
        body = body_of(call.error(NOT_ON_THE_TAPE, MISSED, problem), ERROR_HEADERS)
        return self._keep(call, asked, Response(NOT_ON_THE_TAPE, ERROR_HEADERS, body), noted)

    def _as_kept(self, exchange: Exchange) -> Exchange:
        return exchange if self._redactor is None else self._redactor.exchange(exchange)

    def _keep(
        self, call: Call, asked: Exchange, response: Response, noted: Mapping[str, JsonValue]
    ) -> OutputError | None:
        extra: dict[str, JsonValue] = {
            "provider": call.upstream.name,
            "base_url": call.upstream.shown,
            "recorded_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            **noted,
        }
        try:
            self._tape.append(replace(asked, response=response, extra=extra))
        except OutputError as error:
            return error
        return None


class Nowhere:
    """A tape that keeps nothing."""

    failure: OutputError | None = None

    def append(self, exchange: Exchange) -> None:
        """Let an exchange go."""

    def close(self) -> None:
        """There is nothing to close."""
