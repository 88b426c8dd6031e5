"""Texts as Markdown: what stands on a tape is code, in ticks or a fence longer than any inside it.

Elsewhere a host would make links and mentions of it. So are exchange numbers, or `#4` would leave a note at
issue 4.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

from amberfork_cli.core.compare.report import Piece, Words
from amberfork_cli.render.labels import whole_calls
from amberfork_cli.render.lines import cut
from amberfork_cli.render.visible import escaped

LIMIT = 60_000  # characters; a comment may have 65,536, and whoever posts it may put words around it
OPEN = 3  # blocks that are shown at once; the others are folded
_QUOTED = 200  # characters of a tape in a sentence; a member's name may be a megabyte
_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~&$]")
_NUMBER = re.compile(r"#\d+(?:[–…]#\d+)?")
_TICKS = re.compile("`+")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a report that stands or goes as a whole, and how many things it tells of."""

    text: str
    told: int


def filled(parts: list[str], blocks: Iterable[Block], room: int) -> int:
    """Put the blocks behind the parts, as many as there is room for; gives how many things they tell of.

    `room` counts characters, those of the parts among them. Behind a block that does not fit comes no other.
    """
    told = 0
    room -= sum(len(part) + 2 for part in parts)
    for block in blocks:
        room -= len(block.text) + 2
        if room < 0:
            break
        parts.append(block.text)
        told += block.told
    return told


def code(text: str) -> str:
    """A text as a code span on one line, cut if it is long."""
    shown = cut(escaped(text), _QUOTED, dots="…") or " "
    ticks = "`" * (1 + max(map(len, _TICKS.findall(shown)), default=0))
    blank = shown.startswith(" ") and shown.endswith(" ") and bool(shown.strip(" "))
    space = " " if blank or shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{space}{shown}{space}{ticks}"


def fence(lines: Iterable[str], *, language: str = "diff") -> str:
    """Lines as a block of code, by default one that is coloured as a diff."""
    text = "\n".join(map(escaped, lines))
    ticks = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{ticks}{language}\n{text}\n{ticks}"


def folded(summary: str, parts: Iterable[str]) -> str:
    """Parts behind a fold; its summary is HTML, because Markdown is not read inside that."""
    return "\n\n".join([f"<details><summary>{summary}</summary>", *parts, "</details>"])


def prose(words: Words) -> str:
    """A sentence, what is quoted in it as code."""
    return "".join(map(piece, whole_calls(words)))


def piece(each: Piece) -> str:
    """A few words of a sentence."""
    return code(each.text) if each.quoted else our_words(each.text)


def our_words(text: str) -> str:
    """Words of ours: nothing in them is markup, and exchange numbers are code."""
    parts, at = [], 0
    for found in _NUMBER.finditer(text):
        parts += [_plain(text[at : found.start()]), code(found[0])]
        at = found.end()
    return "".join([*parts, _plain(text[at:])])


def cell(text: str) -> str:
    """Markdown that stands in a table, where a bar would end the cell even inside code."""
    return text.replace("|", "\\|")


def as_html(each: Piece) -> str:
    """A few words as HTML, for the summary of a fold."""
    shown = cut(escaped(each.text), _QUOTED, dots="…")
    if each.quoted:
        return f"<code>{html.escape(shown)}</code>"
    return _NUMBER.sub(r"<code>\g<0></code>", html.escape(shown))


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", escaped(text)).replace("@", "<span>@</span>")
