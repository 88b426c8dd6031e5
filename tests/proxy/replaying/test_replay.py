"""Replaying: what was recorded is answered again, streams as streams, and a miss says what differs."""

import json
import time
from contextlib import ExitStack
from threading import Thread

import pytest
from stub_provider import Answer, StubProvider, chat, chat_request, chat_stream

from amberfork_cli.core.compare.diffing import DiffOptions
from amberfork_cli.core.tape import Body, Exchange, ExchangeList, Request, Response
from amberfork_cli.proxy.edge.server import Edge
from amberfork_cli.proxy.providers.upstreams import upstreams
from amberfork_cli.proxy.recording.exchange import CUT
from amberfork_cli.proxy.recording.relay import Relay
from amberfork_cli.proxy.recording.tapefile import TapeFile, recorder
from amberfork_cli.proxy.replaying.choices import OnMiss, Pace
from amberfork_cli.proxy.replaying.recorded import RecordedTape
from amberfork_cli.proxy.replaying.reissue import REPLAYED
from amberfork_cli.proxy.replaying.replay import Replay
from amberfork_cli.tapes import open_tape

JSON = {"content-type": "application/json"}
A, B, C = (chat_request(text) for text in "abc")


class Replaying:
    """A replay of what a stub provider said, between this test and the provider."""

    def __init__(self, recording, stack: ExitStack, tmp_path) -> None:
        self.recording, self._stack = recording, stack
        self.path = tmp_path / "reissued.jsonl"
        self.told: list[str] = []

    def __call__(self, say=lambda _: chat("fresh"), *, on_miss=OnMiss.FAIL, pace=Pace.NONE):
        """Replay what was recorded so far, with a provider that says so now."""
        self.provider = self._stack.enter_context(StubProvider(say))
        tape = self._stack.enter_context(open_tape(self.recording.path))
        reissued = TapeFile(self.path, header=recorder())
        self._stack.callback(reissued.close)
        self.service = Replay(
            RecordedTape(tape, DiffOptions()),
            reissued=reissued,
            relay=Relay(reissued),
            tell=self.told.append,
            on_miss=on_miss,
            pace=pace,
        )
        bases = [f"{name}={self.provider.url}" for name in ("openai", "anthropic", "gemini", "ollama")]
        edge = Edge(self.service, upstreams({}, named=bases), tell=self.told.append)
        self.recording.edge = self._stack.enter_context(edge)
        return self

    def exchanges(self) -> list[Exchange]:
        """What was re-issued so far."""
        with open_tape(self.path) as tape:
            return list(tape)


@pytest.fixture
def replaying(recording, tmp_path):
    """`recorded(say, *requests)` records, and gives what replays it."""
    with ExitStack() as stack:

        def recorded(say, *requests, **more):
            run = recording(say)
            for request in requests:
                run.ask(request, **more)
            return Replaying(run, stack, tmp_path)

        yield recorded


def test_what_was_recorded_is_answered_again(replaying):
    """In any order, with the same status, headers and JSON; the provider is not asked."""
    recorded = replaying(lambda asked: chat(asked.json["messages"][0]["content"] * 2), A, B)
    replay = recorded()

    answers = [recorded.recording.ask(request) for request in (B, A)]

    texts = [json.loads(body)["choices"][0]["message"]["content"] for _, _, body in answers]
    assert [status for status, _, _ in answers] == [200, 200]
    assert answers[0][1]["content-type"] == "application/json"
    assert texts == ["bb", "aa"]
    assert (replay.provider.asked, replay.told) == ([], [])
    assert [exchange.extra[REPLAYED] for exchange in replay.exchanges()] == [1, 0]
    assert (replay.service.tally.hits, replay.service.tally.misses) == (2, 0)


def test_repeats_are_answered_in_order(replaying):
    """As an agent that polls needs it."""
    answers = iter("one two".split())
    replay = replaying(lambda _: chat(next(answers)), A, A)()

    texts = [json.loads(replay.recording.ask(A)[2])["choices"][0]["message"]["content"] for _ in range(2)]

    assert texts == ["one", "two"]


def test_a_stream_is_a_stream_again(replaying):
    """With its pieces where they were."""
    replay = replaying(lambda _: chat_stream("one", "two", between=lambda: time.sleep(0.05)), A)()
    (recorded,) = replay.recording.exchanges()

    status, headers, body = replay.recording.ask(A)

    assert (status, headers["content-type"]) == (200, "text/event-stream")
    assert "content-length" not in headers
    assert body.decode() == recorded.response.body.value
    assert replay.exchanges()[0].response == recorded.response


def test_a_stream_comes_in_the_pieces_that_it_came_in(replaying):
    """Some clients take a piece for an event."""
    pieces = [b"data: 1\n\nda", b"ta: 2\n", b"\n", b"data: [DONE]\n\n"]
    events = {"content-type": "text/event-stream"}
    replay = replaying(lambda _: Answer(_with_pauses(pieces), headers=events), A)()
    connection = replay.recording.connection()
    connection.request("POST", "/openai/v1/chat/completions", A, JSON)
    response = connection.getresponse()

    received = []
    while size := int(response.fp.readline(), 16):
        received.append(response.fp.read(size))
        response.fp.readline()

    assert received == pieces


def _with_pauses(pieces):
    for piece in pieces:
        yield piece
        time.sleep(0.05)


@pytest.mark.parametrize(("pace", "waits"), [(Pace.NONE, False), (Pace.REAL, True)])
def test_a_stream_comes_at_once_or_as_it_came(pace, waits, replaying):
    """With real pace, no sooner than it came then."""
    replay = replaying(lambda _: chat_stream("one", "two", between=lambda: time.sleep(0.5)), A)(pace=pace)
    begun = time.monotonic()

    replay.recording.ask(A)

    if waits:
        assert time.monotonic() - begun > 0.45
    assert replay.told == []


def test_a_compressed_answer_is_sent_as_what_it_says(replaying):
    """The tape holds it decoded, so it is not said to be in any encoding."""
    import gzip

    body = gzip.compress(b'{"id": "x"}')
    encoded = {**JSON, "content-encoding": "gzip"}
    replay = replaying(lambda _: Answer(body, headers=encoded), A)()

    _, headers, received = replay.recording.ask(A)

    assert "content-encoding" not in headers
    assert json.loads(received) == {"id": "x"}


def test_bytes_are_sent_as_they_were(replaying):
    """Audio, or the frames of Bedrock."""
    replay = replaying(lambda _: Answer(b"\xff\x00\xfe", headers={"content-type": "audio/mpeg"}), A)()

    assert replay.recording.ask(A)[2] == b"\xff\x00\xfe"


def test_a_recorded_error_is_an_error_again(replaying):
    """With what tells an SDK when to try again."""
    answers = iter([Answer(b'{"error": {}}', 429, {**JSON, "retry-after": "1"}), chat("Hi.")])
    replay = replaying(lambda _: next(answers), A, A)()

    first, second = (replay.recording.ask(A) for _ in range(2))

    assert (first[0], first[1]["retry-after"], second[0]) == (429, "1", 200)


def test_an_answer_that_was_cut_is_cut_again(replaying, tmp_path):
    """Nobody may take it for the whole."""
    body = Body.text('data: {"a": 1}\n\ndata: {"b"')
    headers = (("content-type", "text/event-stream"),)
    exchange = Exchange(
        0,
        Request("POST", "/v1/chat/completions", body=Body.json(json.loads(A))),
        Response(200, headers, body),
        extra={CUT: "the provider broke off"},
    )
    replay = replaying(lambda _: chat("Hi."))
    tape = TapeFile(tmp_path / "cut.jsonl", header={})
    tape.append(exchange)
    tape.close()
    replay.recording.path = tmp_path / "cut.jsonl"
    connection = replay().recording.connection()
    connection.request("POST", "/openai/v1/chat/completions", A, JSON)

    with pytest.raises(Exception, match=r"IncompleteRead|reset|closed"):
        connection.getresponse().read()


MISS = (
    'is not on the tape {tape}: nearest is #0, which differs at messages[0].content: "a" on the tape, "c" now'
)


@pytest.mark.parametrize(
    ("path", "message_of"),
    [
        ("/openai/v1/chat/completions", lambda error: error["error"]["message"]),
        ("/anthropic/v1/messages", lambda error: error["error"]["message"]),
        ("/gemini/v1beta/m:generateContent", lambda error: error["error"]["message"]),
        ("/ollama/api/chat", lambda error: error["error"]),
    ],
)
def test_a_miss_is_an_error_of_the_provider_that_names_the_difference(path, message_of, replaying):
    """And SDKs are told not to try again; the same is told on stderr, and the request is on the new tape."""
    replay = replaying(lambda _: chat("Hi."), A, path=path)()

    status, headers, body = replay.recording.ask(C, path=path)

    sentence = f"POST /{path.split('/', 2)[2]} {MISS.format(tape=replay.recording.path)}"
    assert (status, headers["x-should-retry"]) == (404, "false")
    assert message_of(json.loads(body)) == f"amberfork: {sentence}"
    assert replay.told == [sentence]
    (exchange,) = replay.exchanges()
    assert (exchange.request.body, exchange.response.status) == (Body.json(json.loads(C)), 404)
    assert REPLAYED not in exchange.extra


def test_a_miss_can_be_relayed_and_is_recorded(replaying):
    """With the provider's own answer."""
    replay = replaying(lambda _: chat("Hi."), A)(lambda _: chat("fresh"), on_miss=OnMiss.RELAY)

    status, _, body = replay.recording.ask(C)
    replay.recording.ask(A)

    assert (status, json.loads(body)["choices"][0]["message"]["content"]) == (200, "fresh")
    assert [asked.body for asked in replay.provider.asked] == [C]
    assert replay.told[0].endswith(f"now; asking {replay.provider.url}")
    assert [exchange.extra.get(REPLAYED) for exchange in replay.exchanges()] == [None, 0]


def test_a_miss_can_be_answered_as_the_nearest_was(replaying):
    """And what is nearest can answer for itself as well."""
    replay = replaying(lambda _: chat("Hi."), A)(on_miss=OnMiss.NEAREST)

    answers = [json.loads(replay.recording.ask(request)[2])["id"] for request in (C, A, A)]

    assert answers == ["chatcmpl-1"] * 3
    assert [sentence.rpartition("; ")[2] for sentence in replay.told] == ["answered as #0"] * 2


def test_nothing_near_is_an_error_even_so(replaying):
    """There is nothing to answer with."""
    replay = replaying(lambda _: chat("Hi."), A)(on_miss=OnMiss.NEAREST)

    assert replay.recording.ask(A, path="/openai/v1/embeddings")[0] == 404


def test_many_agents_at_once_are_answered_each_its_own(replaying):
    """Whatever the order in which they come."""
    requests = [chat_request(str(number)) for number in range(40)]
    recorded = replaying(lambda asked: chat(asked.json["messages"][0]["content"]), *requests)
    replay = recorded()
    answered: dict[int, str] = {}

    def ask(number: int) -> None:
        body = replay.recording.ask(requests[number])[2]
        answered[number] = json.loads(body)["choices"][0]["message"]["content"]

    agents = [Thread(target=ask, args=(number,)) for number in range(40)]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()

    assert answered == {number: str(number) for number in range(40)}


def test_a_tape_from_elsewhere_streams_event_by_event():
    """Where nobody noted the pieces."""
    from amberfork_cli.proxy.edge.wire import pieces

    headers = (("Content-Type", "text/event-stream; charset=utf-8"),)
    response = Response(200, headers, Body.text("unused"))

    assert list(pieces(b"data: 1\n\ndata: 2\r\n\r\n: sign\n\ndata: 3", response)) == [
        (0, b"data: 1\n\n"),
        (0, b"data: 2\r\n\r\n"),
        (0, b": sign\n\n"),
        (0, b"data: 3"),
    ]


@pytest.mark.parametrize(
    "noted", [None, "x", [1], [[1, 2, 3]], [["a", 1]], [[2, 0], [9, 0]], [[-1, 0], [4, 0]]]
)
def test_pieces_that_do_not_fit_are_not_believed(noted):
    """A tape may have been edited."""
    from amberfork_cli.proxy.edge.wire import pieces

    response = Response(200, extra={"chunks": noted})

    assert list(pieces(b"abc", response)) == [(0, b"abc")]


def test_a_tape_of_values_replays_as_well():
    """The tape need not be a file."""
    exchange = Exchange(0, Request("GET", "/v1/models"), Response(200, body=Body.json([])))

    assert RecordedTape(ExchangeList([exchange]), DiffOptions()).source == "exchanges"
