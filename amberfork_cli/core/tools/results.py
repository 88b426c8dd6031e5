"""What a tool returned, as JSON: what can be kept is kept, and what cannot is said.

Tools return dates, data classes, arrays, generators and worse. Each becomes the JSON that people write for it
by hand; what has no such form becomes its `repr` and is named as lossy. Libraries are known by attributes and
by the module of a class, and never imported: whoever returned a numpy array has numpy loaded already.
"""

from __future__ import annotations

import json
import math
from collections import UserString
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from enum import Enum
from itertools import islice
from typing import Any, Final, TypeAlias, TypeGuard

from amberfork_cli.core.paths import Chain, path_of, to_pointer
from amberfork_cli.core.tape import JsonValue

LONGEST_ITERATION: Final = 10_000  # items taken from a generator, which may never end
DEEPEST: Final = 150  # levels; what is deeper, no provider takes, and json.dumps gives up at a few hundred
MOST_VALUES: Final = 5_000_000  # a list that holds itself twice, twice, twice … doubles at every level
LONGEST_REPR: Final = 10_000
LONGEST_TEXT: Final = 200_000
MOST_NOTES: Final = 100
_LARGEST_INTEGER_BITS: Final = 14_000  # Python writes no integer past 4,300 digits, which is 14,285 bits


@dataclass(frozen=True, slots=True)
class Converted:
    """A value as JSON.

    `lossy` says what is not faithful, each with the JSON Pointer of its place, the whole having none. `text`
    is `str()` of the value where that says something else than the JSON does, as for a data class.
    """

    data: JsonValue
    lossy: tuple[str, ...] = ()
    text: str | None = None


def to_json(value: object) -> tuple[JsonValue, tuple[str, ...]]:
    """The value as JSON, and what of it is not faithful, each with its path: `/items/3: not a number`.

    What comes back can be written by any JSON writer. Only an iterator that raises makes this raise: its body
    is the tool itself.
    """
    converted = convert(value)
    return converted.data, converted.lossy


def convert(value: object) -> Converted:
    """The value as JSON, and as text; raises what an iterator in it raises."""
    conversion = _Conversion()
    data = conversion.json(value, None)
    return Converted(data, conversion.notes(), conversion.text(value))


class _Conversion:
    """One walk over one value: what is open above, what was lossy, how much may still come."""

    def __init__(self) -> None:
        self.plain = True
        self._open: dict[int, Chain] = {}
        self._left = MOST_VALUES
        self._notes: list[str] = []
        self._unsaid = 0

    def json(self, value: Any, at: Chain) -> JsonValue:
        kind = type(value)
        if value is None or kind is str or kind is bool:
            return value  # type: ignore[no-any-return]
        if kind is int:
            return self._integer(value, at)
        if kind is float:
            return self._float(value, at)
        if kind is not list and kind is not dict:
            self.plain = False
        return self._inside(value, at)

    def text(self, value: object) -> str | None:
        """`str()` of the value, if it says something else and does not take for ever."""
        if self.plain or self._left < 0 or _is_endless(value):
            return None
        text: str = _guarded(str, value, "")
        return text if 0 < len(text) <= LONGEST_TEXT else None

    def notes(self) -> tuple[str, ...]:
        more = (f"{self._unsaid:,} more of the kind",) if self._unsaid else ()
        return (*self._notes, *more)

    def _inside(self, value: Any, at: Chain) -> JsonValue:
        if id(value) in self._open:
            return self._lost(f"<cycle: {_pointer(self._open[id(value)]) or 'the whole'}>", "a cycle", at)
        if len(self._open) >= DEEPEST:
            return self._lost("<too deep>", f"more than {DEEPEST} levels deep", at)
        self._open[id(value)] = at
        try:
            return self._parts(value if type(value) in (list, dict) else self._simpler(value, at), at)
        finally:
            del self._open[id(value)]

    def _parts(self, value: Any, at: Chain) -> JsonValue:
        kind = type(value)
        if kind is not list and kind is not dict:
            return self.json(value, at)
        self._left -= len(value)
        if self._left < 0:
            return self._lost("<too large>", f"more than {MOST_VALUES:,} values", at)
        if kind is list:
            return [self.json(item, (at, number)) for number, item in enumerate(value)]
        if all(type(key) is str for key in value):
            return {key: self.json(item, (at, key)) for key, item in value.items()}
        return self._keyed(value, at)

    def _keyed(self, value: dict[Any, Any], at: Chain) -> JsonValue:
        """An object whose keys are not all text; where two become one text, its pairs."""
        self.plain = False
        keys = [key if type(key) is str else self._key(key, at) for key in value]
        if len(set(keys)) == len(keys):
            return {key: self.json(item, (at, key)) for key, item in zip(keys, value.values(), strict=True)}
        self._lost(None, "two keys are one text, so its pairs stand here", at)
        pairs = enumerate(value.items())
        return [[self.json(key, (at, n)), self.json(item, (at, n))] for n, (key, item) in pairs]

    def _key(self, key: object, at: Chain) -> str:
        data = self.json(key, (at, "a key"))
        return data if isinstance(data, str) else json.dumps(data)

    def _simpler(self, value: object, at: Chain) -> object:
        """The same value one step nearer to JSON, or its `repr`."""
        if _is_endless(value):
            return self._taken(value, at)
        for is_one, simpler in _FORMS:
            if is_one(value):
                found = _guarded(simpler, value, _UNREADABLE)
                if found is not _UNREADABLE:
                    return found
        described = _guarded(repr, value, f"<{type(value).__name__}>")
        return self._lost(described[:LONGEST_REPR], f"a {type(value).__name__} by its repr", at)

    def _taken(self, items: Iterator[object], at: Chain) -> list[object]:
        taken = list(islice(items, LONGEST_ITERATION + 1))
        if len(taken) > LONGEST_ITERATION:
            taken[-1] = self._lost("<cut here>", f"cut after {LONGEST_ITERATION:,} items", at)
        return taken

    def _integer(self, value: int, at: Chain) -> JsonValue:
        if value.bit_length() > _LARGEST_INTEGER_BITS:
            return self._lost(hex(value), "an integer too long to write, in hexadecimal", at)
        return value

    def _float(self, value: float, at: Chain) -> JsonValue:
        if math.isfinite(value):
            return value
        name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return self._lost(name, "no JSON number, so its name stands here", at)

    def _lost(self, instead: JsonValue, why: str, at: Chain) -> JsonValue:
        self.plain = False
        if len(self._notes) < MOST_NOTES:
            self._notes.append(f"{_pointer(at)}: {why}" if at else why)
        else:
            self._unsaid += 1
        return instead


_UNREADABLE: Final = object()


def _guarded(read: Callable[[Any], Any], value: object, instead: Any) -> Any:
    """What the reading gives, or the stand-in where the user's own `__str__`, property or method fails."""
    try:
        return read(value)
    except Exception:
        return instead


def _pointer(at: Chain) -> str:
    return to_pointer(path_of(at))


def _is_endless(value: object) -> TypeGuard[Iterator[object]]:
    """Whether the value gives items until it stops; a file does too, and is no data."""
    return isinstance(value, Iterator) and not hasattr(type(value), "fileno")


def _has(*names: str) -> Callable[[object], bool]:
    """Whether the class, not the object, has all of these: a mock has everything."""
    return lambda value: all(hasattr(type(value), name) for name in names)


def _is(*types: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, types)


def _of(*names: str) -> Callable[[object], bool]:
    """Whether the value's class, or one above it, has one of these full names."""
    return lambda value: any(
        f"{kind.__module__}.{kind.__qualname__}" in names for kind in type(value).__mro__
    )


def _fields(value: Any, names: Iterable[str]) -> dict[str, object]:
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


def _base64(value: Any) -> dict[str, str]:
    from base64 import b64encode

    return {"$base64": b64encode(bytes(value)).decode("ascii")}


def _in_order(value: Iterable[Any]) -> list[Any]:
    """The members of a set, in an order that does not hang on how they were hashed."""
    members = list(value)
    kinds = {type(member) for member in members}
    if kinds == {str} or kinds <= {int, float}:
        return sorted(members)
    return sorted(members, key=lambda member: (type(member).__name__, json.dumps(to_json(member)[0])))


_TEXTS = (
    *("decimal.Decimal", "fractions.Fraction", "uuid.UUID", "datetime.timedelta", "yarl.URL"),
    *(f"ipaddress.IPv{version}{what}" for version in (4, 6) for what in ("Address", "Network", "Interface")),
)
_WITH_TOLIST = ("numpy.ndarray", "numpy.generic", "array.array", "torch.Tensor", "pandas.Series")
_WITH_ISOFORMAT = ("datetime.date", "datetime.time")  # a datetime is a date

_Form: TypeAlias = tuple[Callable[[object], bool], Callable[[Any], object]]
_FORMS: tuple[_Form, ...] = (
    (_is(Enum), lambda value: value.value),
    (_of(*_WITH_TOLIST), lambda value: value.tolist()),
    (_is(str), str.__str__),
    (_is(int), int.__int__),
    (_is(float), float.__float__),
    (_is(bytes, bytearray, memoryview), _base64),
    (_of(*_WITH_ISOFORMAT), lambda value: value.isoformat()),
    (_of(*_TEXTS), str),
    (_is(UserString), lambda value: value.data),
    (_has("__fspath__"), lambda value: value.__fspath__()),
    (_has("model_dump", "model_fields"), lambda value: value.model_dump()),
    (_has("dict", "__fields__", "__fields_set__"), lambda value: value.dict()),
    (_has("__dataclass_fields__"), lambda value: _fields(value, [part.name for part in fields(value)])),
    (_has("__attrs_attrs__"), lambda value: _fields(value, [a.name for a in type(value).__attrs_attrs__])),
    (_has("__struct_fields__"), lambda value: _fields(value, type(value).__struct_fields__)),
    (_has("_fields", "_asdict"), lambda value: value._asdict()),
    (_of("sqlite3.Row"), dict),
    (_of("pandas.DataFrame"), lambda value: value.to_dict(orient="records")),
    (_is(Mapping), lambda value: dict(value.items())),
    (_is(KeysView, ValuesView, ItemsView, Sequence), list),
    (_is(AbstractSet), _in_order),
)
