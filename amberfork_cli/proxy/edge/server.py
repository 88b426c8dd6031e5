"""The edge itself: an HTTP server on the loopback interface, on a thread of its own.

A thread, so that whatever runs beside it (waiting for the agent's process, a test with an event loop of its
own) needs to know nothing of it. It answers programs on this machine only: a web page that a browser shows,
wherever it comes from, is refused.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit

from amberfork_cli.core.tape import WEBSOCKET
from amberfork_cli.errors import OptionError
from amberfork_cli.files.naming import reason
from amberfork_cli.proxy.edge.answering import answer_whole, break_off
from amberfork_cli.proxy.edge.calls import ERROR_HEADERS, Call
from amberfork_cli.proxy.edge.handshake import is_handshake, is_upgrade
from amberfork_cli.proxy.providers.routing import routed
from amberfork_cli.proxy.providers.upstreams import Upstream

if TYPE_CHECKING:
    from aiohttp.web import BaseRequest, StreamResponse

LOOPBACK: Final = "127.0.0.1"
_NAMES: Final = frozenset({LOOPBACK, "localhost", "::1"})
_HEADER_BYTES: Final = 64 << 10  # a line of headers; aiohttp takes 8 KiB, some providers send more
_IDLE_S: Final = 3600.0  # SDKs keep connections for long, and meet a closed one with an error
_LAST_PORT: Final = 65535
_GRACE_S: Final = 1.0  # for what is under way when the edge is closed
_HTTP_2: Final = "PRI"  # what a client begins with that speaks nothing else
_SPEAKS_HTTP_2: Final = (
    "a client speaks HTTP/2, which is not recorded: gRPC knows nothing else, AWS's SDK for JavaScript speaks "
    "HTTP/1.1 with `requestHandler: new NodeHttpHandler()`"
)


class Service(ABC):
    """What answers the calls; everything in it runs on the thread of the edge."""

    async def open(self) -> None:
        """Get ready, before the first call."""

    @abstractmethod
    async def answer(self, call: Call) -> StreamResponse:
        """Answer one call. It is cancelled where the agent hangs up."""

    async def close(self) -> None:
        """Give back what `open` took, after the last call."""


class Edge:
    """A server that runs as long as its `with` block, and its `url`.

    Entering raises OptionError where the port cannot be had. `tell` is told, in whole sentences, of what goes
    wrong inside; `fault` is the first of that.
    """

    def __init__(
        self,
        service: Service,
        upstreams: Mapping[str, Upstream],
        *,
        port: int = 0,
        tell: Callable[[str], None],
    ) -> None:
        if not 0 <= port <= _LAST_PORT:
            raise OptionError(f"there is no port {port}: choose one of 1 to {_LAST_PORT}")
        self._service, self._upstreams, self._tell = service, upstreams, tell
        self._port = port
        self.fault: Exception | None = None
        self._failure: BaseException | None = None
        self._ready = Event()
        self._thread = Thread(target=self._run, name="amberfork edge", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join()

    @property
    def url(self) -> str:
        """Where the edge is; a provider's name follows."""
        return f"http://{LOOPBACK}:{self._port}"

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._failure = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        from aiohttp.web import Server, ServerRunner, TCPSite

        self._loop, self._leave = asyncio.get_running_loop(), asyncio.Event()
        server = Server(
            self._handle,
            handler_cancellation=True,
            auto_decompress=False,
            access_log=None,
            logger=_log(self._tell),
            keepalive_timeout=_IDLE_S,
            max_line_size=_HEADER_BYTES,
            max_field_size=_HEADER_BYTES,
        )
        runner = ServerRunner(server, shutdown_timeout=_GRACE_S)
        await runner.setup()
        await self._service.open()
        try:
            await self._bind(TCPSite(runner, LOOPBACK, self._port, backlog=1024))
            self._port = runner.addresses[0][1]
            self._ready.set()
            await self._leave.wait()
        finally:
            await runner.cleanup()
            await self._service.close()

    async def _bind(self, site: object) -> None:
        from aiohttp.web import TCPSite

        assert isinstance(site, TCPSite)  # noqa: S101 - for the type; aiohttp is not imported above
        try:
            await site.start()
        except OSError as error:
            taken = reason(OSError(error.errno, os.strerror(error.errno or 0)))  # asyncio's words vary
            raise OptionError(f"cannot serve at port {self._port}: {taken}") from error

    async def _handle(self, incoming: BaseRequest) -> StreamResponse:
        """Answer one request, whatever happens."""
        begun = time.monotonic()
        headers = tuple(incoming.headers.items())
        route = routed(self._upstreams, incoming.raw_path, headers)
        refused = _refusal(incoming) or route.refused
        if refused is not None:
            status, problem = refused
            nowhere = Call(route.upstream, incoming.method, "", (), b"", begun, incoming)
            body = nowhere.error(status, "invalid_request_error", problem)
            return await answer_whole(nowhere, status, ERROR_HEADERS, body)
        opens = is_upgrade(incoming)
        method, body = (WEBSOCKET, b"") if opens else (incoming.method, await _whole_body(incoming))
        call = Call(route.upstream, method, route.target, headers, body, begun, incoming)
        try:
            return await self._service.answer(call)
        except ConnectionError:
            raise  # the agent is gone
        except Exception as error:  # a boundary: the agent must not wait for an answer that never comes
            self._tell(f"{call.method} {call.target.partition('?')[0]}: {type(error).__name__}: {error}")
            self.fault = self.fault or error
            break_off(call)
            raise


class _Unread(logging.Handler):
    """Tells, once each, of requests that are none; what else goes wrong is told where it does."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._tell, self._told = tell, set[str]()

    def emit(self, record: logging.LogRecord) -> None:
        from aiohttp.http_exceptions import HttpProcessingError

        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError):
            return
        words = error.message.partition("\n")[0].rstrip(":")
        sentence = _SPEAKS_HTTP_2 if _HTTP_2 in words else f"a request could not be read: {words}"
        if sentence not in self._told:
            self._told.add(sentence)
            self._tell(sentence)


def _log(tell: Callable[[str], None]) -> logging.Logger:
    """Where aiohttp says what happens: nobody reads it but for requests that are none."""
    log = logging.Logger("amberfork.edge", logging.DEBUG)
    log.addHandler(_Unread(tell))
    return log


async def _whole_body(incoming: BaseRequest) -> bytes:
    if incoming.headers.get("Expect", "").lower() == "100-continue" and incoming.transport is not None:
        incoming.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    pieces = [piece async for piece in incoming.content.iter_any()]
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _refusal(incoming: BaseRequest) -> tuple[int, str] | None:
    """Why a request is not served, with the status that says so; `None` where it is."""
    headers = incoming.headers
    if _host(f"//{headers.get('Host', LOOPBACK)}") not in _NAMES:
        return 403, "only programs on this machine are served, by the name 127.0.0.1 or localhost"
    if "Origin" in headers and _host(headers["Origin"]) not in _NAMES:
        return 403, "web pages are not served"
    if headers.get("Sec-Fetch-Site") == "cross-site":
        return 403, "web pages are not served"
    if is_upgrade(incoming) and not is_handshake(incoming):
        return 400, "this is no opening of a WebSocket"
    return None


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
