"""`record` and `replay` at a real terminal: its keys reach the agent once, and nothing is left odd."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from textwrap import dedent

import pytest
from served_agents import AMBERFORK, ASK, LIMIT_S
from stub_provider import StubProvider, chat

from amberfork_cli.tapes import open_tape

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

CTRL_C, CTRL_BACKSLASH, CTRL_Z = b"\x03", b"\x1c", b"\x1a"
RECORD = [*AMBERFORK, "record", "-o", "run.jsonl"]
SHELL = """
    import fcntl, os, signal, sys, termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # for handing the terminal on
    job = os.fork()
    if not job:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(sys.argv[1], sys.argv[1:])
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        os.tcsetpgrp(0, os.getpgrp())
        if not os.WIFSTOPPED(status):
            break
        print("STOPPED", flush=True)
        sys.stdin.readline()
        os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)
    print("ENDED", os.waitstatus_to_exitcode(status), flush=True)
"""
COUNTS = """
    import signal, time

    received = []
    for name in ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), lambda number, _: received.append(signal.Signals(number).name))
    ask("before")
    print("READY", flush=True)
    while not received:
        time.sleep(0.01)
    for _ in range(10):  # a second one would have come by then
        time.sleep(0.02)
    ask("after")
    print("RECEIVED", *received, flush=True)
    sys.exit(5)
"""


class Terminal:
    """A terminal, and a shell that runs one job in its foreground; Enter wakes one that is stopped."""

    def __init__(self, folder, environment) -> None:
        self._folder, self._environment = folder, environment
        self.shown = b""
        self._ours, self.theirs = pty.openpty()

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        os.close(self._ours)
        os.close(self.theirs)
        self.shell.kill()
        self.shell.wait()

    def run(self, *command) -> None:
        """Start the job."""
        self.shell = subprocess.Popen(
            [sys.executable, "-c", dedent(SHELL), *command],
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=self.theirs,
            cwd=self._folder,
            env=self._environment,
            start_new_session=True,
        )

    def type(self, keys: bytes) -> None:
        """Press these keys."""
        os.write(self._ours, keys)

    def shows(self, text: bytes) -> bytes:
        """What it has shown when it shows this; the rest of that line as well."""
        while text not in self.shown or b"\n" not in self.shown.partition(text)[2]:
            readable, _, _ = select.select([self._ours], [], [], LIMIT_S)
            assert readable, f"{text!r} is not in {self.shown!r}"
            self.shown += os.read(self._ours, 4096)
        return self.shown.partition(text)[2].partition(b"\n")[0].strip()


@pytest.fixture
def environment():
    """An environment in which the agent's provider is a stub that says "Hi."."""
    with StubProvider(lambda _: chat("Hi.")) as stub:
        yield {**os.environ, "OPENAI_BASE_URL": f"{stub.url}/v1"}


@pytest.fixture
def terminal(tmp_path, environment):
    """A terminal in an empty folder."""
    with Terminal(tmp_path, environment) as terminal:
        yield terminal


@pytest.fixture
def said(tmp_path):
    """What the agent said on run.jsonl."""

    def said():
        with open_tape(tmp_path / "run.jsonl") as tape:
            return [each.request.body.value["messages"][0]["content"] for each in tape]

    return said


def agent(code):
    """The command of an agent that runs this code."""
    return ["--", sys.executable, "-c", dedent(ASK) + dedent(code)]


@pytest.mark.parametrize(("key", "name"), [(CTRL_C, b"SIGINT"), (CTRL_BACKSLASH, b"SIGQUIT")])
def test_a_key_reaches_the_agent_once(key, name, terminal, said):
    """The terminal itself sends it, and the agent goes on if it likes; its exit code is the recorder's."""
    settings = termios.tcgetattr(terminal.theirs)
    terminal.run(*RECORD, *agent(COUNTS))
    terminal.shows(b"READY")

    terminal.type(key)

    assert terminal.shows(b"RECEIVED") == name
    assert terminal.shows(b"ENDED") == b"5"
    assert said() == ["before", "after"]
    assert termios.tcgetattr(terminal.theirs) == settings


def test_an_agent_that_ctrl_c_ends_ends_the_recorder_alike(terminal, said):
    """As a shell says it; the tape is whole."""
    terminal.run(
        *RECORD, *agent("ask('a'); print('READY', flush=True); ask('b'); import time; time.sleep(20)")
    )
    terminal.shows(b"READY")

    terminal.type(CTRL_C)

    assert terminal.shows(b"ENDED") == b"130"
    assert said()[0] == "a"
    assert b"recorded to run.jsonl" in terminal.shown


def test_a_job_that_is_stopped_goes_on_where_it_was(terminal, said):
    """Ctrl-Z stops the agent and the recorder, and the shell wakes both."""
    terminal.run(*RECORD, *agent("ask('a'); print('READY', flush=True); sys.stdin.readline(); ask('b')"))
    terminal.shows(b"READY")

    terminal.type(CTRL_Z)
    terminal.shows(b"STOPPED")
    terminal.type(b"\n")
    terminal.type(b"\n")

    assert terminal.shows(b"ENDED") == b"0"
    assert said() == ["a", "b"]


def test_a_terminal_that_is_closed_ends_the_agent(tmp_path, environment, said):
    """It is told once, and so can say its last word."""
    ending = COUNTS.replace(
        'print("RECEIVED", *received, flush=True)', 'open("received", "w").write(*received)'
    )
    with Terminal(tmp_path, environment) as terminal:
        terminal.run(*RECORD, *agent(ending))
        terminal.shows(b"READY")

    received = tmp_path / "received"
    for _ in range(LIMIT_S * 100):
        if received.exists() and received.read_text():
            break
        select.select([], [], [], 0.01)

    assert received.read_text() == "SIGHUP"
    assert said() == ["before", "after"]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_what_others_send_to_the_recorder_reaches_the_agent_once(name, terminal, said):
    """At a terminal as elsewhere: they have not sent it to the agent."""
    terminal.run(
        *RECORD, *agent(COUNTS.replace('ask("before")', "ask('before'); print('PARENT', os.getppid())"))
    )
    recorder = int(terminal.shows(b"PARENT"))
    terminal.shows(b"READY")

    os.kill(recorder, getattr(signal, name))

    assert terminal.shows(b"RECEIVED").decode() == name
    assert terminal.shows(b"ENDED") == b"5"
    assert said() == ["before", "after"]


@pytest.mark.parametrize("command", [["record", "-o", "run.jsonl"], ["replay", "old.jsonl"]])
def test_a_server_ends_with_ctrl_c(command, terminal, tmp_path):
    """And leaves the terminal as it was."""
    settings = termios.tcgetattr(terminal.theirs)
    exchange = b'{"request": {"method": "GET", "path": "/"}, "response": {"status": 200}}\n'
    (tmp_path / "old.jsonl").write_bytes(exchange)
    terminal.run(*AMBERFORK, *command)
    terminal.shows(b"until Ctrl-C")

    terminal.type(CTRL_C)

    assert terminal.shows(b"ENDED") == b"0"
    assert termios.tcgetattr(terminal.theirs) == settings
