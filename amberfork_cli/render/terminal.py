"""Lines on their way to a stream: their colours, glyphs that its encoding lacks, the pager.

Rich decides about colour and about nothing else; where there can be none, it is not even imported. Width,
height and pager depend on whether the stream is a terminal, colour may be wanted or forbidden elsewhere too.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, TextIO, cast

from amberfork_cli.render.labels import GLYPHS
from amberfork_cli.render.lines import Line, Style, joined, plain_text

if TYPE_CHECKING:
    from rich.console import Console

# Places of the 256 palette that are readable (3:1 or better) on black and on white, and on what is common
# between: bold ANSI green is not on white, and dim does not recede there.
_PALETTE = {
    Style.PLAIN: "",
    Style.BOLD: "bold",
    Style.MUTED: "color(243)",
    Style.ACCENT: "color(166)",
    Style.LOUD: "bold color(166)",
    Style.RECORDED: "color(168)",
    Style.RECORDED_WORD: "bold color(168)",
    Style.REISSUED: "color(29)",
    Style.REISSUED_WORD: "bold color(29)",
}
_SIXTEEN = {
    Style.PLAIN: "",
    Style.BOLD: "bold",
    Style.MUTED: "dim",
    Style.ACCENT: "",
    Style.LOUD: "bold",
    Style.RECORDED: "red",
    Style.RECORDED_WORD: "bold red",
    Style.REISSUED: "green",
    Style.REISSUED_WORD: "bold green",
}
_WITHOUT_COLOUR = {style: " ".join({"bold", "dim"} & set(look.split())) for style, look in _SIXTEEN.items()}


def columns(stream: TextIO) -> int | None:
    """How many cells wide the stream's terminal is; `None` where it is none."""
    return _size(stream).columns if stream.isatty() else None


def needs_ascii(stream: TextIO) -> bool:
    """Whether the stream's encoding lacks a sign that a report is drawn with."""
    glyphs = GLYPHS
    return not _can_write(
        stream, glyphs.marks + glyphs.bar + glyphs.between + glyphs.arrow + glyphs.dash + glyphs.dots
    )


def show(lines: Sequence[Line], stream: TextIO, *, closing: Sequence[Line] = ()) -> None:
    """Write the lines, through a pager where they are more than the terminal is high.

    After a pager the `closing` lines are written once more, so that the answer stays in view.
    """
    text = paint(lines, stream)
    if stream.isatty() and len(lines) >= _size(stream).lines and _paged(text, stream):
        text = paint([(), *closing], stream)
    stream.write(text)
    stream.flush()


def paint(lines: Sequence[Line], stream: TextIO) -> str:
    """The text to write to that stream: with the colours it takes, without a sign that it cannot write."""
    text = (
        _coloured(lines, stream)
        if _may_colour(stream)
        else "".join(f"{plain_text(line)}\n" for line in lines)
    )
    return text if _can_write(stream, text) else _replaced(text, stream)


def _size(stream: TextIO) -> os.terminal_size:
    """Cells and lines of a terminal; `COLUMNS` and `LINES` speak first, as they do for other programs."""
    try:
        columns, lines = os.get_terminal_size(stream.fileno())
    except OSError:
        columns, lines = 80, 24
    return os.terminal_size((_number("COLUMNS") or columns or 80, _number("LINES") or lines or 24))


def _number(name: str) -> int:
    value = os.environ.get(name, "")
    return int(value) if value.isascii() and value.isdigit() else 0


def _can_write(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _replaced(text: str, stream: TextIO) -> str:
    """The text with an escape for every sign that the stream cannot write."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _may_colour(stream: TextIO) -> bool:
    """Whether Rich has to be asked at all."""
    if stream.isatty():
        return True
    wanted = os.environ.get("FORCE_COLOR") or os.environ.get("TTY_COMPATIBLE") == "1"
    return bool(wanted) and not os.environ.get("NO_COLOR")


def _coloured(lines: Sequence[Line], stream: TextIO) -> str:
    from rich.console import Console
    from rich.segment import Segment, Segments
    from rich.style import Style as Look

    console = Console(file=stream, markup=False, emoji=False, highlight=False)
    looks = {style: Look.parse(look) for style, look in _looks(console).items()}
    segments: list[Segment] = []
    for line in lines:
        segments += [Segment(text, looks[style]) for text, style in joined(line)]
        segments.append(Segment.line())
    with console.capture() as captured:
        console.print(Segments(segments), end="", soft_wrap=True)
    return captured.get()


def _looks(console: Console) -> Mapping[Style, str]:
    if console.no_color:
        return _WITHOUT_COLOUR
    return _PALETTE if console.color_system in ("256", "truecolor") else _SIXTEEN


def _paged(text: str, stream: TextIO) -> bool:
    """Whether a pager has shown the text; leaving it early is the reader's right."""
    command = _pager()
    if not command:
        return False
    environment = {"LESS": "FRX", **os.environ}
    stream.flush()
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stream, env=environment)  # noqa: S603
    except OSError:
        return False
    _feed(process, text.encode(stream.encoding or "utf-8"))
    return True


def _pager() -> list[str]:
    """The user's pager, `less` where none is named; nothing where there is none or it is `cat`."""
    named = os.environ.get("AMBERFORK_PAGER", os.environ.get("PAGER", "less"))
    try:
        command = shlex.split(named)
    except ValueError:  # a quote that is not closed
        return []
    return command if command and command[0] != "cat" and shutil.which(command[0]) else []


def _feed(process: subprocess.Popen[bytes], text: bytes) -> None:
    """Give the pager its text and wait; Ctrl-C is the pager's to answer."""
    with suppress(BrokenPipeError, KeyboardInterrupt), cast("IO[bytes]", process.stdin) as stdin:
        stdin.write(text)
    while process.poll() is None:
        with suppress(KeyboardInterrupt):
            process.wait()
