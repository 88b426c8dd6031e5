"""Which exchange continues which."""

from collections.abc import Iterable
from typing import Any

from agent_tapes import MONDAY, Mint, chained_responses, chat
from tape_samples import numbered, post

from amberfork_cli.core.compare.conversation import Turn, turns
from amberfork_cli.core.ids.fingerprint import Sketcher
from amberfork_cli.core.tape import Exchange

Json = Any


def test_each_request_continues_the_one_whose_history_it_begins_with() -> None:
    """One conversation, and each turn adds what its request has more."""
    found = turned(asked(["Q"], ["Q", "a", "r"], ["Q", "a", "r", "b", "s"]))

    assert [(turn.parent, turn.conversation, turn.shared) for turn in found] == [
        (None, 0, 0),
        (0, 0, 1),
        (1, 0, 3),
    ]
    assert [len(turn.added) for turn in found] == [1, 2, 2]


def test_the_longest_history_wins() -> None:
    """A request goes on from the latest state that it knows."""
    found = turned(asked(["Q"], ["Q", "a"], ["Q", "a", "b"]))

    assert found[2].parent == 1


def test_of_equal_histories_the_earliest_that_nothing_continues_is_taken() -> None:
    """Conversations that begin alike are told apart by which of them went on."""
    found = turned(asked(["Q"], ["Q"], ["Q", "a"], ["Q", "b"], ["Q", "c"]))

    assert [turn.parent for turn in found] == [None, None, 0, 1, 1]


def test_interleaved_conversations_are_told_apart() -> None:
    """Each by what it says."""
    found = turned(asked(["P"], ["Q"], ["P", "a"], ["Q", "a"]))

    assert [(turn.parent, turn.conversation) for turn in found] == [(None, 0), (None, 1), (0, 0), (1, 1)]


def test_a_first_message_that_changes_breaks_no_conversation() -> None:
    """A system prompt that tells the time: all but the first message is known."""
    found = turned(asked(["now 1", "Q"], ["now 2", "Q", "a"], ["now 3", "Q", "a", "b"]))

    assert [(turn.parent, turn.shared, turn.renewed) for turn in found] == [
        (None, 0, 0),
        (0, 2, 1),
        (1, 3, 1),
    ]


def test_a_last_message_that_changes_breaks_no_conversation() -> None:
    """A reminder that the next request no longer has."""
    found = turned(asked(["Q", "!1"], ["Q", "a", "!2"], ["Q", "a", "b", "!3"]))

    assert [(turn.parent, turn.shared, turn.renewed) for turn in found] == [
        (None, 0, 0),
        (0, 1, 0),
        (1, 2, 0),
    ]


def test_an_only_message_that_changes_breaks_no_conversation() -> None:
    """Where the next request adds an answer and a reaction to it, and is the same but for its messages."""
    found = turned(asked(["Q !"], ["Q", "a", "r"]))

    assert [(turn.parent, turn.shared) for turn in found] == [(None, 0), (0, 0)]


def test_a_history_put_in_short_is_known_by_its_end() -> None:
    """The last two messages of an exchange that nothing continues yet; all of it may be another."""
    found = turned(asked(["P", "a", "b", "c"], ["short", "b", "c", "d"]))

    assert [(turn.parent, turn.shared, turn.renewed) for turn in found] == [(None, 0, 0), (0, 3, 3)]


def test_requests_that_share_nothing_are_conversations_of_their_own() -> None:
    """Even where they were asked one after the other."""
    found = turned(asked(["P"], ["Q"], ["R", "a"]))

    assert [turn.parent for turn in found] == [None, None, None]


def test_fresh_ids_change_no_turn() -> None:
    """Two issues of one run have the same turns."""
    one, other = (turned(chat(MONDAY, Mint(seed))) for seed in (1, 2))

    assert one == other
    assert [turn.parent for turn in one] == [None, 0, 1, 2, 3, 4, 5]


def test_a_request_that_names_an_earlier_response_continues_its_exchange() -> None:
    """Its history is not in the request."""
    found = turned(chained_responses(MONDAY, Mint(1)))

    assert [(turn.parent, turn.shared, turn.chained) for turn in found] == [
        (None, 0, False),
        *((before, 0, True) for before in range(6)),
    ]


def test_links_that_change_in_the_history_are_noticed() -> None:
    """The same messages whose results answer other calls are not what the parent has."""
    calls = {"role": "assistant", "tool_calls": [{"id": one, "type": "function"} for one in "ab"]}
    results = [{"role": "tool", "tool_call_id": one, "content": one} for one in "ab"]
    crossed = [{"role": "tool", "tool_call_id": other, "content": one} for one, other in ("ab", "ba")]
    question = {"role": "user", "content": "Q"}

    kept = turned(asked([question, calls, *results], [question, calls, *results, "a"]))
    broken = turned(asked([question, calls, *results], [question, calls, *crossed, "a"]))

    assert (kept[1].renewed, broken[1].renewed) == (0, 4)


def asked(*histories: list[Json]) -> list[Exchange]:
    """A request for each history, its messages as they are or words of the user."""
    return numbered(
        post(
            {
                "messages": [
                    {"role": "user", "content": message} if isinstance(message, str) else message
                    for message in history
                ]
            }
        )
        for history in histories
    )


def turned(exchanges: Iterable[Exchange]) -> list[Turn]:
    """The turns of those exchanges."""
    sketcher = Sketcher()
    return turns(map(sketcher.sketch, exchanges))
