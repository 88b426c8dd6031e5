"""Rewrite fresh IDs so that two runs of one conversation compare equal.

Every run mints new IDs, and a request carries them many times: where a call is declared, where its result
points back, and in every later turn. Each becomes a token by position, the linkage stays, and only real
changes remain.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from amberfork_cli.core.ids.id_rules import IdClass, IdRules, Role, Site, sites
from amberfork_cli.core.ids.linkage import Token, link, token_text
from amberfork_cli.core.ids.rewriting import rewritten
from amberfork_cli.core.paths import Path, to_pointer
from amberfork_cli.core.tape import JsonValue


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
    copy = rewritten(body, own, tokens, telling=links.telling, text_of=token_text)
    originals = {token: value for value, token in links.telling.items()}
    uses = _uses(own, tokens, copy.mentions, originals, set(links.orphans))
    return Canonical(copy.value, uses, tuple(map(to_pointer, copy.lookalikes)), (*before, *own))


def _uses(
    own: tuple[Site, ...],
    tokens: tuple[Token | None, ...],
    mentioned: list[tuple[Path, Token]],
    originals: dict[Token, str],
    orphans: set[Token],
) -> tuple[IdUse, ...]:
    mentions: dict[Token, list[str]] = {}
    for path, mention in mentioned:
        mentions.setdefault(mention, []).append(to_pointer(path))
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
