"""Connections from the edge to the providers: no limit but to reaching one, nothing added or decoded."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.request import getproxies, proxy_bypass

from amberfork_cli.proxy.providers.trust import provider_trust

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession, TraceConfig

CONNECT_S: Final = 60.0
_HEADER_BYTES: Final = 64 << 10
_LOOK_S: Final = 1.0
_SPOKEN: Final = frozenset({"http", "https"})


def provider_session(*, connect_s: float, trace: TraceConfig | None = None) -> ClientSession:
    """Connections that are made within `connect_s` seconds, and used for as long as that takes."""
    from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

    return ClientSession(
        connector=TCPConnector(limit=0, ssl=provider_trust(os.environ)),
        cookie_jar=DummyCookieJar(),
        timeout=ClientTimeout(total=None, sock_connect=connect_s),  # a model may think for an hour
        auto_decompress=False,
        skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        max_line_size=_HEADER_BYTES,
        max_field_size=_HEADER_BYTES,
        trace_configs=[] if trace is None else [trace],
    )


@contextmanager
def watched(answer: ClientResponse) -> Iterator[None]:
    """While this is open, whoever reads an answer is told where its connection ends before it does.

    aiohttp closes a connection on which a chunk is none, and lets its reader wait.
    """
    watching = asyncio.get_running_loop().create_task(_watch(answer))
    try:
        yield
    finally:
        watching.cancel()


async def _watch(answer: ClientResponse) -> None:
    from aiohttp import ClientPayloadError

    while answer.connection is not None and answer.connection.transport is not None:
        await asyncio.sleep(_LOOK_S)
    if not answer.content.is_eof() and answer.content.exception() is None:
        answer.content.set_exception(ClientPayloadError("what came is no HTTP"))


class Proxies:
    """The proxies that the environment wants, as it was when this was made."""

    def __init__(self) -> None:
        self._proxies = getproxies()

    def to(self, host: str) -> str | None:
        """The proxy on the way to a provider, of which `host` is scheme and authority.

        Raises ConnectionError for one of a kind that cannot be gone through.
        """
        scheme, _, authority = host.partition("://")
        if not self._proxies or proxy_bypass(authority.rpartition("@")[2]):
            return None
        proxy = self._proxies.get(scheme, self._proxies.get("all"))
        kind, sign, _ = (proxy or "").partition("://")
        if sign and kind.lower() not in _SPOKEN:
            raise ConnectionError(
                f"{kind} proxies are not gone through: name one for HTTP in {scheme.upper()}_PROXY, "
                "or the provider in NO_PROXY"
            )
        return proxy
