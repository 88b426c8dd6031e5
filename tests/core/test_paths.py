"""Paths: as text and as JSON Pointers, patterns over them, and what is taken out or replaced."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from amberfork_cli.core.jsontext import dumps, same
from amberfork_cli.core.paths import (
    Path,
    PathPattern,
    Replacement,
    from_pointer,
    path_of,
    replaced,
    resolve,
    to_pointer,
    to_text,
    without,
)
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import OptionError

NAMES = ("a", "b", "c-d", "é", "a.b", "", "0", "*", "**", '"', "[0]", "/", "~", "\n", "\ud83d")


def values() -> st.SearchStrategy[Any]:
    """Objects and arrays of few names, so that patterns meet them."""
    return st.recursive(
        st.sampled_from([None, 1, "x"]),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
        ),
        max_leaves=12,
    )


def pattern_steps() -> st.SearchStrategy[list[str]]:
    """The steps of a pattern as a user writes them, wildcards among them."""
    steps = st.sampled_from(["*", "**", "[*]", "[0]", "[1]", "a", "b", '["a.b"]', '["0"]'])
    return st.lists(steps, min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("path", "text", "pointer"),
    [
        ((), "", ""),
        (("a", "b", 0), "a.b[0]", "/a/b/0"),
        ((0, 12, "a"), "[0][12].a", "/0/12/a"),
        (("tool_calls", "x-api-key"), "tool_calls.x-api-key", "/tool_calls/x-api-key"),
        (("이름", "größe", "नाम"), "이름.größe.नाम", "/이름/größe/नाम"),
        (('with \n "quotes"',), '["with \\n \\"quotes\\""]', '/with \n "quotes"'),
        (("a", "", "b"), 'a[""].b', "/a//b"),
        (("a.b", "c d", "0"), '["a.b"]["c d"]["0"]', "/a.b/c d/0"),
        (("-x", "*", "a[0]"), '["-x"]["*"]["a[0]"]', "/-x/*/a[0]"),
        (("a/b", "m~n", "~1"), '["a/b"]["m~n"]["~1"]', "/a~1b/m~0n/~01"),
        (("\\", "\t\x00"), '["\\\\"]["\\t\\u0000"]', "/\\/\t\x00"),
    ],
)
def test_a_path_as_text_and_as_pointer(path: Path, text: str, pointer: str) -> None:
    """People see names and indices on one line, machines a JSON Pointer."""
    assert to_text(path) == text
    assert to_pointer(path) == pointer


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("\x1b[2J", '["\\u001b[2J"]'),
        ("a\u202eb", '["a\\u202eb"]'),
        ("a\u200bb", '["a\\u200bb"]'),
        ("a\u00a0b", '["a\\u00a0b"]'),
        ("a\u2028b", '["a\\u2028b"]'),
        ("a\u3164", '["a\\u3164"]'),
        ("\U000e0041", '["\\udb40\\udc41"]'),
        ("\ud83d", '["\\ud83d"]'),
        ("👩\u200d👧", '["👩\u200d👧"]'),
        ("❤\ufe0f", '["❤\ufe0f"]'),
    ],
)
def test_what_would_not_be_seen_is_escaped(name: str, text: str) -> None:
    """Control characters can drive no terminal, and no name looks like another; joined emoji stay whole."""
    assert to_text((name,)) == text


def test_a_chain_stands_for_the_path_that_was_walked() -> None:
    """Outermost first; no chain is the path to the whole."""
    assert path_of(((None, "messages"), 0)) == ("messages", 0)
    assert path_of(None) == ()


@given(st.lists(st.text(max_size=4) | st.sampled_from(NAMES)))
def test_a_pointer_leads_back_to_its_names(names: list[str]) -> None:
    """Every name comes back, whatever is in it."""
    assert from_pointer(to_pointer(names)) == tuple(names)


@pytest.mark.parametrize(
    ("pointer", "error"),
    [
        ("a/b", "path 'a/b', character 1: a JSON Pointer begins with /"),
        ("/a/~2", "path '/a/~2', character 4: ~ must be followed by 0 or 1"),
        ("/~", "path '/~', character 2: ~ must be followed by 0 or 1"),
    ],
)
def test_what_is_no_pointer_is_named(pointer: str, error: str) -> None:
    """The text, the place and the rule that it breaks."""
    with pytest.raises(OptionError) as caught:
        from_pointer(pointer)

    assert str(caught.value) == error


def test_a_path_leads_to_its_value() -> None:
    """An index may be text, as it is in a JSON Pointer; the empty path is the value itself."""
    value: JsonValue = {"a": [{"0": "name"}, None], "": {"b": False}}

    assert resolve(value, ()) is value
    assert resolve(value, ("a", 0, "0")) == "name"
    assert resolve(value, from_pointer("/a/0/0")) == "name"
    assert resolve(value, ("a", 1)) is None
    assert resolve(value, ("", "b")) is False


@pytest.mark.parametrize(
    "path",
    [
        ("b",),
        ("a", 2),
        ("a", "2"),
        ("a", -1),
        ("a", "-"),
        ("a", "01"),
        ("a", "x"),
        ("a", 0, "x"),
        (0,),
        ("a", True),
    ],
)
def test_a_path_that_leads_nowhere_is_a_lookup_error(path: Path) -> None:
    """Missing names, indices out of range or from the end, and steps into what has no inside."""
    with pytest.raises(LookupError):
        resolve({"a": ["x", "y"]}, path)


@given(values(), st.data())
def test_the_text_of_a_path_is_a_pattern_for_it_alone(value: JsonValue, data: st.DataObject) -> None:
    """What is shown for a difference can be given to --ignore."""
    assume(paths(value))
    path = data.draw(st.sampled_from(paths(value)))

    result, count = without(value, [PathPattern.parse(to_text(path))])

    assert count == 1
    assert same(result, cut(value, {path}))


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("a", {"m": [{"id": 1, "x": 2}, {"id": 3}], "o": {"id": {"id": 4}}}),
        ("m[0]", {"m": [{"id": 3}], "o": {"id": {"id": 4}}, "a": 0}),
        ("m[*].id", {"m": [{"x": 2}, {}], "o": {"id": {"id": 4}}, "a": 0}),
        ("*.id", {"m": [{"id": 1, "x": 2}, {"id": 3}], "o": {}, "a": 0}),
        ("**.id", {"m": [{"x": 2}, {}], "o": {}, "a": 0}),
        ("**[1]", {"m": [{"id": 1, "x": 2}], "o": {"id": {"id": 4}}, "a": 0}),
        ("o.**", {"m": [{"id": 1, "x": 2}, {"id": 3}], "o": {}, "a": 0}),
        ("o.**.id.id", {"m": [{"id": 1, "x": 2}, {"id": 3}], "o": {"id": {}}, "a": 0}),
        ("*", {}),
        ("[*]", {"m": [{"id": 1, "x": 2}, {"id": 3}], "o": {"id": {"id": 4}}, "a": 0}),
        ("/m/1/id", {"m": [{"id": 1, "x": 2}, {}], "o": {"id": {"id": 4}}, "a": 0}),
        ('["o"]["id"]', {"m": [{"id": 1, "x": 2}, {"id": 3}], "o": {}, "a": 0}),
        ("m[2].id", {"m": [{"id": 1, "x": 2}, {"id": 3}], "o": {"id": {"id": 4}}, "a": 0}),
    ],
)
def test_a_pattern_takes_out_what_it_matches(pattern: str, left: JsonValue) -> None:
    """Names, items, any of either, any number of steps, and JSON Pointers."""
    value: JsonValue = {"m": [{"id": 1, "x": 2}, {"id": 3}], "o": {"id": {"id": 4}}, "a": 0}

    result, _ = without(value, [PathPattern.parse(pattern)])

    assert result == left


def test_a_pointer_step_of_digits_is_a_name_too() -> None:
    """A JSON Pointer does not say whether it means an item or a member of that name; wildcards are names."""
    patterns = [PathPattern.parse(pointer) for pointer in ("/a/0", "/*", "/")]

    result, count = without({"a": {"0": 1, "1": 2}, "*": 3, "": 4, "b": 5}, patterns)

    assert (result, count) == ({"a": {"1": 2}, "b": 5}, 3)


def test_patterns_see_the_value_as_it_was() -> None:
    """Two items are taken out by their own indices; what stands behind them moves up afterwards."""
    patterns = [PathPattern.parse(text) for text in ("[0]", "[2]", "[*].x")]

    result, count = without([{"x": 0}, {"x": 1, "y": 1}, {"x": 2}, 3], patterns)

    assert (result, count) == ([{"y": 1}, 3], 3)


@given(values(), st.lists(pattern_steps(), max_size=3))
@settings(max_examples=250)
def test_one_walk_takes_out_what_a_plain_search_would(value: JsonValue, patterns: list[list[str]]) -> None:
    """All patterns at once give what testing every path against every pattern gives."""
    parsed = [PathPattern.parse(".".join(steps).replace(".[", "[")) for steps in patterns]
    gone = {path for path in paths(value) if any(matches(steps, path) for steps in patterns)}
    outermost = {path for path in gone if not any(path[:end] in gone for end in range(len(path)))}
    before = copy.deepcopy(value)

    result, count = without(value, parsed)

    assert same(result, cut(value, outermost))
    assert count == len(outermost)
    assert same(value, before)
    assert (result is value) is (count == 0)


@pytest.mark.parametrize("value", [None, "text", 5])
def test_a_value_without_an_inside_stays(value: JsonValue) -> None:
    """There is nothing in it to take out."""
    assert without(value, [PathPattern.parse("**")]) == (value, 0)


def test_what_has_not_changed_is_shared() -> None:
    """Only the containers on the way to a change are new."""
    value: dict[str, Any] = {"a": {"x": 1, "y": ["long"]}, "b": ["long"]}

    result, _ = without(value, [PathPattern.parse("a.x")])

    assert isinstance(result, dict)
    assert result == {"a": {"y": ["long"]}, "b": ["long"]}
    assert result["b"] is value["b"]
    assert result["a"]["y"] is value["a"]["y"]  # type: ignore[call-overload, index]


def test_what_no_pattern_can_reach_is_not_looked_into() -> None:
    """A pattern of names costs nothing in the rest of a long body."""

    class Unread(dict[str, Any]):
        def items(self) -> Any:
            raise AssertionError

        def __contains__(self, _: object) -> bool:
            raise AssertionError

    value: dict[str, Any] = {"a": {"b": 1}, "c": Unread(x=1), "d": [Unread(x=1)]}

    result, _ = without(value, [PathPattern.parse("a.b"), PathPattern.parse("d[1].x")])

    assert isinstance(result, dict)
    assert result["a"] == {}


def test_no_depth_is_too_deep() -> None:
    """Ten thousand levels are walked and rebuilt without recursion, and taken out at the bottom."""
    value: JsonValue = {"id": 1, "text": "x"}
    for _ in range(5_000):
        value = {"a": [value]}

    bare, removed = without(value, [PathPattern.parse("**.id")])
    final, made = replaced(bare, [Replacement.parse("x", "y")])

    assert (removed, made) == (1, 1)
    assert dumps(final) == b'{"a":[' * 5_000 + b'{"text":"y"}' + b"]}" * 5_000


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "path '', character 1: a member name should stand here"),
        ("a..b", "path 'a..b', character 3: a member name should stand here"),
        ("a.", "path 'a.', character 3: a member name should stand here"),
        (".a", "path '.a', character 1: a member name should stand here"),
        ("a]", "path 'a]', character 2: . or [ should stand here"),
        ("a[0]b", "path 'a[0]b', character 5: . or [ should stand here"),
        ("a[-1]", "path 'a[-1]', character 2: brackets hold an index, * or a name in double quotes"),
        ("a[01]", "path 'a[01]', character 2: brackets hold an index, * or a name in double quotes"),
        ("a[b]", "path 'a[b]', character 2: brackets hold an index, * or a name in double quotes"),
        ("a[", "path 'a[', character 2: brackets hold an index, * or a name in double quotes"),
        ("a*", "path 'a*', character 2: * is a whole name; a name that holds one is written [\"…\"]"),
        ("***", "path '***', character 3: * is a whole name; a name that holds one is written [\"…\"]"),
        ("**a", "path '**a', character 3: . or [ should stand here"),
        ('a["b', "path 'a[\"b', character 3: no name in double quotes as JSON has them"),
        ('a["b"', "path 'a[\"b\"', character 6: ] should stand here"),
        ('["a\\x"]', "path '[\"a\\\\x\"]', character 4: no name in double quotes as JSON has them"),
        ("/a~b", "path '/a~b', character 3: ~ must be followed by 0 or 1"),
    ],
)
def test_a_malformed_pattern_says_what_is_wrong_and_where(text: str, error: str) -> None:
    """The option's own text, the character and the rule."""
    with pytest.raises(OptionError) as caught:
        PathPattern.parse(text)

    assert str(caught.value) == error


@given(st.text(alphabet='ab.*[]0"\\/~', max_size=8))
@settings(max_examples=200)
def test_any_text_is_a_pattern_or_an_option_error(text: str) -> None:
    """No text fails in another way, and every pattern can be used."""
    try:
        pattern = PathPattern.parse(text)
    except OptionError:
        return

    result, count = without({"a": [{"b": 0}]}, [pattern])

    assert (count > 0) is (result != {"a": [{"b": 0}]})


def test_replacements_are_made_in_texts_one_after_the_other() -> None:
    """In every text at any place, in no name; each sees what the one before it made."""
    value: JsonValue = {
        "date": "2025-01-02",
        "x": ["on 2025-01-02 and 2025-01-03", 20250102, None, {"y": "z"}],
    }
    before = copy.deepcopy(value)
    replacements = [Replacement.parse(r"(\d{4})-\d\d-\d\d", r"<\1>"), Replacement.parse("<2025>", "DATE")]

    result, count = replaced(value, replacements)

    assert result == {"date": "DATE", "x": ["on DATE and DATE", 20250102, None, {"y": "z"}]}
    assert count == 6
    assert value == before
    assert isinstance(result, dict)
    assert result["x"][3] is value["x"][3]  # type: ignore[index, call-overload]


def test_a_text_on_its_own_is_replaced_in() -> None:
    """A body may be nothing but a text."""
    assert replaced("a-a", [Replacement.parse("a", "b")]) == ("b-b", 2)
    assert replaced(None, [Replacement.parse("a", "b")]) == (None, 0)


def test_without_a_match_the_value_is_given_back_itself() -> None:
    """Nothing is copied for nothing, not even where a text is replaced by itself."""
    value: JsonValue = {"a": ["b", {"c": "d"}]}

    assert replaced(value, [Replacement.parse("x", "y")]) == (value, 0)
    assert replaced(value, [])[0] is value
    assert replaced(value, [Replacement.parse("b", "b")])[0] is value


@pytest.mark.parametrize(
    ("regex", "text", "error"),
    [
        ("a(", "b", "cannot replace 'a(' by 'b': missing ), unterminated subpattern at position 1"),
        ("a", r"\1", r"cannot replace 'a' by '\\1': invalid group reference 1 at position 1"),
        ("(a)", r"\g<no>", r"cannot replace '(a)' by '\\g<no>': unknown group name 'no'"),
        ("a", r"\q", r"cannot replace 'a' by '\\q': bad escape \q at position 0"),
        ("a{99999999999}", "b", "cannot replace 'a{99999999999}' by 'b': the repetition number is too large"),
        ("(" * 5_000 + ")" * 5_000, "b", None),
    ],
)
def test_a_replacement_that_cannot_be_made_is_an_option_error(
    regex: str, text: str, error: str | None
) -> None:
    """Found when the option is read, not at the first text that matches."""
    with pytest.raises(OptionError) as caught:
        Replacement.parse(regex, text)

    assert error is None or str(caught.value) == error


def paths(value: JsonValue) -> list[Path]:
    """Every path into a value but the empty one."""

    def under(value: JsonValue, path: Path) -> Iterator[Path]:
        entries = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for step, child in entries:
            yield (*path, step)
            yield from under(child, (*path, step))

    return list(under(value, ()))


def matches(steps: list[str], path: Path) -> bool:
    """Whether a path is one that the steps mean, tried in every way."""
    if not steps:
        return not path
    if steps == ["**"]:
        return len(path) > 0
    if steps[0] == "**":
        return any(matches(steps[1:], path[start:]) for start in range(len(path) + 1))
    return bool(path) and meets(steps[0], path[0]) and matches(steps[1:], path[1:])


def meets(text: str, step: str | int) -> bool:
    if isinstance(step, int):
        return text in ("[*]", f"[{step}]")
    return text in ("*", f'["{step}"]') or (text == step and step.isalpha())


def cut(value: JsonValue, gone: set[Path], at: Path = ()) -> JsonValue:
    """A copy without what stands at the paths."""
    if isinstance(value, dict):
        return {k: cut(v, gone, (*at, k)) for k, v in value.items() if (*at, k) not in gone}
    if isinstance(value, list):
        return [cut(v, gone, (*at, i)) for i, v in enumerate(value) if (*at, i) not in gone]
    return value
