"""Exact JSON: texts to values and back, without the losses of the fast parsers and at nearly their speed.

Each way reads exactly or refuses. jiter comes first. What it refuses goes to the standard library's reader,
told to refuse or count what it would take without a word; it takes halves of surrogate pairs too. What is
left is depth, long integers and trouble, for `jsonreader`. Writing is `jsonwriter`.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from gc import get_referents
from json import JSONDecoder
from math import isfinite

from jiter import from_json

from amberfork_cli.core import jsonreader
from amberfork_cli.core.jsonreader import NonFinite
from amberfork_cli.core.jsonwriter import dumps, dumps_line
from amberfork_cli.core.tape import JsonValue, LeftOut

__all__ = ["NonFinite", "dumps", "dumps_line", "loads", "same"]

_DIGITS = 640  # Python converts so many in one piece, whatever its limit for longer ones is set to


def loads(data: bytes | str, *, left_out: LeftOut | None = None) -> JsonValue:
    """The value that a text spells: integers whole, decimals as doubles, halves of surrogate pairs kept.

    Raises JsonError for what is no JSON, and for `NaN`, infinities, decimals out of range, duplicate keys,
    integers of more than 10,000 digits and more than 10,000 levels. With `left_out`, `NaN` and infinities (as
    `NonFinite`) and the last of several members of one name are kept and counted there instead.
    """
    data = data.removeprefix("\ufeff") if isinstance(data, str) else data.removeprefix(BOM_UTF8)
    try:
        return _by_jiter(data.encode() if isinstance(data, str) else data)
    except ValueError:  # a slower way can, or knows what is wrong and where
        return _with_care(data, left_out)


def same(a: JsonValue, b: JsonValue) -> bool:
    """Whether two values are equal, type for type: `True`, `1`, `1.0` are three values, `0.0`, `-0.0` two.

    The order of members does not matter; `NaN` is the same as `NaN`.
    """
    pairs = [(a, b)]
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs += [(item, b[name]) for name, item in a.items()]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pairs += zip(a, b, strict=True)
        elif a != b if not isinstance(a, float) else repr(a) != repr(b):
            return False
    return True


def _by_jiter(text: bytes) -> JsonValue:
    """What jiter reads exactly; raises ValueError where it does not."""
    value: JsonValue = from_json(text, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    if _overflows(value):
        raise ValueError("out of range")
    return value


def _overflows(value: JsonValue) -> bool:
    """Whether an infinity is anywhere in what jiter read, which is how it reads `1e400`.

    Level by level, so that C does the walking: the bytes would take longer to search than the value.
    """
    level = [value]
    while level:
        for item in level:
            if type(item) is float and not isfinite(item):
                return True
        level = get_referents(*level)
    return False


def _with_care(data: bytes | str, left_out: LeftOut | None) -> JsonValue:
    """What the standard library reads, else what the reader makes of it; what was kept is counted."""
    kept = LeftOut()
    lenient = left_out is not None
    try:
        value = _Watched(kept, lenient=lenient).read(data if isinstance(data, str) else data.decode())
    except (ValueError, RecursionError):
        return jsonreader.read(data, left_out=left_out)
    if left_out is not None:
        left_out.non_finite += kept.non_finite
        left_out.duplicate_keys += kept.duplicate_keys
    return value


class _Watched:
    """The standard library's reader, with a hand on all that it would take without a word."""

    def __init__(self, kept: LeftOut, *, lenient: bool) -> None:
        self.kept, self.lenient = kept, lenient

    def read(self, text: str) -> JsonValue:
        """The value of the text; raises ValueError or RecursionError where it is not for this reader."""
        decoder = JSONDecoder(
            object_pairs_hook=self._members,
            parse_float=_finite,
            parse_int=_short,
            parse_constant=self._non_finite,
        )
        value: JsonValue = decoder.decode(text)
        return value

    def _members(self, pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        members = dict(pairs)
        if len(members) < len(pairs):
            self._keep()
            self.kept.duplicate_keys += len(pairs) - len(members)
        return members

    def _non_finite(self, name: str) -> NonFinite:
        self._keep()
        self.kept.non_finite += 1
        return NonFinite(name)

    def _keep(self) -> None:
        if not self.lenient:
            raise ValueError("not exact")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError("out of range")
    return value


def _short(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError("too long for Python to convert in one piece")
    return int(text)
