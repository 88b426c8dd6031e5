"""Recording: bytes pass as they are, what was said is on the tape, credentials are not."""

import gzip
import json
import socket
import time
import zlib
from http.client import HTTPException
from pathlib import Path
from threading import Event, Thread

import brotli
import pytest
import zstandard
from stub_provider import Answer, Asked, chat, chat_request, chat_stream

from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import ABSENT, Body, BodyKind, Exchange, Request
from amberfork_cli.proxy.recording.exchange import CUT
from amberfork_cli.proxy.recording.tapefile import TapeFile
from amberfork_cli.tapes import open_tape

JSON = {"content-type": "application/json"}
HELLO = chat_request("Hello?")
PATIENCE_S = 10
CODINGS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def eventually(holds) -> bool:
    """Whether something comes to hold, sooner or later."""
    end = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


def test_an_exchange_is_on_the_tape_as_it_was_said(recording):
    """Method, path at the provider, body, status, answer; and the agent has the provider's bytes."""
    said = chat("Hi.")
    run = recording(lambda _: said)

    status, headers, body = run.ask(HELLO)

    (exchange,) = run.exchanges()
    assert (status, headers["content-type"], body) == (200, "application/json", said.body)
    assert exchange.request.method == "POST"
    assert exchange.request.path == "/v1/chat/completions"
    assert exchange.request.headers == (("content-type", "application/json"),)
    assert exchange.request.body == Body.json(json.loads(HELLO))
    assert exchange.response.status == 200
    assert exchange.response.body == Body.json(json.loads(said.body))
    assert exchange.extra["provider"] == "openai"
    assert CUT not in exchange.extra


def test_a_request_reaches_the_provider_byte_for_byte(recording):
    """Odd paths, repeated headers, spaces in a body: nothing is tidied up."""
    run = recording(lambda _: chat("Hi."))
    body = b'{ "model" :\t"m", "n": 1.50 }'

    run.ask(
        body, path="/openai/v1//a%2Fb/%7Ec?x=a+b&y=%20", headers={**JSON, "X-Odd": "Gr\u00fc\u00dfe".encode()}
    )

    (asked,) = run.provider.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/v1//a%2Fb/%7Ec?x=a+b&y=%20", body)
    assert asked.headers["x-odd"].encode("latin-1").decode() == "Gr\u00fc\u00dfe"
    assert asked.headers["host"] == run.provider.url.removeprefix("http://")
    assert "user-agent" not in asked.headers


def test_credentials_reach_the_provider_and_never_the_tape(recording):
    """Headers, and the keys of a query, in the request and in the answer."""
    cookie = {"content-type": "application/json", "set-cookie": "session=SECRET"}
    run = recording(lambda _: Answer(b"{}", headers=cookie))
    headers = {**JSON, "Authorization": "Bearer SECRET", "x-api-key": "SECRET", "Cookie": "a=SECRET"}

    _, received, _ = run.ask(HELLO, path="/gemini/v1beta/m:go?key=SECRET&alt=sse", headers=headers)

    (asked,) = run.provider.asked
    assert asked.path == "/v1beta/m:go?key=SECRET&alt=sse"
    assert asked.headers["authorization"] == "Bearer SECRET"
    assert received["set-cookie"] == "session=SECRET"
    assert b"SECRET" not in run.path.read_bytes()
    assert run.exchanges()[0].request.path == "/v1beta/m:go?alt=sse"


def test_events_arrive_as_they_are_sent(recording):
    """The agent has the first event while the provider still holds back the second."""
    go_on = Event()
    run = recording(lambda _: chat_stream("one", "two", between=lambda: go_on.wait(PATIENCE_S)))
    connection = run.connection()
    connection.request("POST", "/openai/v1/chat/completions", HELLO, JSON)
    response = connection.getresponse()

    first = response.readline()
    early = go_on.is_set()
    go_on.set()
    rest = response.read()

    assert (b"one" in first, early) == (True, False)
    assert b"two" in rest
    (exchange,) = run.exchanges()
    sizes = [size for size, _ in exchange.response.extra["chunks"]]
    assert exchange.response.body == Body.text((first + rest).decode())
    assert sum(sizes) == len(first + rest)
    assert len(sizes) > 1


def test_a_stream_outlasts_every_time_out(recording):
    """There is a limit to reaching a provider, none to what it takes to answer."""
    run = recording(lambda _: chat_stream("one", "two", between=lambda: time.sleep(0.6)), connect_s=0.2)

    status, _, body = run.ask(HELLO)

    assert (status, body.count(b"data:")) == (200, 3)


@pytest.mark.parametrize("coding", CODINGS)
def test_compressed_bodies_pass_untouched_and_are_decoded_on_the_tape(coding, recording):
    """Both ways, with the encoding noted among the headers."""
    body = CODINGS[coding](b'{"id": "x"}')
    encoded = {**JSON, "content-encoding": coding}
    run = recording(lambda _: Answer(body, headers=encoded))

    _, headers, received = run.ask(CODINGS[coding](HELLO), headers=encoded)

    (exchange,) = run.exchanges()
    assert (headers["content-encoding"], received) == (coding, body)
    assert run.provider.asked[0].body == CODINGS[coding](HELLO)
    assert exchange.request.body == Body.json(json.loads(HELLO))
    assert exchange.response.body == Body.json({"id": "x"})
    assert ("content-encoding", coding) in exchange.response.headers
    assert ("content-encoding", coding) in exchange.request.headers


@pytest.mark.parametrize(
    ("body", "held"),
    [
        (b"", ABSENT),
        (b"\xff\x00", Body.bytes(b"\xff\x00")),
        (b"no JSON", Body.text("no JSON")),
        (b'{"a": 1, "a": 2}', Body.text('{"a": 1, "a": 2}')),
        (b"[1e400]", Body.text("[1e400]")),
        (b'{"n": 12345678901234567890123}', Body.json({"n": 12345678901234567890123})),
    ],
)
def test_whatever_a_body_is_it_is_kept(body, held, recording):
    """Bytes, text, JSON that is none: each as the tape format has it."""
    run = recording(lambda _: Answer(body))

    _, _, received = run.ask(body)

    (exchange,) = run.exchanges()
    assert received == body
    assert exchange.response.body == exchange.request.body == held


@pytest.mark.parametrize(
    ("levels", "kind"), [(9_998, BodyKind.JSON), (9_999, BodyKind.TEXT), (10_000, BodyKind.TEXT)]
)
def test_no_body_is_so_deep_that_its_tape_cannot_be_read(levels, kind, recording):
    """A line is read to a certain depth, and the body stands in it."""
    run = recording(lambda _: chat("Hi."))

    run.ask(b"[" * levels + b"]" * levels)

    assert run.exchanges()[0].request.body.kind is kind


def test_a_damaged_body_is_kept_as_bytes(recording):
    """What says it is gzip and is not."""
    run = recording(lambda _: Answer(b"no gzip", headers={**JSON, "content-encoding": "gzip"}))

    run.ask(HELLO)

    assert run.exchanges()[0].response.body == Body.bytes(b"no gzip")


def test_a_large_body_passes_whole(recording):
    """More than any default limit, up and down."""
    large = json.dumps({"messages": ["x" * (9 << 20)]}).encode()
    run = recording(lambda asked: Answer(asked.body))

    status, _, received = run.ask(large)

    assert (status, received == large, run.provider.asked[0].body == large) == (200, True, True)
    assert run.exchanges()[0].response.body == Body.json(json.loads(large))


def test_a_chunked_request_is_read_whole(recording):
    """A client that does not know the length beforehand."""
    run = recording(lambda _: chat("Hi."))
    connection = run.connection()

    connection.request("POST", "/openai/v1/x", iter([b'{"a"', b": 1}"]), JSON, encode_chunked=True)
    status = connection.getresponse().status

    assert status == 200
    assert run.exchanges()[0].request.body == Body.json({"a": 1})


def test_a_client_that_waits_for_leave_to_send_gets_it(recording):
    """`Expect: 100-continue`."""
    run = recording(lambda _: chat("Hi."))
    head = f"POST /openai/v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(HELLO)}\r\n"

    with socket.create_connection(("127.0.0.1", int(run.edge.url.rpartition(":")[2])), PATIENCE_S) as client:
        client.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        leave = client.recv(1000)
        client.sendall(HELLO)
        answer = client.recv(1000)

    assert leave == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert "expect" not in run.provider.asked[0].headers


def test_a_connection_serves_one_request_after_another(recording):
    """Keep-alive, as SDKs use it, bodiless answers included."""
    run = recording(lambda asked: Answer(status=204, headers={}) if asked.method == "DELETE" else chat("Hi."))
    connection = run.connection()
    statuses = []

    for method in ("POST", "HEAD", "DELETE", "GET"):
        connection.request(method, "/openai/v1/x", HELLO if method == "POST" else None)
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)

    assert statuses == [200, 200, 204, 200]
    assert [exchange.request.method for exchange in run.exchanges()] == ["POST", "HEAD", "DELETE", "GET"]


def test_an_error_of_the_provider_is_an_answer_like_any_other(recording):
    """A 429 passes, and is on the tape."""
    run = recording(lambda _: Answer(b'{"error": {}}', 429, {**JSON, "retry-after": "7"}))

    status, headers, _ = run.ask(HELLO)

    assert (status, headers["retry-after"]) == (429, "7")
    assert run.exchanges()[0].response.status == 429


def test_an_agent_that_hangs_up_leaves_what_it_had(recording):
    """The exchange is kept, and marked as cut."""
    go_on = Event()
    run = recording(lambda _: chat_stream("one", "two", between=lambda: go_on.wait(PATIENCE_S)))
    connection = run.connection()
    connection.request("POST", "/openai/v1/chat/completions", HELLO, JSON)
    response = connection.getresponse()
    response.readline()

    response.close()
    connection.close()
    kept = eventually(lambda: run.path.read_bytes().count(b"\n") == 2)
    go_on.set()

    (exchange,) = run.exchanges() if kept else (None,)
    assert exchange.extra[CUT] == "the agent closed the connection"
    assert "one" in exchange.response.body.value
    assert "two" not in exchange.response.body.value


def test_an_agent_that_hangs_up_before_the_answer_is_on_the_tape_too(recording):
    """A request without an answer."""
    go_on = Event()

    def say(_: Asked) -> Answer:
        go_on.wait(PATIENCE_S)
        return chat("Hi.")

    run = recording(say)
    connection = run.connection()
    connection.request("POST", "/openai/v1/chat/completions", HELLO, JSON)
    asked = eventually(lambda: bool(run.provider.asked))
    connection.close()
    kept = eventually(lambda: run.path.read_bytes().count(b"\n") == 2)
    go_on.set()

    (exchange,) = run.exchanges() if asked and kept else (None,)
    assert (exchange.response, exchange.extra[CUT]) == (None, "the agent closed the connection")


def test_a_stream_that_said_all_is_not_cut(recording):
    """Some SDKs hang up at the last event, before the end of the stream."""
    go_on = Event()

    def say(_: Asked) -> Answer:
        pieces = list(chat_stream("one").body)
        return Answer(_held_open(pieces, go_on), headers={"content-type": "text/event-stream"})

    run = recording(say)
    connection = run.connection()
    connection.request("POST", "/openai/v1/chat/completions", HELLO, JSON)
    response = connection.getresponse()
    while b"[DONE]" not in response.readline():
        pass

    response.close()
    connection.close()
    kept = eventually(lambda: run.path.read_bytes().count(b"\n") == 2)
    go_on.set()

    (exchange,) = run.exchanges() if kept else (None,)
    assert CUT not in exchange.extra
    assert response_json(exchange.response).complete


def _held_open(pieces, go_on):
    yield from pieces
    go_on.wait(PATIENCE_S)


def test_a_provider_that_cannot_be_reached_is_a_502_that_says_so(recording):
    """In the form of the provider's own errors; the tape holds what happened."""
    run = recording(lambda _: chat("Hi."))
    run.provider.__exit__()

    status, error = run.error(path="/anthropic/v1/messages")

    (exchange,) = run.exchanges()
    assert status == 502
    assert error["type"] == "error"
    assert error["error"]["message"].startswith(f"amberfork: no answer from {run.provider.url}: ")
    assert exchange.response.status == 502
    assert exchange.extra[CUT].startswith("no answer from the provider: ")


def test_an_answer_that_breaks_off_is_a_502(recording):
    """Where nothing of it was passed on."""
    run = recording(lambda _: Answer(b'{"id": ', breaks_off=True))

    status, _ = run.error()

    assert status == 502
    assert run.exchanges()[0].extra[CUT].startswith("no answer from the provider: ")


def test_a_stream_that_breaks_off_breaks_off_for_the_agent(recording):
    """Where some of it was passed on, nobody may take it for the whole."""
    pieces = list(chat_stream("one", "two").body)[:1]
    run = recording(
        lambda _: Answer(iter(pieces), headers={"content-type": "text/event-stream"}, breaks_off=True)
    )
    connection = run.connection()
    connection.request("POST", "/openai/v1/chat/completions", HELLO, JSON)
    response = connection.getresponse()

    with pytest.raises((OSError, HTTPException)):
        response.read()

    (exchange,) = run.exchanges()
    assert exchange.extra[CUT].startswith("the provider broke off: ")
    assert exchange.response.body == Body.text(pieces[0].decode())


def test_exchanges_are_on_the_tape_in_the_order_in_which_they_ended(recording):
    """The one that was asked first may come last."""
    go_on = Event()

    def say(asked: Asked) -> Answer:
        if b"slow" in asked.body:
            go_on.wait(PATIENCE_S)
        return chat("Hi.")

    run = recording(say)
    slow = Thread(target=run.ask, args=(chat_request("slow"),))
    slow.start()
    begun = eventually(lambda: bool(run.provider.asked))
    run.ask(chat_request("quick"))
    go_on.set()
    slow.join()

    said = [exchange.request.body.value["messages"][0]["content"] for exchange in run.exchanges()]
    assert (begun, said) == (True, ["quick", "slow"])


@pytest.mark.parametrize(
    ("headers", "status", "words"),
    [
        ({"Host": "evil.example"}, 403, "only programs on this machine"),
        ({"Host": "127.0.0.1.evil.example:80"}, 403, "only programs on this machine"),
        ({"Origin": "https://evil.example"}, 403, "web pages are not served"),
        ({"Origin": "null"}, 403, "web pages are not served"),
        ({"Sec-Fetch-Site": "cross-site"}, 403, "web pages are not served"),
        ({"Upgrade": "websocket", "Connection": "Upgrade"}, 400, "this is no opening of a WebSocket"),
    ],
)
def test_web_pages_and_half_an_opening_of_a_websocket_are_refused(headers, status, words, recording):
    """Nothing reaches the provider, and nothing the tape."""
    run = recording(lambda _: chat("Hi."))

    answered, error = run.error(headers=headers)

    assert (answered, words in error["error"]["message"]) == (status, True)
    assert (run.provider.asked, run.path.read_bytes().count(b"\n")) == ([], 1)


@pytest.mark.parametrize("host", ["localhost:1234", "127.0.0.1", "[::1]:80", "LOCALHOST"])
def test_this_machine_has_several_names(host, recording):
    """All of which are its own."""
    assert recording(lambda _: chat("Hi.")).ask(HELLO, headers={"Host": host})[0] == 200


def test_an_unknown_provider_is_told_with_those_that_are_known(recording):
    """A base URL without a provider's name, say."""
    status, error = recording(lambda _: chat("Hi.")).error(path="/v1/chat/completions")

    assert status == 404
    assert error["error"]["message"].startswith(
        'amberfork: "v1" is no provider: the path begins with one of op'
    )


def test_when_the_disk_is_full_the_agent_is_told_and_the_tape_stays_valid(recording, monkeypatch):
    """What was written stays, the line that was begun is taken back, and nothing is asked any more."""
    run = recording(lambda _: chat("Hi."))
    run.ask(HELLO)
    whole = run.path.read_bytes()
    monkeypatch.setattr("amberfork_cli.proxy.recording.tapefile.os.write", _full_after(10))

    answers = [run.error() for _ in range(2)]

    message = f"amberfork: cannot write {run.path}: no space left on device"
    assert [(status, error["error"]["message"]) for status, error in answers] == [(507, message)] * 2
    assert run.path.read_bytes() == whole
    assert len(run.provider.asked) == 2


def _full_after(count: int):
    """`os.write` for a disk with room for so many more bytes."""
    import errno
    import os

    write, left = os.write, [count]

    def full(descriptor: int, data) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = write(descriptor, bytes(data)[: left[0]])
        left[0] -= done
        return done

    return full


def test_a_tape_that_is_recorded_reads_while_it_grows(recording):
    """Every line is there before the agent has its answer."""
    run = recording(lambda _: chat("Hi."))
    counts = []

    for _ in range(3):
        run.ask(HELLO)
        counts.append(len(run.exchanges()))

    assert counts == [1, 2, 3]


def test_many_agents_at_once_lose_and_mix_nothing(recording):
    """Each answer belongs to its request, on the wire and on the tape."""
    run = recording(lambda asked: chat(asked.json["messages"][0]["content"][::-1]))
    mixed: list[str] = []

    def agent(name: int) -> None:
        for turn in range(10):
            word = f"{name}-{turn}"
            answer = json.loads(run.ask(chat_request(word))[2])
            if answer["choices"][0]["message"]["content"] != word[::-1]:
                mixed.append(word)

    agents = [Thread(target=agent, args=(name,)) for name in range(20)]
    for each in agents:
        each.start()
    for each in agents:
        each.join()

    said = {
        exchange.request.body.value["messages"][0]["content"]: exchange.response.body.value["choices"][0][
            "message"
        ]["content"]
        for exchange in run.exchanges()
    }
    assert mixed == []
    assert said == {f"{name}-{turn}": f"{name}-{turn}"[::-1] for name in range(20) for turn in range(10)}


def test_an_agent_that_reads_slowly_gets_all_of_it(recording):
    """The provider waits for it, and so does the tape."""
    pieces = [b"data: " + b"x" * 100_000 + b"\n\n"] * 40
    run = recording(lambda _: Answer(iter(pieces), headers={"content-type": "text/event-stream"}))
    connection = run.connection()
    connection.request("POST", "/openai/v1/x", HELLO, JSON)
    response = connection.getresponse()
    received = b""

    while piece := response.read(300_000):
        received += piece
        time.sleep(0.01)

    assert received == b"".join(pieces)
    assert run.exchanges()[0].response.body == Body.text(received.decode())


def test_nothing_is_told_where_nothing_goes_wrong(recording):
    """The edge is silent."""
    run = recording(lambda _: chat("Hi."))

    run.ask(HELLO)

    assert run.told == []


def test_the_tape_says_what_recorded_it(tmp_path: Path):
    """In its header."""
    path = tmp_path / "run.jsonl"
    tape = TapeFile(path, header={"recorder": "amberfork 9"})
    tape.append(Exchange(0, Request("GET", "/")))
    tape.close()

    with open_tape(path) as tape:
        assert tape.header == {"tape_version": "1", "recorder": "amberfork 9"}
