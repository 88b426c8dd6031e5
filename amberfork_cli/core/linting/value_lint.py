"""What is wrong with a value wherever it stands: what JSON cannot carry safely, and credentials."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from amberfork_cli.core.credential_names import names_secret
from amberfork_cli.core.jsonreader import NonFinite
from amberfork_cli.core.paths import Chain, Path, path_of
from amberfork_cli.core.redaction.secrets import Secret, secrets_in, secrets_under
from amberfork_cli.core.tape import JsonValue

DEEPEST = 200
"""Levels that every reader takes."""

_SAFE = 1 << 53
_HALF = re.compile("[\ud800-\udfff]")
_SHORTEST = 8  # characters of a credential
_MOST_KNOWN = 200_000  # texts that are remembered as harmless


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something wrong with one leaf of a value, or with a name: then `path` leads to the object that has it.

    `value` is the text or number that it is about, `secret` the credential in a text; a text without one
    holds half of a character.
    """

    path: Path
    value: JsonValue
    secret: Secret | None = None
    too_deep: bool = False


class ValueLinter:
    """Looks through values, and remembers the texts in which there was nothing: later turns repeat them."""

    def __init__(self) -> None:
        self._harmless: set[int] = set()

    def flaws(self, value: JsonValue) -> Iterator[Flaw]:
        """Every flaw in a value of any depth, in document order."""
        waiting: list[tuple[JsonValue, Chain, int]] = [(value, None, 0)]
        deep = False
        while waiting:
            node, chain, depth = waiting.pop()
            if isinstance(node, (dict, list)):
                if depth == DEEPEST and not deep:
                    deep = True
                    yield Flaw(path_of(chain), None, too_deep=True)
                entries = node.items() if isinstance(node, dict) else enumerate(node)
                waiting += [(child, (chain, step), depth + 1) for step, child in entries][::-1]
                texts: Iterable[str] = node if isinstance(node, dict) else ()
            else:
                texts = (node,) if isinstance(node, str) else ()
            name = chain[1] if chain is not None and isinstance(node, str) else None
            for text in texts:
                for secret in self.in_text(text, under=name):
                    yield Flaw(path_of(chain), text, secret)
            if _is_unsafe(node):
                yield Flaw(path_of(chain), node)

    def in_text(self, text: str, *, under: str | int | None = None) -> Sequence[Secret | None]:
        """The credentials in a text, which may be a member's value, and `None` for half of a character."""
        tells = isinstance(under, str) and names_secret(under)
        key = hash(text)
        if key in self._harmless and not tells:
            return ()
        half = not text.isascii() and _HALF.search(text) is not None
        secrets = secrets_under(under, text) if tells and isinstance(under, str) else _secrets_in(text)
        found = [*([None] if half else []), *secrets]
        if not found and not tells and len(text) >= _SHORTEST:
            if len(self._harmless) >= _MOST_KNOWN:
                self._harmless.clear()
            self._harmless.add(key)
        return found


def _secrets_in(text: str) -> Sequence[Secret]:
    return secrets_in(text) if len(text) >= _SHORTEST else ()


def _is_unsafe(value: JsonValue) -> bool:
    """Whether a number loses its value in readers that know doubles, or is none in JSON."""
    return isinstance(value, NonFinite) or (isinstance(value, int) and abs(value) > _SAFE)
