r"""Tape text made fit to be seen: what would be invisible, or would drive the terminal, as `\u001b`.

Escaping keeps different texts different: a backslash that stands before something that reads like an escape
is doubled. Changes that the eye cannot see are a matter of their own: only they are spelled out in full, so
that the sentence around them stays readable.
"""

from __future__ import annotations

import re
import unicodedata

# C0, DEL, C1; soft hyphen, joiners without width, fillers that look empty; line and paragraph separators;
# bidirectional controls; variation selectors; tags, which carry hidden prompts; lone surrogates; two codes
# that are no characters, and that XML refuses. The zero-width joiner, the non-joiner and VARIATION
# SELECTOR-16 stay: emoji and whole scripts need them.
_HIDDEN = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_KEPT_WITHOUT_WIDTH = "\u200c\u200d\ufe0f"

_UNSEEN = re.compile(f"[{_HIDDEN}]")
_UNSEEN_OR_FOREIGN = re.compile(f"[{_HIDDEN}]|[^\x00-\x7f]")
_AMBIGUOUS = re.compile(rf"\\+(?=u[0-9a-fA-F]{{4}}|u\{{|[{_HIDDEN}])")
_AMBIGUOUS_OR_FOREIGN = re.compile(rf"\\+(?=u[0-9a-fA-F]{{4}}|u\{{|[{_HIDDEN}]|[^\x00-\x7f])")
_WITHOUT_WIDTH = re.compile(f"[{_HIDDEN}{_KEPT_WITHOUT_WIDTH}]")
_ANY = re.compile(r"(?s).")
_UNPLAIN = re.compile(r"[^\x20-\x7e]")

# Letters of other alphabets, and hyphens, that fonts draw like the ASCII character below them.
_TWINS = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТХУІЈЅԌԚԜοανιυϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ\u2010\u2011\u2212",
    "aeopcyxijshdqwABEKMHOPCTXYIJSGQWoaviucABEZHIKMNOPTYXC---",
)


def visible(text: str, *, ascii: bool = False) -> str:
    """The text on one line, nothing in it unseen; with `ascii`, nothing but ASCII."""
    doubled = (_AMBIGUOUS_OR_FOREIGN if ascii else _AMBIGUOUS).sub(lambda found: found[0] * 2, text)
    return escaped(doubled, ascii=ascii)


def escaped(text: str, *, ascii: bool = False) -> str:
    """The same for text whose backslashes are doubled already, such as JSON."""
    return (_UNSEEN_OR_FOREIGN if ascii else _UNSEEN).sub(_escape, text)


def spelled(text: str) -> str:
    r"""The text with what is no plain ASCII as its code, spaces too if it has nothing else.

    For a change that nobody would see: `\u0020` for a space, `\u0430` for a Cyrillic letter.
    """
    doubled = _AMBIGUOUS_OR_FOREIGN.sub(lambda found: found[0] * 2, text)
    return (_ANY if text.isspace() else _UNPLAIN).sub(_escape, doubled)


def unseen(old: str, new: str) -> tuple[bool, bool]:
    """For each side of a change, whether nobody would see it: only spaces, or the image of the other side."""
    alike = bool(old) and bool(new) and _image(old) == _image(new)
    return alike or _only_spaces(old), alike or _only_spaces(new)


def _only_spaces(text: str) -> bool:
    return bool(text) and text.isspace()


def _image(text: str) -> str:
    """What the eye gets of a text."""
    if text.isascii():
        return text
    bare = _WITHOUT_WIDTH.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare.translate(_TWINS))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\u{{{code:x}}}"
