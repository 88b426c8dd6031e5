"""WebSockets of the OpenAI SDK (Realtime, Responses) and of the Google Gen AI SDK (Live).

The latter insists on TLS, which the edge has not: its agent takes that out.
"""

import json
import os
import subprocess
import sys
from textwrap import dedent

import pytest
from aiohttp import WSMsgType
from stub_socket import StubSocket

from amberfork_cli.tapes import open_tape

LIMIT_S = 90
NOWHERE = "http://127.0.0.1:9"
REALTIME = """
    import openai, sys, uuid

    def done(connection):
        return next(event for event in connection if event.type == "response.done").response

    with openai.OpenAI().realtime.connect(model="gpt-realtime") as connection:
        connection.session.update(session={"type": "realtime", "output_modalities": ["text"]})
        words = [{"type": "input_text", "text": sys.argv[1]}]
        mine = f"msg_{uuid.uuid4().hex[:20]}"
        message = {"id": mine, "type": "message", "role": "user", "content": words}
        connection.conversation.item.create(item=message, event_id=uuid.uuid4().hex)
        connection.response.create()
        (call,) = done(connection).output
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "3 C"}
        connection.conversation.item.create(item=result, previous_item_id=call.id)
        connection.response.create()
        print(done(connection).output[0].content[0].text)
        connection.conversation.item.retrieve(item_id=mine)
        print(next(event for event in connection if event.type.endswith("retrieved")).item.id == mine)
"""
RESPONSES = """
    import openai

    def said(connection):
        for event in connection:
            if event.type == "response.completed":
                return event.response

    with openai.OpenAI().responses.connect() as connection:
        connection.response.create(model="m", input="hello")
        first = said(connection)
        connection.response.create(model="m", input="yes", previous_response_id=first.id)
        print(first.id, said(connection).id)
"""
LIVE = """
    import asyncio
    from google import genai
    from google.genai import live

    connect = live.ws_connect

    def without_tls(uri, *, ssl=None, **more):
        return connect(uri.replace("wss:", "ws:"), **more)

    live.ws_connect = without_tls

    async def main():
        client = genai.Client()
        config = {"response_modalities": ["TEXT"]}
        async with client.aio.live.connect(model="gemini-live", config=config) as session:
            turns = {"role": "user", "parts": [{"text": "hello"}]}
            await session.send_client_content(turns=turns, turn_complete=True)
            print([message.text async for message in session.receive()])

    asyncio.run(main())
"""
MISS = """
    import openai

    with openai.OpenAI().realtime.connect(model="gpt-realtime") as connection:
        connection.session.update(session={"type": "realtime", "output_modalities": ["audio"]})
        error = next(event for event in connection if event.type == "error")
        print(error.error.message)
"""


async def realtime(socket):
    """A session of OpenAI's Realtime API that calls a tool once."""
    calls = 0
    items = {}
    await socket.send_json({"type": "session.created", "event_id": "e", "session": {"id": "sess_1"}})
    async for message in socket:
        event = json.loads(message.data)
        if event["type"] == "conversation.item.create":
            item = {"id": "item_of_result", **event["item"]}
            items[item["id"]] = item
            await socket.send_json({"type": "conversation.item.created", "event_id": "e", "item": item})
        elif event["type"] == "conversation.item.retrieve":
            item = items[event["item_id"]]
            await socket.send_json({"type": "conversation.item.retrieved", "event_id": "e", "item": item})
        elif event["type"] == "response.create":
            calls += 1
            call = {
                "type": "function_call",
                "id": "item_1",
                "call_id": "call_1",
                "name": "f",
                "arguments": "{}",
            }
            text = {"type": "output_text", "text": "Cold."}
            words = {"type": "message", "id": "item_2", "role": "assistant", "content": [text]}
            response = {
                "object": "realtime.response",
                "id": f"resp_{calls}",
                "output": [(call, words)[calls - 1]],
            }
            await socket.send_json({"type": "response.done", "event_id": "e", "response": response})


async def responses(socket):
    """The Responses API, whose responses are numbered."""
    number = 0
    async for _ in socket:
        number += 1
        response = {"id": f"resp_{number}", "object": "response", "output": [], "status": "completed"}
        await socket.send_json({"type": "response.created", "sequence_number": 0, "response": response})
        await socket.send_json({"type": "response.completed", "sequence_number": 1, "response": response})


async def live(socket):
    """A session of Gemini's Live API, which sends JSON as binary messages."""
    async for message in socket:
        if message.type is not WSMsgType.TEXT:
            continue
        if "setup" in json.loads(message.data):
            answers = [{"setupComplete": {}}]
        else:
            parts = [{"text": "Hi."}]
            answers = [
                {"serverContent": {"modelTurn": {"role": "model", "parts": parts}}},
                {"serverContent": {"turnComplete": True}},
            ]
        for answer in answers:
            await socket.send_bytes(json.dumps(answer).encode())


@pytest.fixture
def ran(tmp_path):
    """Records an agent before a stub, and checks one without it: both processes, and the tape."""

    def ran(talk, code, *arguments, variable, path="", other=None):
        agents = [[sys.executable, "-c", dedent(each), *arguments] for each in (code, other or code)]
        with StubSocket(talk) as stub:
            recorded = _amberfork(
                tmp_path, {variable: stub.url + path}, "record", "-o", "run.jsonl", "--", *agents[0]
            )
        checked = _amberfork(tmp_path, {variable: NOWHERE + path}, "check", "run.jsonl", "--", *agents[1])
        with open_tape(tmp_path / "run.jsonl") as tape:
            return recorded, checked, list(tape)

    return ran


def _amberfork(folder, variables, *arguments):
    keys = dict.fromkeys(("OPENAI_API_KEY", "GEMINI_API_KEY"), "SECRET")
    return subprocess.run(
        [sys.executable, "-m", "amberfork_cli", *arguments],
        cwd=folder,
        env={**os.environ, **keys, **variables},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


AGENTS = {
    "realtime": (realtime, REALTIME, "OPENAI_BASE_URL", "/v1", "Cold.\nTrue\n", 7),
    "responses": (responses, RESPONSES, "OPENAI_BASE_URL", "/v1", "resp_1 resp_2\n", 3),
    "live": (live, LIVE, "GOOGLE_GEMINI_BASE_URL", "", "['Hi.', None]\n", 3),
}


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_runs_again_from_its_tape(name, ran):
    """It hears the same, its own fresh IDs included, and asks the same."""
    talk, code, variable, path, says, turns = AGENTS[name]

    recorded, checked, exchanges = ran(talk, code, "Weather?", variable=variable, path=path)

    assert (recorded.stdout, recorded.returncode) == (says, 0), recorded.stderr
    assert (checked.stderr, checked.returncode) == (says, 0), checked.stdout
    assert f"Same: all {turns} exchanges match." in checked.stdout
    assert {exchange.request.method for exchange in exchanges} == {"WS"}
    assert "SECRET" not in str(exchanges)


def test_a_miss_is_an_error_event(ran):
    """With the sentence that says what differs."""
    _, checked, _ = ran(realtime, REALTIME, "Weather?", variable="OPENAI_BASE_URL", path="/v1", other=MISS)

    assert checked.returncode == 1
    assert 'session.output_modalities[0]: "text" on the tape, "audio" now' in checked.stderr
