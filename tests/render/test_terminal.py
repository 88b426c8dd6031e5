"""Lines on their way out: colour, encodings and the pager, on streams as programs have them."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest
from diff_samples import changed_argument, two_conversations

from amberfork_cli.render.lines import Line, Style
from amberfork_cli.render.terminal import columns, needs_ascii, paint, show
from amberfork_cli.render.text import closing, lay_out

EVERY_STYLE: list[Line] = [((style.value, style),) for style in Style]
COLOURS = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM", "LESS", "PAGER")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of whoever runs the tests decides about colour or pagers."""
    for name in (*COLOURS, "AMBERFORK_PAGER", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("AMBERFORK_PAGER", "cat")


def test_a_pipe_gets_plain_text() -> None:
    """The lines and nothing else."""
    stream = io.StringIO()

    show([(("a ", Style.LOUD), ("b", Style.MUTED)), (), (("c", Style.BOLD),)], stream)

    assert stream.getvalue() == "a b\n\nc\n"


def test_a_pipe_needs_no_console() -> None:
    """Rich's console, which is slow to load, is not imported for plain text."""
    code = (
        "import sys, io\n"
        "from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff, State, TapeFacts\n"
        "from amberfork_cli.render.terminal import show\n"
        "from amberfork_cli.render.text import lay_out\n"
        "one = DiffReport(TapeFacts('a', 1), TapeFacts('b', 1), (ExchangeDiff(State.MATCH, 0, 0),))\n"
        "show(lay_out(one, width=None), io.StringIO())\n"
        "print([name for name in sys.modules if name in ('rich.console', 'rich.text', 'deepdiff')])\n"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout == "[]\n"


def test_a_terminal_of_256_colours_gets_fixed_places_of_the_palette() -> None:
    """Each style has its look."""
    with _terminal() as (stream, read):
        show(EVERY_STYLE, stream)

        assert read().splitlines() == [
            "plain",
            "\x1b[1mbold\x1b[0m",
            "\x1b[38;5;243mmuted\x1b[0m",
            "\x1b[38;5;166maccent\x1b[0m",
            "\x1b[1;38;5;166mloud\x1b[0m",
            "\x1b[38;5;168mrecorded\x1b[0m",
            "\x1b[1;38;5;168mrecorded word\x1b[0m",
            "\x1b[38;5;29mreissued\x1b[0m",
            "\x1b[1;38;5;29mreissued word\x1b[0m",
        ]


def test_a_terminal_of_16_colours_gets_bold_dim_red_and_green(monkeypatch: pytest.MonkeyPatch) -> None:
    """What every such terminal can show."""
    monkeypatch.setenv("TERM", "xterm")

    with _terminal() as (stream, read):
        show(EVERY_STYLE, stream)

        assert set(re.findall(r"\x1b\[([0-9;]*)m", read())) == {"0", "1", "2", "31", "1;31", "32", "1;32"}


def test_no_color_leaves_bold_and_dim(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR forbids colour, not emphasis; it wins over FORCE_COLOR."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")

    with _terminal() as (stream, read):
        show(EVERY_STYLE, stream)

        assert set(re.findall(r"\x1b\[([0-9;]*)m", read())) == {"0", "1", "2"}


def test_an_empty_no_color_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a value that is not empty counts."""
    monkeypatch.setenv("NO_COLOR", "")

    with _terminal() as (stream, read):
        show(EVERY_STYLE, stream)

        assert "38;5;166" in read()


def test_a_dumb_terminal_gets_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would show escapes as they are."""
    monkeypatch.setenv("TERM", "dumb")

    with _terminal() as (stream, read):
        show(EVERY_STYLE, stream)

        assert "\x1b" not in read()


def test_colour_may_be_forced_on_a_pipe_but_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """FORCE_COLOR paints; width and pager still go by whether there is a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "70")
    stream = io.StringIO()

    show([(("long " * 60, Style.LOUD),)], stream)

    assert columns(stream) is None
    assert stream.getvalue() == f"\x1b[1;38;5;166m{'long ' * 60}\x1b[0m\n"


def test_no_color_wins_over_force_color_on_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log stays plain."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")

    assert paint(EVERY_STYLE, io.StringIO()) == "".join(f"{style.value}\n" for style in Style)


def test_tape_text_is_never_markup() -> None:
    """What would be Rich's markup, a link or an emoji name is text."""
    hostile = "[/] [link=file:///etc/passwd]x[/link] :warning: [bold red]"

    with _terminal() as (stream, read):
        show([((hostile, Style.LOUD),)], stream)

        assert read() == f"\x1b[1;38;5;166m{hostile}\x1b[0m\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_an_encoding_that_lacks_our_signs_gets_others(encoding: str) -> None:
    """Nothing raises, and no sign is lost without a trace."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")

    show(lay_out(changed_argument(), width=None, ascii=needs_ascii(stream)), stream)

    text = stream.buffer.getvalue().decode("ascii")
    assert "* #4      FORK  model output\n| messages[8]" in text
    assert '"Lisbon" -> "Porto"' in text


def test_signs_that_a_stream_cannot_write_become_escapes() -> None:
    """Should a line hold one all the same, it is told by its code."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")

    show([(("é 東 \U0001f600", Style.PLAIN),)], stream)

    assert stream.buffer.getvalue() == b"\\xe9 \\u6771 \\U0001f600\n"


def test_utf8_has_all_our_signs() -> None:
    """Marks need no fallback there, nor where a stream has no encoding at all."""
    assert not needs_ascii(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert not needs_ascii(io.StringIO())


def test_a_terminal_has_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own; COLUMNS speaks first, unless it is nonsense."""
    with _terminal(columns=91) as (stream, _):
        own = columns(stream)
        monkeypatch.setenv("COLUMNS", "77")
        said = columns(stream)
        monkeypatch.setenv("COLUMNS", "wide")
        nonsense = columns(stream)

    assert (own, said, nonsense) == (91, 77, 91)


def test_a_pager_shows_what_is_higher_than_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets the lines, and the answer is written once more after it."""
    monkeypatch.setenv("AMBERFORK_PAGER", _pager(tmp_path))
    one = two_conversations()

    with _terminal(lines=10) as (stream, read):
        show(lay_out(one, width=100), stream, closing=closing(one, width=100))
        written = _uncoloured(read())

    answer = "".join(f"{''.join(text for text, _ in line)}\n" for line in closing(one, width=100))
    assert written.startswith("PAGED LESS=FRX\nrecorded   monday.jsonl")
    assert written.endswith(f"{answer}\n{answer}")


def test_no_pager_for_what_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short report is written as it is, once."""
    monkeypatch.setenv("AMBERFORK_PAGER", _pager(tmp_path))
    one = changed_argument()

    with _terminal(lines=40) as (stream, read):
        show(lay_out(one, width=100), stream, closing=closing(one, width=100))
        written = _uncoloured(read())

    assert "PAGED" not in written
    assert written.count("Forked at #4") == 1


@pytest.mark.parametrize("named", ["cat", "", "no-such-program-anywhere", "'"])
def test_without_a_pager_everything_is_written(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`cat` and nothing mean none; a pager that does not exist is no reason to show nothing."""
    monkeypatch.setenv("AMBERFORK_PAGER", named)
    one = two_conversations()

    with _terminal(lines=5) as (stream, read):
        show(lay_out(one, width=100), stream, closing=closing(one, width=100))
        written = _uncoloured(read())

    assert written.count("Forked at #5") == 1
    assert "conversation 2" in written


def test_a_pager_that_is_left_early_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader has seen enough; the answer stays."""
    monkeypatch.setenv("AMBERFORK_PAGER", "true")
    lines: list[Line] = [(("x" * 90, Style.PLAIN),)] * 5000

    with _terminal(lines=5) as (stream, read):
        show(lines, stream, closing=[(("the answer", Style.PLAIN),)])

        assert read() == "\nthe answer\n"


def test_the_users_own_pager_and_its_options_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PAGER where there is no AMBERFORK_PAGER; LESS as it is set."""
    monkeypatch.delenv("AMBERFORK_PAGER")
    monkeypatch.setenv("PAGER", f"{_pager(tmp_path)} --with 'an option'")
    monkeypatch.setenv("LESS", "R")

    with _terminal(lines=3) as (stream, read):
        show([(("x", Style.PLAIN),)] * 9, stream)

        assert read().startswith("PAGED LESS=R\nx\n")


def _pager(folder: Path) -> str:
    """A pager that says that it was used."""
    program = folder / "pager"
    program.write_text('#!/bin/sh\necho "PAGED LESS=$LESS"\ncat\n')
    program.chmod(0o755)
    return str(program)


@contextmanager
def _terminal(*, columns: int = 100, lines: int = 50) -> Iterator[tuple[TextIO, _Reader]]:
    """A real terminal of that size to write to, and what reads everything written so far."""
    master, slave = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    try:
        with os.fdopen(slave, "w", encoding="utf-8") as stream:
            yield stream, _Reader(master)
    finally:
        os.close(master)


class _Reader:
    """Reads what came out of a terminal, its line ends as they were written."""

    def __init__(self, master: int) -> None:
        os.set_blocking(master, False)
        self.master = master

    def __call__(self) -> str:
        read = bytearray()
        while True:
            try:
                read += os.read(self.master, 65536)
            except BlockingIOError:
                return read.decode().replace("\r\n", "\n")


def _uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
