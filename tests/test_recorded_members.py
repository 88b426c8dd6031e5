"""What recorders write beside request and response is what docs/tape-format.md says they do."""

from __future__ import annotations

import json
import os
import re
import time
from datetime import datetime
from pathlib import Path

import pytest
from served_agents import agent, amberfork
from stub_provider import Answer, StubProvider, chat, chat_stream

from amberfork_cli.core.tape import Exchange
from amberfork_cli.proxy.runs.courses import AFTER_THE_TEST
from amberfork_cli.tapes import open_tape

DOCUMENT = Path(__file__).parents[1] / "docs" / "tape-format.md"
TALK = """
    ask('whole'); ask('stream')
    try:
        ask('torn')
    except Exception:
        pass
"""


def say(asked):
    """A whole answer, one in pieces, or one that is broken off."""
    text = asked.json["messages"][0]["content"]
    if text == "whole":
        return chat("Hi.")
    stream = chat_stream("a", "b", between=lambda: time.sleep(0.05))
    return stream if text == "stream" else Answer([b"data: {}\n\n"], headers=stream.headers, breaks_off=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A folder in which an agent was recorded with --redact, and replayed."""
    folder = tmp_path_factory.mktemp("run")
    with StubProvider(say) as stub:
        env = {**os.environ, "OPENAI_BASE_URL": f"{stub.url}/v1"}
        ran = [
            amberfork("record", "--redact", "-o", "run.jsonl", "--", *agent(TALK), cwd=folder, env=env),
            amberfork("replay", "run.jsonl", "-o", "again.jsonl", "--", *agent(TALK), cwd=folder, env=env),
        ]
    assert [each.returncode for each in ran] == [0, 0]
    return folder


def exchanges(tape: Path) -> list[Exchange]:
    """All of them."""
    with open_tape(tape) as opened:
        return list(opened)


def members() -> set[str]:
    """The members in the table of the document."""
    section = DOCUMENT.read_text("utf-8").partition("## What recorders write beside")[2].partition("\n## ")[0]
    named = (
        re.findall(r"`([\w.]+)`", row.split("|")[1]) for row in re.findall(r"^\| `.*", section, re.MULTILINE)
    )
    return {member for row in named for member in row}


def test_what_is_written_is_what_the_document_names(run):
    """Nothing more, and nothing less, but for what only a test writes."""
    recorded, again = (exchanges(run / name) for name in ("run.jsonl", "again.jsonl"))
    header = json.loads((run / "run.jsonl").read_text().partition("\n")[0])

    written = {member for exchange in (*recorded, *again) for member in exchange.extra}
    written |= {f"response.{member}" for exchange in recorded for member in exchange.response.extra}
    assert written | {*header} - {"tape_version"} | {AFTER_THE_TEST} == members()


def test_their_values_are_as_the_document_says(run):
    """Of one that was whole, one in pieces, and one that was cut."""
    whole, stream, torn = exchanges(run / "run.jsonl")

    assert whole.extra["provider"] == "openai"
    assert whole.extra["base_url"].startswith("http://127.0.0.1:")
    assert datetime.fromisoformat(whole.extra["recorded_at"]).utcoffset().total_seconds() == 0
    assert isinstance(whole.extra["duration_ms"], int)
    assert sum(size for size, _ in stream.response.extra["chunks"]) == len(stream.response.body.value)
    assert torn.extra["cut"].startswith("the provider broke off: ")
    assert ["cut" in exchange.extra for exchange in (whole, stream, torn)] == [False, False, True]


def test_what_was_replayed_says_of_what(run):
    """And is cut where that was."""
    again = exchanges(run / "again.jsonl")

    assert [exchange.extra["replayed"] for exchange in again] == [0, 1, 2]
    assert ["cut" in exchange.extra for exchange in again] == [False, False, True]
    assert not any("duration_ms" in exchange.extra for exchange in again)
