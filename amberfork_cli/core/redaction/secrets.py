"""Credentials that a text holds: by their forms, by the names before them, and in what is encoded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import unquote_plus

from amberfork_cli.core.credential_names import HEADERS, names_credential
from amberfork_cli.core.redaction.named_secrets import PLACEHOLDER, is_secret, named_in
from amberfork_cli.core.redaction.secret_kinds import (
    CREDENTIAL,
    ESCAPE_ENDS,
    KINDS,
    WORD_BEGINS,
    SecretKind,
    Stands,
)
from amberfork_cli.core.redaction.wrapped_texts import wrapped_in


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential in a text: its kind, where it begins and ends, and what may stand there instead.

    Where base64 or the escapes of a URL spell it, that is the same encoding of what is left without it.
    """

    kind: SecretKind
    start: int
    end: int
    inside: str | None = None

    @property
    def instead(self) -> str:
        """What to write in its place."""
        return self.kind.placeholder if self.inside is None else self.inside


_RUN: Final = re.compile(r"(?<![A-Za-z0-9_.+/=~:@%-])[A-Za-z0-9_.+/=~:@%-]{20,}")
_FIRST, _INSIDE, _APART = (tuple(kind for kind in KINDS if kind.stands is where) for where in Stands)
_LETTERS: Final = "|".join(re.escape(literal) for kind in _FIRST for literal in kind.literals)
_BEGINS: Final = re.compile(f"{WORD_BEGINS}(?:{_LETTERS})")
_ANYWHERE: Final = re.compile(_LETTERS)
_ESCAPES: Final = re.compile(r"[\\\x1b]|-----")
_ESCAPED: Final = re.compile(f"{ESCAPE_ENDS}(?:{_LETTERS})")
_SCHEME: Final = re.compile(r"(?:(?i:bearer|basic|token|digest)|AWS4-HMAC-SHA256)\s+")
_QUERY: Final = re.compile(r"[?&](?P<name>[^?&=#\s]{1,100})=(?P<secret>[^&#\s]+)")


def secrets_in(text: str) -> list[Secret]:
    """The credentials in a text, from left to right, none of them overlapping; placeholders are none."""
    found = [*_plain_in(text), *_wrapped_in(text)]
    return _apart(found) if len(found) > 1 else found


def secrets_under(name: str, text: str) -> list[Secret]:
    """The credentials in a text that is the value of a member of this name."""
    found = secrets_in(text)
    scheme = _SCHEME.match(text)
    start = scheme.end() if scheme else 0
    if found or not is_secret(name, text[start:]):
        return found
    return [Secret(CREDENTIAL, start, len(text))]


def secrets_in_header(name: str, value: str) -> list[Secret]:
    """The credentials in the value of a header, all of it where the header is for nothing else."""
    found, lowered = secrets_in(value), name.lower()
    if found or not (lowered in HEADERS or names_credential(lowered)):
        return found
    if not value.strip() or PLACEHOLDER.search(value):
        return []
    scheme = _SCHEME.match(value)
    return [Secret(CREDENTIAL, scheme.end() if scheme else 0, len(value))]


def secrets_in_path(path: str) -> list[Secret]:
    """The credentials in the path and query of a request: values of names such as `key` are."""
    queried = [
        Secret(CREDENTIAL, *match.span("secret"))
        for match in _QUERY.finditer(path)
        if names_credential(unquote_plus(match["name"])) and not PLACEHOLDER.search(match["secret"])
    ]
    return _apart([*secrets_in(path), *queried])


def hidden(text: str) -> str:
    """The text with its credentials cut short, so that it can be printed."""
    return with_secrets(text, secrets_in(text), _cut_short)


def described(text: str, secret: Secret) -> str:
    """A credential in words that do not give it away: its kind, how it begins, how long it is."""
    length = secret.end - secret.start
    begins = text[secret.start : secret.start + secret.kind.shown]
    return f"{secret.kind.called} ({f'{begins}…, ' if begins else ''}{length} characters)"


def with_secrets(text: str, found: Sequence[Secret], change: Callable[[str, Secret], str]) -> str:
    """The text with each of those credentials changed."""
    pieces: list[str] = []
    end = 0
    for secret in found:
        pieces += (text[end : secret.start], change(text[secret.start : secret.end], secret))
        end = secret.end
    return "".join(pieces) + text[end:] if pieces else text


def _plain_in(text: str) -> Iterator[Secret]:
    runs = "\n".join(_RUN.findall(text))
    if runs:
        yield from _begun(text, runs)
        yield from _framed(_INSIDE, text, runs)
    yield from _framed(_APART, text, text)
    yield from (Secret(CREDENTIAL, *span) for span in named_in(text))


def _begun(text: str, runs: str) -> Iterator[Secret]:
    """The credentials that are known by how they begin."""
    begins = []
    if _BEGINS.search(runs) is not None:
        begins += [found.start() for found in _BEGINS.finditer(text)]
    if _ESCAPES.search(text) is not None and _ANYWHERE.search(runs) is not None:
        begins += [found.start() for found in _ESCAPED.finditer(text)]
    for at in begins:
        for kind in _FIRST:
            match = kind.pattern.match(text, at) if text.startswith(kind.literals, at) else None
            if match is not None and not PLACEHOLDER.search(match[0]):
                yield Secret(kind, *match.span())
                break


def _framed(kinds: Sequence[SecretKind], text: str, looked_at: str) -> Iterator[Secret]:
    """The credentials that other letters tell; the kinds are those whose letters `looked_at` would hold."""
    for kind in kinds:
        for literal in kind.literals:
            if literal in looked_at:
                yield from _of_kind(kind, text)
                break


def _of_kind(kind: SecretKind, text: str) -> Iterator[Secret]:
    group = "secret" if "secret" in kind.pattern.groupindex else 0
    for match in kind.pattern.finditer(text):
        if not PLACEHOLDER.search(match[group]):
            yield Secret(kind, *match.span(group))


def _wrapped_in(text: str) -> Iterator[Secret]:
    """The pieces of a text that spell another one with credentials: as a whole, and what they are without."""
    for wrapped in wrapped_in(text):
        found = secrets_in(wrapped.text)
        if found:
            kind = replace(found[0].kind, called=f"{found[0].kind.called}, encoded", shown=0)
            without = with_secrets(wrapped.text, found, lambda _, secret: secret.instead)
            yield Secret(kind, wrapped.start, wrapped.end, wrapped.wrap(without))


def _apart(found: Sequence[Secret]) -> list[Secret]:
    """The same without overlaps: one credential where two forms meet, under the name that stands first."""
    order = {kind.name: at for at, kind in enumerate((*KINDS, CREDENTIAL))}
    apart: list[Secret] = []
    for secret in sorted(found, key=lambda each: (each.start, order[each.kind.name])):
        if apart and secret.start < apart[-1].end:
            last = apart[-1]
            if last.inside is not None and secret.end <= last.end:
                continue
            kind = min(last.kind, secret.kind, key=lambda each: order[each.name])
            apart[-1] = Secret(kind, last.start, max(last.end, secret.end))
        else:
            apart.append(secret)
    return apart


def _cut_short(text: str, secret: Secret) -> str:
    return f"{text[: secret.kind.shown]}…"
