"""A request body read for comparing: its messages with IDs made neutral, and what the IDs mean beside them.

Two bodies are never compared by their tokens: a dropped turn renumbers all that follow. So every ID stands
here as the name of its class, equal on both sides, and what it means is compared on its own.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.linking import linked
from amberfork_cli.core.dialects.model import Message, ToolCall, ToolResult
from amberfork_cli.core.ids.id_rules import HISTORIES, IdClass, IdRules, Path, Role, Site, sites
from amberfork_cli.core.ids.linkage import Linker, Token
from amberfork_cli.core.ids.minted import MintedIds
from amberfork_cli.core.ids.rewriting import rewritten
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
    body = _without(body, skip)
    found = sites(body, rules)
    calls = {site.value for site in found if site.id_class is IdClass.CALL}
    linker = Linker(rules, calls=calls, minted=minted)
    tokens = [linker.token(site) for site in found]
    copy = rewritten(body, found, tokens, telling=linker.telling, text_of=neutral)
    orphans = set(linker.orphans.values())
    ids = [
        (site.path, Id((), site.role, token, *_origin(site, token, orphans, minted)))
        for site, token in zip(found, tokens, strict=True)
        if token is not None
    ]
    ids += [(path_, Id((), Role.POINTS, token)) for path_, token in copy.mentions]
    dialect = dialect_of(path, body)
    history = _history(dialect, body, skip) if dialect else ()
    return _Reader(history, copy.value, dialect, ids).reading(skip)


def _origin(
    site: Site, token: Token, orphans: Container[object], minted: MintedIds | None
) -> tuple[bool, int | None]:
    """Whether nobody made the call that an ID means, and which exchange gave the ID out."""
    if isinstance(token[1], bytes):
        return False, minted.giver(site.value) if minted else None
    return token[0] is IdClass.CALL and token[1] in orphans, None


def _history(dialect: Dialect, body: JsonValue, skip: range) -> tuple[Message, ...]:
    """What is said in a body, but for the messages that were left out."""
    if not skip or not isinstance(body, dict):
        return dialect.history(body)
    lists = {path[0] for path in dialect.list_paths}
    prompts = dialect.history({key: value for key, value in body.items() if key not in lists})
    listed = (
        dialect.read_message(element, path)
        for path, element in dialect.elements(body)
        if path[-1] not in skip or element is not None
    )
    return linked((*prompts, *listed))


def _without(body: JsonValue, skip: range) -> JsonValue:
    """The body with nothing in place of some of its messages; the others keep their paths."""
    if not skip or not isinstance(body, dict):
        return body
    name = next((name for name in HISTORIES if isinstance(body.get(name), list)), "")
    history = body.get(name)
    if not isinstance(history, list):
        return body
    nothing: list[JsonValue] = [None] * len(skip)
    return {**body, name: history[: skip.start] + nothing + history[skip.stop :]}


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

    def reading(self, skip: range) -> Reading:
        said = {message.path: message for message in self._history}
        history = _member(self._neutral, self._name) if self._name else None
        elements = tuple(
            Element(
                (self._name, index),
                value,
                tuple(self._by_message.get(index, ())),
                said.get((self._name, index)),
            )
            for index, value in enumerate(history if isinstance(history, list) else ())
            if index not in skip
        )
        prompts = tuple(message for message in self._history if message.path[:1] != (self._name,))
        return Reading(
            self._neutral,
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
