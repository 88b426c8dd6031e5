"""The edge that stands through many runs: one URL, and another service behind it each time."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from http.client import HTTPConnection, RemoteDisconnected
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest

from amberfork_cli.proxy.edge.answering import answer_whole
from amberfork_cli.proxy.edge.server import Service
from amberfork_cli.proxy.edge.stage import Stage
from amberfork_cli.proxy.providers.upstreams import upstreams

LIMIT_S = 20


class Says(Service):
    """Answers everything with one word, and notes when it is closed."""

    def __init__(self, word: str) -> None:
        self.word, self.closed = word, False

    async def answer(self, call):
        return await answer_whole(call, 200, (), self.word.encode())

    async def close(self):
        self.closed = True


class Faulty(Service):
    """Goes wrong."""

    async def answer(self, call):
        raise ZeroDivisionError(call.method)


class Waits(Service):
    """Answers nothing, ever."""

    def __init__(self) -> None:
        self.asked, self.cancelled = Event(), False

    async def answer(self, call):  # noqa: ARG002 - whatever it is
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise


@pytest.fixture
def stage():
    """One that is taken down at the end."""
    stage = Stage()
    yield stage
    stage.close()


@pytest.fixture
def client(stage):
    """A client that keeps its connection, as those of SDKs do: the status and body of an answer."""
    connection = HTTPConnection(urlsplit(stage.url).netloc, timeout=LIMIT_S)

    def client():
        connection.request("POST", "/openai/v1/chat/completions", b"{}")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    yield client
    connection.close()


def begin(stage: Stage, service: Service) -> None:
    stage.begin(service, upstreams({}))


def test_a_client_finds_each_run_at_one_url(stage, client):
    """Its connection outlives them; each run counts its own calls."""
    services = [Says("one"), Says("two")]
    found = []
    for service in services:
        begin(stage, service)
        found += [client(), client()]
        assert stage.asked == 2
        stage.end()

    assert found == [(200, "one")] * 2 + [(200, "two")] * 2
    assert [service.closed for service in services] == [True, True]


def test_a_service_gives_way_to_another_in_the_same_run(stage, client):
    """Calls are counted on, and both are closed at its end."""
    first, second = Says("before"), Says("after")
    begin(stage, first)

    found = [client()]
    stage.go_on(second)
    found.append(client())
    asked = stage.asked
    stage.end()

    assert (found, asked) == ([(200, "before"), (200, "after")], 2)
    assert (first.closed, second.closed) == (True, True)


def test_a_fault_is_that_of_its_run(stage, client):
    """The next one has none."""
    found = []
    for service in (Faulty(), Says("one")):
        begin(stage, service)
        with suppress(RemoteDisconnected):
            client()
        stage.end()
        found.append(stage.fault)

    assert found == ["POST /v1/chat/completions: ZeroDivisionError: POST", None]


def test_between_runs_nobody_answers_and_the_client_is_told(stage, client):
    """In the form of its provider's errors."""
    begin(stage, Says("one"))
    stage.end()

    status, body = client()

    assert (status, json.loads(body)["error"]["message"]) == (
        404,
        "amberfork: no test with a tape runs now, and the client that asks was made in one",
    )


def test_what_is_under_way_is_cut_when_its_run_ends(stage, client):
    """And does not meet the next one."""
    service, ended = Waits(), []

    def ask():
        try:
            client()
        except (RemoteDisconnected, ConnectionError) as error:
            ended.append(error)

    begin(stage, service)
    asking = Thread(target=ask)
    asking.start()
    service.asked.wait(LIMIT_S)

    stage.end()
    asking.join(LIMIT_S)

    assert service.cancelled
    assert len(ended) == 1
