"""The command line, run in this process, as an installed command, and on a terminal."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from command_line import COMMAND, LIMIT_S, Ended

from amberfork_cli.cli import app
from amberfork_cli.commands.exits import run


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """The working directory: empty, with no settings above it and no wish about colour in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "AMBERFORK_DEBUG"):
        monkeypatch.setenv(name, "")  # so that what a command sets is taken back
        monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def amberfork(monkeypatch, capfdbinary) -> Callable[..., Ended]:
    """The command line in this process; `stdin` are the bytes that come in."""

    def amberfork(*arguments: object, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "argv", ["amberfork", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            run(app)
        said = capfdbinary.readouterr()
        return Ended(ended.value.code, said.out.decode(), said.err.decode())

    return amberfork


@pytest.fixture
def installed(folder) -> Callable[..., Ended]:
    """The installed command, in a process of its own."""

    def installed(*arguments: object, stdin: bytes = b"", **environment: str) -> Ended:
        ended = subprocess.run(
            [COMMAND, *map(str, arguments)],
            cwd=folder,
            input=stdin,
            capture_output=True,
            env={**os.environ, **environment},
            timeout=LIMIT_S,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return installed


@pytest.fixture
def on_terminal(folder) -> Callable[..., Ended]:
    """The installed command with a terminal of so many columns for stdin, stdout and stderr."""

    def on_terminal(*arguments: object, columns: int = 80, lines: int = 50, **environment: str) -> Ended:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        clean = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        process = subprocess.Popen(
            [COMMAND, *map(str, arguments)],
            cwd=folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**clean, "TERM": "xterm-256color", **environment},
        )
        os.close(theirs)
        shown = _everything(ours)
        os.close(ours)
        return Ended(process.wait(LIMIT_S), shown.decode().replace("\r\n", "\n"))

    return on_terminal


@pytest.fixture
def write() -> Callable[[str, str | bytes | Sequence[str]], Path]:
    """Write a file of the working directory; a list is written as lines."""

    def write(name: str, content: str | bytes | Sequence[str]) -> Path:
        file = Path(name)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            text = content if isinstance(content, str) else "".join(f"{line}\n" for line in content)
            file.write_text(text, encoding="utf-8")
        return file

    return write


def _everything(terminal: int) -> bytes:
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that the other end is closed
            return shown
        if not piece:
            return shown
        shown += piece
