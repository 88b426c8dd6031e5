r"""What the eye gets of a text, and texts that look the same spelled out: `\u0430` for a Cyrillic letter.

Two values that differ must never look equal in what is told of them. Where they would, only they are spelled
out, so that everything else stays readable.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from amberfork_cli.core.compare.report import Words

# C0, DEL, C1; soft hyphen, joiners without width, fillers that look empty; line and paragraph separators;
# bidirectional controls; variation selectors; tags, which carry hidden prompts; lone surrogates; two codes
# that are no characters, and that XML refuses. The zero-width joiner, the non-joiner and VARIATION
# SELECTOR-16 stay: emoji and whole scripts need them.
HIDDEN = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Signs that nobody sees, as the inside of a character class."""

# Letters of other alphabets, and hyphens, that fonts draw like the ASCII character below them.
_LETTERS = "аеорсухіјѕһԁԛԝАВЕКМНОРСТХУІЈЅԌԚԜοανιυϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ"
_LATIN = "aeopcyxijshdqwABEKMHOPCTXYIJSGQWoaviucABEZHIKMNOPTYXC"
_HYPHENS = "\u2010\u2011\u2212"
_TWINS = str.maketrans(_LETTERS + _HYPHENS, _LATIN + "---")

DISGUISED = f"(?<=[A-Za-z])[{_LETTERS}]+|[{_LETTERS}]+(?=[A-Za-z])"
"""Letters of another alphabet inside a word of Latin ones, as a pattern."""

_WITHOUT_WIDTH = re.compile(f"[{HIDDEN}\u200c\u200d\ufe0f]")
_BACKSLASHES = re.compile(rf"\\+(?=u[0-9a-fA-F]{{4}}|u\{{|[{HIDDEN}]|[^\x00-\x7f])")
_UNPLAIN = re.compile(r"[^\x20-\x7e]")
_ANY = re.compile(r"(?s).")
_IN_DISGUISE = re.compile(rf"{DISGUISED}|\b[{_LETTERS}]{{2,}}\b|[{_HYPHENS}]")


def image(text: str) -> str:
    """What the eye gets of a text: equal for two texts that look the same."""
    if text.isascii():
        return text
    bare = _WITHOUT_WIDTH.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare.translate(_TWINS))


def spelled(text: str) -> str:
    r"""The text with what is no plain ASCII as its code, spaces too if it has nothing else.

    For a change that nobody would see: `\u0020` for a space, `\u0430` for a Cyrillic letter. A backslash that
    stands before what reads like a code is doubled.
    """
    doubled = _BACKSLASHES.sub(lambda found: found[0] * 2, text)
    return (_ANY if text.isspace() else _UNPLAIN).sub(code, doubled)


def code(found: re.Match[str]) -> str:
    """The characters of a match as their codes."""
    return "".join(_code(ord(character)) for character in found[0])


def named_apart(name: str) -> str:
    """A name with all in it spelled out that could make it look like another one."""
    if name.isascii():
        return name
    composed = unicodedata.normalize("NFC", name) == name
    plain = "".join(
        _code(ord(character)) if _is_unsteady(character, composed=composed) else character
        for character in name
    )
    return _IN_DISGUISE.sub(code, plain)


def apart(words: Words) -> Words:
    """The words; of what stands on a tape, pieces that differ and look the same are spelled out."""
    looks: dict[str, set[str]] = defaultdict(set)
    for piece in words:
        if piece.quoted:
            looks[image(piece.text)].add(piece.text)
    alike = {text for several in looks.values() if len(several) > 1 for text in several}
    return tuple(
        replace(piece, text=spelled(piece.text)) if piece.quoted and piece.text in alike else piece
        for piece in words
    )


def _is_unsteady(character: str, *, composed: bool) -> bool:
    """Whether a character is written in another way as well, and looks the same."""
    if unicodedata.category(character).startswith("M"):
        return not composed
    return unicodedata.normalize("NFKC", character) != character


def _code(number: int) -> str:
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\u{{{number:x}}}"
