"""One request of the agent on its way through the edge, and what the edge itself has to say to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import Headers, Request
from amberfork_cli.proxy.edge.wire import body_of
from amberfork_cli.proxy.providers.credentials import kept_headers, kept_path
from amberfork_cli.proxy.providers.upstreams import Upstream

if TYPE_CHECKING:
    from aiohttp.web import BaseRequest

HOP_BY_HOP: Final = frozenset(
    """
    connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding
    upgrade expect host content-length
    """.split()
)
"""Headers that belong to one connection, or are made anew for the next."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it came in, and where it goes.

    `target` is its path and query at the provider's host, `begun` when it came on the clock of
    `time.monotonic`; `incoming` is what an answer goes to.
    """

    upstream: Upstream
    method: str
    target: str
    headers: Headers
    body: bytes
    begun: float
    incoming: BaseRequest

    @property
    def request(self) -> Request:
        """The request as a tape holds it."""
        headers = kept_headers(self.headers)
        body = body_of(self.body, self.headers)
        return Request(self.method, kept_path(self.target), headers, body)

    def error(self, status: int, kind: str, message: str) -> bytes:
        """The body of an error of amberfork's own, in the form of this provider's errors."""
        return jsontext.dumps(self.upstream.error(status, kind, f"amberfork: {message}"))


ERROR_HEADERS: Final[Headers] = (("content-type", "application/json"),)
FINAL_ERROR_HEADERS: Final[Headers] = (*ERROR_HEADERS, ("x-should-retry", "false"))
"""SDKs try again after some errors, which cannot help where the answer is not on the tape."""
