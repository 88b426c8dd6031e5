"""A fresh result is held against the recorded one in every form it may have been recorded in."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.report import MISSING
from amberfork_cli.core.tools.comparison import NOT_RECORDED, Comparison, Status, compare
from amberfork_cli.core.tools.invocation import Invocation, Outcome
from amberfork_cli.core.tools.recorded import Via
from amberfork_cli.core.tools.volatile import Part, Volatile

MARCH = dt.datetime(2024, 3, 1, 10, 0, tzinfo=dt.UTC)
APRIL = dt.datetime(2024, 4, 1, 18, 30, tzinfo=dt.UTC)
UUID_A = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
UUID_B = "7ba7b810-9dad-41d1-80b4-00c04fd430c8"
UUID_C = "8ba7b810-9dad-41d1-80b4-00c04fd430c8"


@dataclasses.dataclass
class Weather:
    city: str
    temp: int


class Token:
    """A thing whose repr holds its address."""


def failed(error: str) -> Invocation:
    """A call that raised."""
    return Invocation(Outcome.FAILED, "f", error=error, duration_ms=1.0)


def status(recorded: Any, fresh: object, **options: Any) -> Status:
    """What became of the call."""
    return compare(recorded, fresh, **options).status


# the forms of a recorded result


@pytest.mark.parametrize(
    ("recorded", "fresh", "via"),
    [
        # OpenAI, Ollama, Mistral: text or text parts
        ("sunny", "sunny", (Via.TEXT,)),
        ("", "", (Via.TEXT,)),
        ("21", 21, (Via.STR,)),
        ("21.5", 21.5, (Via.STR,)),
        ("True", True, (Via.STR,)),
        ("true", True, (Via.JSON,)),
        ("None", None, (Via.STR,)),
        ("null", None, (Via.JSON,)),
        ('"sunny"', "sunny", (Via.JSON,)),
        ('{"temp":21,"city":"Seoul"}', {"city": "Seoul", "temp": 21}, (Via.JSON,)),
        ('{\n  "temp": 21,\n  "city": "Seoul"\n}', {"city": "Seoul", "temp": 21}, (Via.JSON,)),
        ('{"city": "\\uc11c\\uc6b8"}', {"city": "서울"}, (Via.JSON,)),
        ("{'city': 'Seoul', 'temp': None}", {"city": "Seoul", "temp": None}, (Via.LITERAL,)),
        ("[1, 'a', True]", [1, "a", True], (Via.LITERAL,)),
        ("(1, 2)", (1, 2), (Via.STR,)),
        ("(1, 2)", [1, 2], (Via.LITERAL,)),
        ("Weather(city='Seoul', temp=21)", Weather("Seoul", 21), (Via.STR,)),
        ("2024-03-01 10:00:00+00:00", MARCH, (Via.STR,)),
        ("2024-03-01T10:00:00+00:00", MARCH, (Via.TEXT,)),
        ('{"a": NaN}', {"a": float("nan")}, (Via.JSON,)),
        ('{"a": 1}', '{"a": 1}', (Via.TEXT,)),
        ('{"a":1,"b":2}', '{"b": 2, "a": 1}', (Via.JSON, Via.JSON)),
        ([{"type": "text", "text": "sunny"}], "sunny", (Via.PARTS, Via.TEXT)),
        ([{"type": "text", "text": '{"temp":21}'}], {"temp": 21}, (Via.PARTS, Via.JSON)),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb", (Via.PARTS, Via.TEXT)),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab", (Via.PARTS, Via.TEXT)),
        ([{"type": "text", "text": "1"}, {"type": "text", "text": "b"}], [1, "b"], (Via.PARTS,)),
        # the envelope
        ('{"ok":true,"data":{"temp":21},"durationMs":12}', {"temp": 21}, (Via.JSON, Via.UNWRAPPED)),
        ('{"ok":true,"data":null}', None, (Via.JSON, Via.UNWRAPPED)),
        # Responses
        ([{"type": "output_text", "text": "sunny"}], "sunny", (Via.PARTS, Via.TEXT)),
        ([{"type": "input_text", "text": "21"}], 21, (Via.PARTS, Via.STR)),
        # Anthropic
        ([{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}], "x", (Via.PARTS, Via.TEXT)),
        ([], None, (Via.PARTS,)),
        ([], [], (Via.VALUE,)),
        (None, None, (Via.VALUE,)),
        # Bedrock
        ([{"json": {"temp": 21}}], {"temp": 21}, (Via.PARTS, Via.VALUE)),
        ([{"json": 1}, {"json": [2]}], [1, [2]], (Via.PARTS,)),
        ([{"text": "sunny"}], "sunny", (Via.PARTS, Via.TEXT)),
        # Gemini
        ({"result": {"temp": 21}}, {"temp": 21}, (Via.UNWRAPPED, Via.VALUE)),
        ({"output": "sunny"}, "sunny", (Via.UNWRAPPED, Via.TEXT)),
        ({"output": '{"temp": 21}'}, {"temp": 21}, (Via.UNWRAPPED, Via.JSON)),
        ({"result": "21"}, 21, (Via.UNWRAPPED, Via.STR)),
        ({"return_value": ["a"]}, ["a"], (Via.UNWRAPPED, Via.VALUE)),
        ({"result": {"content": [{"type": "text", "text": "x"}], "isError": False}}, "x", None),
        ({"temp": 21}, {"temp": 21}, (Via.VALUE,)),
        ({"temp": 21}, '{"temp": 21}', (Via.VALUE, Via.JSON)),
        ({"error": "none found"}, {"error": "none found"}, (Via.VALUE,)),
        ({"result": 5}, {"result": 5}, (Via.VALUE,)),
        # Cohere
        ([{"type": "document", "document": {"data": {"output": "5"}}}], 5, None),
        ([{"type": "document", "document": {"id": "1", "data": '{"temp": 21}'}}], {"temp": 21}, None),
    ],
)
def test_one_value_is_the_same_in_every_form(
    recorded: Any, fresh: object, via: tuple[Via, ...] | None
) -> None:
    """Whatever a provider and a framework made of it, and the way back is told."""
    comparison = compare(recorded, fresh)

    assert (comparison.status, comparison.good) == (Status.SAME, True)
    assert (comparison.changes, comparison.volatile, comparison.error_then) == ((), (), False)
    assert via is None or comparison.via == via


@pytest.mark.parametrize(
    ("recorded", "fresh"),
    [
        ("1", True),
        ("0", False),
        ("true", 1),
        ("true", "True"),
        ("1", "1.0"),
        ("00123", 123),
        ("00123", "123"),
        ("123", "00123"),
        ("1_000", 1000),
        ("[1_000]", [1000]),
        ("[0x10]", [16]),
        ("['a' 'b']", ["ab"]),
        ('"5"', 5),
        ("5", "5 "),
        ("null", ""),
        ("", None),
        ("None", "null"),
        ("'a'", "a"),
        ("sunny", "Sunny"),
        ("sunny", {"text": "sunny"}),
        ('{"a": 1}', {"a": "1"}),
        ('{"a": 1}', {"a": True}),
        ('{"a": null}', {}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ("[1, 2]", [2, 1]),
        ("[1, 2]", {"0": 1, "1": 2}),
        ("{1, 2}", [2, 1]),
        ([{"json": {"a": "5"}}], {"a": 5}),
        ([{"json": "5"}], 5),
        ([{"json": []}], None),
        ([{"json": [{"text": "x"}]}], "x"),
        ({"result": []}, None),
        ({"result": [{"text": "x"}]}, "x"),
        ({"result": ["x"]}, "x"),
        (["x"], "x"),
        ('[{"type": "text", "text": "x"}]', "x"),
        ({"value": 5}, 5),
        ({"result": 5, "more": 1}, 5),
        ({"result": {"a": "5"}}, {"a": 5}),
        ('{"ok": true, "data": "5"}', 5),
        ('{"ok": true, "data": 5, "note": 1}', 5),
        ('{"return_value": 5}', 5),
        ([{"type": "text", "text": "1"}, {"type": "text", "text": "2"}], [2, 1]),
        ([{"type": "text", "text": "1"}, {"type": "text", "text": "2"}], [1]),
        ([1, 2], [1, 2, 3]),
        ("9007199254740993", 9007199254740992),
        ({"a": 9007199254740993}, {"a": 9007199254740992.0}),
    ],
)
def test_what_is_not_the_same_has_changed(recorded: Any, fresh: object) -> None:
    """No form of one is a form of the other, so it is called changed, and something is shown for it."""
    comparison = compare(recorded, fresh)

    assert (comparison.status, comparison.good) == (Status.CHANGED, False)
    assert comparison.changes != ()
    assert comparison.via == ()


@pytest.mark.parametrize(
    ("recorded", "fresh", "respelled"),
    [
        ("1", 1.0, ((), 1, 1.0)),
        ({"a": [1]}, {"a": [1.0]}, (("a", 0), 1, 1.0)),
        ({"a": 0.0}, {"a": -0.0}, (("a",), 0.0, -0.0)),
        ({"a": '{"b":1}'}, {"a": '{"b": 1}'}, (("a",), '{"b":1}', '{"b": 1}')),
    ],
)
def test_another_spelling_is_the_same_and_shown(
    recorded: Any, fresh: object, respelled: tuple[Any, ...]
) -> None:
    """`1` and `1.0` are one number, and JSON text in a text is what it holds; that they differ is told."""
    comparison = compare(recorded, fresh)

    assert comparison.status is Status.SAME
    assert [repr(part) for part in comparison.respelled] == [repr(Part(*respelled))]


def test_changes_are_told_with_their_places() -> None:
    """Every part that differs, both values, and a member that is missing on one side."""
    comparison = compare(
        '{"a": {"b": [1, 2]}, "gone": null, "same": 0}', {"a": {"b": [1, "2"]}, "same": 0, "new": None}
    )

    assert comparison == Comparison(
        Status.CHANGED,
        then={"a": {"b": [1, 2]}, "gone": None, "same": 0},
        now={"a": {"b": [1, "2"]}, "same": 0, "new": None},
        changes=(
            Part(("a", "b", 1), 2, "2"),
            Part(("gone",), None, MISSING),
            Part(("new",), MISSING, None),
        ),
    )


# what counts for nothing


@pytest.mark.parametrize(
    ("recorded", "fresh", "parts"),
    [
        ({"id": UUID_A}, {"id": UUID_B}, [Part(("id",), UUID_A, UUID_B, Volatile.UUID)]),
        (
            f"order {UUID_A.upper()} for {UUID_A.upper()}",
            f"order {UUID_B} for {UUID_B}",
            [Part((), UUID_A.upper(), UUID_B, Volatile.UUID)] * 2,
        ),
        (
            "<Token object at 0x7f00aa10>",
            "<Token object at 0x7f00bb20>",
            [Part((), "0x7f00aa10", "0x7f00bb20", Volatile.ADDRESS)],
        ),
        ({"durationMs": 12}, {"durationMs": 15.5}, [Part(("durationMs",), 12, 15.5, Volatile.DURATION)]),
        ({"took": "12 ms"}, {"took": "1.5 s"}, [Part(("took",), "12 ms", "1.5 s", Volatile.DURATION)]),
        (
            '{"rows": [1], "elapsed_seconds": 0.5}',
            {"rows": [1], "elapsed_seconds": 0.25},
            [Part(("elapsed_seconds",), 0.5, 0.25, Volatile.DURATION)],
        ),
        (
            {"text": json.dumps({"id": UUID_A, "query_time": 1})},
            {"text": json.dumps({"id": UUID_B, "query_time": 2})},
            [
                Part(("text", "id"), UUID_A, UUID_B, Volatile.UUID),
                Part(("text", "query_time"), 1, 2, Volatile.DURATION),
            ],
        ),
    ],
)
def test_what_is_fresh_by_nature_is_shown_and_no_change(
    recorded: Any, fresh: object, parts: list[Part]
) -> None:
    """IDs, addresses and measured durations are the same but for themselves, with place and both values."""
    comparison = compare(recorded, fresh)

    assert (comparison.status, comparison.good) == (Status.SAME_EXCEPT_VOLATILE, True)
    assert comparison.volatile == tuple(parts)
    assert comparison.changes == ()


def test_an_object_by_its_repr_is_the_same_but_for_its_address() -> None:
    """Two runs of a tool that returns a thing without a JSON form."""
    recorded = repr(Token())

    comparison = compare(recorded, convert_address(recorded))

    assert comparison.status in (Status.SAME, Status.SAME_EXCEPT_VOLATILE)


def convert_address(text: str) -> str:
    return text[:-3] + "fff>"


@pytest.mark.parametrize(
    ("recorded", "fresh"),
    [
        # IDs that were there before, or that no longer mean one thing
        ([UUID_A, UUID_B], [UUID_B, UUID_A]),
        ({"id": UUID_A, "ref": UUID_A}, {"id": UUID_B, "ref": UUID_C}),
        ({"id": UUID_A, "ref": UUID_B}, {"id": UUID_C, "ref": UUID_C}),
        ({"id": UUID_A}, {"id": UUID_B[:-1]}),
        ({"id": UUID_A}, {"id": None}),
        ({"id": UUID_A, "n": 1}, {"id": UUID_B, "n": 2}),
        (f"order {UUID_A}", f"refund {UUID_B}"),
        ("at 0x7f00aa10 and more", "at 0x7f00bb20 and less"),
        ("colour 0xff00aa", "colour 0xff00bb"),
        # numbers that are no measurement
        ({"duration_type": 1}, {"duration_type": 2}),
        ({"max_duration": 1}, {"max_duration": 2}),
        ({"time": 10}, {"time": 12}),
        ({"ms": 10}, {"ms": 12}),
        ({"durationMs": 12}, {"durationMs": None}),
        ({"durationMs": 12}, {"durationMs": True}),
        ({"took": "12 ms"}, {"took": "an hour"}),
        ({"durations": [1]}, {"durations": [2]}),
        ({"timeout_ms": 1}, {"timeout_ms": 2}),
    ],
)
def test_what_only_looks_fresh_has_changed(recorded: Any, fresh: object) -> None:
    """An ID that moved, a colour, a limit: each is data."""
    assert status(recorded, fresh, recorded_at=MARCH, fresh_at=APRIL) is Status.CHANGED


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("2024-03-01T10:00:02Z", "2024-04-01T18:30:01Z"),
        ("2024-03-01T10:00:02.123456+00:00", "2024-04-01T20:30:01+02:00"),
        ("2024-03-01 10:01", "2024-04-01 18:31"),
        ("as of 2024-03-01T09:58:00Z.", "as of 2024-04-01T18:29:00Z."),
        (MARCH.timestamp(), APRIL.timestamp() + 1.5),
        (int(MARCH.timestamp()) * 1000, int(APRIL.timestamp()) * 1000 + 7),
        (int(MARCH.timestamp()) * 10**9, int(APRIL.timestamp()) * 10**9 + 7),
    ],
)
def test_the_time_of_its_own_call_is_no_change(then: Any, now: Any) -> None:
    """Each side lies near the moment at which it was called; without both moments it is a change."""
    recorded, fresh = {"at": then}, {"at": now}

    known = compare(recorded, fresh, recorded_at=MARCH, fresh_at=APRIL)

    assert known.status is Status.SAME_EXCEPT_VOLATILE
    assert [part.kind for part in known.volatile] == [Volatile.TIME]
    assert status(recorded, fresh) is Status.CHANGED
    assert status(recorded, fresh, recorded_at=MARCH) is Status.CHANGED
    assert status(recorded, fresh, fresh_at=APRIL) is Status.CHANGED


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("2024-03-20T08:00:00Z", "2024-04-20T08:00:00Z"),
        ("2024-03-01T10:00:02Z", "2024-04-20T08:00:00Z"),
        ("2024-03-20T08:00:00Z", "2024-04-01T18:30:01Z"),
        ("2024-03-01T18:00:00", "2024-04-01T18:30:00"),
        ("2024-03-01", "2024-04-01"),
        ("2024-02-30T10:00:00Z", "2024-04-01T18:30:00Z"),
        (MARCH.timestamp() + 3_600, APRIL.timestamp()),
        (10, 12),
    ],
)
def test_a_flight_that_moved_has_changed(then: Any, now: Any) -> None:
    """A time that is not of its own call is data: both sides are looked at."""
    assert status({"at": then}, {"at": now}, recorded_at=MARCH, fresh_at=APRIL) is Status.CHANGED


def test_a_time_without_a_zone_is_read_in_the_zone_of_the_call() -> None:
    """Tools write local time; UTC is tried first, and a moment without a zone is in UTC."""
    seoul = dt.timezone(dt.timedelta(hours=9))
    recorded, fresh = {"at": "2024-03-01T19:00:01"}, {"at": "2024-04-01T18:30:01"}

    local = status(recorded, fresh, recorded_at=MARCH.astimezone(seoul), fresh_at=APRIL)
    naive = status(
        recorded, fresh, recorded_at=MARCH.replace(tzinfo=None), fresh_at=APRIL.replace(tzinfo=None)
    )

    assert local is Status.SAME_EXCEPT_VOLATILE
    assert naive is Status.CHANGED


# errors


@pytest.mark.parametrize(
    ("recorded", "error", "options"),
    [
        ("no such city", "ValueError: no such city", {"failed": True}),
        ("ValueError: no such city", "ValueError: no such city", {"failed": True}),
        ([{"type": "text", "text": "no such city"}], "ValueError: no such city", {"failed": True}),
        ({"error": "no such city"}, "ValueError: no such city", {"failed": True}),
        ({"error": "no such city"}, "ValueError: no such city", {}),
        ({"error": {"message": "no such city", "code": 3}}, "ValueError: no such city", {}),
        ('{"ok":false,"error":"ValueError: no such city","durationMs":3}', "ValueError: no such city", {}),
        ("Error: no such city", "ValueError: no such city", {}),
        ("Error executing tool: no such city", "ValueError: no such city", {}),
        ("Error: ValueError('x')\n Please fix your mistakes.", "ValueError: x", {}),
        ("An error occurred while running the tool. Please try again. Error: x", "ValueError: x", {}),
        ("no such city, sorry\n\nFix the errors and try again.", "ModelRetry: no such city, sorry", {}),
        ("no such city", "ValueError: no such city", {}),
        ("KeyError", "KeyError", {"failed": True}),
        (
            f"ValueError: no order {UUID_A}",
            f"ValueError: no order {UUID_B}",
            {"failed": True},
        ),
        ({"result": "Error: no such city"}, "ValueError: no such city", {}),
    ],
)
def test_the_same_error_is_good(recorded: Any, error: str, options: dict[str, Any]) -> None:
    """It failed then and fails now, and says the same, whatever a framework put around it."""
    comparison = compare(recorded, failed(error), **options)

    assert (comparison.status, comparison.good) == (Status.SAME_ERROR, True)
    assert comparison.now == error


@pytest.mark.parametrize(
    ("recorded", "error", "expected"),
    [
        ("no such city", "ValueError: no such town", Status.CHANGED),
        ("ValueError: x is wrong", "ValueError", Status.CHANGED),
        ("ValueError: x is wrong", "ValueError: x", Status.CHANGED),
        ("x is wrong", "KeyError: x", Status.CHANGED),
        ("no such city, or so", "ValueError: no such city", Status.CHANGED),
        ("there is no such city", "ValueError: no such city", Status.CHANGED),
        ("", "ValueError: no such city", Status.CHANGED),
    ],
)
def test_another_error_has_changed(recorded: str, error: str, expected: Status) -> None:
    """Failing is not the same as failing in the same way."""
    comparison = compare(recorded, failed(error), failed=True)

    assert (comparison.status, comparison.good, comparison.error_then) == (expected, False, True)


@pytest.mark.parametrize(
    "recorded", ["sunny", "42", {"temp": 21}, '{"temp": 21}', "0 errors found", None, []]
)
def test_an_answer_then_and_an_error_now(recorded: Any) -> None:
    """The tool answered on the tape and fails now, even where its words are the same."""
    for error in ("ValueError: no such city", "ValueError: 42", "ValueError: sunny", "ValueError"):
        assert status(recorded, failed(error)) is Status.ERROR_NOW


@pytest.mark.parametrize(
    ("recorded", "options"),
    [
        ("no such city", {"failed": True}),
        ("sunny", {"failed": True}),
        ({"error": "no such city"}, {}),
        ({"error": "no such city"}, {"failed": True}),
        ('{"ok":false,"error":"ValueError: x"}', {}),
        ('{"ok":false,"error":"the arguments do not fit","details":[]}', {}),
        ("Error: no such city", {}),
        ("Traceback (most recent call last):\n  …", {}),
        ("2 validation errors:\n…", {}),
        ("KeyError: 'x'", {}),
    ],
)
def test_an_error_then_and_an_answer_now(recorded: Any, options: dict[str, Any]) -> None:
    """The tape says that it failed; it is told that it no longer does, and that is no good."""
    comparison = compare(recorded, "sunny", **options)

    assert (comparison.status, comparison.good, comparison.error_then) == (Status.ERROR_THEN, False, True)


# what never answered


@pytest.mark.parametrize(
    ("outcome", "expected", "good"),
    [
        (Outcome.INVALID, Status.INVALID_ARGUMENTS, False),
        (Outcome.TIMED_OUT, Status.TIMED_OUT, False),
        (Outcome.INTERRUPTED, Status.INTERRUPTED, False),
        (Outcome.UNKNOWN, Status.UNKNOWN_TOOL, False),
        (Outcome.SKIPPED, Status.SKIPPED_SIDE_EFFECT, True),
    ],
)
@pytest.mark.parametrize("recorded", ["sunny", NOT_RECORDED, None])
def test_what_never_answered_is_told_as_such(
    recorded: Any, outcome: Outcome, expected: Status, good: bool
) -> None:
    """Whatever the tape holds."""
    comparison = compare(recorded, Invocation(outcome, "f", error="why"))

    assert (comparison.status, comparison.good) == (expected, good)
    assert (comparison.status.good, comparison.now) == (good, "why")


@pytest.mark.parametrize(
    ("recorded", "options", "good"),
    [
        ("field required", {"failed": True}, True),
        ('{"ok":false,"error":"the arguments do not fit"}', {}, True),
        ("Error: field required", {}, True),
        ("1 validation error for Country", {}, True),
        ("sunny", {}, False),
        (NOT_RECORDED, {}, False),
    ],
)
def test_invalid_arguments_are_good_if_they_were_an_error_then(
    recorded: Any, options: dict[str, Any], good: bool
) -> None:
    """The model wrote nonsense, was told so, and would be told so again."""
    comparison = compare(recorded, Invocation(Outcome.INVALID, "f", error="do not fit"), **options)

    assert (comparison.status, comparison.good) == (Status.INVALID_ARGUMENTS, good)


def test_without_a_recorded_result_there_is_nothing_to_hold_against() -> None:
    """An answer is good, and shown; JSON's null is a recorded result."""
    comparison = compare(NOT_RECORDED, {"temp": 21})

    assert comparison == Comparison(Status.NO_RECORDED_RESULT, None, {"temp": 21})
    assert comparison.good
    assert status(NOT_RECORDED, failed("ValueError: x")) is Status.ERROR_NOW
    assert status(None, {"temp": 21}) is Status.CHANGED


@pytest.mark.parametrize(
    "recorded",
    [
        [{"type": "image", "source": {"data": "AA=="}}],
        [{"type": "text", "text": "see"}, {"type": "image", "source": {}}],
        [{"image": {"format": "png"}}],
        [{"type": "input_file", "file_url": "http://x"}],
        [{"type": "tool_reference", "tool_name": "x"}],
    ],
)
def test_parts_that_are_no_text_cannot_be_compared(recorded: Any) -> None:
    """Images and files are not guessed at; a tool that returns the very same parts is the same."""
    other = compare(recorded, "see")

    assert (other.status, other.good) == (Status.NOT_COMPARABLE, False)
    assert other.note == "the recorded result holds parts that are no text"
    assert status(recorded, copy.deepcopy(recorded)) is Status.SAME


def test_what_json_cannot_hold_cannot_be_compared() -> None:
    """Where the difference lies in what was lost, nobody can say; where it lies elsewhere, it is a change."""
    thing = Token()

    lost = compare({"a": "<another form>", "b": 1}, {"a": thing, "b": 1})
    elsewhere = compare({"a": "<another form>", "b": 1}, {"a": thing, "b": 2})
    text = compare("a Token", thing)
    equal = compare(repr(thing), thing)

    assert (lost.status, lost.note) == (
        Status.NOT_COMPARABLE,
        "the fresh result is not faithful as JSON: /a: a Token by its repr",
    )
    assert elsewhere.status is Status.CHANGED
    assert text.status is Status.NOT_COMPARABLE
    assert (equal.status, equal.note) == (
        Status.SAME,
        "the fresh result is not faithful as JSON: a Token by its repr",
    )


def test_a_list_that_was_cut_is_not_the_whole() -> None:
    """Ten thousand items are not the same as the first ten thousand of more."""
    assert status(list(range(10_000)), iter(range(10_000))) is Status.SAME
    assert status(list(range(10_000)), iter(range(10_001))) is Status.NOT_COMPARABLE


def test_hostile_texts_are_only_texts() -> None:
    """Deep, long or odd recorded text neither raises nor takes for ever."""
    for text in (
        "[" * 100_000,
        "(" * 100_000,
        "{'a': " * 5_000,
        "[1e999999]",
        "{'\\d': 1}",
        "\ud83d",
        "[" + "9" * 5_000 + "]",
    ):
        assert status(text, text) is Status.SAME
        assert status(text, "other") is Status.CHANGED


# laws

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
JSON_VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


def _forms(value: Any) -> Iterator[Any]:
    """The value as providers and frameworks record it."""
    text = value if isinstance(value, str) else jsontext.dumps(value).decode("utf-8")
    spaced = json.dumps(value, indent=2, sort_keys=True)
    yield text
    yield spaced
    yield json.dumps({"ok": True, "data": value, "durationMs": 12})
    yield str(value)
    for part in (text, spaced):
        yield [{"type": "text", "text": part}]
        yield [{"type": "output_text", "text": part}]
        yield [{"text": part}]
        yield {"output": part}
    yield [{"json": value}]
    yield {"result": value}
    yield {"output": value}
    yield [{"type": "document", "document": {"data": {"output": value}}}]
    if isinstance(value, dict):
        yield value


@settings(max_examples=150, deadline=None)
@given(JSON_VALUES)
def test_the_same_value_is_the_same_in_every_form(value: Any) -> None:
    """No form that is known hides that two results are equal."""
    for form in _forms(value):
        comparison = compare(form, copy.deepcopy(value))

        assert comparison.status is Status.SAME, form
        assert comparison.changes == ()


@settings(max_examples=200, deadline=None)
@given(JSON_VALUES, LEAVES, st.randoms(use_true_random=False))
def test_one_changed_leaf_is_a_change_in_every_form(value: Any, leaf: Any, random: Any) -> None:
    """Whatever the form, a value in which one leaf is another is never called the same.

    Left out is what a form cannot tell: a bare value and the text that spells it, one number spelled twice.
    """
    changed = _with_another_leaf(copy.deepcopy(value), leaf, random)
    assume(not _loosely_equal(value, changed))
    assume((value, changed) != ([], None))  # MCP has one form for both

    for form in _forms(value):
        if isinstance(value, (dict, list)) or isinstance(changed, type(value)):
            assert compare(form, changed).status in (Status.CHANGED, Status.ERROR_THEN), form


def _with_another_leaf(value: Any, leaf: Any, random: Any) -> Any:
    if isinstance(value, dict) and value:
        key = random.choice(sorted(value))
        value[key] = _with_another_leaf(value[key], leaf, random)
        return value
    if isinstance(value, list) and value:
        index = random.randrange(len(value))
        value[index] = _with_another_leaf(value[index], leaf, random)
        return value
    return leaf


def _loosely_equal(a: Any, b: Any) -> bool:
    """Equal but for the spelling of numbers; a truth value is no number."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_loosely_equal(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_loosely_equal, a, b))
    return bool(a == b and isinstance(a, bool) is isinstance(b, bool))


@given(JSON_VALUES, JSON_VALUES)
def test_comparing_never_raises(recorded: Any, fresh: Any) -> None:
    """Any content against any value, and only equal values are the same value."""
    comparison = compare(recorded, fresh, recorded_at=MARCH, fresh_at=APRIL)

    assert comparison.status in Status
    if Via.VALUE in comparison.via[:1] and len(comparison.via) == 1:
        assert _loosely_equal(recorded, fresh) or comparison.volatile
