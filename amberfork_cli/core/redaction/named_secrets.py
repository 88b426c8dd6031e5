"""Credentials that only a name before them tells, as in settings, JSON in text, URLs, forms and commands.

A name is not enough, since code and documents are full of such names: what follows must be one word with a
digit or a sign in it, and neither a placeholder, a path, a variable nor code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias
from urllib.parse import unquote_plus

from amberfork_cli.core.credential_names import names_credential, names_secret

Span: TypeAlias = tuple[int, int]
"""Where a credential begins and ends in a text."""

PLACEHOLDER: Final = re.compile(
    r"(?i)redacted|filtered|\*{3}|x{8}|\.{3}|^<.*>$|^\{.*\}$|^\[.*\]$|EXAMPLE(?:KEY)?$"
)
"""What stands where a credential was taken out, or never was."""

_HINTS: Final = (
    "key secret password passwd passphrase pwd pass token authorization credential credentials".split()
)
_CAPITALS: Final = re.compile(r"[A-Z]+")
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,80}\Z")
_VALUE: Final = re.compile(
    r"""(?x)
    (?:\\*["'])? \s{0,2} (?: := | => | [:=] ) \s{0,3}
    (?: \\*(?P<quote>["'`]) (?:(?i:bearer|basic|token|apikey)\s+)?
          (?P<quoted>[^"'`\\\s]{6,400}) (?=\\*(?P=quote))
      | (?:(?i:bearer|basic|token|apikey)\s+)? (?P<plain>[^\s"'`\\,;&<>(){}\[\]]{6,400}) )
    """
)
_COOKIE: Final = re.compile(
    r"""(?i)cookie\\*["']?\s{0,2}:\s{0,2}\\*["']?(?P<secret>[\w.-]{1,80}=[^\s"'\\;]{8,}(?:;[^"'\\\r\n]*)?)"""
)
_QUERY: Final = re.compile(r"""(?:\A|[?&])(?P<name>[^=&?#\s"'<>\\]{1,60})=(?P<secret>[^&#\s"'<>\\]{8,})""")
_FIELD: Final = re.compile(
    r"""form-data;\s?name="?(?P<name>[^"\r\n;]{1,80})"?(?:\r?\n[A-Za-z-]+:[^\r\n]*)*\r?\n\r?\n(?P<secret>[^\r\n]{6,})"""
)
_USER: Final = re.compile(
    r"""\bcurl\b[^\n]{0,400}?\s(?:-u|--user)[ =]\\*["']?[^\s:"'\\$]{1,64}:(?P<secret>[^\s"'\\$]{4,})"""
)

_STANDS_FOR: Final = re.compile(
    r"(?i)your|placeholder|change.?me|dummy|fake|example|^\w+://|^(?:\.{0,2}|~)/(?!.*=$)|^\$|^%\w+%$|^none$|^null$"
)
_VARIABLE: Final = re.compile(
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+[0-9]{0,2}(?:_[a-z]*[0-9]{0,2}[a-z]*)+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
)
_SIGN: Final = re.compile(r"[0-9!@#$%^&*+/=~]")
_LONG: Final = 20  # characters; a word of letters alone that is no name of anything is hardly longer
_CAMEL: Final = re.compile(r"_*[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)*")
_WORDLESS: Final = re.compile(r"[0-9.,:+-]+")
_TYPED_BY_PEOPLE: Final = re.compile(r"(?i)pass|pwd|secret")


def named_in(text: str) -> Iterator[Span]:
    """The credentials that names tell, in no order; they may overlap."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose lower case is longer
        lowered = _CAPITALS.sub(lambda found: found[0].lower(), text)
    yield from _assigned(text, lowered)
    if "cookie" in lowered:
        yield from (found.span("secret") for found in _COOKIE.finditer(text))
    if "=" in text and ("?" in text or "&" in text):
        yield from _queried(text)
    if "form-data" in lowered:
        yield from _posted(text)
    if "curl" in lowered and ("-u" in text or "--user" in text):
        yield from (found.span("secret") for found in _USER.finditer(text))


def is_secret(name: str, value: str) -> bool:
    """Whether a value is a credential because of the name that it stands under."""
    if name.lower() in ("cookie", "set-cookie"):
        return "=" in value and not PLACEHOLDER.search(value)
    return names_secret(name) and len(value) >= 6 and not re.search(r"\s", value) and _is_one(name, value)


def _assigned(text: str, lowered: str) -> Iterator[Span]:
    for hint in _HINTS:
        at = lowered.find(hint)
        while at >= 0:
            end = at + len(hint)
            found = _VALUE.match(text, end)
            if found is not None:
                named = _NAME.search(text, max(0, end - 80), end)
                group = "quoted" if found["quoted"] else "plain"
                if (
                    named is not None
                    and names_secret(named[0].lstrip(".-"))
                    and _is_one(named[0], found[group])
                ):
                    yield found.span(group)
            at = lowered.find(hint, end)


def _queried(text: str) -> Iterator[Span]:
    for found in _QUERY.finditer(text):
        if names_credential(unquote_plus(found["name"])) and _is_one("token", unquote_plus(found["secret"])):
            yield found.span("secret")


def _posted(text: str) -> Iterator[Span]:
    for found in _FIELD.finditer(text):
        if names_secret(found["name"]) and not PLACEHOLDER.search(found["secret"]):
            yield found.span("secret")


def _is_one(name: str, value: str) -> bool:
    if PLACEHOLDER.search(value) or _STANDS_FOR.search(value) or _VARIABLE.fullmatch(value):
        return False
    by_hand = _TYPED_BY_PEOPLE.search(name) is not None
    if _SIGN.search(value) is None:
        return len(value) >= _LONG and value.lower() != value != value.upper() and not _CAMEL.fullmatch(value)
    return by_hand or _WORDLESS.fullmatch(value) is None
