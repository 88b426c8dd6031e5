"""Rewrite fresh IDs so that two runs of one conversation compare equal.

Every run mints new IDs, and a request carries them many times: where a call is declared, where its result
points back, and in every later turn. Each becomes a token by position, the linkage stays, and only real
changes remain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from amberfork_cli.core.id_rules import IdClass, IdRules, Role, Site, sites
from amberfork_cli.core.linkage import Token, link, mention_pattern, token_text
from amberfork_cli.core.paths import to_pointer
from amberfork_cli.core.tape import JsonValue

LOOKALIKE = re.compile(r"__amberfork_(?:tool_call|item|blob)_\d+__")


@dataclass(frozen=True, slots=True)
class IdUse:
    """One token of a canonical body: the ID that it replaces, and the JSON Pointers where it stands.

    `orphan` marks a reference to a call that the body does not declare.
    """

    token: str
    id_class: IdClass
    original: str
    declared: tuple[str, ...]
    references: tuple[str, ...]
    mentions: tuple[str, ...] = ()
    orphan: bool = False


@dataclass(frozen=True, slots=True)
class Canonical:
    """A body with its IDs set aside.

    `value` shares nothing that can change with the body it was made from. `ids` stand in the order of their
    tokens, calls first. `lookalikes` are the JSON Pointers of strings that held the text of a token before
    anything was rewritten, so that a reader could take them for one.
    """

    value: JsonValue
    ids: tuple[IdUse, ...]
    lookalikes: tuple[str, ...]
    sites: tuple[Site, ...] = field(repr=False)


def canonicalize(
    body: JsonValue, *, rules: IdRules = IdRules.ALL, answering: Canonical | None = None
) -> Canonical:
    """The canonical form of a request body; with `answering`, of the response body to that request.

    A response continues the numbers of its request. The body may be of any depth and is not changed.
    """
    before = answering.sites if answering else ()
    own = tuple(sites(body, rules, response=answering is not None))
    links = link((*before, *own), rules)
    tokens = links.tokens[len(before) :]
    rewriting = _Rewriting(links.telling)
    value = rewriting.of(body, _texts_by_path(own, tokens))
    originals = {token: value for value, token in links.telling.items()}
    uses = _uses(own, tokens, rewriting.mentions, originals, set(links.orphans))
    return Canonical(value, uses, tuple(rewriting.lookalikes), (*before, *own))


_Edits: TypeAlias = "dict[str | int, _Edits | str]"
_Chain: TypeAlias = "tuple[_Chain, str | int] | None"


def _texts_by_path(own: tuple[Site, ...], tokens: tuple[Token | None, ...]) -> _Edits:
    """The new text of each site, as a tree of keys; the two IDs of a composite are one text."""
    edits: _Edits = {}
    for site, token in zip(own, tokens, strict=True):
        text = site.value if token is None else token_text(token)
        at = edits
        for key in site.path[:-1]:
            below = at.setdefault(key, {})
            assert isinstance(below, dict)  # noqa: S101 - a site is a string, so no other site lies below it
            at = below
        last = site.path[-1] if site.path else ""
        at[last] = f"{at[last]}|{text}" if site.part == 2 else text
    return edits


class _Rewriting:
    """One copy of a body, with sites and mentions replaced on the way."""

    def __init__(self, telling: Mapping[str, Token]) -> None:
        self.mentions: dict[Token, list[str]] = {}
        self.lookalikes: list[str] = []
        self._telling = telling
        self._pattern = mention_pattern(telling)

    def of(self, body: JsonValue, edits: _Edits) -> JsonValue:
        """The copy. Iterative, since a body may be deeper than Python's stack."""
        if not isinstance(body, (dict, list)):
            return self._text(body, None) if isinstance(body, str) else body
        root: JsonValue = _empty_like(body)
        stack: list[tuple[JsonValue, JsonValue, _Edits | None, _Chain]] = [(body, root, edits, None)]
        while stack:
            source, copy, here, chain = stack.pop()
            for key, child in _items(source):
                edit = here.get(key) if here else None
                if isinstance(edit, str):
                    new: JsonValue = edit
                elif isinstance(child, str):
                    new = self._text(child, (chain, key))
                elif isinstance(child, (dict, list)):
                    new = _empty_like(child)
                    stack.append((child, new, edit, (chain, key)))
                else:
                    new = child
                _put(copy, key, new)
        return root

    def _text(self, text: str, chain: _Chain) -> str:
        if "__amberfork_" in text and LOOKALIKE.search(text):
            self.lookalikes.append(_pointer(chain))
        if not any(value in text for value in self._telling):
            return text
        return self._pattern.sub(lambda found: self._mention(found[0], chain), text)

    def _mention(self, value: str, chain: _Chain) -> str:
        token = self._telling[value]
        self.mentions.setdefault(token, []).append(_pointer(chain))
        return token_text(token)


def _empty_like(value: JsonValue) -> JsonValue:
    return {} if isinstance(value, dict) else []


def _items(container: JsonValue) -> Iterator[tuple[str | int, JsonValue]]:
    if isinstance(container, dict):
        yield from container.items()
    elif isinstance(container, list):
        yield from enumerate(container)


def _put(container: JsonValue, key: str | int, value: JsonValue) -> None:
    if isinstance(container, dict) and isinstance(key, str):
        container[key] = value
    elif isinstance(container, list):
        container.append(value)


def _pointer(chain: _Chain) -> str:
    keys: list[str | int] = []
    while chain is not None:
        chain, key = chain
        keys.append(key)
    return to_pointer(tuple(reversed(keys)))


def _uses(
    own: tuple[Site, ...],
    tokens: tuple[Token | None, ...],
    mentions: dict[Token, list[str]],
    originals: dict[Token, str],
    orphans: set[Token],
) -> tuple[IdUse, ...]:
    at: dict[Token, list[Site]] = {token: [] for token in mentions}
    for site, token in zip(own, tokens, strict=True):
        if token is not None:
            at.setdefault(token, []).append(site)
            originals.setdefault(token, site.value)
    return tuple(
        IdUse(
            token_text(token),
            token[0],
            originals[token],
            _pointers(at[token], declaring=True),
            _pointers(at[token], declaring=False),
            tuple(mentions.get(token, ())),
            token in orphans,
        )
        for token in sorted(at, key=lambda token: (_ORDER.index(token[0]), token[1]))
    )


_ORDER = list(IdClass)


def _pointers(found: list[Site], *, declaring: bool) -> tuple[str, ...]:
    return tuple(to_pointer(site.path) for site in found if (site.role is Role.DECLARES) is declaring)
