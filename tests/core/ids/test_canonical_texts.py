"""Canonical bodies written once for all requests that repeat them: to the letter, or left to others."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_bodies import tapes
from run_bodies import call, result
from wire_samples import WIRES, Rounds, fresh, rounds, spelled

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids import canonical_texts
from amberfork_cli.core.ids.canonical import canonicalize
from amberfork_cli.core.ids.canonical_texts import CanonicalTexts
from amberfork_cli.core.ids.id_rules import IdRules

Json = Any
ID, OTHER = "call_mW3xA1b2", "call_9Ys2kQ81"
FIRST, SECOND = "__amberfork_tool_call_0__", "__amberfork_tool_call_1__"


@given(tapes(), st.sampled_from(list(IdRules)), st.booleans(), st.booleans())
@settings(max_examples=250, deadline=None)
def test_a_text_is_that_of_the_canonical_body(
    tape: list[Json], rules: IdRules, sort_keys: bool, forgetful: bool
) -> None:
    """Where there is one: for conversations that are continued, retried, cut, edited and interleaved."""
    with pytest.MonkeyPatch.context() as patch:
        if forgetful:
            patch.setattr(canonical_texts, "_MOST_BYTES", 60)
            patch.setattr("amberfork_cli.core.ids.histories._MOST", 1)
        texts = CanonicalTexts(rules, sort_keys=sort_keys)
        found = [texts.of(body) for body in tape]

    plainly = [jsontext.dumps(canonicalize(body, rules=rules).value, sort_keys=sort_keys) for body in tape]
    assert [text or plain for text, plain in zip(found, plainly, strict=True)] == plainly


@given(rounds(), st.sampled_from(sorted(set(WIRES) - {"openai_realtime"})))
@settings(max_examples=40, deadline=None)
def test_what_agents_send_has_a_text(conversation: Rounds, wire: str) -> None:
    """Whatever the wire shape, where no text mentions an ID."""
    body = spelled(WIRES[wire](conversation), fresh("N"))

    text = CanonicalTexts(IdRules.ALL).of(body)

    assert text == jsontext.dumps(canonicalize(body).value)


def test_messages_that_are_repeated_are_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is looked at once, as long as a conversation goes on from the same objects."""
    texts = CanonicalTexts(IdRules.ALL)
    history: list[Json] = [{"role": "user", "content": "Go."}, call(ID), result(ID)]
    texts.of({"messages": history})
    looked_at = []
    watched = Watched(texts._parts, looked_at)
    monkeypatch.setattr(texts, "_parts", watched)
    monkeypatch.setattr(texts._histories, "_parts", watched)

    text = texts.of({"model": "m", "messages": [*history, call(OTHER)]})

    assert looked_at == [{"model": "m"}, call(OTHER)]
    assert text is not None
    assert json.loads(text)["messages"] == [
        *(history[:1]),
        call(FIRST),
        result(FIRST),
        call(SECOND),
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [call(ID), {"role": "user", "content": f"What of {ID}?"}]},
        {"messages": [{"role": "user", "content": f"What of {ID}?"}, call(ID)]},
        {"messages": [call(ID)], "user": ID},
        {"messages": [call(ID)], "container": "cntr_1"},
        {"messages": [{"role": "user", "content": FIRST}]},
        {"messages": [call(ID)], "user": FIRST},
        {"input": [{"type": "reasoning", "id": ID}, {"type": "function_call", "call_id": ID}]},
        {"messages": []},
        {"model": "m"},
        ["messages"],
        None,
    ],
)
def test_what_takes_a_look_at_the_whole_body_is_left_to_that(body: Json) -> None:
    """IDs in running text and around the messages, texts like tokens, IDs of two minds; and no messages."""
    assert CanonicalTexts(IdRules.ALL).of(body) is None


class Watched:
    """Parts, and a list of what they were asked for."""

    def __init__(self, parts: Any, asked: list[Json]) -> None:
        self._parts, self._asked = parts, asked

    def of(self, value: Json, at: Json) -> Any:
        """The part that they give."""
        self._asked.append(value)
        return self._parts.of(value, at)
