"""`record` and `check` of an agent that talks through WebSockets, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from textwrap import dedent

import pytest
from aiohttp import WSMsgType
from served_agents import AMBERFORK, LIMIT_S, amberfork
from stub_socket import StubSocket

from amberfork_cli.tapes import open_tape

TALK = """
    import asyncio, json, os, sys, uuid
    from aiohttp import ClientSession

    async def main():
        url = os.environ["OPENAI_BASE_URL"] + "/realtime?model=m"
        async with ClientSession() as session, session.ws_connect(url) as socket:
            await socket.receive_json()
            for text in sys.argv[1:]:
                item = {"id": "msg_" + uuid.uuid4().hex, "type": "message", "role": "user", "content": text}
                event = {"type": "conversation.item.create", "event_id": uuid.uuid4().hex, "item": item}
                await socket.send_json(event)
                answer = await socket.receive_json()
                print(answer.get("error", answer).get("message", answer.get("heard")), flush=True)

    asyncio.run(main())
"""


async def hear(socket):
    """Say what was heard, at once."""
    await socket.send_json({"type": "session.created", "event_id": os.urandom(8).hex()})
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await socket.send_json({"heard": json.loads(message.data)["item"]["content"]})


@pytest.fixture
def environment():
    """An environment in which the agent's provider is a stub."""
    with StubSocket(hear) as stub:
        yield {**os.environ, "OPENAI_BASE_URL": f"{stub.url}/v1"}


def agent(*texts):
    """The command of an agent that says these."""
    return ["--", sys.executable, "-c", dedent(TALK), *texts]


def test_an_agent_is_recorded_and_checked(tmp_path, environment):
    """It asks the same, under fresh IDs, and hears the same; then it asks something else."""
    nowhere = {**environment, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}

    recorded = amberfork("record", "-o", "run.jsonl", *agent("a", "b"), cwd=tmp_path, env=environment)
    same = amberfork("check", "run.jsonl", *agent("a", "b"), cwd=tmp_path, env=nowhere)
    other = amberfork("check", "run.jsonl", *agent("a", "c"), cwd=tmp_path, env=nowhere)

    sentence = (
        "WS /v1/realtime is not on the tape run.jsonl: nearest is #2, "
        'which differs at item.content: "b" on the tape, "c" now'
    )
    assert (recorded.returncode, recorded.stdout) == (0, b"a\nb\n")
    assert recorded.stderr.endswith(b"amberfork: 3 exchanges recorded to run.jsonl\n")
    assert (same.returncode, same.stderr) == (0, b"a\nb\n")
    assert b"Same: all 3 exchanges match." in same.stdout
    assert other.returncode == 1
    assert other.stderr.decode() == f"a\namberfork: {sentence}\namberfork: {sentence}\n"
    assert b'item.content  "b" \xe2\x86\x92 "c"' in other.stdout


def test_a_killed_recorder_leaves_all_but_the_turn_under_way(tmp_path, environment):
    """Whatever the agent has said something after is on the tape, whole."""
    texts = [str(number) for number in range(2000)]
    command = [*AMBERFORK, "record", "-o", "run.jsonl", *agent(*texts)]

    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        answered = [process.stdout.readline() for _ in range(200)]
        process.kill()
        answered += process.stdout.readlines()
        process.wait(LIMIT_S)

    with open_tape(tmp_path / "run.jsonl") as tape:
        said = [exchange.request.body.value["item"]["content"] for exchange in tape if exchange.number]
    assert said == texts[: len(said)]
    assert len(answered) - 1 <= len(said) < len(texts)
