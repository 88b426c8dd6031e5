"""Texts that stand encoded in another text: in base64, as files and mails come back, or escaped in a URL."""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import quote, unquote

_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{26,}(?:\r?\n[A-Za-z0-9+/]+)*={0,2}")
_ESCAPED: Final = re.compile(r"(?<![%A-Za-z0-9_.~-])[A-Za-z0-9_.~-]*(?:%[0-9A-Fa-f]{2}[A-Za-z0-9_.~-]*)+")
_BEGUN: Final = getincrementaldecoder("utf-8")
_URLSAFE: Final = str.maketrans("-_", "+/")
_STANDARD: Final = str.maketrans("+/", "-_")


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The text that a piece of another one spells, where that piece stands, and how a text is wrapped so."""

    text: str
    start: int
    end: int
    wrap: Callable[[str], str]


def wrapped_in(text: str) -> Iterator[Wrapped]:
    """Every text that is encoded in this one; what only looks encoded spells none."""
    for match in _BASE64.finditer(text):
        for packed in _lines(match[0]):
            spelled = _spelled(packed)
            if spelled is not None:
                yield Wrapped(
                    spelled, match.start(), match.start() + len(packed), partial(_packed, like=packed)
                )
                break
    if "%" in text:
        for match in _ESCAPED.finditer(text):
            yield Wrapped(unquote(match[0]), *match.span(), _escaped)


def _escaped(text: str) -> str:
    return quote(text, safe="")


def _lines(run: str) -> Iterator[str]:
    """What of a run may be base64: its lines as long as the first, with and without a last one, shorter."""
    lines = run.split("\n")
    width = len(lines[0])
    whole = next((at for at, line in enumerate(lines) if len(line) != width), len(lines))
    last = lines[whole] if whole < len(lines) else ""
    if 0 < len(last) < width and len(last.rstrip("\r")) % 4 == 0:
        yield "\n".join(lines[: whole + 1])
    yield "\n".join(lines[:whole])


def _spelled(packed: str) -> str | None:
    """The text that base64 spells, `None` where it spells none."""
    plain = packed.rstrip("=").translate(_URLSAFE)
    try:
        _BEGUN().decode(a2b_base64(plain[:24]))  # most of what looks like base64 is none, or an image
        plain = plain.replace("\r", "").replace("\n", "")
        return a2b_base64(plain + "=" * (-len(plain) % 4)).decode()
    except (Base64Error, ValueError):
        return None


def _packed(text: str, *, like: str) -> str:
    """The base64 of a text, in the letters, the lines and with the padding of another."""
    packed = b2a_base64(text.encode(), newline=False).decode()
    if "=" not in like and len(like.replace("\n", "").replace("\r", "")) % 4:
        packed = packed.rstrip("=")
    if "-" in like or "_" in like:
        packed = packed.translate(_STANDARD)
    width = like.find("\n")
    if width < 0:
        return packed
    end = "\r\n" if like[width - 1] == "\r" else "\n"
    width -= len(end) - 1
    return end.join(packed[at : at + width] for at in range(0, len(packed), width))
