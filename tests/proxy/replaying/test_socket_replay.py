"""Replaying WebSockets: what was said after each message is said again, and a miss is told."""

import asyncio
import json
import time
from contextlib import ExitStack

import pytest
from aiohttp import WSMsgType, WSServerHandshakeError, web
from stub_socket import StubSocket

from amberfork_cli.core.compare.diffing import DiffOptions, diff_tapes
from amberfork_cli.core.tape import Body, ExchangeList
from amberfork_cli.proxy.recording.exchange import CUT
from amberfork_cli.proxy.recording.relay import Relay
from amberfork_cli.proxy.replaying.choices import OnMiss, Pace
from amberfork_cli.proxy.replaying.recorded import RecordedTape
from amberfork_cli.proxy.replaying.reissue import REPLAYED
from amberfork_cli.proxy.replaying.replay import Replay
from amberfork_cli.tapes import open_tape

CREATED = {"type": "session.created", "session": {"id": "sess_1"}}
REALTIME = "/openai/v1/realtime?model=m"
PATH = "/v1/realtime?model=m"


async def counting(socket):
    """Greet, and answer every message with two numbered ones."""
    await socket.send_str(json.dumps(CREATED))
    number = 0
    async for message in socket:
        for _ in range(2):
            number += 1
            await socket.send_str(json.dumps({"number": number, "to": json.loads(message.data)}))


def saying(*messages, answers=2):
    """An agent that says these, one after the other, and gives back all it heard."""

    async def agent(socket):
        heard = [await socket.receive_json()]
        for message in messages:
            await socket.send_str(json.dumps(message))
            heard += [await socket.receive_json() for _ in range(answers)]
        return heard

    return agent


async def until_closed(socket):
    """All that is heard, and how it ends."""
    heard = []
    while (message := await socket.receive()).type is WSMsgType.TEXT:
        heard.append(json.loads(message.data))
    return heard, message


@pytest.fixture
def replaying(recording_sockets, edged):
    """`recorded(talk, *agents)` records them, and gives what replays that tape, before a `fresh` provider."""
    with ExitStack() as stack:

        def recorded(talk, *agents, path=REALTIME, **more):
            run = recording_sockets(talk, **more)
            heard = [run.run(agent, path=path) for agent in agents]
            run.stop()

            def replay(*, fresh=counting, on_miss=OnMiss.FAIL, pace=Pace.NONE, loose=False):
                return of_tape(stack, edged, run.path, fresh, on_miss=on_miss, pace=pace, loose=loose)

            return run, heard, replay

        yield recorded


def of_tape(stack, edged, path, fresh=counting, *, on_miss=OnMiss.FAIL, pace=Pace.NONE, loose=False):
    """An edge that answers from that tape; `service` is what does it."""
    provider = stack.enter_context(StubSocket(fresh))
    tape = RecordedTape(stack.enter_context(open_tape(path)), DiffOptions(loose=loose))
    told = []

    def make(reissued):
        return Replay(
            tape, reissued=reissued, relay=Relay(reissued), tell=told.append, on_miss=on_miss, pace=pace
        )

    run = edged(make, provider.url, name="reissued.jsonl")
    run.provider, run.told, run.recorded = provider, told, tape
    return run


def test_what_was_said_is_said_again(replaying):
    """Greeting and answers, without the provider; every exchange is used up and kept."""
    agent = saying({"say": "a"}, {"say": "b"}, {"say": "a"})
    recorded, (heard,), replay = replaying(counting, agent)
    run = replay()

    again = run.run(agent)
    run.stop()

    exchanges = run.exchanges()
    assert again == heard
    assert (run.provider.asked, run.told, run.recorded.unused) == ([], [], 0)
    assert [each.extra[REPLAYED] for each in exchanges] == [0, 1, 2, 3]
    assert [each.response for each in exchanges] == [each.response for each in recorded.exchanges()]
    assert diff_tapes(ExchangeList(recorded.exchanges()), ExchangeList(exchanges), DiffOptions()).same


def test_messages_are_of_the_kind_they_were(replaying):
    """Text as text and bytes as bytes, JSON or not."""

    async def talk(socket):
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                await socket.send_bytes(message.data.encode())
            else:
                await socket.send_str(message.data.hex())

    async def agent(socket):
        heard = []
        for text in ('{"a": 1}', "plain"):
            await socket.send_str(text)
            heard.append((await socket.receive()).data)
        await socket.send_bytes(b"\xff")
        return [*heard, (await socket.receive()).data]

    _, (heard,), replay = replaying(talk, agent)

    assert heard == [b'{"a": 1}', b"plain", "ff"]
    assert replay().run(agent) == [b'{"a":1}', b"plain", "ff"]


def test_what_an_agent_names_itself_is_called_so(replaying):
    """Its names are fresh in every run, and its provider repeats them; what is shorter is no name."""

    async def talk(socket):
        async for message in socket:
            event = json.loads(message.data)
            name = event.get("item", event).get("id") or event.get("item_id")
            await socket.send_str(json.dumps({"of": name, "by": event["event_id"], "n": [name, "msg_0"]}))

    def naming(name, event):
        async def agent(socket):
            heard = []
            created = {"type": "conversation.item.create", "event_id": event, "item": {"id": name}}
            deleted = {"type": "conversation.item.delete", "event_id": event[::-1], "item_id": name}
            for message in (created, deleted):
                await socket.send_str(json.dumps(message))
                heard.append(await socket.receive_json())
            return heard

        return agent

    _, _, replay = replaying(talk, naming("msg_0abc123", "1"))
    run = replay()

    heard = run.run(naming("msg_9xyz987", "2"))
    run.stop()

    assert [each["of"] for each in heard] == ["msg_9xyz987"] * 2
    assert heard[0]["n"] == ["msg_9xyz987", "msg_0"]
    assert heard[0]["by"] == "1"
    assert (run.told, run.recorded.unused) == ([], 0)
    assert run.exchanges()[1].response.body == Body.json([heard[0]])


def test_a_subprotocol_is_agreed_on_again(replaying):
    """The first that the agent offers: some clients give up without one."""

    async def agent(socket):
        await socket.receive_str()
        return socket.protocol

    _, _, replay = replaying(counting, saying(), protocols=("realtime",))
    run = replay()

    agreed = run.run(agent, protocols=["realtime", "openai-insecure-api-key.SECRET"])
    run.stop()

    assert agreed == "realtime"
    assert b"SECRET" not in run.path.read_bytes()


def test_connections_of_one_path_may_come_in_another_order(replaying):
    """Also where they begin alike."""
    agents = [saying({"say": "hello"}, {"say": name}) for name in "abc"]
    _, heard, replay = replaying(counting, *agents)
    run = replay()

    async def all_at_once():
        return await asyncio.gather(*(run.talk(agent) for agent in reversed(agents)))

    assert asyncio.run(all_at_once()) == heard[::-1]
    run.stop()
    assert (run.told, run.recorded.unused) == ([], 0)


def test_messages_of_one_connection_may_change_places(replaying):
    """As the results of two tools do that ran at once."""
    _, _, replay = replaying(counting, saying({"say": "a"}, {"say": "b"}, {"say": "go"}))
    run = replay()

    heard = run.run(saying({"say": "b"}, {"say": "a"}, {"say": "go"}))

    assert [each["to"]["say"] for each in heard[1:]] == ["b", "b", "a", "a", "go", "go"]
    assert (run.told, run.recorded.unused) == ([], 0)


def test_a_message_that_is_not_on_the_tape_is_told_and_the_websocket_closed(replaying):
    """As the provider's error event, as the reason of the closing, and on stderr."""
    _, _, replay = replaying(counting, saying({"say": "a"}, {"say": "b"}))
    run = replay()

    async def agent(socket):
        await socket.receive_str()
        await socket.send_str('{"say": "a"}')
        await socket.receive_str()
        await socket.receive_str()
        await socket.send_str('{"say": "c"}')
        await socket.send_str('{"say": "b"}')
        return await until_closed(socket)

    (event,), closing = run.run(agent)
    run.stop()

    sentence = (
        f"WS /v1/realtime is not on the tape {run.recorded.source}: "
        'nearest is #2, which differs at say: "b" on the tape, "c" now'
    )
    assert (event["type"], event["error"]["message"]) == ("error", f"amberfork: {sentence}")
    assert (closing.type, closing.data) == (WSMsgType.CLOSE, 1008)
    assert f"amberfork: {sentence}".startswith(closing.extra)
    assert run.told == [sentence]
    *_, missed = run.exchanges()
    assert (missed.request.body, missed.response.status) == (Body.json({"say": "c"}), 404)
    assert run.recorded.unused == 1


def test_a_message_that_is_used_up_says_so(replaying):
    """It is on the tape, but not that often."""
    _, _, replay = replaying(counting, saying({"say": "a"}))
    run = replay()

    async def agent(socket):
        await socket.send_str('{"say": "a"}')
        await socket.send_str('{"say": "a"}')
        return await until_closed(socket)

    run.run(agent)

    assert run.told == [
        f"WS /v1/realtime is on the tape {run.recorded.source} only once, last as #1, and that is used up"
    ]


def test_where_a_provider_has_no_event_for_an_error_the_closing_says_it(replaying):
    """As Gemini's Live API does; the reason is cut to what fits."""
    path = "/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=SECRET"
    _, _, replay = replaying(counting, saying({"setup": {"model": "\u00e9" * 99}}), path=path)
    run = replay()

    async def agent(socket):
        await socket.receive()
        await socket.send_str(json.dumps({"setup": {"model": "\u00fc" * 99}}))
        return await until_closed(socket)

    heard, closing = run.run(agent, path=path)

    (told,) = run.told
    assert (heard, closing.data) == ([], 1008)
    assert f"amberfork: {told}".startswith(closing.extra)
    assert 120 <= len(closing.extra.encode()) <= 123
    assert "SECRET" not in told


def test_an_opening_that_is_not_on_the_tape_is_refused(replaying):
    """With the provider's own error, and a header that keeps SDKs from trying again."""
    _, _, replay = replaying(counting, saying())
    run = replay()

    for path in ("/openai/v1/realtime?model=other", "/openai/v1/other"):
        with pytest.raises(WSServerHandshakeError) as refused:
            run.run(saying(), path=path)

        assert refused.value.status == 404
        assert refused.value.headers["x-should-retry"] == "false"

    where = f"is not on the tape {run.recorded.source}: "
    assert run.told == [
        f'WS /v1/realtime {where}nearest is #0, which differs at query.model: "m" on the tape, "other" now',
        f"WS /v1/other {where}no recorded request has this method and path",
    ]


def test_an_opening_that_is_used_up_is_refused(replaying):
    """It was opened once."""
    _, _, replay = replaying(counting, saying())
    run = replay()
    run.run(saying())

    with pytest.raises(WSServerHandshakeError, match="404"):
        run.run(saying())

    assert run.told == [
        f"WS /v1/realtime is on the tape {run.recorded.source} only once, last as #0, and that is used up"
    ]


def test_a_websocket_that_is_not_on_the_tape_can_be_relayed(replaying):
    """All of it, and it is recorded; one that is under way cannot, since its provider heard nothing."""

    async def fresh(socket):
        await socket.send_str('{"fresh": true}')
        async for _ in socket:
            pass

    async def other(socket):
        await socket.receive_str()
        await socket.send_str('{"say": "c"}')
        return await until_closed(socket)

    _, _, replay = replaying(counting, saying({"say": "a"}))
    run = replay(fresh=fresh, on_miss=OnMiss.RELAY)

    heard = run.run(saying(), path="/openai/v1/realtime?model=other")
    (event,), _ = run.run(other)
    run.stop()

    assert heard == [{"fresh": True}]
    assert run.told[0].endswith(f"; asking {run.provider.url}")
    assert event["error"]["message"].endswith("; a WebSocket that is under way cannot be relayed")
    assert [each.extra.get(REPLAYED) for each in run.exchanges()] == [None, 0, None]


def test_a_message_can_be_answered_as_the_nearest_was(replaying):
    """And so can an opening."""
    _, (heard,), replay = replaying(counting, saying({"say": "a"}))
    run = replay(on_miss=OnMiss.NEAREST)

    answers = [run.run(saying({"say": said})) for said in ("c", "a")]
    other = run.run(saying(), path="/openai/v1/realtime?model=other")

    assert [*answers, other] == [heard, heard, heard[:1]]
    assert [sentence.rpartition("; ")[2] for sentence in run.told] == [
        "answered as #1",
        "answered as #0",
        "answered as #0",
    ]


def test_another_writing_of_the_same_passes_where_it_may(replaying):
    """1.0 for 1."""
    agent = saying({"temperature": 1}, {"say": "b"})
    _, (heard,), replay = replaying(counting, agent)
    run = replay(loose=True)

    assert run.run(saying({"temperature": 1.0}, {"say": "b"})) == heard
    assert run.told == []


def test_a_closing_of_the_provider_comes_again(replaying):
    """With code and reason, after all that it said."""

    async def talk(socket):
        await socket.receive()
        await socket.send_str('{"last": true}')
        await socket.close(code=4001, message=b"enough")

    async def agent(socket):
        await socket.send_str("{}")
        return await until_closed(socket)

    _, (heard,), replay = replaying(talk, agent)

    assert heard == ([{"last": True}], (WSMsgType.CLOSE, 4001, "enough"))
    assert replay().run(agent) == heard


def test_a_connection_that_broke_breaks_again(replaying):
    """After all that came, and without a closing."""

    async def talk(socket):
        await socket.receive()
        await socket.send_str('{"half": true}')
        await asyncio.sleep(0.05)
        socket._req.transport.abort()

    async def agent(socket):
        await socket.send_str("{}")
        return await until_closed(socket)

    _, _, replay = replaying(talk, agent)
    run = replay()

    heard, ended = run.run(agent)
    run.stop()

    assert (heard, ended.type) == ([{"half": True}], WSMsgType.CLOSED)
    assert run.exchanges()[-1].extra[CUT].startswith("the provider broke off")


def test_a_refused_opening_is_refused_again(recording_sockets, edged):
    """With the same status."""

    async def answer(_):
        return web.json_response({"error": {"message": "no key"}}, status=401)

    recorded = recording_sockets(counting, answer=answer)
    with pytest.raises(WSServerHandshakeError, match="401"):
        recorded.run(saying())
    recorded.stop()

    with ExitStack() as stack:
        run = of_tape(stack, edged, recorded.path)
        with pytest.raises(WSServerHandshakeError, match="401"):
            run.run(saying())

        assert (run.told, run.recorded.unused) == ([], 0)


def test_the_agent_closes_and_is_answered(replaying):
    """With its own code."""
    _, _, replay = replaying(counting, saying())

    async def agent(socket):
        await socket.receive()
        await socket.send_frame((4005).to_bytes(2, "big"), WSMsgType.CLOSE)
        return (await socket.receive()).data

    assert replay().run(agent, autoclose=False) == 4005


def test_a_ping_is_answered(replaying):
    """Though nobody but the tape is there."""
    _, _, replay = replaying(counting, saying())

    async def agent(socket):
        await socket.receive()
        await socket.ping(b"there?")
        return await socket.receive()

    message = replay().run(agent, autoping=False)

    assert (message.type, bytes(message.data)) == (WSMsgType.PONG, b"there?")


@pytest.mark.parametrize(("pace", "waits"), [(Pace.NONE, False), (Pace.REAL, True)])
def test_messages_come_at_once_or_as_they_came(pace, waits, replaying):
    """With real pace, no sooner than then; meanwhile the agent is heard."""

    async def talk(socket):
        await socket.receive()
        await asyncio.sleep(0.4)
        await socket.send_str("{}")
        await socket.receive()

    async def agent(socket):
        begun = time.monotonic()
        await socket.send_str("{}")
        await socket.receive()
        return time.monotonic() - begun

    _, _, replay = replaying(talk, agent)

    took = replay(pace=pace).run(agent)

    assert not waits or took > 0.35


def test_an_agent_that_hears_nothing_while_it_talks_is_heard(replaying):
    """What there is to say waits, and does not keep from listening."""
    count, size = 200, 100_000

    async def talk(socket):
        async for _ in socket:
            await socket.send_str(json.dumps("x" * size))

    async def agent(socket):
        for number in range(count):
            await socket.send_str(json.dumps([number]))
        return [len(await socket.receive_str()) for _ in range(count)]

    async def polite(socket):
        for number in range(count):
            await socket.send_str(json.dumps([number]))
            await socket.receive_str()

    _, _, replay = replaying(talk, polite)

    assert replay().run(agent) == [size + 2] * count


def test_what_an_agent_said_before_it_fell_is_looked_up(replaying):
    """As it was recorded."""

    async def agent(socket):
        await socket.receive()
        for number in range(200):
            await socket.send_str(json.dumps([number]))
        socket._response.connection.transport.close()

    async def silent(socket):
        await socket.send_str("{}")
        async for _ in socket:
            pass

    _, _, replay = replaying(silent, agent)
    run = replay()

    run.run(agent)
    run.stop()

    assert (run.told, run.recorded.unused) == ([], 0)


def test_a_tape_of_another_tool_answers_as_well(edged, tmp_path):
    """Without openings, and without a word about connections: all messages of a path are one."""
    path = tmp_path / "other.jsonl"
    asked = [{"method": "WS", "path": PATH, "body": {"say": said}} for said in ("a", "b", "silent")]
    answers = [{"status": 101, "body": [{"to": name}]} for name in "ab"] + [None]
    lines = [{"request": each, "response": answer} for each, answer in zip(asked, answers, strict=True)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    async def agent(socket):
        heard = []
        for name in "ab":
            await socket.send_str(json.dumps({"say": name}))
            heard.append(await socket.receive_json())
        await socket.send_str('{"say": "silent"}')
        return heard

    with ExitStack() as stack:
        run = of_tape(stack, edged, path)
        heard = run.run(agent)
        run.stop()

    assert heard == [{"to": "a"}, {"to": "b"}]
    assert (run.told, run.recorded.unused) == ([], 0)
    assert [each.request.body.value for each in run.exchanges()] == [each["body"] for each in asked]
