"""A fault of amberfork's own at the edge: no agent waits, and nobody takes the rest for the whole."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

import pytest
from served_agents import agent

from amberfork_cli.commands.served import run_served
from amberfork_cli.proxy.edge.server import Edge, Service
from amberfork_cli.proxy.providers.upstreams import upstreams


class Faulty(Service):
    """Goes wrong at every call."""

    async def answer(self, call):
        raise ZeroDivisionError(call.method)


def test_the_agent_is_cut_off_and_the_fault_is_told_and_kept():
    """The first of several."""
    told = []

    with Edge(Faulty(), upstreams({}), tell=told.append) as edge:
        for method in ("POST", "PUT"):
            connection = http.client.HTTPConnection(urlsplit(edge.url).netloc, timeout=20)
            connection.request(method, "/openai/v1/chat/completions", b"{}")
            with pytest.raises(http.client.RemoteDisconnected):
                connection.getresponse()
            connection.close()

    assert told == [
        f"{method} /v1/chat/completions: ZeroDivisionError: {method}" for method in ("POST", "PUT")
    ]
    assert repr(edge.fault) == "ZeroDivisionError('POST')"


def test_a_command_ends_with_the_fault_whatever_the_agent_makes_of_it(capfd):
    """So that it is trouble, and never a difference."""
    brave = agent("try:\n    ask('a')\nexcept OSError:\n    pass")

    with pytest.raises(ZeroDivisionError):
        run_served(Faulty(), brave, named=None, variables=None, port=0, recorded={}, stopping=lambda: None)

    assert "POST /v1/chat/completions: ZeroDivisionError: POST" in capfd.readouterr().err
