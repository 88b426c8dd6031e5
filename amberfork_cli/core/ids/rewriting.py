"""A copy of a body in which IDs have made room for something else, at their sites and in running text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from amberfork_cli.core.ids.id_rules import Site
from amberfork_cli.core.ids.linkage import Mentions, Token
from amberfork_cli.core.paths import Chain, Path, path_of
from amberfork_cli.core.tape import JsonValue

LOOKALIKE = re.compile(r"__amberfork_(?:tool_call|item|blob)(?:_\d+)?__")


def rewritten(
    body: JsonValue,
    sites: Sequence[Site],
    tokens: Sequence[Token | None],
    *,
    telling: Mapping[str, Token],
    text_of: Callable[[Token], str],
) -> Rewriting:
    """The body with `text_of(token)` at each site that has a token and wherever a telling ID is mentioned."""
    copy = Rewriting(body, _by_path(sites, tokens, text_of), telling, text_of)
    left_alone = (site for site, token in zip(sites, tokens, strict=True) if token is None)
    copy.lookalikes += [site.path for site in left_alone if LOOKALIKE.search(site.value)]
    return copy


_Edits: TypeAlias = "dict[str | int, _Edits | str]"
_Level: TypeAlias = tuple[Iterator[tuple[str | int, JsonValue]], JsonValue, "_Edits | None", Chain]


def _by_path(
    sites: Sequence[Site], tokens: Sequence[Token | None], text_of: Callable[[Token], str]
) -> _Edits:
    """The new text of each site, as a tree of keys; the two IDs of a composite are one text."""
    edits: _Edits = {}
    here = edits
    last: Path = ("",)
    for site, token in zip(sites, tokens, strict=True):
        text, path = site.value if token is None else text_of(token), site.path
        at = len(last) - 1 if path[: len(last) - 1] == last[:-1] else 0  # a site mostly leads on to the next
        here = here if at else edits
        for key in path[at:-1]:
            below = here.setdefault(key, {})
            assert isinstance(below, dict)  # noqa: S101 - a site is a string, so no other site lies below it
            here = below
        here[path[-1]] = f"{here[path[-1]]}|{text}" if site.part == 2 else text
        last = path
    return edits


class Rewriting:
    """One copy of a body. `mentions` are the IDs found in running text, `lookalikes` the texts like tokens.

    Both have the path to the string that holds them, in document order; IDs that the rules leave alone and
    that look like tokens stand last.
    """

    def __init__(
        self, body: JsonValue, edits: _Edits, telling: Mapping[str, Token], text_of: Callable[[Token], str]
    ) -> None:
        self.mentions: list[tuple[Path, Token]] = []
        self.lookalikes: list[Path] = []
        self._telling, self._text_of = telling, text_of
        self._in_text = Mentions(telling)
        self.value = self._of(body, edits)

    def _of(self, body: JsonValue, edits: _Edits) -> JsonValue:
        """The copy. Iterative, since a body may be deeper than Python's stack."""
        if not isinstance(body, (dict, list)):
            return self._text(body, None) if isinstance(body, str) else body
        root: JsonValue = _empty_like(body)
        stack: list[_Level] = [(_items(body), root, edits, None)]
        while stack:
            entries, copy, here, chain = stack[-1]
            for key, child in entries:
                edit = here.get(key) if here else None
                if isinstance(child, (dict, list)):
                    new = _empty_like(child)
                    _put(copy, key, new)
                    stack.append((_items(child), new, edit if isinstance(edit, dict) else None, (chain, key)))
                    break
                _put(copy, key, self._leaf(child, edit, (chain, key)))
            else:
                stack.pop()
        return root

    def _leaf(self, value: JsonValue, edit: _Edits | str | None, chain: Chain) -> JsonValue:
        if isinstance(edit, str):
            return edit
        return self._text(value, chain) if isinstance(value, str) else value

    def _text(self, text: str, chain: Chain) -> str:
        if "__amberfork_" in text and LOOKALIKE.search(self._in_text.replaced(text, lambda _: "")):
            self.lookalikes.append(path_of(chain))
        return self._in_text.replaced(text, lambda value: self._mention(value, chain))

    def _mention(self, value: str, chain: Chain) -> str:
        token = self._telling[value]
        self.mentions.append((path_of(chain), token))
        return self._text_of(token)


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
