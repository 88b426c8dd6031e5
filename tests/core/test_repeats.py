"""Lines that repeat what lines before them have: read in part, and exactly as if they were read whole."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core import jsontext, repeats
from amberfork_cli.core.repeats import RepeatReader
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError

Json = Any
LONG = "Be careful. " * 120  # longer than what must be equal before a line is looked at


def test_messages_that_a_line_repeats_are_the_same_objects() -> None:
    """What an earlier line gave is given again, not read again."""
    reader = RepeatReader()
    first = _line([LONG, "Hello."])
    second = _line([LONG, "Hello.", "And then?"])

    one, other = reader.loads(first), reader.loads(second)

    assert [_messages(other)[k] is _messages(one)[k] for k in range(2)] == [True, True]
    assert other == jsontext.loads(second)


def test_a_conversation_grows_line_by_line() -> None:
    """Each line is read from the one before it, however many there are."""
    reader = RepeatReader()
    lines = [_line([LONG, *map(str, range(count))]) for count in range(20)]

    values = [reader.loads(line) for line in lines]

    assert values == [jsontext.loads(line) for line in lines]
    assert all(_messages(values[-1])[0] is _messages(value)[0] for value in values[1:])


def test_interleaved_conversations_are_each_read_on() -> None:
    """Several conversations may take turns once each of them was seen to go on."""
    reader = RepeatReader()
    begun = [_line([f"{LONG} {one}", *"ab"[:count]]) for one in range(4) for count in range(3)]
    lines = [_line([f"{LONG} {one}", *"abcdef"[: 3 + count]]) for count in range(4) for one in range(4)]

    values = [reader.loads(line) for line in (*begun, *lines)]

    assert values == [jsontext.loads(line) for line in (*begun, *lines)]
    assert _messages(values[-1])[0] is _messages(values[-5])[0]


def test_another_conversation_shares_what_stands_around_its_messages() -> None:
    """Tools and settings are read once for all that have them, before the messages or behind."""
    reader = RepeatReader()
    tools = [{"name": f"tool {number}", "description": LONG} for number in range(3)]
    histories: list[list[str]] = [[LONG, "a"], [LONG, "a", "b"], ["Hello."]]
    bodies = [{"tools": tools, "messages": history, "user": LONG} for history in histories]
    lines = [json.dumps({"request": {"body": body}, "id": 1}).encode() for body in bodies]

    *_, before, value = [reader.loads(line) for line in lines]

    assert value == jsontext.loads(lines[-1])
    assert _body(value)["tools"] is _body(before)["tools"]
    assert _body(value)["user"] is _body(before)["user"]


def test_a_first_message_that_is_written_anew_is_the_only_one_that_is_read() -> None:
    """System prompts tell the time."""
    reader = RepeatReader()
    lines = [_line([f"{LONG} It is 10:{20 + count}.", *map(str, range(count + 3))]) for count in range(5)]

    values = [reader.loads(line) for line in lines]

    assert values == [jsontext.loads(line) for line in lines]
    assert all(_messages(values[-1])[k] is _messages(values[1])[k] for k in (1, 2, 3))


def test_messages_before_one_that_changed_are_not_read_again() -> None:
    """Cache hints move on with a conversation, so that the last messages of a line differ in the next."""
    reader = RepeatReader()
    lines = [_line([LONG, *({"n": k, "hint": k > count - 2} for k in range(count))]) for count in range(12)]

    values = [reader.loads(line) for line in lines]

    assert values == [jsontext.loads(line) for line in lines]
    assert all(_messages(values[-1])[k] is _messages(values[-2])[k] for k in range(9))


HOSTILE: dict[str, list[Json]] = {
    "a list of that name elsewhere comes first": [
        {"meta": {"messages": [LONG, "a"]}, "messages": [LONG, "b"]},
        {"messages": [LONG, "a", "c"]},
    ],
    "the mark stands in a message": [
        {"messages": [LONG]},
        {"messages": [LONG, repeats._MARK]},
        {"messages": [repeats._MARK, LONG]},
    ],
    "the mark stands for other messages than those repeated": [
        {"request": {"body": {"messages": [LONG, "a"]}}},
        {"request": {"body": {"messages": [LONG, "a", "b"]}}},
        {"request": {"body": {"messages": [repeats._MARK]}}, "extra": {"messages": [LONG, "a", "b"]}},
    ],
    "the messages stand inside a message": [
        {"messages": [LONG, "a"]},
        {"messages": [{"messages": [LONG, "a"]}]},
        {"input": [{"messages": [LONG, "a"]}], "messages": ["b"]},
    ],
    "the usual tail stands in a message": [
        {"messages": [LONG, "a"], "tools": []},
        {"messages": [LONG, "a", '], "tools": []}'], "tools": []},
        {"messages": [LONG, "a", '], "tools": []}', {"tools": []}], "tools": []},
    ],
    "a history is cut and goes on otherwise": [
        {"messages": [LONG, "a", "b"]},
        {"messages": [LONG, "a"]},
        {"messages": [LONG, "a", "c"]},
        {"messages": [LONG, "ab"]},
    ],
    "a number goes on where one ended": [
        {"messages": [LONG, 1]},
        {"messages": [LONG, 12]},
        {"messages": [LONG, 1.5]},
    ],
    "no messages any more": [{"messages": [LONG]}, {"messages": []}, {"messages": None}, [], 1],
    "members in another order": [
        {"messages": [LONG, "a"], "model": "m"},
        {"model": "m", "messages": [LONG, "a", "b"]},
    ],
    "what stands around messages stands elsewhere": [
        {"tools": [LONG], "messages": [1], "end": [LONG]},
        {"tools": [LONG], "messages": [1, 2], "end": [LONG]},
        {"meta": {"tools": [LONG], "messages": [1, 2, 3], "end": [LONG]}, "messages": [4]},
        {"tools": [LONG], "messages": [{"tools": [LONG], "messages": [1, 2], "end": [LONG]}], "end": [LONG]},
        {"tools": [LONG], "messages": [1, 2], "end": [LONG], "more": [LONG]},
    ],
    "a mark stands behind": [
        {"request": {"body": {"messages": [LONG, 1]}}},
        {"request": {"body": {"messages": [LONG, 1, 2]}}, "x": repeats._MARK},
    ],
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_lines_are_read_as_they_stand(case: str) -> None:
    """Whatever looks like a repetition and is none."""
    reader = RepeatReader()
    lines = [json.dumps(value).encode() for value in HOSTILE[case]]

    values = [reader.loads(line) for line in lines]

    assert list(map(_exactly, values)) == [_exactly(jsontext.loads(line)) for line in lines]


TROUBLE = {
    "a member twice, before and behind": b'{"messages": [%s, 1], "a": 1, "messages": [1]}',
    "nothing before a comma": b'{"messages": [, %s]}',
    "messages twice": b'{"messages": [%s, 1], "messages": [2]}',
    "another member twice": b'{"messages": [%s, 1], "a": 1, "a": 2}',
    "cut": b'{"messages": [%s, 1',
    "cut behind the repetition": b'{"messages": [%s',
    "a comma too many": b'{"messages": [%s,]}',
    "text behind": b'{"messages": [%s]} more',
    "not a number": b'{"messages": [%s, NaN]}',
    "a torn letter": b'{"messages": [%s, "\xff"]}',
}


@pytest.mark.parametrize("case", TROUBLE)
def test_trouble_behind_a_repetition_is_told_where_it_stands(case: str) -> None:
    """A line that is no JSON is that, at the column where it stops being any, whatever it repeats."""
    reader = RepeatReader()
    long = json.dumps(LONG).encode()
    reader.loads(b'{"messages": [%s]}' % long)
    reader.loads(b'{"messages": [%s, 0]}' % long)
    line = TROUBLE[case] % long

    with pytest.raises(JsonError) as raised:
        reader.loads(line)

    with pytest.raises(JsonError) as plainly:
        jsontext.loads(line)
    assert str(raised.value) == str(plainly.value)


def test_a_byte_order_mark_is_no_part_of_the_line() -> None:
    """As when a line is read whole."""
    reader = RepeatReader()
    first, second = _line([LONG]), b"\xef\xbb\xbf" + _line([LONG, "a"])
    reader.loads(first)

    value = reader.loads(second)

    assert value == jsontext.loads(second)


@given(st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_lines_are_read_as_if_each_stood_alone(draw: Random) -> None:
    """Whatever conversations grow, stop, change and take turns, and whatever happened to their lines."""
    reader = RepeatReader()
    lines = list(_lines(draw))

    read = [_read(reader.loads, line) for line in lines]

    assert read == [_read(jsontext.loads, line) for line in lines]


def _line(messages: list[Json]) -> bytes:
    return json.dumps({"request": {"method": "POST", "body": {"model": "m", "messages": messages}}}).encode()


def _messages(value: Json) -> list[Json]:
    found: list[Json] = _body(value)["messages"]
    return found


def _body(value: Json) -> dict[str, Json]:
    found: dict[str, Json] = value["request"]["body"]
    return found


def _exactly(value: JsonValue) -> str:
    """The value with its types and the order of its members."""
    return repr(value)


def _read(loads: Any, line: bytes) -> str:
    try:
        return _exactly(loads(line))
    except JsonError as error:
        return f"trouble: {error}"


def _lines(draw: Random) -> Iterator[bytes]:
    """Lines of a tape as recorders write them, some of them damaged."""
    name = draw.choice(("messages", "input", "contents"))
    spaces = draw.choice(((",", ":"), (", ", ": ")))
    told, hinted = draw.random() < 0.3, draw.random() < 0.3
    tools = [{"name": "f", "description": LONG * draw.randrange(2)}]
    conversations = [[f"{LONG} {draw.randrange(3)}"] for _ in range(draw.choice((1, 1, 2, 10)))]
    for _ in range(draw.randrange(2, 12)):
        messages: list[Json] = draw.choice(conversations)
        _go_on(messages, draw)
        sent = [f"{messages[0]} {draw.randrange(12)}:00", *messages[1:]] if told else messages
        sent = [*sent[:-2], *({"hint": message} for message in sent[-2:])] if hinted else sent
        line = json.dumps(
            _exchange(name, sent, tools, draw), separators=spaces, ensure_ascii=draw.random() < 0.5
        )
        encoded = line.encode()
        yield _damaged(encoded, draw) if draw.random() < 0.2 else encoded


def _go_on(messages: list[Json], draw: Random) -> None:
    change = draw.random()
    if change < 0.1:
        messages[draw.randrange(len(messages))] = _message(draw)
    elif change < 0.15:
        del messages[draw.randrange(len(messages)) + 1 :]
    messages += [_message(draw) for _ in range(draw.choice((0, 1, 2, 2)))]


def _message(draw: Random) -> Json:
    return draw.choice(
        (
            *(1, 12, 1.5, True, None, "", [], {}, 10**30, [[1], [2]], repeats._MARK, {"c": repeats._MARK}),
            {"role": "tool", "content": 'odd ]}, {"messages":[ \\ " é 東 '},
            {"messages": [draw.randrange(3)], "input": [LONG]},
            {"role": "user", "content": f"{LONG if draw.random() < 0.3 else ''}{draw.randrange(4)}"},
        )
    )


def _exchange(name: str, messages: list[Json], tools: list[Json], draw: Random) -> Json:
    members: list[tuple[str, Json]] = [("model", "m"), (name, list(messages)), ("temperature", 0.5)]
    members.insert(draw.choice((0, 2, 2)), ("tools", tools))
    if draw.random() < 0.2:
        draw.shuffle(members)
    if draw.random() < 0.15:
        other = draw.choice(("messages", "input", "contents"))
        members.insert(draw.randrange(len(members)), (other, [_message(draw)]))
    body = dict(members)
    return draw.choice(
        (
            *[{"request": {"path": "/x", "body": body}, "response": {"status": 200}}] * 6,
            {"response": {"body": {name: list(messages)}}, "request": {"body": body}},
            {"request": {"extra": {"messages": list(messages)}, "body": body}},
            {"request": {"body": {"request": {"body": body}}}},
            body,
        )
    )


def _damaged(line: bytes, draw: Random) -> bytes:
    at, to = sorted(draw.randrange(len(line)) for _ in range(2))
    return draw.choice(
        (
            line[:at],
            line[:at] + line[to:],
            line[:at] + bytes([draw.choice(b'[]{},:"\\0 1e\xff')]) + line[at:],
            line.replace(b'"model"', b'"messages"', 1),
            line.replace(b'"tools"', b'"messages"', 1),
            line.replace(b'"messages":', b'"messages" : '),
            b"\xef\xbb\xbf" + line,
        )
    )
