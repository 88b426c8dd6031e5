"""Which ID of one body means what an ID of the other means.

Two aligned messages that declare calls declare the same calls, in order. From there every reference can be
judged: it is the same when it points to the counterpart of what it pointed to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amberfork_cli.core.compare.reading import Id
from amberfork_cli.core.ids.id_rules import Role
from amberfork_cli.core.ids.linkage import Token
from amberfork_cli.core.paths import Path


class Meanings:
    """The counterparts found so far, both ways."""

    def __init__(self) -> None:
        self._new: dict[Token, Token] = {}
        self._old: dict[Token, Token] = {}

    def declare(self, old: Sequence[Id], new: Sequence[Id]) -> None:
        """Take the calls of two aligned messages for each other's counterparts, those of one place first."""
        left = {one.path: one.token for one in old if one.role is Role.DECLARES}
        right = {one.path: one.token for one in new if one.role is Role.DECLARES}
        for path in left.keys() & right.keys():
            self._agree(left[path], right[path])

    def broken(self, old: Sequence[Id], new: Sequence[Id]) -> Iterator[tuple[Id, Id]]:
        """The references of two aligned messages that stand at one place and mean different things."""
        by_path = _references(new)
        for path, references in _references(old).items():
            for one, other in zip(references, by_path.get(path, ()), strict=False):
                if not self._agree(one.token, other.token) or one.orphan is not other.orphan:
                    yield one, other

    def _agree(self, old: Token, new: Token) -> bool:
        """Whether two tokens are counterparts; two that nothing is known of become so."""
        if isinstance(old[1], bytes) and isinstance(new[1], bytes):
            return _which(old[1]) == _which(new[1])
        if old not in self._new and new not in self._old:
            self._new[old], self._old[new] = new, old
        return self._new.get(old) == new


def _which(minted: bytes) -> bytes:
    """Which ID of a response it was, whatever the exchange: that one is told of on its own."""
    return minted.partition(b" ")[2]


def _references(ids: Sequence[Id]) -> dict[Path, list[Id]]:
    found: dict[Path, list[Id]] = {}
    for one in ids:
        if one.role is not Role.DECLARES:
            found.setdefault(one.path, []).append(one)
    return found
