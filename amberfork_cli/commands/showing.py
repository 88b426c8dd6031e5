"""What leaves a command: sentences to stderr, bytes to stdout or a file, harmless to a terminal."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, TextIO, cast

from amberfork_cli.errors import OutputError
from amberfork_cli.files import atomic_output

# What drives a terminal, or turns its text around: C0 but line feed and tab, DEL, C1, bidirectional controls.
_DRIVES: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def tell(sentence: str) -> None:
    """Say something on stderr, on one line; what a sentence quotes cannot drive a terminal."""
    from amberfork_cli.render.visible import escaped  # most commands have nothing to say

    with suppress(OSError, AttributeError):  # nobody listens, or there is no stderr at all
        sys.stderr.write(f"amberfork: {escaped(sentence)}\n")
        sys.stderr.flush()


def stdout() -> TextIO:
    """Standard output; raises OutputError where the program was started without one."""
    if sys.stdout is None:
        raise OutputError("it is closed", target="standard output")
    return sys.stdout


def forbid_colour() -> None:
    """See to it that nothing is coloured, here or in a pager."""
    os.environ["NO_COLOR"] = "1"


@contextmanager
def output(target: Path | None) -> Iterator[BinaryIO]:
    """A stream of bytes to the file `target`, whole or not at all, or to stdout.

    On a terminal, what would drive it is written as the escape that JSON has for it. Raises OutputError.
    """
    if target is not None:
        with atomic_output(target) as stream:
            yield stream
        return
    text = stdout()
    text.flush()
    yield cast("BinaryIO", _Harmless(text.buffer)) if text.isatty() else text.buffer
    text.buffer.flush()


class _Harmless(io.BufferedIOBase):
    """Bytes on their way to a terminal."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: object, /) -> int:
        """Write the text that these bytes are, escaped; gives back how many bytes were taken."""
        taken = cast("bytes", data)
        text = _DRIVES.sub(lambda found: f"\\u{ord(found[0]):04x}", taken.decode("utf-8", "replace"))
        self._stream.write(text.encode())
        return len(taken)
