"""The opening of a WebSocket, to the provider and from the agent.

Clients that cannot set headers put their key among the subprotocols: those go to the provider as they came,
and are told to nobody else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from amberfork_cli.core.tape import Headers
from amberfork_cli.proxy.edge.calls import HOP_BY_HOP, Call

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aiohttp import (
        ClientResponse,
        ClientSession,
        ClientWebSocketResponse,
        TraceConfig,
        TraceRequestEndParams,
        TraceRequestRedirectParams,
    )
    from aiohttp.web import BaseRequest, WebSocketResponse

_SUBPROTOCOL: Final = "Sec-WebSocket-Protocol"
_HANDSHAKE: Final = "sec-websocket-"  # what these headers say is said by each hop for itself
_SWITCHING: Final = 101


def is_upgrade(incoming: BaseRequest) -> bool:
    """Whether a request wants to become a WebSocket."""
    return "websocket" in incoming.headers.get("Upgrade", "").lower()


def is_handshake(incoming: BaseRequest) -> bool:
    """Whether it can become one."""
    from aiohttp.web import WebSocketResponse

    return incoming.method == "GET" and bool(WebSocketResponse().can_prepare(_without_offer(incoming)))


def offered(call: Call) -> tuple[str, ...]:
    """The subprotocols that the agent offers, in its order."""
    named = (value for name, value in call.headers if name.lower() == _SUBPROTOCOL.lower())
    return tuple(name.strip() for value in named for name in value.split(",") if name.strip())


async def accept(call: Call, headers: Headers = (), *, subprotocol: str | None) -> WebSocketResponse:
    """Open the WebSocket of the agent; raises ConnectionError where it is gone."""
    from aiohttp.web import WebSocketResponse

    protocols = () if subprotocol is None else (subprotocol,)
    agent = WebSocketResponse(
        protocols=protocols, autoclose=False, autoping=False, compress=False, max_msg_size=0
    )
    for name, value in _passed_on(headers):
        agent.headers.add(name, value)
    await agent.prepare(call.incoming if protocols else _without_offer(call.incoming))
    return agent


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer by which an opening comes to nothing."""

    status: int
    headers: Headers
    body: bytes


class RefusedError(Exception):
    """The provider did not open the WebSocket, and said so."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.status)
        self.refusal = refusal


class Opening:
    """Opens the WebSocket of the provider; `headers` are what it accepted it with."""

    def __init__(self) -> None:
        self.headers: Headers = ()
        self._response: ClientResponse | None = None

    @property
    def trace(self) -> TraceConfig:
        """To be given to the session: aiohttp tells of a refusal without its body."""
        from aiohttp import TraceConfig

        trace = TraceConfig()
        trace.on_request_end.append(self._answered)
        trace.on_request_redirect.append(self._answered)
        return trace

    async def reach(
        self, call: Call, session: ClientSession, *, proxy: str | None
    ) -> ClientWebSocketResponse:
        """The provider's side of the WebSocket.

        Raises RefusedError, and ClientError or OSError where there is no answer that says anything.
        """
        from yarl import URL

        return await session.ws_connect(
            URL(call.upstream.host + call.target, encoded=True),
            protocols=offered(call),
            headers=_passed_on(call.headers),
            proxy=proxy,
            autoclose=False,
            autoping=False,
            max_msg_size=0,
        )

    def hang_up(self) -> None:
        """Close the connection to the provider, once it has what was sent."""
        if self._response is not None:
            self._response.close()

    async def _answered(
        self,
        _session: ClientSession,
        _context: SimpleNamespace,
        params: TraceRequestEndParams | TraceRequestRedirectParams,
    ) -> None:
        self._response = response = params.response
        self.headers = tuple(response.headers.items())
        if response.status != _SWITCHING:
            raise RefusedError(Refusal(response.status, self.headers, await response.read()))


def _passed_on(headers: Headers) -> list[tuple[str, str]]:
    return [
        (name, value)
        for name, value in headers
        if name.lower() not in HOP_BY_HOP and not name.lower().startswith(_HANDSHAKE)
    ]


def _without_offer(incoming: BaseRequest) -> BaseRequest:
    """A request without its subprotocols: aiohttp logs them, keys and all, where none is agreed on."""
    kept = [(name, value) for name, value in incoming.headers.items() if name != _SUBPROTOCOL]
    return incoming.clone(headers=kept)
