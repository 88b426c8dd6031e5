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


@given(st.lists(MESSAGES, max_size=8), RESTS)
@settings(max_examples=200, deadline=None)
def test_what_a_plain_look_finds_is_found(messages: list[JsonValue], rest: JsonValue) -> None:
    """In any text, whether the ID comes before it or after it, and in the rest of the body."""
    search = MentionSearch()
    parts, last = [part(message) for message in messages], part(rest, at=())

    found = [taken(search, one, parts[:count]) for count, one in enumerate(parts, start=1)]

    assert [was for was, plainly in found if plainly and not was] == []
    if mentioned([*parts, last]):
        assert search.with_rest(last, TELLING, set())


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_mention_is_found_in_any_order(order: tuple[int, ...]) -> None:
    """A text may speak of a call that is declared behind it."""
    messages = [call("call_Aa000001"), call("call_Bb000002"), said("As <call_Bb000002> says.")]
    search = MentionSearch()

    for place in order:
        search.take(part(messages[place]), {"call_Aa000001", "call_Bb000002"})

    assert search.found


def test_what_begins_alike_is_no_mention() -> None:
    """Names of members begin as IDs do, and so do IDs of which nothing is known."""
    search = MentionSearch()

    for message in (call("call_Aa000001"), said("call_me, call_Aa999999, call_Aa"), call("call_Aa000002")):
        search.take(part(message), {"call_Aa000001", "call_Aa000002"})

    assert not search.found
    assert not search.with_rest(part({"user": "call_Aa5"}, at=()), set(), set())


def test_the_rest_of_a_body_is_looked_at_for_every_new_id() -> None:
    """It stays the same from request to request, while IDs are added."""
    search = MentionSearch()
    rest = part({"instructions": "Mind call_Aa000002."}, at=())
    found = []

    for value in ("call_Aa000001", "call_Aa000002"):
        search.take(part(call(value)), {value})
        found.append(search.with_rest(rest, set(), set()))

    assert found == [False, True]


def test_ids_of_the_rest_are_looked_for_in_messages() -> None:
    """A handle may stand in what was said."""
    search = MentionSearch()
    search.take(part(said("after resp_Aa000001")), set())
    rests = [part({"previous_response_id": value}, at=()) for value in ("resp_Aa000002", "resp_Aa000001")]

    found = [search.with_rest(rest, {"resp_Aa000001", "resp_Aa000002"}, set()) for rest in rests]

    assert found == [False, True]


def test_many_ids_that_have_nothing_in_common_are_found() -> None:
    """Then it is words that are looked up."""
    ids = [f"{number:03}aB{number:03}" for number in range(100)]
    search, early = MentionSearch(), MentionSearch()
    for value in ids:
        search.take(part(call(value)), set(ids))
    early.take(part(said(f"see {ids[90]}")), set())

    before = search.found, search.with_rest(part({"x": "090aB091"}, at=()), set(), set())
    in_rest = search.with_rest(part({"x": ids[70]}, at=()), set(), set())
    search.take(part(said(f"see {ids[80]}")), set(ids))
    for value in ids:
        early.take(part(call(value)), set(ids))

    assert before == (False, False)
    assert (in_rest, search.found, early.found) == (True, True, True)


def taken(search: MentionSearch, one: Part, parts: list[Part]) -> tuple[bool, bool]:
    """Whether the search finds something with one more part, and whether a plain look does."""
    search.take(one, TELLING)
    return search.found, mentioned(parts)


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
