"""A document that is read item by item gives what reading it whole gives, and refuses what that refuses."""

import itertools
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from amberfork_cli.core.jsontext import loads, same
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError
from amberfork_cli.tapes.jsonitems import JsonItem, JsonItems
from amberfork_cli.tapes.reading import Reading

PATHS = (("log", "entries"), ("items",), ())
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ['"', "\\", "[", "}", ","]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(TEXT, children, max_size=3),
    max_leaves=8,
)
OTHERS = st.dictionaries(st.sampled_from(["a", "log", "version", "entries", '"\\é']), VALUES, max_size=3)
BROKEN = [b"", b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\n", b"1", b"\xff", b"null", b"{},", b" "]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any] | list[Any]:
    """A document that holds a list of items at one of the paths, among other members."""
    items = draw(st.lists(VALUES, max_size=4))
    before, inner, after = draw(OTHERS), draw(OTHERS), draw(OTHERS)
    return draw(
        st.sampled_from(
            [
                items,
                {**before, "items": items, **after},
                {**before, "log": {**inner, "entries": items, **after}},
                {"log": {"other": inner}, "items": items},
            ]
        )
    )


def texts(draw: st.DrawFn) -> bytes:
    """A document as text, in one line or many."""
    indent = draw(st.sampled_from([None, 1]))
    return json.dumps(draw(documents()), indent=indent, ensure_ascii=draw(st.booleans())).encode()


@st.composite
def pieces(draw: st.DrawFn) -> list[bytes]:
    """The text of a document, cut anywhere."""
    return _cut(draw, texts(draw))


@st.composite
def broken_pieces(draw: st.DrawFn) -> list[bytes]:
    """The same, spoilt in a place or two."""
    text = texts(draw)
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(text)))
        end = draw(st.integers(at, min(at + 3, len(text))) | st.just(len(text)))
        text = text[:at] + draw(st.sampled_from(BROKEN)) + text[end:]
    return _cut(draw, text)


def _cut(draw: st.DrawFn, text: bytes) -> list[bytes]:
    places = sorted({0, len(text), *draw(st.lists(st.integers(0, len(text)), max_size=6))})
    return [text[start:end] for start, end in itertools.pairwise(places)]


@given(pieces())
@settings(max_examples=200, deadline=None)
def test_wherever_a_text_is_cut_the_items_are_those_of_the_document(given_pieces: list[bytes]) -> None:
    """And around them is the document with nothing in the list."""
    document: Any = loads(b"".join(given_pieces))
    found, items = _read(given_pieces)
    path = next((path for path in _in_order(document) if isinstance(_at(document, path), list)), None)

    assert items.found == (path is not None)
    if path is None:
        assert same(items.around, document)
        return
    assert [item.value for item in found] == _at(document, path)
    assert [item.pointer for item in found] == [
        "".join(f"/{step}" for step in (*path, index)) for index in range(len(found))
    ]
    _at(document, path).clear()
    assert same(items.around, document)


@given(broken_pieces())
@example([b'{"items": [{"a": ]}, {}]}'])
@example([b'[{}, {"a"'])
@example([b"[1,]"])
@example([b"[,1]"])
@example([b"[1 2]"])
@example([b'{"items": [1], "items": [2]}'])
@example([b'{"items": [1]} x'])
@example([b'{"items" [1]}'])
@settings(max_examples=400, deadline=None)
def test_what_is_no_json_is_refused_in_the_same_place(given_pieces: list[bytes]) -> None:
    """On the same line, whatever is wrong with it."""
    text = b"".join(given_pieces)
    expected = _outcome(lambda: loads(text))

    got = _outcome(lambda: _read(given_pieces))

    assert isinstance(got, JsonError) == isinstance(expected, JsonError)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b'{"items": [{},\n  {"a": 1e400}]}', (2, 9, "/items/1/a")),
        (b'{"items": [{}, {"a"', (1, 20, "/items/1/a")),
        (b'{"items": [{}', (1, 14, "")),
        (b'{"items": [{} {}]}', (1, 15, "")),
        (b'{"items": [{},]}', (1, 15, "/items/1")),
        ('{"é":\n"é", "items": ["é", }'.encode(), (2, 21, "/items/1")),
        (b'{"a": tru, "items": []}', (1, 7, "/a")),
        (b'{"items": [\n1\n], "b": tru}', (3, 9, "/b")),
        (b'{"items": [1,2], "b": tru}', (1, 23, "/b")),
    ],
)
def test_trouble_is_told_with_its_place_in_the_document(text: bytes, where: tuple[int, int, str]) -> None:
    """Before the list, in an item, between two, and behind the list; columns count characters."""
    error = _outcome(lambda: _read([text]))

    assert isinstance(error, JsonError)
    assert (error.line, error.column, error.path) == where


def test_lines_count_in_the_file() -> None:
    """From the number that the first one has."""
    reading = Reading("here")
    items = JsonItems([b'\n{"items": [1,\n\n', b"2]}"], reading, paths=PATHS, begins=5)

    assert [(item.line, item.value) for item in items] == [(6, 1), (8, 2)]


def test_lenient_reading_leaves_out_items_that_are_no_json_and_what_is_cut_off() -> None:
    """And says which."""
    reading = Reading("here", lenient=True)

    found = list(JsonItems([b'[{"a": 1},\n{"a": x},\n{"a": 2},\n{"a"'], reading, paths=PATHS))

    assert [item.value for item in found] == [{"a": 1}, {"a": 2}]
    assert reading.left_out.bad_lines == [(2, "x is no JSON value (at /1/a)")]
    assert reading.left_out.torn_end == (4, "the text ends where a comma should stand")


def test_one_item_is_held_at_a_time() -> None:
    """However long the document is, and whatever its pieces are."""

    def long_document() -> Iterator[bytes]:
        yield b'{"log": {"entries": ['
        for number in range(300):
            yield b'%s{"text": "%s"}' % (b"," if number else b"", b"x\\n" * 10_000)
        yield b"]}}"

    tracemalloc.start()
    try:
        count = sum(1 for _ in JsonItems(long_document(), Reading("here"), paths=PATHS))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 300
    assert peak < 1_000_000


def test_a_document_without_such_a_list_is_read_whole() -> None:
    """It is what stands around nothing."""
    found, items = _read([b'{"log": {"entries"', b': {}}, "items": 1}'])

    assert (found, items.found, items.around) == ([], False, {"log": {"entries": {}}, "items": 1})


def _read(given_pieces: list[bytes]) -> tuple[list[JsonItem], JsonItems]:
    items = JsonItems(given_pieces, Reading("here"), paths=PATHS)
    return list(items), items


def _outcome(read: Any) -> Any:
    try:
        return read()
    except JsonError as error:
        return error


def _in_order(document: JsonValue) -> list[tuple[str, ...]]:
    """The paths in the order in which their lists stand in the document."""
    if not isinstance(document, dict):
        return [()]
    return [path for name in document for path in PATHS if path[:1] == (name,)]


def _at(document: JsonValue, path: tuple[str, ...]) -> Any:
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document
