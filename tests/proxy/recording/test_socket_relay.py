"""Recording WebSockets: messages pass as they come, every turn is on the tape, credentials are not."""

import asyncio
import json
import os
import time

import pytest
from aiohttp import ClientSession, WSMsgType, WSServerHandshakeError, web

from amberfork_cli.core.tape import ABSENT, Body
from amberfork_cli.proxy.recording.exchange import AGENT_LEFT, CUT, STOPPED
from amberfork_cli.proxy.recording.relay import Relay

PATIENCE_S = 10
CREATED = '{"type": "session.created"}'


async def echo(socket):
    """Greet, and say every message once more."""
    await socket.send_str(CREATED)
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await socket.send_str(message.data)
        else:
            await socket.send_bytes(message.data)


async def silent(socket):
    """Hear everything, say nothing."""
    async for _ in socket:
        pass


def eventually(holds) -> bool:
    """Whether something comes to hold, sooner or later."""
    end = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


def bodies(exchanges):
    """What was asked and answered, exchange by exchange."""
    return [(each.request.body.value, each.response.body.value) for each in exchanges]


def test_every_message_of_the_agent_is_an_exchange_with_what_follows_it(recording_sockets):
    """What the provider says first answers the opening; the tape read by lines is the conversation."""
    run = recording_sockets(echo)

    async def agent(socket):
        heard = [await socket.receive_str()]
        for message in ('{"type": "response.create"}', "[1]", "plain", '"quoted"', "null"):
            await socket.send_str(message)
            heard.append(await socket.receive_str())
        await socket.send_bytes(b"\xff\x00")
        heard.append(await socket.receive_bytes())
        await socket.send_bytes(b'{"a": 1}')
        heard.append(await socket.receive_bytes())
        return heard

    heard = run.run(agent)

    exchanges = run.exchanges()
    assert heard == [
        CREATED,
        '{"type": "response.create"}',
        "[1]",
        "plain",
        '"quoted"',
        "null",
        b"\xff\x00",
        b'{"a": 1}',
    ]
    assert bodies(exchanges) == [
        (None, [{"type": "session.created"}]),
        ({"type": "response.create"}, [{"type": "response.create"}]),
        ([1], [[1]]),
        ("plain", ["plain"]),
        ('"quoted"', ['"quoted"']),
        ("null", ["null"]),
        (b"\xff\x00", ["/wA="]),
        ({"a": 1}, [{"a": 1}]),
    ]
    assert exchanges[0].request.body == ABSENT
    assert {(each.request.method, each.request.path, each.response.status) for each in exchanges} == {
        ("WS", "/v1/realtime?model=m", 101)
    }
    assert [each.response.extra["messages"][0][0] for each in exchanges] == ["text"] * 6 + ["binary"] * 2
    assert [each.request.extra.get("message") for each in exchanges] == [None] * 6 + ["binary"] * 2
    assert [each.extra["websocket"]["turn"] for each in exchanges] == list(range(8))
    assert len({each.extra["websocket"]["id"] for each in exchanges}) == 1
    assert run.told == []


def test_a_turn_is_on_the_tape_before_the_agent_has_what_follows(recording_sockets):
    """A recorder that is killed loses the turn under way and nothing else."""
    run = recording_sockets(echo)

    async def agent(socket):
        counts = []
        await socket.receive_str()
        for number in range(3):
            await socket.send_str(json.dumps({"number": number}))
            await socket.receive_str()
            counts.append(len(run.exchanges()))
        return counts

    assert run.run(agent) == [1, 2, 3]


def test_credentials_reach_the_provider_and_never_the_tape(recording_sockets, capfd):
    """In headers, in the query, and in the subprotocol where browsers put them; agreed on or not."""
    run = recording_sockets(silent, protocols=("realtime",))
    offer = ["realtime", "openai-insecure-api-key.SECRET", "openai-beta.realtime-v1"]
    headers = {"Authorization": "Bearer SECRET", "OpenAI-Beta": "realtime=v1"}

    async def agent(socket):
        await socket.send_str("{}")
        return socket.protocol

    agreed = run.run(
        agent, path="/openai/v1/realtime?model=m&api_key=SECRET", protocols=offer, headers=headers
    )
    other = run.run(agent, protocols=["openai-insecure-api-key.SECRET"])

    (path, asked), _ = run.provider.asked
    assert (agreed, other) == ("realtime", None)
    assert path == "/v1/realtime?model=m&api_key=SECRET"
    assert asked["authorization"] == "Bearer SECRET"
    assert asked["sec-websocket-protocol"] == ",".join(offer)
    assert b"SECRET" not in run.path.read_bytes()
    assert run.exchanges()[0].request.path == "/v1/realtime?model=m"
    assert ("openai-beta", "realtime=v1") in run.exchanges()[0].request.headers
    assert ("x-request-id", "req_1") in run.exchanges()[0].response.headers
    assert "SECRET" not in "".join(capfd.readouterr())


def test_both_sides_may_talk_at_once(recording_sockets):
    """Nothing is lost, each side keeps its order, and the tape has an order of both."""
    count = 300

    async def talk(socket):
        async def say():
            for number in range(count):
                await socket.send_str(json.dumps({"heard": number}))
                await asyncio.sleep(0)

        saying = asyncio.create_task(say())
        said = [json.loads(await socket.receive_str())["said"] for _ in range(count)]
        await saying
        await socket.send_str(json.dumps(said))
        await silent(socket)

    async def agent(socket):
        async def say():
            for number in range(count):
                await socket.send_str(json.dumps({"said": number}))
                await asyncio.sleep(0)

        saying = asyncio.create_task(say())
        heard = [json.loads(await socket.receive_str())["heard"] for _ in range(count)]
        await saying
        return heard, await socket.receive_json()

    run = recording_sockets(talk)
    heard, said = run.run(agent)

    pairs = bodies(run.exchanges())
    assert heard == said == list(range(count))
    assert [body["said"] for body, _ in pairs[1:]] == said
    assert [each["heard"] for _, answer in pairs for each in answer if "heard" in each] == heard


def test_large_messages_pass_both_ways(recording_sockets):
    """Larger than any usual limit."""
    run = recording_sockets(echo)
    large = json.dumps({"audio": os.urandom(6 << 20).hex()})

    async def agent(socket):
        await socket.receive_str()
        await socket.send_str(large)
        same = await socket.receive_str() == large
        await socket.send_str("{}")
        await socket.receive_str()
        return same

    assert run.run(agent)
    assert bodies(run.exchanges())[1] == (json.loads(large), [json.loads(large)])


@pytest.mark.parametrize(
    ("code", "reason", "noted"), [(4001, "enough", 4001), (1000, "", 1000), (None, "", None)]
)
def test_the_provider_closes_and_the_agent_hears_how(code, reason, noted, recording_sockets):
    """With code and reason, and without; the answer of the agent reaches the provider."""
    answers = []

    async def talk(socket):
        await socket.receive()
        if code is None:
            await socket.send_frame(b"", WSMsgType.CLOSE)
        else:
            await socket.send_frame(code.to_bytes(2, "big") + reason.encode(), WSMsgType.CLOSE)
        answers.append(await socket.receive())

    async def agent(socket):
        await socket.send_str("{}")
        message = await socket.receive()
        await socket.send_frame((3003).to_bytes(2, "big"), WSMsgType.CLOSE)
        return message

    run = recording_sockets(talk)
    message = run.run(agent, autoclose=False)

    *_, last = run.exchanges()
    assert (message.type, message.data, message.extra) == (WSMsgType.CLOSE, code or 0, reason)
    assert last.extra["websocket"]["closed"] == {"by": "provider", "code": noted, "reason": reason}
    assert CUT not in last.extra
    assert eventually(lambda: [each.data for each in answers] == [3003])


def test_the_agent_closes_and_the_provider_hears_how(recording_sockets):
    """What the provider still says until it answers is on the tape."""
    closings = []

    async def talk(socket):
        await socket.receive()
        closing = await socket.receive()
        closings.append((closing.data, closing.extra))
        await socket.send_str('{"late": true}')
        await socket.close(code=4002, message=b"bye")

    async def agent(socket):
        await socket.send_str("{}")
        await socket.send_frame((4001).to_bytes(2, "big") + b"enough", WSMsgType.CLOSE)
        late = await socket.receive()
        return late.data, (await socket.receive()).data

    run = recording_sockets(lambda socket: talk(without_autoclose(socket)))
    answered = run.run(agent, autoclose=False)

    *_, last = run.exchanges()
    assert closings == [(4001, "enough")]
    assert answered == ('{"late": true}', 4002)
    assert last.response.body == Body.json([{"late": True}])
    assert last.extra["websocket"]["closed"] == {"by": "agent", "code": 4001, "reason": "enough"}


def without_autoclose(socket):
    """The stub's side, told to leave the answer to a closing to the test."""
    socket._autoclose = False
    return socket


def test_pings_reach_the_other_side(recording_sockets):
    """So that an agent that asks whether its provider is alive is told the truth."""

    async def talk(socket):
        await socket.ping(b"from the provider")
        await silent(socket)

    async def agent(socket):
        await socket.ping(b"from the agent")
        messages = [await socket.receive() for _ in range(2)]
        return {(message.type, bytes(message.data)) for message in messages}

    heard = recording_sockets(talk).run(agent, autoping=False)

    assert heard == {(WSMsgType.PING, b"from the provider"), (WSMsgType.PONG, b"from the agent")}


@pytest.mark.parametrize(("status", "body"), [(401, b'{"error": {"message": "no key"}}'), (302, b"moved")])
def test_a_refused_opening_is_refused_in_the_same_words(status, body, recording_sockets):
    """Status, headers and body reach the agent, and the tape."""

    async def answer(_):
        headers = {"content-type": "application/json", "retry-after": "3", "location": "http://127.0.0.1:9/"}
        return web.Response(status=status, body=body, headers=headers)

    run = recording_sockets(silent, answer=answer)
    answered = asyncio.run(opened_by_hand(run.edge.url + "/openai/v1/realtime?model=m"))

    (exchange,) = run.exchanges()
    assert answered == (status, "3", body)
    assert (exchange.request.method, exchange.request.body) == ("WS", ABSENT)
    assert exchange.response.status == status
    assert exchange.response.body.value == (json.loads(body) if status == 401 else body.decode())
    assert CUT not in exchange.extra


async def opened_by_hand(url):
    """Status, one header and the body that an opening is answered with."""
    headers = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    async with (
        ClientSession() as session,
        session.get(url, headers=headers, allow_redirects=False) as response,
    ):
        return response.status, response.headers.get("retry-after"), await response.read()


def test_a_provider_that_is_not_there_is_a_502(edged):
    """For the agent and on the tape."""
    run = edged(lambda tape: Relay(tape, connect_s=1), "http://127.0.0.1:9")

    status, _, body = asyncio.run(opened_by_hand(run.edge.url + "/openai/v1/realtime"))

    (exchange,) = run.exchanges()
    assert status == exchange.response.status == 502
    assert json.loads(body)["error"]["message"].startswith("amberfork: no answer from http://127.0.0.1:9: ")
    assert exchange.extra[CUT].startswith("no answer from the provider: ")


def test_what_is_no_opening_is_told_so_at_once(recording_sockets):
    """A WebSocket needs a GET with a key; nothing reaches the provider."""
    run = recording_sockets(silent)

    async def half():
        async with (
            ClientSession() as session,
            session.get(
                run.edge.url + "/openai/v1/realtime",
                headers={"Upgrade": "websocket", "Connection": "Upgrade"},
            ) as response,
        ):
            return response.status, await response.json()

    status, error = asyncio.run(half())

    assert (status, error["error"]["message"]) == (400, "amberfork: this is no opening of a WebSocket")
    assert run.provider.asked == []


def test_web_pages_cannot_open_one(recording_sockets):
    """A page that a browser shows could otherwise talk with the user's keys."""
    run = recording_sockets(silent)

    with pytest.raises(WSServerHandshakeError, match="403"):
        run.run(silent, origin="https://evil.example")

    assert run.provider.asked == []


def test_a_provider_that_breaks_off_is_cut_for_the_agent_and_on_the_tape(recording_sockets):
    """Without a closing, which nobody sent."""

    async def talk(socket):
        await socket.receive()
        await socket.send_str('{"half": true}')
        await asyncio.sleep(0.05)
        socket._req.transport.abort()

    async def agent(socket):
        await socket.send_str("{}")
        heard = await socket.receive_str()
        return heard, (await socket.receive()).type, socket.close_code

    run = recording_sockets(talk)
    heard, ended, code = run.run(agent)

    assert (heard, ended) == ('{"half": true}', WSMsgType.CLOSED)
    assert code != 1000 or ended is WSMsgType.CLOSED
    assert eventually(lambda: len(run.exchanges()) == 2)
    *_, last = run.exchanges()
    assert last.response.body == Body.json([{"half": True}])
    assert last.extra[CUT].startswith("the provider broke off")
    assert "closed" not in last.extra["websocket"]


def test_what_an_agent_said_before_it_fell_is_on_the_tape(recording_sockets):
    """All of it, though the recorder had not read it yet."""
    run = recording_sockets(silent)

    async def agent(socket):
        for number in range(500):
            await socket.send_str(json.dumps({"number": number}))
        socket._response.connection.transport.close()

    run.run(agent)

    assert eventually(lambda: len(run.exchanges()) == 501)
    exchanges = run.exchanges()
    assert [each.request.body.value["number"] for each in exchanges[1:]] == list(range(500))
    assert exchanges[-1].extra[CUT] == AGENT_LEFT


def test_an_answer_that_had_ended_is_not_cut_by_an_agent_that_leaves(recording_sockets):
    """As scripts do that have what they wanted."""
    done = {"type": "response.done", "response": {"object": "realtime.response", "id": "r", "output": []}}

    async def talk(socket):
        await socket.receive()
        await socket.send_str(json.dumps(done))
        await silent(socket)

    async def agent(socket):
        await socket.send_str('{"type": "response.create"}')
        await socket.receive()
        socket._response.connection.transport.abort()

    run = recording_sockets(talk)
    run.run(agent)

    assert eventually(lambda: len(run.exchanges()) == 2)
    assert CUT not in run.exchanges()[-1].extra


def test_an_open_websocket_is_kept_when_the_recorder_ends(recording_sockets):
    """What was said is on the tape, and marked."""
    run = recording_sockets(echo)
    left = []

    async def agent(socket):
        await socket.receive_str()
        await socket.send_str("{}")
        await socket.receive_str()
        run.relay.stop()
        ending = asyncio.get_running_loop().run_in_executor(None, run.stop)
        left.append(await socket.receive())
        await ending

    run.run(agent)

    assert bodies(run.exchanges()) == [(None, [{"type": "session.created"}]), ({}, [{}])]
    assert run.exchanges()[-1].extra[CUT] == STOPPED


def test_when_the_disk_is_full_the_agent_is_told_and_the_websocket_closed(recording_sockets, monkeypatch):
    """Nothing more is passed on that would not be on the tape; the next opening is refused at once."""
    run = recording_sockets(echo)

    def full(*_):
        raise OSError(28, "No space left on device")

    async def agent(socket):
        await socket.receive_str()
        monkeypatch.setattr("amberfork_cli.proxy.recording.tapefile.os.write", full)
        await socket.send_str("{}")
        event = await socket.receive_json()
        closing = await socket.receive()
        return event["error"]["message"], closing.data, closing.extra

    told = run.run(agent)
    status, _, _ = asyncio.run(opened_by_hand(run.edge.url + "/openai/v1/realtime"))

    message = f"amberfork: cannot write {run.path}: no space left on device"
    assert told == (message, 1008, message[:123])
    assert status == 507


def test_many_at_once_lose_and_mix_nothing(recording_sockets):
    """Each message belongs to its connection, on the wire and on the tape."""
    run = recording_sockets(echo)

    def agent(name):
        async def agent(socket):
            heard = [await socket.receive_json()]
            for turn in range(10):
                await socket.send_str(json.dumps([name, turn]))
                heard.append(await socket.receive_json())
            return heard[1:] == [[name, turn] for turn in range(10)]

        return agent

    async def all_at_once():
        return await asyncio.gather(*(run.talk(agent(name)) for name in range(30)))

    assert all(asyncio.run(all_at_once()))
    assert eventually(lambda: len(run.exchanges()) == 30 * 11)
    said = {}
    for exchange in run.exchanges()[:]:
        noted = exchange.extra["websocket"]
        said.setdefault(noted["id"], {})[noted["turn"]] = exchange.request.body.value
    assert sorted(turns[1][0] for turns in said.values()) == list(range(30))
    assert all(
        turns == {0: None, **{turn + 1: [turns[1][0], turn] for turn in range(10)}} for turns in said.values()
    )
