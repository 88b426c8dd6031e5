"""Broken clients, broken providers, and strangers: they harm nobody else, and the tape says what happened."""

import json
import socket
import sys
import time
from contextlib import suppress

import pytest
from aiohttp import ClientTimeout
from broken_clients import BROKEN, STRANGE, ask_strangely, break_off_at
from stub_provider import Answer, chat, chat_request, chat_stream

from amberfork_cli.core.tape import Body
from amberfork_cli.proxy.recording.exchange import CUT

HELLO = chat_request("Hello?")
JSON = {"content-type": "application/json"}
PATIENCE_S = 10
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def port_of(run) -> int:
    """Where the edge is."""
    return int(run.edge.url.rpartition(":")[2])


def sent(run, head: str, body: bytes = HELLO) -> socket.socket:
    """A connection on which a request with that head was sent."""
    client = socket.create_connection(("127.0.0.1", port_of(run)), PATIENCE_S)
    client.sendall(head.replace("\n", "\r\n").encode() + body)
    return client


def received(client: socket.socket) -> bytes:
    """All that comes until the connection ends."""
    pieces = []
    while piece := client.recv(1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_client_harms_nobody_else(kind, recording):
    """What it sends is no request, or not all of one, so it is on no tape."""
    run = recording(lambda _: chat("Hi."))

    with socket.create_connection(("127.0.0.1", port_of(run)), PATIENCE_S) as client:
        with suppress(ConnectionError):
            client.sendall(BROKEN[kind])
        beside, _, _ = run.ask(HELLO)
    break_off_at(port_of(run), BROKEN[kind])
    afterwards, _, _ = run.ask(HELLO)

    assert (beside, afterwards) == (200, 200)
    assert [exchange.request.body.value for exchange in run.exchanges()] == [json.loads(HELLO)] * 2
    assert len(run.provider.asked) == 2


@pytest.mark.parametrize("headers", STRANGE)
def test_a_stranger_reaches_neither_provider_nor_tape(headers, recording):
    """A web page, or a name that leads here although it is not ours."""
    run = recording(lambda _: chat("Hi."))

    status = ask_strangely(port_of(run), headers)

    assert status == 403
    assert (run.provider.asked, run.path.read_bytes().count(b"\n")) == ([], 1)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is one loopback address")
def test_only_this_machine_is_served_and_by_one_address(recording):
    """Whoever listens at every address is heard at any of the loopback interface's."""
    run = recording(lambda _: chat("Hi."))

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port_of(run)), PATIENCE_S)


def test_a_client_that_has_said_all_and_hears_on_is_taken_for_gone(recording):
    """Half a connection cannot be told from none; what it had is kept, and marked if it was not all."""
    run = recording(lambda _: chat_stream("one", "two", between=lambda: time.sleep(0.3)))
    head = f"POST /openai/v1/x HTTP/1.1\nHost: 127.0.0.1\nContent-Length: {len(HELLO)}\n\n"

    with sent(run, head) as client:
        client.shutdown(socket.SHUT_WR)
        with suppress(ConnectionError):
            received(client)

    for _ in range(PATIENCE_S * 100):
        if run.path.read_bytes().count(b"\n") > 1:
            break
        time.sleep(0.01)
    (exchange,) = run.exchanges()
    assert exchange.extra[CUT] == "the agent closed the connection"


def test_a_client_of_the_old_protocol_has_a_stream_to_its_end(recording):
    """HTTP/1.0 knows no chunks: the connection ends with the answer."""
    run = recording(lambda _: chat_stream("one", "two"))

    with sent(run, f"POST /openai/v1/x HTTP/1.0\nContent-Length: {len(HELLO)}\n\n") as client:
        head, _, body = received(client).partition(b"\r\n\r\n")

    (exchange,) = run.exchanges()
    assert b"chunked" not in head
    assert exchange.response.body == Body.text(body.decode())
    assert body.endswith(b"data: [DONE]\n\n")


def test_a_stream_outlasts_the_time_outs_that_there_are_by_default(recording, monkeypatch):
    """Shortened here: a stream of an hour would be cut after five minutes."""
    monkeypatch.setattr("aiohttp.client.DEFAULT_TIMEOUT", ClientTimeout(total=0.2, sock_read=0.2))
    run = recording(lambda _: chat_stream("one", "two", between=lambda: time.sleep(0.5)))

    status, _, body = run.ask(HELLO)

    assert (status, body.count(b"data:")) == (200, 3)
    assert CUT not in run.exchanges()[0].extra


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"what is this\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: nine\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100_000 + b"\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
    ],
)
def test_a_provider_that_does_not_answer_as_it_should_is_a_502(raw, recording):
    """Nothing of the answer was passed on, so the agent can be told; so is the tape."""
    run = recording(lambda _: Answer(raw=[raw]))

    status, error = run.error()

    (exchange,) = run.exchanges()
    assert status == exchange.response.status == 502
    assert error["error"]["message"].startswith(f"amberfork: no answer from {run.provider.url}: ")
    assert exchange.extra[CUT].startswith("no answer from the provider: ")


@pytest.mark.parametrize("rest", [b"", b"zz\r\n", b"5\r\nab", b"3\r\nabcdef\r\n"])
def test_a_stream_that_goes_wrong_is_never_taken_for_the_whole(rest, recording, monkeypatch):
    """Not by the agent, whose connection ends, and not on the tape."""
    monkeypatch.setattr("amberfork_cli.proxy.providers.connections._LOOK_S", 0.02)
    run = recording(lambda _: Answer(raw=_with_a_pause(STREAM + b"9\r\ndata: 1\n\n\r\n", rest)))
    head = f"POST /openai/v1/x HTTP/1.1\nHost: 127.0.0.1\nContent-Length: {len(HELLO)}\n\n"

    answer = b""
    with sent(run, head) as client, suppress(ConnectionError):
        answer = received(client)

    (exchange,) = run.exchanges()
    assert not answer.endswith(b"0\r\n\r\n")
    assert exchange.extra[CUT].startswith("the provider broke off: ")
    assert exchange.response.body.value.startswith("data: 1\n\n")


def _with_a_pause(first: bytes, rest: bytes):
    yield first
    time.sleep(0.1)
    yield rest


def test_a_provider_that_announces_the_end_of_the_connection_is_asked_on_another(recording):
    """The agent keeps its own."""
    closing = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
    run = recording(lambda _: Answer(raw=[closing]))
    connection = run.connection()

    statuses = []
    for _ in range(5):
        connection.request("POST", "/openai/v1/x", HELLO, JSON)
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)

    assert statuses == [200] * 5
    assert len(run.exchanges()) == 5
