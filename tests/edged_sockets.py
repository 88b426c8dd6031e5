"""A recorder between an agent and a stub that talks through WebSockets, all on the loopback interface."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse
from stub_socket import StubSocket, Talk

from amberfork_cli.core.tape import Exchange
from amberfork_cli.proxy.edge.server import Edge, Service
from amberfork_cli.proxy.providers.upstreams import upstreams
from amberfork_cli.proxy.recording.relay import Relay
from amberfork_cli.proxy.recording.tapefile import TapeFile, recorder
from amberfork_cli.tapes import open_tape

Agent = Callable[[ClientWebSocketResponse], Awaitable[Any]]
REALTIME = "/openai/v1/realtime?model=m"


@dataclass
class Edged:
    """An edge, what stands behind it, and the tape that is written."""

    edge: Edge
    path: Path
    provider: StubSocket | None = None
    relay: Relay | None = None
    told: list[str] = field(default_factory=list)
    stack: ExitStack = field(default_factory=ExitStack)

    def stop(self) -> None:
        """Close the edge and the tape."""
        self.stack.close()

    def run(self, agent: Agent, *, path: str = REALTIME, **more: Any) -> Any:
        """What an agent gives back that opens a WebSocket at the edge."""
        return asyncio.run(self.talk(agent, path=path, **more))

    async def talk(self, agent: Agent, *, path: str = REALTIME, **more: Any) -> Any:
        """The same, in a loop that runs already."""
        options = {"max_msg_size": 0, "autoclose": True, **more}
        async with ClientSession() as session, session.ws_connect(self.edge.url + path, **options) as socket:
            return await agent(socket)

    def exchanges(self) -> list[Exchange]:
        """What is on the tape so far."""
        with open_tape(self.path) as tape:
            return list(tape)


@pytest.fixture
def edged(tmp_path: Path) -> Iterator[Callable[..., Edged]]:
    """Starts an edge with the service that `make` gives for a tape of that name."""
    with ExitStack() as stack:

        def edged(make: Callable[[TapeFile], Service], url: str, *, name: str = "run.jsonl") -> Edged:
            path = tmp_path / name
            tape = TapeFile(path, header=recorder())
            running = stack.enter_context(ExitStack())
            running.callback(tape.close)
            told: list[str] = []
            bases = [f"{provider}={url}" for provider in ("openai", "gemini")]
            edge = running.enter_context(Edge(make(tape), upstreams({}, named=bases), tell=told.append))
            return Edged(edge, path, told=told, stack=running)

        yield edged


@pytest.fixture
def recording_sockets(edged: Callable[..., Edged]) -> Iterator[Callable[..., Edged]]:
    """Starts a recorder before a provider that talks so."""
    with ExitStack() as stack:

        def recording_sockets(talk: Talk, **more: Any) -> Edged:
            provider = stack.enter_context(StubSocket(talk, **more))
            relays = []

            def make(tape: TapeFile) -> Relay:
                relays.append(Relay(tape, connect_s=5))
                return relays[0]

            run = edged(make, provider.url)
            run.provider, run.relay = provider, relays[0]
            return run

        yield recording_sockets
