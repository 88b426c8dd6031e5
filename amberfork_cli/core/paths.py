"""Where a value stands inside a JSON value, and what a user takes out or rewrites by saying where.

A path is a tuple of member names and indices. People see it as `a.b[0]`, machines as a JSON Pointer. A
pattern says many paths at once. What patterns match is taken out, and what regular expressions match in texts
is rewritten, in a copy that shares whatever has not changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self, TypeAlias

from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import OptionError

Path: TypeAlias = tuple[str | int, ...]
Chain: TypeAlias = "tuple[Chain, str | int] | None"
"""A path while one walks it, innermost key last: a step costs the same however deep it is."""

# Letters that show nothing: a name with one of them would look like another name.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_JOINERS = "\u200c\u200d\ufe0f"  # they shape the sign beside them: Persian names, emoji

_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")
_TILDE = re.compile(r"~(?![01])")
_INDEXED = re.compile(rf"\[({_INDEX.pattern})\]")
_ITEMS = re.compile(r"\[\*\]")
_NAMED = re.compile(r'\[\*\]|\*\*?|[^.\[\]"*]+')


def to_pointer(path: Iterable[str | int]) -> str:
    """The path as a JSON Pointer (RFC 6901); the empty path is the empty text."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def path_of(chain: Chain) -> Path:
    """The path that a chain stands for."""
    keys: list[str | int] = []
    while chain is not None:
        chain, key = chain
        keys.append(key)
    return tuple(reversed(keys))


def from_pointer(pointer: str) -> tuple[str, ...]:
    """The path that a JSON Pointer spells, every step as text: only a value can tell index from name.

    Raises OptionError for what is no JSON Pointer.
    """
    if pointer and not pointer.startswith("/"):
        raise _malformed(pointer, 0, "a JSON Pointer begins with /")
    if (stray := _TILDE.search(pointer)) is not None:
        raise _malformed(pointer, stray.start(), "~ must be followed by 0 or 1")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def resolve(value: JsonValue, path: Path) -> JsonValue:
    """What stands there; text finds an item of a list by its index, as in a JSON Pointer.

    Raises LookupError where nothing stands there.
    """
    for step in path:
        if isinstance(value, list) and _INDEX.fullmatch(str(step)):
            value = value[int(step)]
        elif isinstance(value, dict) and isinstance(step, str):
            value = value[step]
        else:
            raise LookupError(f"nothing at {to_pointer(path)}")
    return value


def to_text(path: Iterable[str | int]) -> str:
    r"""The path on one line, for people: `a.b[0]`, names that are no words as `["with \n \"quotes\""]`.

    `PathPattern.parse` reads it back. The empty path is the empty text.
    """
    return "".join(_step_text(step) for step in path).removeprefix(".")


class Wild(Enum):
    """A step of a pattern that stands for more than one step of a path."""

    NAME = "*"
    ITEM = "[*]"
    ANY = "any name or item"
    DEEP = "**"


@dataclass(frozen=True, slots=True)
class Token:
    """A step of a JSON Pointer that is an index in a list and a name in an object."""

    text: str


Step: TypeAlias = str | int | Wild | Token

_WILD = {wild.value: wild for wild in (Wild.NAME, Wild.ITEM, Wild.DEEP)}


@dataclass(frozen=True, slots=True)
class PathPattern:
    """The paths that a user means by one text.

    Names and indices as in a path for people: `a.b[0]`, `a["b.c"]`. `*` is any member name, `[*]` any item,
    `**` any number of steps, none included (at the end: everything inside). What begins with `/` is a JSON
    Pointer.
    """

    text: str
    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """The pattern that a text spells; raises OptionError that says what is wrong with it, and where."""
        if text.startswith("/"):
            return cls(
                text, tuple(Token(step) if _INDEX.fullmatch(step) else step for step in from_pointer(text))
            )
        steps = tuple(_steps(text))
        # A path that ends in ** would take out the whole of what stands before it, too.
        return cls(text, (*steps, Wild.ANY) if steps[-1] is Wild.DEEP else steps)


@dataclass(frozen=True, slots=True)
class Replacement:
    """What to put wherever a regular expression matches in a text."""

    pattern: re.Pattern[str]
    text: str

    @classmethod
    def parse(cls, regex: str, text: str) -> Self:
        r"""Both as a user writes them, the groups of the first as `\1` or `\g<name>` in the second.

        Raises OptionError for a regular expression that is none, or a group that it does not have.
        """
        try:
            pattern = re.compile(regex)
            pattern.sub(text, "")
        except (re.error, IndexError, OverflowError, RecursionError) as error:
            raise OptionError(f"cannot replace {regex!r} by {text!r}: {error}") from None
        return cls(pattern, text)


def without(value: JsonValue, patterns: Sequence[PathPattern]) -> tuple[JsonValue, int]:
    """The value without the members and items that a pattern matches, and how many those were.

    The value itself stays as it is, and what has not changed is shared with it. Patterns see the indices of
    the value as it was; items behind one that was taken out move up. What was inside something taken out is
    not counted.
    """
    states = [_begun(pattern.steps for pattern in patterns)]
    visits = [_Visit(value)] if isinstance(value, _CONTAINERS) else []
    moves: dict[_State, _Moves] = {}
    removed = 0
    for number, visit in enumerate(visits):  # grows as it is walked: parents stand before their children
        state = states[number]
        here = moves.get(state) or moves.setdefault(state, _Moves.of(state))
        for step, child, left in here.reached(visit.value):
            if () in left:
                visit.changes[step] = _GONE
                removed += 1
            elif isinstance(child, _CONTAINERS):
                visits.append(_Visit(child, number, step))
                states.append(left)
    return _rebuilt(value, visits), removed


def replaced(value: JsonValue, replacements: Sequence[Replacement]) -> tuple[JsonValue, int]:
    """The value with every replacement made in its texts, one after the other, and how many were made.

    Member names are left alone. The value itself stays as it is, and what has not changed is shared with it.
    """
    if isinstance(value, str):
        return _with_replacements(value, replacements)
    visits = [_Visit(value)] if isinstance(value, _CONTAINERS) else []
    made = 0
    for number, visit in enumerate(visits):
        for step, child in _entries(visit.value):
            if isinstance(child, str):
                text, count = _with_replacements(child, replacements)
                if text != child:
                    visit.changes[step] = text
                made += count
            elif isinstance(child, _CONTAINERS):
                visits.append(_Visit(child, number, step))
    return _rebuilt(value, visits), made


_Container: TypeAlias = "dict[str, JsonValue] | list[JsonValue]"
_State: TypeAlias = frozenset[tuple[Step, ...]]  # what is left of each pattern that is still under way

_CONTAINERS = (dict, list)
_GONE = object()


@dataclass(slots=True)
class _Visit:
    """A container that was looked into, where it stands, and what its entries become."""

    value: _Container
    parent: int = -1
    step: str | int = ""
    changes: dict[str | int, object] = field(default_factory=dict)

    def rebuilt(self) -> _Container:
        """A copy of the container with its changes made."""
        entries = [(step, self.changes.get(step, old)) for step, old in _entries(self.value)]
        kept: list[tuple[Any, Any]] = [(step, new) for step, new in entries if new is not _GONE]
        return dict(kept) if isinstance(self.value, dict) else [new for _, new in kept]


@dataclass(frozen=True, slots=True)
class _Moves:
    """What is left of the patterns after a step that one of them names, any other name, any other item."""

    named: Mapping[str | int, _State]
    name: _State
    item: _State

    @classmethod
    def of(cls, state: _State) -> Self:
        named = {step for tail in state for step in _names(tail[0])}
        return cls(
            {step: _after(state, step) for step in named}, _after(state, Wild.NAME), _after(state, Wild.ITEM)
        )

    def reached(self, value: _Container) -> Iterator[tuple[str | int, JsonValue, _State]]:
        """The entries that a pattern matches or leads into, and what is left of the patterns there."""
        everything = self.name if isinstance(value, dict) else self.item
        entries = _entries(value) if everything else _entries_named(value, self.named)
        for step, child in entries:
            if state := self.named.get(step, everything):
                yield step, child, state


def _entries(value: _Container) -> Iterable[tuple[str | int, JsonValue]]:
    return value.items() if isinstance(value, dict) else enumerate(value)


def _entries_named(value: _Container, steps: Iterable[str | int]) -> Iterator[tuple[str | int, JsonValue]]:
    for step in steps:
        if isinstance(value, dict):
            if isinstance(step, str) and step in value:
                yield step, value[step]
        elif isinstance(step, int) and step < len(value):
            yield step, value[step]


def _names(step: Step) -> tuple[str | int, ...]:
    """The steps of a path that a step of a pattern names."""
    if isinstance(step, Wild):
        return ()
    return (step.text, int(step.text)) if isinstance(step, Token) else (step,)


def _after(state: _State, step: str | int | Wild) -> _State:
    """What is left of the patterns after a step; `Wild.NAME`, `Wild.ITEM` stand for one that none names."""
    tails = (tail if tail[0] is Wild.DEEP else tail[1:] for tail in state if _takes(tail[0], step))
    return _begun(tails)


def _takes(head: Step, step: str | int | Wild) -> bool:
    if not isinstance(head, Wild):
        return step in _names(head)
    if head is Wild.NAME:
        return step is Wild.NAME or isinstance(step, str)
    if head is Wild.ITEM:
        return step is Wild.ITEM or isinstance(step, int)
    return True


def _begun(tails: Iterable[tuple[Step, ...]]) -> _State:
    """The tails, and what is left of them where `**` stands for no step."""
    found = set(tails)
    rest = list(found)
    while rest:
        tail = rest.pop()
        if tail and tail[0] is Wild.DEEP and tail[1:] not in found:
            found.add(tail[1:])
            rest.append(tail[1:])
    return frozenset(found)


def _rebuilt(value: JsonValue, visits: Sequence[_Visit]) -> JsonValue:
    """The value with all changes made, the innermost first."""
    for visit in reversed(visits):
        if visit.changes and visit.parent < 0:
            return visit.rebuilt()
        if visit.changes:
            visits[visit.parent].changes[visit.step] = visit.rebuilt()
    return value


def _with_replacements(text: str, replacements: Iterable[Replacement]) -> tuple[str, int]:
    made = 0
    for replacement in replacements:
        text, count = replacement.pattern.subn(replacement.text, text)
        made += count
    return text, made


def _step_text(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if step.replace("-", "_").isidentifier() and step[0] != "-" and not _UNSEEN.search(step):
        return f".{step}"
    return '["' + "".join(map(_shown, step)) + '"]'


def _shown(char: str) -> str:
    if char in _JOINERS or (char.isprintable() and char not in '"\\' and not _UNSEEN.match(char)):
        return char
    return json.dumps(char)[1:-1]


def _steps(text: str) -> Iterator[Step]:
    """The steps that a pattern spells, one after the other."""
    at, dotted = 0, True
    while dotted or at < len(text):
        step, at = _step(text, at, dotted=dotted)
        yield step
        dotted = text.startswith(".", at)
        at += dotted


def _step(text: str, at: int, *, dotted: bool) -> tuple[Step, int]:
    """The step that begins there, after a dot or not, and where the text goes on."""
    if text.startswith('["', at):
        return _quoted(text, at)
    if (index := _INDEXED.match(text, at)) is not None:
        return int(index[1]), index.end()
    found = (_NAMED if dotted else _ITEMS).match(text, at)
    if found is None:
        raise _malformed(text, at, _flaw(text[at : at + 1], dotted=dotted))
    return _WILD.get(found[0], found[0]), found.end()


def _quoted(text: str, at: int) -> tuple[str, int]:
    """The name in `["…"]`, and where the text goes on."""
    try:
        name, end = json.JSONDecoder().raw_decode(text, at + 1)
    except json.JSONDecodeError as error:
        raise _malformed(text, error.pos, "no name in double quotes as JSON has them") from None
    if not text.startswith("]", end):
        raise _malformed(text, end, "] should stand here")
    return str(name), end + 1


def _flaw(sign: str, *, dotted: bool) -> str:
    """Why a pattern cannot go on with this sign, after a dot or not."""
    if sign == "[":
        return "brackets hold an index, * or a name in double quotes"
    if sign == "*":
        return '* is a whole name; a name that holds one is written ["…"]'
    return "a member name should stand here" if dotted else ". or [ should stand here"


def _malformed(text: str, at: int, problem: str) -> OptionError:
    return OptionError(f"path {text!r}, character {at + 1}: {problem}")
