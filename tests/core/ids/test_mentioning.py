"""A search for IDs in texts: it finds what a plain look finds, and does not take likeness for it."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_bodies import MESSAGES, ODD_IDS, RESTS

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.ids.linkage import tells
from amberfork_cli.core.ids.mentioning import MentionSearch, as_text
from amberfork_cli.core.ids.parts import Part, read_part
from amberfork_cli.core.tape import JsonValue

TELLING = frozenset(filter(tells, ODD_IDS))


@given(st.lists(MESSAGES, max_size=8), st.lists(RESTS, min_size=9, max_size=9), st.sets(st.integers(0, 8)))
@settings(max_examples=200, deadline=None)
def test_what_a_plain_look_finds_is_found(
    messages: list[JsonValue], rests: list[JsonValue], asked: set[int]
) -> None:
    """In any text, whether the ID comes before it or after it, and in the rest of the body."""
    search = MentionSearch()
    parts: list[Part] = []
    missed = []

    for count, message in enumerate([*messages, "the end"]):
        parts.append(part(message))
        search.take(parts[-1])
        rest = part(rests[count], at=())
        if count in asked and not search.found(rest, TELLING, ()) and mentioned([*parts, rest]):
            missed.append(count)

    assert missed == []


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("at_once", [True, False])
def test_a_mention_is_found_in_any_order(order: tuple[int, ...], at_once: bool) -> None:
    """A text may speak of a call that is declared behind it."""
    messages = [call("call_Aa000001"), call("call_Bb000002"), said("As <call_Bb000002> says.")]
    search = MentionSearch()
    found = False

    for place in order:
        search.take(part(messages[place]))
        found = not at_once and found_in(search, "call_Aa000001", "call_Bb000002")

    assert found or found_in(search, "call_Aa000001", "call_Bb000002")


def test_what_begins_alike_is_no_mention() -> None:
    """Names of members begin as IDs do, and so do IDs of which nothing is known."""
    search = MentionSearch()
    found = []

    for message in (call("call_Aa000001"), said("call_me, call_Aa999999, call_Aa"), call("call_Aa000002")):
        search.take(part(message))
        found.append(found_in(search, "call_Aa000001", "call_Aa000002", rest={"user": "call_Aa5"}))

    assert found == [False, False, False]


def test_the_rest_of_a_body_is_looked_at_for_every_new_id() -> None:
    """It stays the same from request to request, while IDs are added."""
    search = MentionSearch()
    rest = part({"instructions": "Mind call_Aa000002."}, at=())
    found = []

    for value in ("call_Aa000001", "call_Aa000002"):
        search.take(part(call(value)))
        found.append(search.found(rest, {"call_Aa000001", "call_Aa000002"}, ()))

    assert found == [False, True]


def test_ids_of_the_rest_are_looked_for_in_messages() -> None:
    """A handle may stand in what was said."""
    search = MentionSearch()
    search.take(part(said("after resp_Aa000001")))
    handles = ("resp_Aa000002", "resp_Aa000001")

    found = [found_in(search, *handles, rest={"previous_response_id": value}) for value in handles]

    assert found == [False, True]


def test_many_ids_that_have_nothing_in_common_are_found() -> None:
    """Then it is words that are looked up."""
    ids = [f"{number:03}aB{number:03}" for number in range(100)]
    search, early = MentionSearch(), MentionSearch()
    early.take(part(said(f"see {ids[90]}")))
    before = found_in(early, *ids)
    for value in ids:
        search.take(part(call(value)))
        early.take(part(call(value)))

    found = [found_in(search, *ids, rest={"x": text}) for text in ("090aB091", ids[70])]
    search.take(part(said(f"see {ids[80]}")))

    assert (before, *found) == (False, False, True)
    assert (found_in(search, *ids), found_in(early, *ids)) == (True, True)


def test_where_words_are_looked_up_odd_ids_seem_to_be_mentioned() -> None:
    """They are none, so that nobody can tell; a few IDs are looked for as they are."""
    ids = [f"{number:03}aB{number:03}" for number in range(100)]
    few, many = MentionSearch(), MentionSearch()
    few.take(part(call(ids[0])))
    for value in ids:
        many.take(part(call(value)))

    found = [search.found(part({}, at=()), set(ids), {"search:0"}) for search in (few, many)]

    assert found == [False, True]


def found_in(search: MentionSearch, *telling: str, rest: JsonValue = None) -> bool:
    """Whether the search finds one of those IDs."""
    return search.found(part(rest, at=()), set(telling), ())


def mentioned(parts: list[Part]) -> bool:
    """Whether an ID of any of those parts stands in the text of any."""
    ids = {site.value for one in parts for site in one.sites if site.value in TELLING}
    return any(as_text(value) in one.blank for value in ids for one in parts)


def part(value: JsonValue, *, at: tuple[str | int, ...] = ("messages", 0)) -> Part:
    """A part of a body as it is read when it is first met."""
    return read_part(value, jsontext.dumps(value, sort_keys=True), at=at, rules=IdRules.ALL)


def call(value: str) -> JsonValue:
    """A message that declares a call."""
    return {"type": "function_call", "call_id": value, "name": "f", "arguments": "{}"}


def said(text: str) -> JsonValue:
    """A message of text."""
    return {"role": "user", "content": text}
