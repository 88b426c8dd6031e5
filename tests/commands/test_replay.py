"""`amberfork replay`: the agent runs again, answered from its tape, with no provider anywhere."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from served_agents import AMBERFORK, LIMIT_S, agent, amberfork
from stub_provider import StubProvider, chat, chat_stream

from amberfork_cli.proxy.replaying.reissue import REPLAYED
from amberfork_cli.tapes import open_tape

NOWHERE = "http://127.0.0.1:9"
TALK = "print(len(ask('a')), len(ask('b', stream=True)))"


@pytest.fixture
def environment():
    """An environment whose providers cannot be reached."""
    return {**os.environ, "OPENAI_BASE_URL": f"{NOWHERE}/v1", "ANTHROPIC_BASE_URL": NOWHERE}


@pytest.fixture
def tape(tmp_path, environment):
    """run.jsonl, recorded from an agent that talks to a provider which is gone by now."""
    with StubProvider(lambda asked: chat_stream("H") if b"stream" in asked.body else chat("Hi.")) as stub:
        env = {**environment, "OPENAI_BASE_URL": f"{stub.url}/gateway/v1"}
        ran = amberfork("record", "-o", "run.jsonl", "--", *agent(TALK), cwd=tmp_path, env=env)
    assert ran.returncode == 0
    return tmp_path / "run.jsonl"


@pytest.fixture
def replay(tape, environment):
    """`replay` of that tape with an agent that runs this code."""

    def replay(code, *options):
        return amberfork("replay", tape.name, *options, "--", *agent(code), cwd=tape.parent, env=environment)

    return replay


def test_the_agent_runs_again_without_its_provider(replay, tape):
    """It says the same, and ends the same; what was asked goes to a tape of its own."""
    ran = replay(f"{TALK}; sys.exit(7)", "-o", "again.jsonl")

    assert ran.returncode == 7
    assert ran.stdout.split() == [b"164", b"203"]
    assert ran.stderr == b"amberfork: 2 of 2 recorded exchanges replayed\n"
    with open_tape(tape.with_name("again.jsonl")) as again:
        assert [exchange.extra[REPLAYED] for exchange in again] == [0, 1]


def test_a_miss_is_told_to_the_agent_and_on_stderr(replay):
    """With the nearest exchange and the first difference."""
    ran = replay("""
        try:
            ask("c")
        except urllib.error.HTTPError as error:
            print(error.code, json.load(error)["error"]["message"])
    """)

    sentence = (
        "POST /gateway/v1/chat/completions is not on the tape run.jsonl: nearest is #0, "
        'which differs at messages[0].content: "a" on the tape, "c" now'
    )
    assert ran.stdout.decode() == f"404 amberfork: {sentence}\n"
    assert ran.stderr.decode() == (
        f"amberfork: {sentence}\n"
        "amberfork: 0 of 2 recorded exchanges replayed, 1 request was not on the tape\n"
    )


def test_a_miss_can_go_to_the_provider(replay, environment):
    """To the one that the environment names now."""
    with StubProvider(lambda _: chat("fresh")) as stub:
        environment["OPENAI_BASE_URL"] = f"{stub.url}/gateway/v1"

        ran = replay("ask('a'); print(b'fresh' in ask('c'))", "--on-miss", "relay")

    assert (ran.returncode, ran.stdout) == (0, b"True\n")
    assert [asked.path for asked in stub.asked] == ["/gateway/v1/chat/completions"]


def test_what_is_ignored_does_not_count(replay):
    """As with `diff`."""
    ran = replay("ask('a', user='someone else')", "--ignore", "user")

    assert (ran.returncode, ran.stderr) == (0, b"amberfork: 1 of 2 recorded exchanges replayed\n")


def test_what_is_asked_of_a_redacted_tape_is_kept_redacted(tape, replay):
    """The tape of what was re-issued says so, and compares."""
    env = {**os.environ}
    amberfork("redact", tape.name, "-o", tape.name, cwd=tape.parent, env=env)
    secret = "ghp_" + "0aB" * 12

    ran = replay(f"ask('a'); ask('{secret}')", "-o", "again.jsonl", "--on-miss", "nearest")

    again = tape.with_name("again.jsonl").read_bytes()
    assert (ran.returncode, secret.encode() in again + ran.stderr) == (0, False)
    assert b"REDACTED_GITHUB_TOKEN" in again
    assert b'"redacted":["credentials"]' in again.partition(b"\n")[0]


def test_another_writing_is_answered_where_the_comparison_is_loose(replay):
    """As with `check`."""
    parts = "ask('', messages=[{'role': 'user', 'content': [{'type': 'text', 'text': 'a'}]}])"

    strict, loose = replay(parts), replay(parts, "--loose")

    assert (strict.returncode, loose.returncode) == (1, 0)
    assert loose.stderr == b"amberfork: 1 of 2 recorded exchanges replayed\n"


def test_an_agent_that_asks_nothing_is_told(replay):
    """It may not have been pointed to its tape."""
    ran = replay("pass")

    hint = "does the agent take its base URL from its environment?"
    assert (ran.returncode, ran.stderr.decode()) == (
        0,
        f"amberfork: 0 of 2 recorded exchanges replayed: {hint}\n",
    )


def test_the_tape_itself_is_not_written_to(replay, tape):
    """By whatever name."""
    before = tape.read_bytes()
    tape.with_name("alias.jsonl").symlink_to(tape)

    refused = [replay("pass", "--force", "-o", name) for name in ("run.jsonl", "alias.jsonl")]

    assert [ran.returncode for ran in refused] == [2, 2]
    assert refused[0].stderr == (
        b"amberfork: run.jsonl is the tape itself: what is asked now needs a file of its own\n"
    )
    assert tape.read_bytes() == before


def test_other_files_are_not_overwritten_either(replay, tape):
    """Unless --force says so."""
    (tape.parent / "mine").write_text("mine")

    refused, forced = replay(TALK, "-o", "mine"), replay(TALK, "-o", "mine", "--force")

    assert (refused.returncode, forced.returncode) == (2, 0)
    assert refused.stderr == b"amberfork: mine exists: --force records over it\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "there is no exchange on this tape"),
        (b'{"messages": []}\n', "there is no response on this tape to answer with"),
        (b"{oops\n", "1:2: "),
    ],
)
def test_a_tape_that_answers_nothing_is_trouble(content, problem, tmp_path, environment):
    """Before the agent runs."""
    (tmp_path / "bad.jsonl").write_bytes(content)

    ran = amberfork("replay", "bad.jsonl", "--", *agent("print('ran')"), cwd=tmp_path, env=environment)

    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode().startswith("amberfork: bad.jsonl:")
    assert problem in ran.stderr.decode()


def test_without_a_command_it_serves_until_ctrl_c(tape, environment):
    """For an agent that is started elsewhere."""
    process = subprocess.Popen(
        [*AMBERFORK, "replay", tape.name],
        cwd=tape.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        first = process.stdout.readline()
        url = first.removeprefix("export OPENAI_BASE_URL=").rstrip()
        code = agent("print(len(ask('a')))")
        asked = subprocess.run(
            code,
            env={**environment, "OPENAI_BASE_URL": url},
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=LIMIT_S)[1]

    assert (asked.stdout, process.returncode) == (b"164\n", 0)
    assert told.endswith("amberfork: 1 of 2 recorded exchanges replayed\n")
