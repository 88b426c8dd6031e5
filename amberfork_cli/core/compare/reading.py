"""A request body read for comparing: its messages with IDs made neutral, and what the IDs mean beside them.

Two bodies are never compared by their tokens: a dropped turn renumbers all that follow. So every ID stands
here as the name of its class, equal on both sides, and what it means is compared on its own.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Self

from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.linking import linked
from amberfork_cli.core.dialects.model import Message, ToolCall, ToolResult
from amberfork_cli.core.ids.id_rules import HISTORIES, IdClass, IdRules, Role, Site, sites
from amberfork_cli.core.ids.linkage import Linker, Token
from amberfork_cli.core.ids.minted import MintedIds
from amberfork_cli.core.ids.rewriting import rewritten
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue


@dataclass(frozen=True, slots=True)
class Id:
    """One ID in a message: the path from the message, what it does there, what it means.

    `minter` is the number of the exchange whose response gave it out, where that is what it means.
    """

    path: Path
    role: Role
    token: Token
    orphan: bool = False
    minter: int | None = None


@dataclass(frozen=True, slots=True)
class Element:
    """One message of a history: its path, its value with neutral IDs, its IDs, and what it says."""

    path: Path
    value: JsonValue
    ids: tuple[Id, ...]
    said: Message | None

    def call_at(self, path: Path) -> ToolCall | None:
        """The call that a path from the message leads into, or the first that it leads to."""
        calls = self.said.calls if self.said else ()
        return next((call for call in calls if _meet((*self.path, *path), call.path, self.path)), None)

    def result_at(self, path: Path) -> ToolResult | None:
        """The tool result that a path from the message leads into, or the first that it leads to."""
        results = self.said.results if self.said else ()
        return next((one for one in results if _meet((*self.path, *path), one.path, self.path)), None)


@dataclass(frozen=True, slots=True)
class Reading:
    """One body as it is compared: `name` is the member that holds its messages, `rest` all that is none.

    `whole` is all of it, IDs made neutral; `prompts` are what is said outside the messages.
    """

    whole: JsonValue
    dialect: Dialect | None
    name: str
    elements: tuple[Element, ...]
    rest: JsonValue
    rest_ids: tuple[Id, ...]
    prompts: tuple[Message, ...]


def _meet(path: Path, place: Path, message: Path) -> bool:
    """Whether one of two paths leads on from the other, and not merely from the message that both are in."""
    shorter = min(len(path), len(place))
    return path[:shorter] == place[:shorter] and (len(path) > len(message) or place == message)


def read(
    body: JsonValue,
    *,
    path: str = "",
    rules: IdRules = IdRules.ALL,
    minted: MintedIds | None = None,
    skip: range = range(0),
) -> Reading:
    """A body read for comparing, but for the messages at the positions `skip`.

    `minted` explains IDs that earlier responses gave out.
    """
    gap = _Gap.in_body(body, skip)
    body = gap.closed(body)
    found = sites(body, rules)
    calls = {site.value for site in found if site.id_class is IdClass.CALL}
    linker = Linker(rules, calls=calls, minted=minted)
    tokens = [linker.token(site) for site in found]
    copy = rewritten(body, found, tokens, telling=linker.telling, text_of=neutral)
    orphans = set(linker.orphans.values())
    ids = [
        (gap.path(site.path), Id((), site.role, token, *_origin(site, token, orphans, minted)))
        for site, token in zip(found, tokens, strict=True)
        if token is not None
    ]
    ids += [(gap.path(path_), Id((), Role.POINTS, token)) for path_, token in copy.mentions]
    dialect = dialect_of(path, body)
    history = _history(dialect, body, gap) if dialect else ()
    return _Reader(history, copy.value, dialect, ids).reading(gap)


def _origin(
    site: Site, token: Token, orphans: Container[object], minted: MintedIds | None
) -> tuple[bool, int | None]:
    """Whether nobody made the call that an ID means, and which exchange gave the ID out."""
    if isinstance(token[1], bytes):
        return False, minted.giver(site.value) if minted else None
    return token[0] is IdClass.CALL and token[1] in orphans, None


def _history(dialect: Dialect, body: JsonValue, gap: _Gap) -> tuple[Message, ...]:
    """What is said in a body, but for the messages that were left out."""
    if not gap.skip or not isinstance(body, dict):
        return dialect.history(body)
    lists = {path[0] for path in dialect.list_paths}
    prompts = dialect.history({key: value for key, value in body.items() if key not in lists})
    listed = (dialect.read_message(element, gap.path(path)) for path, element in dialect.elements(body))
    return linked((*prompts, *listed))


@dataclass(frozen=True, slots=True)
class _Gap:
    """Messages that are left out of the list `name` of a body: those at the positions `skip`.

    What is left is read as if they had never been there, so that a long history costs what is looked at; the
    paths that are given back lead from the whole body.
    """

    name: str
    skip: range

    @classmethod
    def in_body(cls, body: JsonValue, skip: range) -> Self:
        """A gap at those positions of the body's messages; none where it has no messages."""
        name = next((name for name in HISTORIES if isinstance(_member(body, name), list)), "")
        return cls(name, skip if name else range(0))

    def closed(self, body: JsonValue) -> JsonValue:
        """The body without the messages."""
        return self._joined(body, [], behind=self.skip.stop)

    def opened(self, body: JsonValue) -> JsonValue:
        """What was made of a body without the messages, with nothing in their places."""
        return self._joined(body, [None] * len(self.skip), behind=self.skip.start)

    def _joined(self, body: JsonValue, between: list[JsonValue], *, behind: int) -> JsonValue:
        history = _member(body, self.name)
        if not self.skip or not isinstance(body, dict) or not isinstance(history, list):
            return body
        return {**body, self.name: history[: self.skip.start] + between + history[behind:]}

    def index(self, index: int) -> int:
        """The position in the whole body of the message at a position in what is left."""
        return index if index < self.skip.start else index + len(self.skip)

    def numbered(self, history: JsonValue) -> Iterator[tuple[int, JsonValue]]:
        """What is left of the messages, each with its position in the whole body."""
        for number, message in enumerate(history if isinstance(history, list) else ()):
            yield self.index(number), message

    def path(self, path: Path) -> Path:
        """The path in the whole body of what stands at a path in what is left."""
        if self.skip and len(path) > 1 and path[0] == self.name and isinstance(path[1], int):
            return (self.name, self.index(path[1]), *path[2:])
        return path


def neutral(token: Token) -> str:
    """What stands for an ID where two bodies are compared: the name of its class."""
    return f"__amberfork_{token[0].value}__"


class _Reader:
    """Puts what was found in a body to the messages in which it was found."""

    def __init__(
        self,
        history: tuple[Message, ...],
        neutral: JsonValue,
        dialect: Dialect | None,
        ids: list[tuple[Path, Id]],
    ) -> None:
        self._history, self._neutral, self._dialect = history, neutral, dialect
        self._name = next((name for name in HISTORIES if isinstance(_member(neutral, name), list)), "")
        self._by_message: dict[int, list[Id]] = {}
        self._rest_ids: list[Id] = []
        for path, found in ids:
            if len(path) > 1 and path[0] == self._name and isinstance(path[1], int):
                self._by_message.setdefault(path[1], []).append(_at(found, path[2:]))
            else:
                self._rest_ids.append(_at(found, path))

    def reading(self, gap: _Gap) -> Reading:
        said = {message.path: message for message in self._history}
        history = _member(self._neutral, self._name) if self._name else None
        elements = tuple(
            Element(
                (self._name, index),
                value,
                tuple(self._by_message.get(index, ())),
                said.get((self._name, index)),
            )
            for index, value in gap.numbered(history)
        )
        prompts = tuple(message for message in self._history if message.path[:1] != (self._name,))
        return Reading(
            gap.opened(self._neutral),
            self._dialect,
            self._name,
            elements,
            self._without_history(),
            tuple(self._rest_ids),
            prompts,
        )

    def _without_history(self) -> JsonValue:
        if not self._name or not isinstance(self._neutral, dict):
            return self._neutral
        return {key: value for key, value in self._neutral.items() if key != self._name}


def _at(found: Id, path: Path) -> Id:
    return replace(found, path=path)


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None
