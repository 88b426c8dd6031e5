"""What leaves a command, and that it is harmless."""

import sys
from pathlib import Path

import pytest

from amberfork_cli.commands.showing import output, tell
from amberfork_cli.errors import OutputError


def test_a_sentence_is_one_line_whatever_it_quotes(capfd) -> None:
    """Line breaks and controls are shown as escapes."""
    tell("a\x1b[2J\nb\u202e")

    assert capfd.readouterr() == ("", "amberfork: a\\u001b[2J\\u000ab\\u202e\n")


def test_nobody_need_listen(monkeypatch) -> None:
    """A program may be started without stderr, or its reader may be gone."""
    monkeypatch.setattr(sys, "stderr", None)
    tell("nothing")


def test_bytes_go_to_stdout_as_they_are(capfdbinary) -> None:
    """In a pipe nothing is changed."""
    with output(None) as stream:
        stream.write(b"\x1b\xff\xc2\x9b")

    assert capfdbinary.readouterr().out == b"\x1b\xff\xc2\x9b"


def test_what_was_written_before_stays_before(capfd) -> None:
    """Text and bytes share stdout."""
    sys.stdout.write("first ")
    with output(None) as stream:
        stream.writelines([b"second ", b"third"])

    assert capfd.readouterr().out == "first second third"


def test_a_terminal_gets_escapes_for_what_would_drive_it(capfdbinary, monkeypatch) -> None:
    """Line feeds, tabs and letters of any script stay; bytes that are no text are shown as such."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    with output(None) as stream:
        stream.writelines(["\x1b[2J \x07 \r\n\t é \x9b \u202e".encode(), b"\xff"])

    assert capfdbinary.readouterr().out.decode() == "\\u001b[2J \\u0007 \\u000d\n\t é \\u009b \\u202e\ufffd"


def test_a_file_is_written_as_it_is(monkeypatch) -> None:
    """Even if stdout is a terminal."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    with output(Path("file")) as stream:
        stream.write(b"\x1b")

    assert Path("file").read_bytes() == b"\x1b"


def test_without_stdout_there_is_nowhere_to_write(monkeypatch) -> None:
    """A program may be started without it."""
    monkeypatch.setattr(sys, "stdout", None)

    with pytest.raises(OutputError, match="cannot write standard output: it is closed"), output(None):
        pass
