"""A history that is read message by message comes to the same as one that is read at once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_bodies import MESSAGES, RESTS

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.ids.parts import Part, read_part
from amberfork_cli.core.ids.threads import Ending, Thread, refer_back
from amberfork_cli.core.tape import JsonValue


@given(
    st.lists(MESSAGES, max_size=6), st.lists(RESTS, min_size=6, max_size=6), st.sampled_from(list(IdRules))
)
@settings(max_examples=200, deadline=None)
def test_a_thread_that_grows_ends_like_a_fresh_one(
    messages: list[JsonValue], rests: list[JsonValue], rules: IdRules
) -> None:
    """After each message, whatever the rest of the body was before, and tells the same story."""
    growing = thread([], rules)
    for count, (message, rest) in enumerate(zip(messages, rests, strict=False), start=1):
        growing.take(message, part(message, rules))

        ending = growing.ended_by(part(rest, rules, at=()))

        fresh = thread(messages[:count], rules)
        assert ending == fresh.ended_by(part(rest, rules, at=()))
        assert growing.story() == fresh.story()


@pytest.mark.parametrize(
    ("history", "longer", "does"),
    [
        ([{"a": 1}], [{"a": 1}], True),
        ([{"a": 1}], [{"a": 1}, 2], True),
        ([1], [1, 2], True),
        ([1], [12], False),
        ([1], [1.5], False),
        ([1], [True], False),
        (["a"], ["a,"], False),
        (["a"], ["a", "b"], True),
        ([[1]], [[1], 2], True),
        ([[1]], [[1, 2]], False),
        ([{"a": 1}, 2], [{"a": 1}], False),
        ([], [1], False),
    ],
)
def test_a_history_begins_with_whole_messages_only(
    history: list[JsonValue], longer: list[JsonValue], *, does: bool
) -> None:
    """Text that goes on in the middle of a message is another history."""
    begun = thread(history, IdRules.ALL)

    assert begun.begins(text_of(longer)) is does


def test_a_history_whose_ids_mean_something_else_by_now_is_another() -> None:
    """What the tape explains may change between two requests of the same text."""
    minted: dict[str, tuple[bytes, ...]] = {}
    history: list[JsonValue] = [{"type": "function_call_output", "call_id": "0", "output": "running"}]
    begun = thread(history, IdRules.ALL, minted)

    before = begun.begins(text_of(history)), begun.goes_on(history)
    minted["0"] = (b"first tool_call 0",)
    after = begun.begins(text_of(history)), begun.goes_on(history)

    assert (before, after) == ((True, True), (False, False))


def test_a_history_goes_on_from_the_very_messages_that_were_read() -> None:
    """Others may be equal, but that takes a look at them."""
    one: JsonValue = {"role": "user", "content": "Go."}
    twin: JsonValue = {"role": "user", "content": "Go."}
    begun = thread([one], IdRules.ALL)

    assert [begun.goes_on(history) for history in ([one], [one, twin], [one, one])] == [True] * 3
    assert [begun.goes_on(history) for history in ([twin], [twin, one], [])] == [False] * 3


def test_links_count_from_where_a_message_begins() -> None:
    """So that one turn has the same links wherever it stands; prefixes cover what stood before."""
    turn: list[JsonValue] = [{"type": "function_call", "call_id": "a"}, {"type": "x_output", "call_id": "a"}]
    other: list[JsonValue] = [{"type": "function_call", "call_id": "b"}, {"type": "x_output", "call_id": "b"}]

    twice = thread([*turn, *other], IdRules.ALL)

    story = twice.story()
    assert story.links == [b"c0;", b"c-1;", b"c0;", b"c-1;"]
    assert story.digests[:2] == story.digests[2:]
    assert len(set(story.prefixes)) == 4
    assert thread(other, IdRules.ALL).story().prefixes == story.prefixes[:2]


def test_cache_hints_move_without_a_change_of_what_is_said() -> None:
    """They are no part of the prefix by which one request continues another, but of the digest."""
    plain: JsonValue = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    hinted: JsonValue = {
        "role": "user",
        "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}],
    }
    rest = part({}, IdRules.ALL, at=())

    one, other = (thread([message], IdRules.ALL) for message in (plain, hinted))

    assert one.story() == other.story()
    assert one.ended_by(rest) != other.ended_by(rest)


def test_what_nothing_explains_is_told() -> None:
    """Handles and results without a call, in the messages and in the rest."""
    ending = thread([{"type": "x_output", "call_id": "lost"}], IdRules.ALL).ended_by(
        part({"previous_response_id": "resp_1"}, IdRules.ALL, at=())
    )

    assert isinstance(ending, Ending)
    assert ending.unexplained == {"lost", "resp_1"}


def thread(
    history: list[JsonValue], rules: IdRules, minted: dict[str, tuple[bytes, ...]] | None = None
) -> Thread:
    """A thread that has read that history."""
    made = Thread("messages", rules, {} if minted is None else minted)
    made.text, made.messages = text_of(history), history.copy()
    for message in history:
        made.take(message, part(message, rules))
    return made


def part(value: JsonValue, rules: IdRules, *, at: tuple[str | int, ...] = ("messages", 0)) -> Part:
    """A part of a body as it is read when it is first met."""
    return read_part(value, jsontext.dumps(value, sort_keys=True), at=at, rules=rules)


def text_of(history: list[JsonValue]) -> bytes:
    """The exact JSON of a history without the closing bracket."""
    return jsontext.dumps(history, sort_keys=True)[:-1] if history else b""


def test_links_that_refer_back_are_known_from_those_that_do_not() -> None:
    """A turn that declares what it answers speaks of nothing before it, whatever IDs look like."""
    call, result = {"type": "function_call", "call_id": "c-1;"}, {"type": "x_output", "call_id": "c-1;"}
    history: list[JsonValue] = [call, result, {**call, "call_id": "b"}, {**result, "call_id": "b"}, result]

    links = thread(history, IdRules.ALL).story().links

    assert [refer_back(links[start:]) for start in range(5)] == [False, True, True, True, True]
    assert not refer_back(thread([call, result], IdRules.ALL).story().links)
    assert not refer_back([b"v5:c-1;x;", b"m4:c-9;;"])
