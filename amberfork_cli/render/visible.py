r"""Tape text made fit to be seen: what would be invisible, or would drive the terminal, as `\u001b`.

Escaping keeps different texts different: a backslash that stands before something that reads like an escape
is doubled. Changes that the eye cannot see are a matter of their own: only they are spelled out in full, so
that the sentence around them stays readable.
"""

from __future__ import annotations

import re

from amberfork_cli.core.compare.lookalikes import DISGUISED, HIDDEN, code, image

_UNSEEN = re.compile(f"[{HIDDEN}]|{DISGUISED}")
_UNSEEN_OR_FOREIGN = re.compile(f"[{HIDDEN}]|[^\x00-\x7f]")
_AMBIGUOUS = re.compile(rf"\\+(?=u[0-9a-fA-F]{{4}}|u\{{|[{HIDDEN}]|{DISGUISED})")
_AMBIGUOUS_OR_FOREIGN = re.compile(rf"\\+(?=u[0-9a-fA-F]{{4}}|u\{{|[{HIDDEN}]|[^\x00-\x7f])")


def visible(text: str, *, ascii: bool = False) -> str:
    """The text on one line, nothing in it unseen; with `ascii`, nothing but ASCII."""
    doubled = (_AMBIGUOUS_OR_FOREIGN if ascii else _AMBIGUOUS).sub(lambda found: found[0] * 2, text)
    return escaped(doubled, ascii=ascii)


def escaped(text: str, *, ascii: bool = False) -> str:
    """The same for text whose backslashes are doubled already, such as JSON."""
    return (_UNSEEN_OR_FOREIGN if ascii else _UNSEEN).sub(code, text)


def unseen(old: str, new: str) -> tuple[bool, bool]:
    """For each side of a change, whether nobody would see it: only spaces, or the image of the other side."""
    alike = bool(old) and bool(new) and image(old) == image(new)
    return alike or _only_spaces(old), alike or _only_spaces(new)


def _only_spaces(text: str) -> bool:
    return bool(text) and text.isspace()
