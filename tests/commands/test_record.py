"""`amberfork record`: the agent runs as it would, and what it said is on a tape."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from textwrap import dedent

import pytest
from served_agents import AMBERFORK, ASK, LIMIT_S
from stub_provider import Answer, StubProvider, chat, chat_stream

from amberfork_cli.proxy.recording.exchange import CUT
from amberfork_cli.tapes import open_tape

NOTICE = (
    "amberfork: recording to run.jsonl: bodies are kept verbatim, credentials in headers and URLs are not\n"
)


@pytest.fixture
def stub():
    """A provider that says "Hi."."""
    with StubProvider(
        lambda asked: chat_stream("H", "i") if b"stream" in asked.body else chat("Hi.")
    ) as stub:
        yield stub


@pytest.fixture
def environment(stub):
    """An environment in which the agent's providers are the stub."""
    return {**os.environ, "OPENAI_BASE_URL": f"{stub.url}/v1", "ANTHROPIC_BASE_URL": stub.url}


@pytest.fixture
def record(tmp_path, environment):
    """`record` to run.jsonl with an agent in Python: the finished process."""

    def record(agent, *options, stdin=b"", output="run.jsonl"):
        command = [sys.executable, "-c", dedent(ASK) + dedent(agent)]
        return subprocess.run(
            [*AMBERFORK, "record", "-o", output, *options, "--", *command],
            cwd=tmp_path,
            env=environment,
            input=stdin,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )

    return record


@pytest.fixture
def tape(tmp_path):
    """The exchanges of run.jsonl."""

    def tape():
        with open_tape(tmp_path / "run.jsonl") as exchanges:
            return list(exchanges)

    return tape


@contextmanager
def running(tmp_path, environment, *arguments):
    """`amberfork` with these arguments, while it runs."""
    process = subprocess.Popen(
        [*AMBERFORK, *arguments],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # without a terminal, whatever the tests are run from
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_agent_runs_as_it_would(record, tape, stub):
    """Its streams and exit code are its own; an agent with two providers needs nothing more."""
    agent = """
        print(sys.stdin.read(), json.loads(ask("a"))["id"], len(ask("b", stream=True)) > 9)
        ask("c", "ANTHROPIC_BASE_URL", "/v1/messages")
        print("err", file=sys.stderr)
        sys.exit(7)
    """

    ran = record(agent, stdin=b"in")

    assert (ran.returncode, ran.stdout) == (7, b"in chatcmpl-1 True\n")
    assert ran.stderr.decode() == f"{NOTICE}err\namberfork: 3 exchanges recorded to run.jsonl\n"
    assert [(each.extra["provider"], each.request.path) for each in tape()] == [
        ("openai", "/v1/chat/completions"),
        ("openai", "/v1/chat/completions"),
        ("anthropic", "/v1/messages"),
    ]
    assert len(stub.asked) == 3


def test_an_agent_that_asks_nothing_is_told_why_that_may_be(record, tmp_path):
    """A tape without an exchange is nobody's wish."""
    ran = record("pass")

    assert ran.returncode == 0
    hint = "does the agent take its base URL from its environment?"
    assert ran.stderr.decode() == f"{NOTICE}amberfork: no exchange was recorded: {hint}\n"
    assert not (tmp_path / "run.jsonl").exists()


def test_a_file_that_is_there_is_refused_before_the_agent_runs(record, tmp_path):
    """Unless --force or --append says otherwise."""
    (tmp_path / "run.jsonl").write_text("mine")

    ran = record("print('ran')")

    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr == b"amberfork: run.jsonl exists: --append goes on with it, --force records over it\n"
    assert (tmp_path / "run.jsonl").read_text() == "mine"


def test_append_goes_on_with_a_tape_and_tells_of_a_torn_end(record, tape, tmp_path):
    """--force begins anew."""
    record("ask('a')")
    with (tmp_path / "run.jsonl").open("ab") as file:
        file.write(b'{"request": {')

    appended = record("ask('b')", "--append")
    texts = [each.request.body.value["messages"][0]["content"] for each in tape()]
    record("ask('c')", "--force")

    assert b"the last line was torn where an earlier recording stopped, and is cut off" in appended.stderr
    assert texts == ["a", "b"]
    assert len(tape()) == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--append", "--force"], "--append and --force exclude each other"),
        (["--port", "70000"], "there is no port 70000: choose one of 1 to 65535"),
        (["--upstream", "x"], "--upstream wants NAME=URL, not 'x'"),
        (["--env", "X=mine"], '--env X=mine: there is no provider "mine": name it with --upstream'),
    ],
)
def test_contradictions_are_trouble(options, problem, record, tmp_path):
    """And leave no file behind."""
    ran = record("pass", *options)

    assert (ran.returncode, ran.stderr.decode().splitlines()[-1]) == (2, f"amberfork: {problem}")
    assert not (tmp_path / "run.jsonl").exists()


def test_a_command_that_cannot_be_run_is_named(tmp_path, environment):
    """Exit 2, whatever a shell would say."""
    ran = subprocess.run(
        [*AMBERFORK, "record", "-o", "run.jsonl", "--", "no-such-command"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )

    assert ran.returncode == 2
    assert ran.stderr.endswith(b"amberfork: cannot run no-such-command: no such file or directory\n")


def test_a_port_that_is_taken_is_named(record):
    """By the operating system's own words."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        ran = record("pass", "--port", str(port))

    assert ran.returncode == 2
    assert ran.stderr.decode().splitlines()[-1] == (
        f"amberfork: cannot serve at port {port}: address already in use"
    )


def test_an_agent_that_a_signal_ends_ends_the_recorder_alike(record, tape):
    """128 and its number, as a shell says it."""
    ran = record("ask('a'); os.kill(os.getpid(), 9)")

    assert ran.returncode == 128 + 9
    assert len(tape()) == 1


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1"])
def test_signals_reach_the_agent(name, tmp_path, environment):
    """Which ends as it likes, and the recorder with it."""
    agent = f"""
        import signal, sys, time
        signal.signal(signal.{name}, lambda *_: sys.exit(5))
        print("ready", flush=True)
        time.sleep(20)
    """
    command = ["record", "-o", "run.jsonl", "--", sys.executable, "-c", dedent(agent)]

    with running(tmp_path, environment, *command) as process:
        ready = process.stdout.readline()
        process.send_signal(getattr(signal, name))
        code = process.wait(LIMIT_S)

    assert (ready, code) == ("ready\n", 5)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_without_a_command_it_serves_until_ctrl_c_or_its_like(name, tmp_path, environment, tape):
    """The variables to set are printed, ready to be evaluated by a shell."""
    with running(tmp_path, environment, "record", "-o", "run.jsonl", "--env", "MINE=openai") as process:
        lines = [process.stdout.readline() for _ in range(3)]
        variables = dict(line.removeprefix("export ").rstrip().split("=", 1) for line in lines)
        code = f"{dedent(ASK)}\nprint(len(ask('a', 'MINE')))"
        asked = subprocess.run(
            [sys.executable, "-c", code],
            env={**environment, **variables},
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        process.send_signal(getattr(signal, name))
        ended = process.wait(LIMIT_S)
        told = process.stderr.read()

    assert (asked.returncode, ended) == (0, 0)
    assert told.endswith("amberfork: 1 exchange recorded to run.jsonl\n")
    assert len(tape()) == 1


def test_what_an_agent_elsewhere_may_not_have_is_printed_as_well(tmp_path, environment):
    """An API key of Bedrock, which its SDK would not send; placeholders stand for keys."""
    environment = {**environment, "AWS_BEARER_TOKEN_BEDROCK": "SECRET", "HOME": str(tmp_path)}
    with running(tmp_path, environment, "record", "-o", "run.jsonl") as process:
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.wait(LIMIT_S)
        lines = [first, *process.stdout]

    assert lines[-3:] == [
        "export AWS_ACCESS_KEY_ID=AMBERFORK\n",
        "export AWS_SECRET_ACCESS_KEY='a placeholder: the edge signs'\n",
        "unset AWS_BEARER_TOKEN_BEDROCK\n",
    ]


def test_an_environment_that_an_earlier_recording_has_set_is_refused(tmp_path, environment):
    """Its providers would be this very recorder, and every request come back to it for ever."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment["OPENAI_BASE_URL"] = f"http://127.0.0.1:{port}/openai/v1"
    with running(tmp_path, environment, "record", "-o", "run.jsonl", "--port", str(port)) as process:
        told, code = process.stderr.read(), process.wait(LIMIT_S)

    assert told.endswith(
        "amberfork: OPENAI_BASE_URL points to amberfork itself: unset what an earlier recording had set\n"
    )
    assert code == 2


def test_a_stream_that_the_recorder_s_end_cuts_is_marked(tmp_path, environment, tape):
    """Ctrl-C in the middle of an answer."""
    with StubProvider(lambda _: chat_stream("a", "b", between=lambda: time.sleep(20))) as slow:
        environment["OPENAI_BASE_URL"] = slow.url
        with running(tmp_path, environment, "record", "-o", "run.jsonl") as process:
            url = process.stdout.readline().rstrip().partition("=")[2]
            host, port = url.removeprefix("http://").partition("/")[0].split(":")
            body = b'{"stream": true}'
            with socket.create_connection((host, int(port)), LIMIT_S) as client:
                head = f"POST /openai/x HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
                client.sendall(head.encode() + body)
                received = b""
                while b"data:" not in received:
                    received += client.recv(4096)
                process.send_signal(signal.SIGINT)
                ended = process.wait(LIMIT_S)

    (exchange,) = tape()
    assert ended == 0
    assert exchange.extra[CUT] == "the recorder was stopped"
    assert exchange.response.status == 200


def test_a_killed_recorder_leaves_every_exchange_that_the_agent_had(tmp_path, environment, tape):
    """Kill -9 at any moment: nothing that was answered completely is lost, and what is there reads."""
    agent = f"""{dedent(ASK)}
import sys
for turn in range(10_000):
    ask("x" * 5000)
    print(turn, flush=True)
"""
    for moment in (0.05, 0.11, 0.17):
        (tmp_path / "run.jsonl").unlink(missing_ok=True)
        command = ["record", "-o", "run.jsonl", "--", sys.executable, "-c", agent]
        with running(tmp_path, environment, *command) as process:
            process.stdout.readline()
            time.sleep(moment)
            process.kill()
            answered = 1 + len(process.stdout.read().splitlines())

        assert len(tape()) >= answered > 1


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="a limit to the size of files is needed")
def test_when_the_disk_is_full_the_recorder_says_so_and_ends_in_trouble(tmp_path, environment, tape):
    """The agent is told as well, and what was written stays valid."""
    import resource

    agent = """
        import urllib.error
        try:
            for _ in range(100):
                ask("x" * 1000)
        except urllib.error.HTTPError as error:
            print(error.code, json.load(error)["error"]["message"])
    """
    ran = subprocess.run(
        [*AMBERFORK, "record", "-o", "run.jsonl", "--", sys.executable, "-c", dedent(ASK) + dedent(agent)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
    )

    problem = "cannot write run.jsonl: file too large"
    assert (ran.returncode, ran.stdout.decode()) == (2, f"507 amberfork: {problem}\n")
    assert ran.stderr.decode().endswith(f"amberfork: {problem}\n")
    assert (tmp_path / "run.jsonl").read_bytes().endswith(b"}\n")
    assert len(tape()) > 1


def test_an_agent_that_is_killed_leaves_a_marked_exchange(record, tape):
    """What it had asked, and what had come of the answer."""
    with StubProvider(lambda _: Answer(_endless(), headers={"content-type": "text/event-stream"})) as endless:
        agent = """
            os.environ["OPENAI_BASE_URL"] += "/"
            import http.client
            connection = http.client.HTTPConnection("127.0.0.1", os.environ["X"].split(":")[2].split("/")[0])
            connection.request("POST", "/endless/x", b"{}")
            connection.getresponse().readline()
            os.kill(os.getpid(), 9)
        """
        ran = record(agent, "--upstream", f"endless={endless.url}", "--env", "X=endless")

    (exchange,) = tape()
    assert ran.returncode == 128 + 9
    assert exchange.extra[CUT] == "the agent closed the connection"
    assert exchange.extra["provider"] == "endless"


def _endless():
    for number in range(400):
        yield b"data: %d\n\n" % number
        time.sleep(0.05)


def test_redact_leaves_credentials_out_of_bodies_too(record, tape, tmp_path, stub):
    """The provider has them all the same."""
    secret = "sk-proj-" + "aB3dE5gH" * 6

    ran = record(f"ask('my key is {secret}')", "--redact")

    assert ran.returncode == 0
    assert secret.encode() in stub.asked[0].body
    assert secret.encode() not in (tmp_path / "run.jsonl").read_bytes()
    assert tape()[0].request.body.value["messages"][0]["content"].startswith("my key is ")


def test_what_is_redacted_and_what_is_not_are_not_mixed(record, tmp_path):
    """A tape that says that it is redacted would hold credentials, or one that has them would say so."""
    record("ask('a')", output="whole.jsonl")
    record("ask('a')", "--redact", output="redacted.jsonl")
    before = [path.read_bytes() for path in sorted(tmp_path.glob("*.jsonl"))]

    gone_on = [
        record("ask('b')", "--append", output="redacted.jsonl"),
        record("ask('b')", "--append", "--redact", output="whole.jsonl"),
    ]
    after = [path.read_bytes() for path in sorted(tmp_path.glob("*.jsonl"))]
    redacted = record("ask('b')", "--append", "--redact", output="redacted.jsonl")

    assert [ran.returncode for ran in gone_on] == [2, 2]
    assert [ran.stderr.decode() for ran in gone_on] == [
        "amberfork: redacted.jsonl is redacted: go on with it with --redact\n",
        "amberfork: whole.jsonl is not redacted, and --redact would say it is: see amberfork redact\n",
    ]
    assert after == before
    assert redacted.returncode == 0


def test_the_tape_is_a_tape_for_every_command(record, tmp_path):
    """Recorded twice, the same agent says the same."""
    agent = "ask('a'); ask('b', stream=True)"
    record(agent)
    record(agent, output="again.jsonl")

    compared = subprocess.run(
        [*AMBERFORK, "diff", "run.jsonl", "again.jsonl", "--format", "json"],
        cwd=tmp_path,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )

    assert compared.returncode == 0
    assert json.loads(compared.stdout)["summary"]["verdict"] == "same"
