"""A recorder between a test and a stub provider, in this process."""

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from edged_sockets import edged, recording_sockets
from stub_provider import Say, StubProvider

from amberfork_cli.core.tape import Exchange
from amberfork_cli.proxy.edge.server import Edge
from amberfork_cli.proxy.providers.upstreams import upstreams
from amberfork_cli.proxy.recording.relay import Relay
from amberfork_cli.proxy.recording.tapefile import TapeFile, recorder
from amberfork_cli.tapes import open_tape

__all__ = ["edged", "recording_sockets"]  # fixtures, for the tests below

JSON = {"content-type": "application/json"}


@dataclass
class Recording:
    """A running recorder: the edge, the provider behind it, the tape, and what was told."""

    edge: Edge
    provider: StubProvider
    relay: Relay
    path: Path
    told: list[str] = field(default_factory=list)
    stack: ExitStack = field(default_factory=ExitStack)

    def connection(self) -> http.client.HTTPConnection:
        """A new connection to the edge, closed with the test."""
        made = http.client.HTTPConnection(self.edge.url.removeprefix("http://"), timeout=20)
        self.stack.callback(made.close)
        return made

    def ask(
        self, body: bytes | None = None, *, path: str = "/openai/v1/chat/completions", **more: Any
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body that one request is answered with."""
        connection = self.connection()
        connection.request(more.get("method", "POST"), path, body, more.get("headers", JSON))
        response = connection.getresponse()
        answer = response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        connection.close()
        return answer

    def error(self, **more: Any) -> tuple[int, Any]:
        """Status and JSON body of an answer."""
        status, _, body = self.ask(b"{}", **more)
        return status, json.loads(body)

    def exchanges(self) -> list[Exchange]:
        """What is on the tape so far."""
        with open_tape(self.path) as tape:
            return list(tape)


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[Callable[..., Recording]]:
    """Starts a recorder before a provider that answers so."""
    with ExitStack() as stack:

        def recording(say: Say, *, connect_s: float = 5) -> Recording:
            provider = stack.enter_context(StubProvider(say))
            path = tmp_path / "run.jsonl"
            tape = TapeFile(path, header=recorder())
            stack.callback(tape.close)
            relay = Relay(tape, connect_s=connect_s)
            names = ("openai", "anthropic", "gemini", "ollama", "bedrock")
            bases = [f"{name}={provider.url}" for name in names]
            told: list[str] = []
            edge = Edge(relay, upstreams({}, named=bases), tell=told.append)
            stack.enter_context(edge)
            return Recording(edge, provider, relay, path, told, stack)

        yield recording
