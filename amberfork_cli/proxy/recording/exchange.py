"""One exchange as it comes in, and where it is kept."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from ssl import SSLCertVerificationError
from typing import Final, Protocol

from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import Exchange, Headers, JsonValue, Response
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.edge.calls import Call
from amberfork_cli.proxy.edge.wire import CHUNKS, body_of
from amberfork_cli.proxy.providers.credentials import kept_headers
from amberfork_cli.proxy.providers.trust import untrusted

CUT: Final = "cut"
"""Member of an exchange that did not come to its end: what cut it."""

AGENT_LEFT: Final = "the agent closed the connection"
STOPPED: Final = "the recorder was stopped"


def unanswered(exchange: Exchange) -> bool:
    """Whether an exchange is without the end of its answer, and not because the agent wanted no more."""
    return exchange.extra.get(CUT, AGENT_LEFT) != AGENT_LEFT


class Tape(Protocol):
    """Where exchanges are kept; `failure` says why none is kept any more."""

    @property
    def failure(self) -> OutputError | None:
        """What went wrong."""

    def append(self, exchange: Exchange) -> None:
        """Keep an exchange; raises OutputError."""


class Recording:
    """One exchange as it comes in."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.cut: str | None = None
        self.kept = False
        self._status: int | None = None
        self._headers: Headers = ()
        self._body = BytesIO()
        self._chunks: list[JsonValue] = []
        self._at = datetime.now(UTC)

    def begin(self, status: int, headers: Headers) -> None:
        """The answer begins."""
        self._status, self._headers = status, headers

    def take(self, piece: bytes) -> None:
        """Some of its body came."""
        self._body.write(piece)
        self._chunks.append([len(piece), self._milliseconds()])

    @property
    def size(self) -> int:
        """How many bytes of its body came."""
        return self._body.tell()

    @property
    def complete(self) -> bool:
        """Whether the answer, as far as it came, is a stream that reached its end."""
        response = self._response()
        announced = any(name.lower() == "content-length" for name, _ in self._headers)
        assembled = None if response is None or announced else response_json(response)
        return assembled is not None and assembled.complete

    def exchange(self) -> Exchange:
        """The exchange as the tape holds it."""
        extra: dict[str, JsonValue] = {
            "provider": self.call.upstream.name,
            "base_url": self.call.upstream.shown,
            "recorded_at": self._at.isoformat(timespec="milliseconds"),
            "duration_ms": self._milliseconds(),
        }
        if self.cut is not None:
            extra[CUT] = self.cut
        return Exchange(0, self.call.request, self._response(), extra=extra)

    def _response(self) -> Response | None:
        if self._status is None:
            return None
        body = body_of(self._body.getvalue(), self._headers)
        response = Response(self._status, kept_headers(self._headers), body)
        return replace(response, extra={CHUNKS: self._chunks}) if len(self._chunks) > 1 else response

    def _milliseconds(self) -> int:
        return round((time.monotonic() - self.call.begun) * 1000)


def in_words(error: BaseException) -> str:
    """What went wrong, in a few words."""
    if isinstance(certificate := getattr(error, "certificate_error", None), SSLCertVerificationError):
        return untrusted(certificate)
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return words[:1].lower() + words[1:]
