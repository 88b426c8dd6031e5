"""Exact JSON: what comes through, what is trouble, and that both ways there and back agree."""

import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from enum import StrEnum
from math import isfinite
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from amberfork_cli.core.jsontext import NonFinite, dumps, loads, same
from amberfork_cli.core.tape import JsonValue, LeftOut
from amberfork_cli.errors import JsonError

LINE = (
    '{"idx": 3, "request": {"method": "POST", "path": "/v1/chat/completions", "headers": [["a", "b"]], '
    '"body": {"model": "gpt-4o", "temperature": 0.7, "seed": 12345678901234567890123, "stream": false, '
    '"stop": null, "messages": [{"role": "user", "content": "서울 \\u2603 \\ud83d\\ude00 \\"now\\"\\n"}, '
    '{"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function", '
    '"function": {"name": "f", "arguments": "{\\"city\\": \\"Seoul\\", \\"x\\": -1.5e-7}"}}]}]}}}'
).encode()

TOKENS = (
    *'{}[],:"',
    *(
        "true",
        "false",
        "null",
        "NaN",
        "Infinity",
        "-Infinity",
        "nul",
        " ",
        "\n",
        "\t",
        "\r",
        "\x0b",
        "\xa0",
        "\x00",
    ),
    *(
        "0",
        "-0",
        "-0.0",
        "1",
        "1.0",
        "01",
        "1.",
        ".5",
        "+1",
        "1e5",
        "1E-7",
        "1e400",
        "-1e400",
        "1e-400",
        "-",
        "1e",
    ),
    *("18446744073709551616", "-9223372036854775809", "12345678901234567890.5", "9" * 400, "9" * 400 + ".0"),
    *(
        '"a"',
        '"a":',
        '"\\u0061":',
        '"b":1',
        '"\\ud83d"',
        '"\\ude00\\ud83d"',
        '"\\ud83d\\ude00"',
        '"\\u12"',
        '"\\x"',
    ),
    *(
        '"é"',
        '"\x7f"',
        '"\x1f"',
        '"\u2028"',
        '{"a":1}',
        '{"a":1,"a":2}',
        "[[]]",
        "\\",
        "'",
        "/",
        "//",
        "e",
        "E",
    ),
)


def halves() -> st.SearchStrategy[str]:
    """Texts with halves of surrogate pairs, a high one never right before a low one."""
    return st.lists(
        st.sampled_from(["\ude00", "\udfff", "a", "é", "😀"]) | st.text(max_size=3), max_size=4
    ).map(lambda pieces: "".join(pieces) + "\ud83d")


def values() -> st.SearchStrategy[Any]:
    """Any JSON value: integers past 64 bits, halves of surrogate pairs, any finite double."""
    texts = st.text(max_size=8) | halves()
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.integers(min_value=-(10**700), max_value=10**700)
        | st.floats(allow_nan=False, allow_infinity=False)
        | texts
    )
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
        max_leaves=15,
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9007199254740993", 2**53 + 1),
        ("18446744073709551616", 2**64),
        ("-9223372036854775809", -(2**63) - 1),
        ("-0", 0),
        ("1", 1),
        ("1.0", 1.0),
        ("-0.0", -0.0),
        ("1E5", 100000.0),
        ("1e-400", 0.0),
        ("12345678901234567890.5", 12345678901234567000.0),
        ('"\\ud83d"', "\ud83d"),
        ('"\\ude00\\ud83dx"', "\ude00\ud83dx"),
        ('"\\uD83D\\uDE00"', "😀"),
        ('{"\\ud83d": [1, "\\udead"]}', {"\ud83d": [1, "\udead"]}),
        ('"\x7f\u2028"', "\x7f\u2028"),
        (" \t\r\n[ ]\n ", []),
        ('{"a":{},"":[null,true,false]}', {"a": {}, "": [None, True, False]}),
    ],
)
def test_nothing_is_rounded_or_merged(text: str, value: JsonValue) -> None:
    """Every value comes through with its type and all its digits, from text as from bytes."""
    read = loads(text.encode())

    assert same(read, value)
    assert same(loads(text), value)


def test_half_a_pair_may_stand_in_the_text_itself() -> None:
    """A string that was decoded from JSON, and holds JSON, may carry half a pair that is not escaped."""
    assert loads('{"a": "\ud83d"}') == {"a": "\ud83d"}


def test_a_byte_order_mark_is_passed_over() -> None:
    """A mark at the start is no part of the text, and no column counts it."""
    with pytest.raises(JsonError) as caught:
        loads(b"\xef\xbb\xbf[NaN]")

    assert loads(b"\xef\xbb\xbf[1]") == loads("\ufeff[1]") == [1]
    assert str(caught.value) == "1:2: NaN is no JSON value (at /0)"


@pytest.mark.usefixtures("narrow_python")
@pytest.mark.parametrize("sign", ["", "-"])
def test_an_integer_may_have_ten_thousand_digits(sign: str) -> None:
    """Whatever Python's own limit is set to; one more is trouble."""
    digits = "1234567890" * 1_000

    value = loads(sign + digits)

    assert value == int(f"{sign}1234567890") * sum(10 ** (10 * power) for power in range(1_000))
    assert dumps(value) == (sign + digits).encode()
    with pytest.raises(JsonError) as caught:
        loads(f'{{"n": {sign}{digits}0}}')
    assert str(caught.value) == "1:7: an integer of 10,001 digits; 10,000 are the most (at /n)"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_ten_thousand_levels_come_through(opening: str, closing: str) -> None:
    """Depth is no trouble, and what is written for it is what was read; one level more is a clear error."""
    text = opening * 9_999 + "[]" + closing * 9_999

    value = loads(text)

    assert dumps(value) == text.encode()
    assert same(value, loads(text))
    with pytest.raises(JsonError) as caught:
        loads(opening + text + closing)
    assert caught.value.problem == "nested deeper than 10,000 levels"
    assert (caught.value.line, caught.value.column) == (1, len(opening) * 10_000 + 1)


def test_depth_without_an_end_is_an_error_too() -> None:
    """A hostile text of nothing but brackets is told like any other, at once."""
    with pytest.raises(JsonError) as caught:
        loads(b"[" * 1_000_000)

    assert str(caught.value) == "1:10001: nested deeper than 10,000 levels"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"a": [1,\n  {"b/c": NaN}]}', "2:11: NaN is no JSON value (at /a/1/b~1c)"),
        ("[-Infinity]", "1:2: -Infinity is no JSON value (at /0)"),
        ('{"t": 1e400}', "1:7: a number beyond the range of a double (at /t)"),
        ('{"t":{"u":[-1E+0400]}}', "1:12: a number beyond the range of a double (at /t/u/0)"),
        ("9" * 400 + ".5", "1:1: a number beyond the range of a double"),
        ('{"a": 1, "b": {"c": 1, "\\u0063": 1}}', "1:24: duplicate key (at /b/c)"),
        ('{"":0,"":0}', "1:7: duplicate key (at /)"),
        ('{"a":1} {"a":2}', "1:9: more text after the end of the value"),
        ("", "1:1: there is no JSON here: the text is empty"),
        (" \n", "2:1: there is no JSON here: the text is empty"),
        ('{"é": "서울", oops}', "1:13: a member name in double quotes should stand here"),
        ("[1,]", "1:4: a value should stand here (at /1)"),
        ("[1 2]", "1:4: a comma or ] should stand here"),
        ("[1}", "1:3: a comma or ] should stand here"),
        ('{"a" 1}', "1:6: a colon should stand here (at /a)"),
        ('{"a"', "1:5: the text ends where a colon should stand (at /a)"),
        ('{"a": {"b": [1', "1:15: the text ends where a comma or ] should stand (at /a/b)"),
        ('{"a": "tor', "1:7: the string that begins here has no end (at /a)"),
        ('["a\nb"]', "1:4: a control character inside a string must be escaped (at /0)"),
        ('["\\q"]', "1:3: no escape that JSON knows (at /0)"),
        ("[None]", "1:2: None is no JSON value (at /0)"),
        ("[01]", "1:2: 01 is no JSON value (at /0)"),
        ("['a']", "1:2: a value should stand here (at /0)"),
    ],
)
def test_trouble_names_its_place(text: str, error: str) -> None:
    """Line and column, in characters from 1, and the path of the value that is wrong."""
    with pytest.raises(JsonError) as caught:
        loads(text.encode())
    with pytest.raises(JsonError) as caught_in_text:
        loads(text)

    assert str(caught.value) == error
    assert str(caught_in_text.value) == error


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b'{"a": ["\xc3\xa9", "x\xff"]}', "1:15: byte 0xff is not UTF-8 (at /a/1)"),
        (b'["\xed\xa0\xbd"]', "1:3: byte 0xed is not UTF-8 (at /0)"),
        (b"[1]\n\xc3", "2:1: byte 0xc3 is not UTF-8"),
        (b"\xff\xfe[\x00", "1:1: byte 0xff is not UTF-8"),
    ],
)
def test_bytes_that_are_no_text_are_trouble(data: bytes, error: str) -> None:
    """The first byte that is wrong is named, with its place and the path of its value."""
    with pytest.raises(JsonError) as caught:
        loads(data)

    assert str(caught.value) == error


def test_a_lenient_reading_keeps_and_counts() -> None:
    """Non-finite numbers are kept as such, of several members the last; both are counted."""
    left_out = LeftOut()

    value = loads(
        '{"a": [NaN, Infinity, -Infinity], "b": 1, "b": 2, "b": {"c": 1, "c": 2}}', left_out=left_out
    )

    assert dumps(value) == b'{"a":[NaN,Infinity,-Infinity],"b":{"c":2}}'
    assert isinstance(value, dict)
    assert isinstance(value["a"], list)
    assert [type(item) for item in value["a"]] == [NonFinite] * 3
    assert left_out == LeftOut(non_finite=3, duplicate_keys=3)


def test_a_lenient_reading_is_the_same_at_any_depth() -> None:
    """The step-by-step way keeps and counts like the other."""
    left_out = LeftOut()

    value = loads("[" * 5_000 + '{"a": NaN, "a": 1}' + "]" * 5_000, left_out=left_out)

    assert dumps(value) == b"[" * 5_000 + b'{"a":1}' + b"]" * 5_000
    assert left_out == LeftOut(non_finite=1, duplicate_keys=1)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2, "b": NaN, "c": oops}', '{"a": NaN, "b": 1e400}'])
def test_what_stays_trouble_counts_nothing(text: str) -> None:
    """A lenient reading that fails has kept nothing; a decimal out of range is no kept value either."""
    left_out = LeftOut()

    with pytest.raises(JsonError):
        loads(text, left_out=left_out)

    assert left_out == LeftOut()


@given(st.lists(st.sampled_from(TOKENS) | st.text(max_size=3), max_size=12).map("".join))
@settings(max_examples=300)
def test_any_text_is_read_as_the_standard_library_reads_it(text: str) -> None:
    """Either both read the same value, or both refuse; trouble is a JsonError and nothing else."""
    assert_read_alike(text.encode(errors="surrogatepass"))


@given(st.data())
@settings(max_examples=300)
def test_a_mutated_line_is_read_as_the_standard_library_reads_it(data: st.DataObject) -> None:
    """A real-looking line with pieces replaced, cut out or doubled gives the same value or trouble."""
    line = bytearray(LINE)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(line)))
        end = start + data.draw(st.integers(0, 12))
        piece = data.draw(
            st.sampled_from([token.encode() for token in TOKENS])
            | st.binary(max_size=3)
            | st.just(bytes(line[start:end]) * 2)
            | st.just(b"")
        )
        line[start:end] = piece

    assert_read_alike(bytes(line))


@given(st.binary(max_size=40))
def test_random_bytes_are_read_as_the_standard_library_reads_them(data: bytes) -> None:
    """No bytes make anything but a value or a JsonError."""
    assert_read_alike(data)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["{!r}", "{:.20e}", "{:.25f}", "{:.3G}"]),
)
def test_decimals_are_the_nearest_doubles(number: float, spelling: str) -> None:
    """However a decimal is spelled, it is the double that Python makes of it."""
    text = spelling.format(number)
    text = text if "." in text or "e" in text.lower() else text + ".0"
    assume(isfinite(float(text)))  # rounding up may leave their range

    assert same(loads(text), float(text))


@given(values())
@settings(max_examples=300)
def test_what_is_written_reads_back_the_same(value: JsonValue) -> None:
    """Every JSON value survives the way out and back, compact or indented, sorted or not."""
    for sort_keys in (False, True):
        for indent in (False, True):
            text = dumps(value, sort_keys=sort_keys, indent=indent)

            assert same(loads(text), value)


@given(values(), st.data())
def test_a_sorted_text_does_not_depend_on_the_order_of_members(value: JsonValue, data: st.DataObject) -> None:
    """Two values that are the same are written as the same bytes when sorted."""
    other = shuffled(value, data)

    assert same(value, other)
    assert dumps(other, sort_keys=True) == dumps(value, sort_keys=True)


@given(values(), values())
def test_same_means_the_same_sorted_text(a: JsonValue, b: JsonValue) -> None:
    """What is written tells all that `same` compares: type, sign of zero, every digit."""
    assert same(a, b) == (dumps(a, sort_keys=True) == dumps(b, sort_keys=True))
    assert same(a, loads(dumps(a)))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (True, 1, False),
        (1, 1.0, False),
        (0, False, False),
        (0.0, -0.0, False),
        ("1", 1, False),
        (None, False, False),
        ([], {}, False),
        ([[1]], [[True]], False),
        ({"a": 1, "b": [2.0]}, {"b": [2.0], "a": 1}, True),
        ({"a": None}, {}, False),
        ({"a": None}, {"b": None}, False),
        ([1, 2], [1], False),
        (2**70, 2**70, True),
        (NonFinite("nan"), NonFinite("nan"), True),
        (NonFinite("inf"), NonFinite("-inf"), False),
        (NonFinite("nan"), None, False),
    ],
)
def test_same_is_exact_about_types(a: JsonValue, b: JsonValue, expected: bool) -> None:
    """Neither bool nor float is an integer, zero has a sign, and order counts in arrays only."""
    assert same(a, b) is expected
    assert same(b, a) is expected
    assert same({"x": [a]}, {"x": [b]}) is expected


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    "value",
    [
        object(),
        b"bytes",
        {1, 2},
        Decimal(1),
        {1: "a"},
        {None: "a"},
        {"a": 1, 2: "b"},
        float("nan"),
        [None, {"a": float("inf")}],
        {"a": [2**70, float("-inf")]},
        ["\ud83d", object()],
        {"\ud83d": 1, 2: "b"},
    ],
)
@pytest.mark.parametrize("sort_keys", [False, True])
def test_what_is_no_json_value_is_not_written(value: object, sort_keys: bool) -> None:
    """A TypeError, whichever way the rest of the value would go; never a null in place of a number."""
    with pytest.raises(TypeError):
        dumps(value, sort_keys=sort_keys)


def test_a_value_that_holds_itself_is_not_written() -> None:
    """It would have no end; the same value twice in one place after the other is no trouble."""
    loop: list[Any] = [2**70]
    loop.append({"a": loop})

    with pytest.raises(TypeError, match="holds itself"):
        dumps(loop)

    assert dumps([shared := [2**70], shared]) == b"[[%d],[%d]]" % (2**70, 2**70)


def test_an_enum_beside_null_is_written_as_its_text() -> None:
    """Looking whether a null stands for a number stops at what is no JSON value of its own."""
    assert dumps({"a": None, "b": Colour.RED}) == b'{"a":null,"b":"red"}'


def assert_read_alike(data: bytes) -> None:
    try:
        expected = by_the_standard_library(data)
    except (ValueError, KeyError):
        with pytest.raises(JsonError):
            loads(data)
    else:
        assert same(loads(data), expected)


def by_the_standard_library(data: bytes) -> Any:
    """What the standard library reads, told to refuse what it would take in silence."""

    def refuse(_: str) -> None:
        raise ValueError

    def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    def finite(text: str) -> float:
        if abs(value := float(text)) == float("inf"):
            raise ValueError
        return value

    text = data.decode("utf-8-sig")
    return json.loads(text, parse_constant=refuse, parse_float=finite, object_pairs_hook=once_each)


def shuffled(value: JsonValue, data: st.DataObject) -> JsonValue:
    if isinstance(value, dict):
        names = data.draw(st.permutations(list(value)))
        return {name: shuffled(value[name], data) for name in names}
    if isinstance(value, list):
        return [shuffled(item, data) for item in value]
    return value


@pytest.fixture
def narrow_python() -> Iterator[None]:
    """A Python that converts no more than 640 digits at once, which is as few as it can be set to."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    yield
    sys.set_int_max_str_digits(before)
