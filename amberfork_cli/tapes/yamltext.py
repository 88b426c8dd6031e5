"""Read the items of a YAML file one by one, from the events of a fast parser, and make nothing but data.

A cassette is a mapping or a list whose items are few and large, so each is given as soon as it has been read
and none is held. Scalars are the text that stands there, as the formats mean them: no dates, no `yes` for
true. Below the members that hold JSON they are JSON values. Tags make nothing, but for `!!binary`.
"""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from amberfork_cli.core.jsontext import loads
from amberfork_cli.errors import JsonError, TapeError
from amberfork_cli.tapes.reading import Reading

YamlValue: TypeAlias = "dict[str, YamlValue] | list[YamlValue] | str | int | float | bool | bytes | None"

DEEPEST: Final = 500  # levels; cassettes have a dozen, and what JSON they hold is mostly text
EXPANDED: Final = 64 << 20  # characters that aliases may repeat; a bomb of nine lines repeats gigabytes

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_WORDS: Final = {
    **dict.fromkeys(_NULL),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# as Python's YAML writes one: an exponent without a fraction or a sign is a text to it, and left plain
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+([eE][-+][0-9]+)?)?")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the list, and the line of the text, from 1, on which it begins."""

    line: int
    value: YamlValue


class YamlItems:
    """The items of the list that a YAML text is, or holds in a member of one of the `names`.

    `json_below` names the members whose values are JSON. `pointer` leads to the list, and is `None` where
    there was none; `members` are the outermost mapping's, complete when the items have been read. Raises
    TapeError for what is no YAML or no plain data; lines count from `begins`, the number of the first.
    """

    def __init__(
        self,
        lines: Iterable[bytes],
        reading: Reading,
        *,
        names: Collection[str],
        json_below: Collection[str] = (),
        begins: int = 1,
    ) -> None:
        self.members: dict[str, YamlValue] = {}
        self.pointer: str | None = None
        self._reading, self._before = reading, begins - 1
        self._lines, self._names, self._json_below = lines, names, json_below
        self._open: list[_Collection] = []
        self._anchors: dict[str, _Anchored] = {}
        self._weight = self._repeated = 0
        self._ended = False

    def __iter__(self) -> Iterator[Item]:
        from yaml import events as kinds  # 15 ms to import, and few tapes are YAML

        for event in self._events():
            match event:
                case kinds.ScalarEvent():
                    yield from self._scalar(event)
                case kinds.MappingStartEvent():
                    self._begin(event, {})
                case kinds.SequenceStartEvent():
                    self._begin(event, [])
                case kinds.MappingEndEvent() | kinds.SequenceEndEvent():
                    yield from self._end()
                case kinds.AliasEvent():
                    yield from self._alias(event)
                case kinds.DocumentStartEvent() if self._ended:
                    raise self._trouble("a second YAML document, of which amberfork reads one", event)

    def _events(self) -> Iterator[Any]:
        """What the parser finds; PyYAML's own is ten times slower, and everywhere."""
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            yield from yaml.parse(_Pieces(self._lines), Loader=loader)
        except yaml.MarkedYAMLError as error:
            problem = f"not YAML: {error.problem or error.context}"
            raise self._trouble_at(problem, error.problem_mark or error.context_mark) from error
        except yaml.reader.ReaderError as error:
            problem = f"not YAML: {error.reason}, at byte {error.position:,}"
            raise TapeError(problem, source=self._reading.source) from error

    def _scalar(self, event: Any) -> Iterator[Item]:
        inside = self._open[-1] if self._open else None
        self._weight += len(event.value) + 8
        if inside is not None and inside.awaits_key:
            self._key(inside, event)
        else:
            value = self._value(event, as_json=self._is_json(inside))
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchored(value, len(event.value) + 8)
            yield from self._put(value, event.start_mark.line)

    def _key(self, inside: _Collection, event: Any) -> None:
        if event.value == "<<" and event.implicit[0]:
            raise self._trouble("a merge key, which no recorder writes", event)
        if event.value in inside.members:
            if not self._reading.lenient:
                raise self._trouble(f'a second "{_shown(event.value)}" in one mapping', event)
            self._reading.left_out.duplicate_keys += 1
        inside.key = event.value
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(event.value, len(event.value) + 8)

    def _value(self, event: Any, *, as_json: bool) -> YamlValue:
        text: str = event.value
        if event.tag is not None and event.tag.endswith("binary") and not as_json:
            return self._binary(event)
        if not event.implicit[0]:
            return text
        if not as_json:
            return None if text in _NULL else text
        if text in _WORDS:
            return _WORDS[text]
        try:
            return cast(YamlValue, loads(text)) if _NUMBER.fullmatch(text) else text
        except JsonError as error:
            raise self._trouble(error.problem, event) from error

    def _binary(self, event: Any) -> bytes:
        try:
            return a2b_base64("".join(event.value.split()), strict_mode=True)
        except (Base64Error, ValueError) as error:  # ValueError: letters beyond ASCII
            raise self._trouble(f"binary data that is not base64: {error}", event) from error

    def _begin(self, event: Any, value: dict[str, YamlValue] | list[YamlValue]) -> None:
        inside = self._open[-1] if self._open else None
        if inside is not None and inside.awaits_key:
            raise self._trouble("a key that is no text", event)
        if len(self._open) == DEEPEST:
            raise self._trouble(f"more than {DEEPEST:,} levels", event)
        begun = _Collection(value, event.start_mark.line, event.anchor, self._weight)
        begun.as_json = self._is_json(inside)
        begun.is_list_of_items = isinstance(value, list) and self._names_items(inside)
        if begun.is_list_of_items:
            self.pointer = "" if inside is None else f"/{inside.key}"
        if event.anchor is not None:
            self._anchors.pop(event.anchor, None)  # an alias to it from inside would never end
        self._open.append(begun)

    def _is_json(self, inside: _Collection | None) -> bool:
        return inside is not None and (inside.as_json or inside.key in self._json_below)

    def _names_items(self, inside: _Collection | None) -> bool:
        return inside is None or (len(self._open) == 1 and inside.key in self._names)

    def _end(self) -> Iterator[Item]:
        ended = self._open.pop()
        if ended.anchor is not None:
            self._anchors[ended.anchor] = _Anchored(ended.value, self._weight - ended.weight_before)
        if self._open:
            yield from self._put(ended.value, ended.line)
        else:
            self._ended = True
            self.members = ended.members

    def _alias(self, event: Any) -> Iterator[Item]:
        anchored = self._anchors.get(event.anchor)
        if anchored is None:
            raise self._trouble(
                f'the alias "*{_shown(event.anchor)}" leads to nothing that is complete', event
            )
        self._weight += anchored.weight
        self._repeated += anchored.weight
        if self._repeated > EXPANDED:
            raise self._trouble(f"aliases that repeat more than {EXPANDED:,} characters", event)
        inside = self._open[-1] if self._open else None
        if inside is not None and inside.awaits_key:
            if not isinstance(anchored.value, str):
                raise self._trouble("a key that is no text", event)
            inside.key = anchored.value
        else:
            yield from self._put(anchored.value, event.start_mark.line)

    def _put(self, value: YamlValue, line: int) -> Iterator[Item]:
        """Put a value where it belongs; an item is given instead."""
        inside = self._open[-1] if self._open else None
        if inside is None:
            self._ended = True
        elif isinstance(inside.value, dict):
            inside.value[inside.key or ""] = value
            inside.key = None
        elif inside.is_list_of_items:
            yield Item(self._before + line + 1, value)
        else:
            inside.value.append(value)

    def _trouble(self, problem: str, event: Any) -> TapeError:
        return self._trouble_at(problem, event.start_mark)

    def _trouble_at(self, problem: str, mark: Any) -> TapeError:
        if mark is None:
            return TapeError(problem, source=self._reading.source)
        line, column = self._before + mark.line + 1, mark.column + 1
        return TapeError(problem, source=self._reading.source, line=line, column=column)


@dataclass(slots=True)
class _Collection:
    """A mapping or list that has begun; `key` is that of the value which comes next."""

    value: dict[str, YamlValue] | list[YamlValue]
    line: int
    anchor: str | None
    weight_before: int
    key: str | None = None
    as_json: bool = False
    is_list_of_items: bool = False

    @property
    def members(self) -> dict[str, YamlValue]:
        return self.value if isinstance(self.value, dict) else {}

    @property
    def awaits_key(self) -> bool:
        return self.key is None and isinstance(self.value, dict)


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias repeats, and how many characters that is, written out."""

    value: YamlValue
    weight: int


class _Pieces:
    """Lines as a stream that is read piece by piece."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)

    def read(self, _size: int = -1) -> bytes:
        """The next line, of whatever length, and nothing at the end."""
        return next(self._lines, b"")


def _shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"
