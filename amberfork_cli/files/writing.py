"""Write a file whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from amberfork_cli.errors import OutputError
from amberfork_cli.files.naming import printable, reason

Writable: TypeAlias = "str | os.PathLike[str]"


@contextmanager
def atomic_output(target: Writable) -> Iterator[BinaryIO]:
    """A stream that becomes the file `target` when the block ends well, and leaves no trace otherwise.

    Links are followed, and a file that is replaced hands on its mode and owner. What is no regular file (a
    pipe, a device, `/dev/stdout`, or `-` for stdout) is written directly. Raises OutputError for what the
    operating system refuses; a broken pipe passes through.
    """
    path = Path(target)
    try:
        existing = _status(path)
        regular = existing is None or stat.S_ISREG(existing.st_mode)
        replaced = regular and _descriptor_named(path) is None
        with _replacement(path.resolve(), existing) if replaced else _direct_output(path) as output:
            yield output
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(_reason(error, path), target=printable(path)) from error


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None
    except ValueError as error:  # a null byte
        raise OSError(errno.EINVAL, "this is no file name") from error


def _descriptor_named(path: Path) -> int | None:
    """The open descriptor that a path stands for: opened by name, its file would be cut to nothing first."""
    named = re.fullmatch(r"-|/dev/std(out|err)|/(?:dev|proc/self)/fd/(\d+)", str(path))
    if named is None:
        return None
    return int(named[2] or (2 if named[1] == "err" else 1))


@contextmanager
def _direct_output(path: Path) -> Iterator[BinaryIO]:
    """What a path names, written as it comes."""
    descriptor = _descriptor_named(path)
    if descriptor in (1, 2):
        (sys.stdout if descriptor == 1 else sys.stderr).flush()
    with path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb") as output:
        yield output


@contextmanager
def _replacement(path: Path, existing: os.stat_result | None) -> Iterator[BinaryIO]:
    """A new file beside `path`, which takes its place at the end."""
    if existing and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "permission denied")
    beside = path.with_name(f".amberfork-{os.urandom(6).hex()}")
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(beside, new, 0o600 if existing else 0o666)
    try:
        with os.fdopen(descriptor, "wb") as output:
            yield output
            output.flush()
            os.fsync(output.fileno())
        if existing:
            _hand_on(existing, beside)
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _hand_on(existing: os.stat_result, beside: Path) -> None:
    """Give a new file the owner, as far as that is allowed, and the mode of the one that it replaces."""
    with suppress(OSError, AttributeError):  # AttributeError: Windows has no owners
        os.chown(beside, existing.st_uid, existing.st_gid)
    beside.chmod(stat.S_IMODE(existing.st_mode))


def _reason(error: OSError, path: Path) -> str:
    known = {errno.ENOENT: f"there is no folder {printable(path.parent)}", errno.EISDIR: "it is a folder"}
    return known.get(error.errno or 0, reason(error))
