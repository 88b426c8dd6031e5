"""A tool's return value becomes JSON that says what it lost."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import ipaddress
import itertools
import json
import pathlib
import sqlite3
import types
import uuid
from typing import Any, NamedTuple

import attrs
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.core import jsontext
from amberfork_cli.core.tools.results import (
    DEEPEST,
    LONGEST_ITERATION,
    LONGEST_REPR,
    MOST_NOTES,
    MOST_VALUES,
    convert,
    to_json,
)

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Pair(enum.Enum):
    BOTH = (1, 2)


class Word(str):
    __slots__ = ()


class Count(int):
    pass


class Ratio(float):
    pass


class Point(NamedTuple):
    x: int
    y: int


@dataclasses.dataclass
class Weather:
    city: str
    at: dt.date
    hidden: dataclasses.InitVar[int] = 0
    kind: Any = None


@dataclasses.dataclass(slots=True)
class Slotted:
    a: int
    b: int = dataclasses.field(init=False)


@attrs.define
class Stock:
    ticker: str
    prices: tuple[float, ...] = ()


class Order(pydantic.BaseModel):
    number: int
    due: dt.date
    note: str | None = pydantic.Field(default=None, alias="remark")


class Plain:
    def __repr__(self) -> str:
        return "<Plain>"


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class HostileMapping(collections.UserDict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("no")


class Ndarray:
    """Stands where numpy's array would: what counts is the name of the class, and `tolist`."""

    def tolist(self) -> list[list[float]]:
        return [[1.0, 2.0]]


Ndarray.__module__, Ndarray.__qualname__ = "numpy", "ndarray"


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2.5, 2.5),
        ("text", "text"),
        ("\ud83d", "\ud83d"),
        ((1, (2,)), [1, [2]]),
        (range(3), [0, 1, 2]),
        (collections.deque("ab"), ["a", "b"]),
        (collections.UserList([1]), [1]),
        ({"a": 1}.keys(), ["a"]),
        ({"a": 1}.items(), [["a", 1]]),
        ((number for number in (1, 2)), [1, 2]),
        (map(str, (1, 2)), ["1", "2"]),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a"}), ["a", "b"]),
        ({"a", 1, (2, 3)}, [1, "a", [2, 3]]),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (types.MappingProxyType({"a": (1,)}), {"a": [1]}),
        (Word("w"), "w"),
        (Count(3), 3),
        (Ratio(0.5), 0.5),
        (collections.UserString("u"), "u"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Pair.BOTH, [1, 2]),
        (dt.date(2024, 3, 1), "2024-03-01"),
        (dt.datetime(2024, 3, 1, 9, tzinfo=dt.UTC), "2024-03-01T09:00:00+00:00"),
        (dt.time(9, 30), "09:30:00"),
        (dt.timedelta(days=1, seconds=5), "1 day, 0:00:05"),
        (decimal.Decimal("1.10"), "1.10"),
        (fractions.Fraction(1, 3), "1/3"),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (ipaddress.ip_address("::1"), "::1"),
        (pathlib.PurePosixPath("/a/b"), "/a/b"),
        (b"\x00\xff", {"$base64": "AP8="}),
        (bytearray(b"a"), {"$base64": "YQ=="}),
        (memoryview(b"a"), {"$base64": "YQ=="}),
        (array.array("i", [1, 2]), [1, 2]),
        (Ndarray(), [[1.0, 2.0]]),
        (Point(1, 2), {"x": 1, "y": 2}),
        (Weather("Seoul", dt.date(2024, 3, 1)), {"city": "Seoul", "at": "2024-03-01", "kind": None}),
        (Slotted(1), {"a": 1}),
        (Stock("AAPL", (1.5,)), {"ticker": "AAPL", "prices": [1.5]}),
        (Order(number=1, due="2024-03-01"), {"number": 1, "due": "2024-03-01", "note": None}),  # type: ignore[arg-type]
        ({1: "a", 2.5: "b"}, {"1": "a", "2.5": "b"}),
        ({True: "a", False: "b"}, {"true": "a", "false": "b"}),
        ({None: 1, Colour.RED: 2, (1, 2): 3}, {"null": 1, "red": 2, "[1, 2]": 3}),
        ({dt.date(2024, 3, 1): 1}, {"2024-03-01": 1}),
    ],
)
def test_what_json_can_say_is_kept(value: object, data: object) -> None:
    """Every kind of value that has a usual JSON form takes it, and nothing is called lost."""
    result = to_json(value)

    assert result == (data, ())


def test_a_row_of_a_database_is_an_object() -> None:
    """sqlite3 rows carry their column names."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    row = connection.execute("select 1 as id, 'x' as name").fetchone()
    connection.close()

    assert to_json([row]) == ([{"id": 1, "name": "x"}], ())


@pytest.mark.parametrize(
    ("value", "data", "lossy"),
    [
        (float("nan"), "NaN", ("no JSON number, so its name stands here",)),
        (
            {"a": [float("inf"), float("-inf")]},
            {"a": ["Infinity", "-Infinity"]},
            (
                "/a/0: no JSON number, so its name stands here",
                "/a/1: no JSON number, so its name stands here",
            ),
        ),
        (Plain(), "<Plain>", ("a Plain by its repr",)),
        ({"a/b": {"~": Plain()}}, {"a/b": {"~": "<Plain>"}}, ("/a~1b/~0: a Plain by its repr",)),
        (Hostile(), "<Hostile>", ("a Hostile by its repr",)),
        (HostileMapping(), "{}", ("a HostileMapping by its repr",)),
        (3j, "3j", ("a complex by its repr",)),
        (ValueError("x"), "ValueError('x')", ("a ValueError by its repr",)),
        (Weather, repr(Weather), ("a type by its repr",)),
        (
            {1: "a", "1": "b"},
            [[1, "a"], ["1", "b"]],
            ("two keys are one text, so its pairs stand here",),
        ),
        pytest.param(10**5_000, hex(10**5_000), ("an integer too long to write, in hexadecimal",), id="big"),
    ],
)
def test_what_json_cannot_say_is_marked(value: object, data: object, lossy: tuple[str, ...]) -> None:
    """A value without a JSON form stands as text, and the loss is named with its place."""
    result = to_json(value)

    assert result == (data, lossy)


def test_an_endless_generator_is_cut_and_says_so() -> None:
    """Items are taken up to a bound; the last one stands for all that were not."""
    data, lossy = to_json({"all": itertools.count()})

    assert data == {"all": [*range(LONGEST_ITERATION), "<cut here>"]}
    assert lossy == ("/all: cut after 10,000 items",)


def test_a_generator_that_just_fits_is_whole() -> None:
    """The bound itself is not over the bound."""
    assert to_json(iter(range(LONGEST_ITERATION))) == (list(range(LONGEST_ITERATION)), ())


def test_a_generator_that_raises_is_the_tool_raising() -> None:
    """The body of a generator is the tool itself, so its exception is not hidden."""

    def failing() -> Any:
        yield 1
        raise ValueError("half way")

    with pytest.raises(ValueError, match=r"^half way$"):
        to_json({"items": failing()})


def test_a_cycle_points_to_where_it_closes() -> None:
    """A value inside itself is replaced by the place where it stands already; the same value twice is not."""
    shared: list[int] = [1]
    value: dict[str, Any] = {"twice": [shared, shared]}
    value["self"] = {"again": value, "inner": []}
    value["self"]["inner"].append(value["self"])

    data, lossy = to_json(value)

    assert data == {
        "twice": [[1], [1]],
        "self": {"again": "<cycle: the whole>", "inner": ["<cycle: /self>"]},
    }
    assert lossy == ("/self/again: a cycle", "/self/inner/0: a cycle")


def test_depth_is_bounded() -> None:
    """What is nested deeper than any provider takes is cut where it gets too deep."""
    value: Any = "bottom"
    for _ in range(5_000):
        value = [value]

    data, lossy = to_json(value)

    assert json.dumps(data).count("[") == DEEPEST
    assert lossy == (f"{'/0' * DEEPEST}: more than {DEEPEST} levels deep",)


def test_an_object_that_unfolds_for_ever_is_bounded() -> None:
    """A value whose simpler form is one more of its kind ends like any other depth."""

    class Onion(collections.UserList[Any]):
        def __iter__(self) -> Any:
            return iter([Onion()])

    _, lossy = to_json(Onion())

    assert lossy == (f"{'/0' * DEEPEST}: more than {DEEPEST} levels deep",)


def test_a_list_that_doubles_at_every_level_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty lists can spell a billion billion values; only so many are written."""
    monkeypatch.setattr("amberfork_cli.core.tools.results.MOST_VALUES", 10_000)
    value: Any = [1]
    for _ in range(60):
        value = [value, value]

    converted = convert(value)

    assert converted.lossy[0].endswith(": more than 10,000 values")
    assert converted.text is None
    assert MOST_VALUES == 5_000_000


def test_so_many_losses_are_counted() -> None:
    """A long list of losses does not become a longer list of notes."""
    _, lossy = to_json([float("nan")] * 1_000)

    assert len(lossy) == MOST_NOTES + 1
    assert lossy[-1] == "900 more of the kind"


def test_a_long_repr_is_cut() -> None:
    """A description is no place for megabytes."""

    class Wordy:
        def __repr__(self) -> str:
            return "x" * 1_000_000

    assert to_json(Wordy()) == ("x" * LONGEST_REPR, ("a Wordy by its repr",))


def test_a_big_result_comes_through_whole() -> None:
    """Twenty megabytes are a result like any other."""
    value = {"text": "x" * 20_000_000, "rows": [{"n": number} for number in range(1_000)]}

    assert to_json(value) == (value, ())


def test_a_result_is_a_copy() -> None:
    """A tool that goes on changing what it returned does not change the result."""
    value = {"a": [1]}

    data, _ = to_json(value)
    value["a"].append(2)

    assert data == {"a": [1]}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, "b", None]}, None),
        ("text", None),
        ((1, 2), "(1, 2)"),
        (iter((1, 2)), None),
        (Point(1, 2), "Point(x=1, y=2)"),
        (Order(number=1, due="2024-03-01"), "number=1 due=datetime.date(2024, 3, 1) note=None"),  # type: ignore[arg-type]
        (Hostile(), None),
    ],
)
def test_text_is_told_where_it_says_something_else(value: object, text: str | None) -> None:
    """`str()` of a value is kept where JSON does not say it, since frameworks send it to the model."""
    assert convert(value).text == text


@given(JSON_VALUES)
def test_json_values_stay_what_they_are(value: Any) -> None:
    """Plain JSON comes out equal, type for type, with nothing lost and no text beside it."""
    converted = convert(value)

    assert jsontext.same(converted.data, value)
    assert (converted.lossy, converted.text) == ((), None)


@given(
    st.recursive(
        st.none()
        | st.floats()
        | st.binary(max_size=3)
        | st.dates()
        | st.decimals()
        | st.complex_numbers()
        | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.tuples(inner, inner)
            | st.dictionaries(
                st.text(max_size=2) | st.integers() | st.booleans() | st.none(), inner, max_size=3
            )
            | st.frozensets(st.integers() | st.text(max_size=2) | st.none(), max_size=3)
        ),
        max_leaves=10,
    )
)
def test_anything_becomes_valid_json(value: object) -> None:
    """Whatever a tool returns, every JSON writer can write what becomes of it, and every reader read it."""
    data, _ = to_json(value)

    assert json.loads(jsontext.dumps(data)) == json.loads(json.dumps(data, allow_nan=False))
