"""Which history a request goes on with, and that keeping some of another comes to what reading anew does."""

from copy import deepcopy
from functools import partial
from random import Random
from typing import Any, Self

from hypothesis import given, settings
from hypothesis import strategies as st
from odd_bodies import MESSAGES, RESTS

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.histories import Histories, History
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.ids.parts import Part, Parts, read_part
from amberfork_cli.core.ids.threads import Thread
from amberfork_cli.core.tape import JsonValue

Json = Any
NUMBERED: list[Json] = [{"number": number} for number in range(30)]


class Watched(History):
    """The messages that were taken in, and a note of each that was."""

    def __init__(self, name: str, noted: list[Json]) -> None:
        super().__init__(name)
        self.taken: list[Json] = []
        self._noted = noted

    def take(self, message: JsonValue, part: Part) -> None:
        """Take in one more message."""
        self.taken.append(message)
        self._noted.append(message)
        self.weight += len(part.text)

    def renew(self, message: JsonValue, part: Part) -> bool:
        """Take another first message, if it is a text."""
        if part.sites or not isinstance(message, str):
            return False
        self.taken[0] = message
        self._noted.append(message)
        return True

    def copy(self) -> Self:
        """The same messages."""
        twin = type(self)(self.name, self._noted)
        twin.taken = self.taken.copy()
        return twin


def test_messages_that_were_taken_in_are_not_taken_in_again() -> None:
    """A conversation grows, and another one in between changes nothing for it."""
    histories, noted = watched()

    sent: list[list[Json]] = [["a", "b"], ["x"], ["a", "b", "c"], ["x", "y"]]
    for messages in sent:
        assert histories.of("messages", messages).taken == messages

    assert noted == ["a", "b", "x", "c", "y"]


def test_equal_messages_are_known_by_their_text() -> None:
    """A reader need not give the same objects."""
    histories, noted = watched()
    first: list[Json] = [{"role": "user"}, {"role": "assistant"}]

    histories.of("messages", first)
    histories.of("messages", [*deepcopy(first), {"role": "tool"}])
    histories.of("input", deepcopy(first))

    assert noted == [*first, {"role": "tool"}, *first]


def test_the_order_of_members_may_count() -> None:
    """Where messages are written as they came."""
    one: list[Json] = [{"role": "user", "content": "a"}]
    other: list[Json] = [{"content": "a", "role": "user"}]
    taken = []

    for ordered in (False, True):
        noted: list[Json] = []
        histories = Histories(
            Parts(IdRules.ALL), partial(Watched, noted=noted), most_bytes=1 << 20, ordered=ordered
        )
        for messages in (one, other):
            histories.of("messages", messages)
        taken.append(len(noted))

    assert taken == [1, 2]


def test_a_first_message_that_tells_the_time_is_taken_in_alone() -> None:
    """The others are those that were there."""
    histories, noted = watched()
    one, two, three = NUMBERED[:3]

    histories.of("messages", ["It is ten.", one, two])
    found = histories.of("messages", ["It is eleven.", one, two, three])

    assert found.taken == ["It is eleven.", one, two, three]
    assert noted == ["It is ten.", one, two, "It is eleven.", three]


def test_a_first_message_that_means_something_takes_a_look_at_all() -> None:
    """IDs are numbered from the first message on."""
    histories, noted = watched()
    one, two = NUMBERED[:2]

    histories.of("messages", [{"tool_call_id": "a"}, one, two])
    found = histories.of("messages", [{"tool_call_id": "b"}, one, two])

    assert found.taken == [{"tool_call_id": "b"}, one, two]
    assert len(noted) == 6


def test_last_messages_that_change_every_time_are_taken_in_alone() -> None:
    """Hints of what to cache move on with a conversation: what stands before them is kept."""
    histories, noted = watched()

    for count in range(1, 30):
        kept = max(count - 2, 0)
        sent = [*NUMBERED[:kept], *deepcopy(NUMBERED[kept:count])]
        assert histories.of("messages", sent).taken == sent

    assert len(noted) < 120


@given(
    st.randoms(use_true_random=False),
    st.lists(MESSAGES, min_size=6, max_size=12),
    RESTS,
    st.sampled_from(list(IdRules)),
)
@settings(max_examples=150, deadline=None)
def test_a_thread_that_is_found_is_as_one_that_is_read_anew(
    draw: Random, messages: list[Json], rest: Json, rules: IdRules
) -> None:
    """Whatever of it was written anew, cut, or came back: its digest, and what its messages say."""
    parts = Parts(rules)
    histories = Histories(parts, lambda name: Thread(name, rules, {}), most_bytes=draw.choice((60, 1 << 20)))
    around = parts.of(rest, ())
    history = messages[:3]
    for _ in range(8):
        history = changed(history, messages, draw)

        found = histories.of("messages", history)

        anew = Thread("messages", rules, {})
        for message in history:
            anew.take(message, read(message, rules))
        assert found.ended_by(around) == anew.ended_by(around)
        assert found.story() == anew.story()
        assert found.hints == anew.hints
        assert [part.text for part in found.parts] == [part.text for part in anew.parts]


def changed(history: list[Json], messages: list[Json], draw: Random) -> list[Json]:
    """The history as another request has it."""
    match draw.choice(("goes on", "goes on", "first", "last", "cut", "other objects")):
        case "first":
            return [{"role": "system", "content": str(draw.random())}, *history[1:]]
        case "last":
            return [*history[:-1], {"cache_control": {}, "last": deepcopy(history[-1:])}]
        case "cut":
            return history[: draw.randrange(1, len(history) + 1)]
        case "other objects":
            return deepcopy(history)
    return [*history, *draw.choices(messages, k=draw.randrange(1, 3))]


def watched() -> tuple[Histories[Watched], list[Json]]:
    """Histories, and the messages that they take in."""
    noted: list[Json] = []
    parts = Parts(IdRules.ALL)
    return Histories(parts, lambda name: Watched(name, noted), most_bytes=1 << 20), noted


def read(value: Json, rules: IdRules) -> Part:
    """A part of a history as it is read when it is first met."""
    return read_part(value, jsontext.dumps(value, sort_keys=True), at=("messages", 0), rules=rules)
