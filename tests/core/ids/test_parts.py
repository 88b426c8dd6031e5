"""One part of a body: what it compares by, and which of its words could be IDs."""

from copy import deepcopy
from functools import reduce
from operator import getitem
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from odd_bodies import DATA, MESSAGES, ODD_IDS, bodies

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids import parts
from amberfork_cli.core.ids.id_rules import IdClass, IdRules, Role, Site, sites
from amberfork_cli.core.ids.linkage import Linker, Mentions, tells
from amberfork_cli.core.ids.parts import Part, Parts, content_digest, read_part, with_texts, with_texts_at
from amberfork_cli.core.tape import JsonValue

TELLING = list(filter(tells, ODD_IDS))


@given(DATA)
@settings(max_examples=200, deadline=None)
def test_every_id_that_stands_whole_in_a_text_is_among_the_words(value: JsonValue) -> None:
    """Whatever its text escapes; but not those that a linker calls odd, which are looked for otherwise."""
    odd = linked(TELLING).odd
    found: set[str] = set()
    mentions = Mentions(dict.fromkeys(TELLING, (IdClass.CALL, 0)))

    def note(text: str) -> str:
        found.update(mention[0] for mention in mentions.find(text))
        return text

    with_texts(value, note)  # as data, so that none of them is a site

    assert found - odd - part({"arguments": value}).words == set()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("see call_12Ab, call_12Ab.", {"call_12Ab"}),
        ("\ncall_12Ab\t\\call_34Cd\\ncall_56Ef", {"call_12Ab", "call_34Cd", "ncall_56Ef"}),
        (
            '"call_12Ab"écall_34Cd\ud800call_56Ef\x01call_78Gh',
            set("call_12Ab call_34Cd call_56Ef call_78Gh".split()),
        ),
        ("short1 nothing Nothings NOTHINGS nothingElse", {"nothingElse"}),
        ("\\u0041call_12", {"u0041call_12"}),
    ],
)
def test_words_are_runs_of_what_ids_are_made_of(text: str, words: set[str]) -> None:
    """Eight characters or more, no plain words; an escape ends a word as what it spells does."""
    assert part([text]).words == words


def test_a_part_is_blank_where_ids_stand() -> None:
    """Its digest covers the rest and the places; the value itself is left as it was."""
    value: JsonValue = {"type": "tool_use", "id": "a", "name": "f", "input": {"id": "a"}}
    other: JsonValue = {"type": "tool_use", "id": "b", "name": "f", "input": {"id": "a"}}

    one, two = part(value), part(other)

    assert one.blank == b'{"id":"","input":{"id":"a"},"name":"f","type":"tool_use"}'
    assert (one.blank, one.digest, one.thread) == (two.blank, two.digest, two.thread)
    assert one.text == b'{"id":"a","input":{"id":"a"},"name":"f","type":"tool_use"}'
    assert value["id"] == "a"  # type: ignore[index, call-overload]


@given(bodies(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_texts_stand_at_their_paths_and_nowhere_else(body: JsonValue, draw: Random) -> None:
    """As in a whole copy that is changed path by path, in any order; the value itself stays as it was."""
    before, found = deepcopy(body), sites(body)
    draw.shuffle(found)
    texts = {site.path: f"{number}" for number, site in enumerate(found)}

    made = with_texts_at(body, texts)

    plainly: Any = deepcopy(body)
    for path, text in texts.items():
        reduce(getitem, path[:-1], plainly)[path[-1]] = text
    assert (made, body) == (plainly, before)


@given(MESSAGES, st.sampled_from(list(IdRules)))
@settings(max_examples=200, deadline=None)
def test_a_blank_text_is_that_of_the_value_without_its_ids(message: JsonValue, rules: IdRules) -> None:
    """However it is come by: most IDs are taken out of the text."""
    found = read_part(message, jsontext.dumps(message, sort_keys=True), at=("messages", 0), rules=rules)

    plainly = with_texts_at(message, {site.path: "" for site in found.sites})
    assert found.blank == jsontext.dumps(plainly, sort_keys=True)


@pytest.mark.parametrize(
    "text", ["call_12", 'say "call_12', '"call_12"', "call_12,", {"call_12": 1}, ["call_12"]]
)
def test_an_id_that_stands_as_data_too_is_taken_out_where_it_is_an_id(text: JsonValue) -> None:
    """Whole, as a name, at the end of a text or in quotes."""
    found = part({"type": "tool_use", "id": "call_12", "input": text})

    assert found.blank == b'{"id":"","input":%b,"type":"tool_use"}' % jsontext.dumps(text)


@given(bodies(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_places_are_spelled_as_python_spells_them(body: JsonValue, draw: Random) -> None:
    """Those of many IDs and long paths, too, which are not spelled anew for each."""
    found = sites(body)
    assume(found)
    draw.shuffle(found)
    places = [(site.path, site.part, site.id_class.value, site.role.value) for site in found]
    many = tuple(found) * 20

    spelled = parts._places(tuple(found)), parts._places(many)

    assert spelled == (ascii(places).encode(), ascii(places * 20).encode())


def test_an_empty_text_is_no_blank() -> None:
    """What stands at a site differs from what merely is empty."""
    assert part({"type": "tool_use", "id": ""}).digest != part({"type": "tool_usx", "id": ""}).digest
    assert part({"call_id": "x"}).digest != part({"call_ix": ""}).digest


def test_pieces_of_a_digest_do_not_run_together() -> None:
    """Each has its length."""
    every = [(b"ab", b"c"), (b"a", b"bc"), (b"abc",), (b"abc", b""), (b"", b"abc"), (b"1:a",), ()]

    assert len({content_digest(*pieces) for pieces in every}) == len(every)


def test_a_part_that_was_met_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its exact text and place; when too much is kept, all is forgotten and read anew."""
    parts = Parts(IdRules.ALL)
    message: JsonValue = {"role": "user", "content": "x" * 50}

    first = parts.of(message, ("messages", 0))

    assert parts.of(dict(message), ("messages", 0)) is first  # type: ignore[arg-type, call-overload]
    assert parts.of(message, ("input", 0)) is not first
    monkeypatch.setattr("amberfork_cli.core.ids.parts._MEMO_BYTES", 10)
    parts.of("another", ("messages", 0))
    assert parts.of(message, ("messages", 0)) == first


def part(value: JsonValue) -> Part:
    """A part as it is read when it is first met."""
    return read_part(value, jsontext.dumps(value, sort_keys=True), at=("messages", 0), rules=IdRules.ALL)


def linked(values: list[str]) -> Linker:
    """A linker that has seen those calls."""
    linker = Linker(IdRules.ALL, calls=set(values))
    for value in values:
        linker.token(Site(IdClass.CALL, Role.DECLARES, value, ()))
    return linker
