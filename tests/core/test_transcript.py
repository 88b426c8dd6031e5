"""One exchange as a conversation."""

from __future__ import annotations

import pytest
from agent_tapes import MONDAY, WIRES, Run, Turn, chained_responses, weather
from agent_tapes import tape as agent_tape

from amberfork_cli.core.dialects.model import Role
from amberfork_cli.core.tape import ABSENT, Body, Exchange, JsonValue, Request, Response
from amberfork_cli.core.transcript import Origin, chosen, transcript, transcripts
from amberfork_cli.errors import OptionError

PARALLEL = Run((Turn((weather("Seoul"), weather("Busan")), order=(1, 0)),))


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "gemini_without_ids"])
def test_results_point_to_their_calls(wire):
    """Calls are numbered as they come, and a result says which one it answers, whatever their order."""
    (found,) = transcripts(agent_tape(PARALLEL, wire=WIRES[wire]), [1])

    results = [(linked.number, linked.name) for said in found.messages for linked in said.results]

    assert results == [(2, "get_weather"), (1, "get_weather")]
    assert [call.number for said in found.messages for call in said.calls] == [1, 2]


def test_a_result_may_answer_a_call_of_the_response_before():
    """Where the provider keeps the history, the call is not in the request."""
    (found,) = transcripts(agent_tape(PARALLEL, wire=chained_responses), [1])

    assert [(linked.number, linked.earlier) for said in found.messages for linked in said.results] == [
        (None, 0),
        (None, 0),
    ]


def test_an_orphan_answers_nothing():
    """A result whose call nobody made."""
    (found,) = transcripts(agent_tape(Run((Turn((weather(),), links=(-1,)),))), [1])

    (linked,) = (linked for said in found.messages for linked in said.results)

    assert (linked.number, linked.earlier) == (None, None)


def test_what_the_parent_has_is_known():
    """System prompts that stand outside the history are among what is known."""
    found = [*transcripts(agent_tape(MONDAY, wire=WIRES["anthropic"]), [0, 3])]

    assert [(each.origin, each.known, len(each.messages)) for each in found] == [
        (None, 0, 2),
        (Origin(2, 5), 6, 8),
    ]
    assert [said.message.role for said in found[1].messages[6:]] == [Role.ASSISTANT, Role.TOOL]


def test_a_body_of_no_known_shape_is_kept_whole():
    """Nobody can read it as a conversation, but all of it is there."""
    request = Request("POST", "/x", body=Body.json([1]))

    found = transcript(Exchange(0, request, Response(200, body=Body.text("hi"))))

    assert (found.unread, found.unread_answer, found.answer) == (Body.json([1]), Body.text("hi"), None)
    assert transcript(Exchange(0, request)).unread_answer == ABSENT


def test_parts_that_are_no_words_are_named():
    """An image, a thought: a reader knows that there was more."""
    content: JsonValue = [{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {"url": "x"}}]
    request = Request("POST", "/x", body=Body.json({"messages": [{"role": "user", "content": content}]}))

    (said,) = transcript(Exchange(0, request)).messages

    assert (said.message.text, said.others, said.unread) == ("See:", ("image_url",), None)


def test_a_message_that_cannot_be_read_is_there_as_it_is():
    """Nothing of a request disappears."""
    request = Request("POST", "/x", body=Body.json({"messages": [{"a": 1}]}))

    (said,) = transcript(Exchange(0, request)).messages

    assert said.unread == {"a": 1}


@pytest.mark.parametrize("numbers", [[7], [0, 99], [-1]])
def test_a_number_that_is_not_on_the_tape_is_refused(numbers):
    """With what is there."""
    tape = agent_tape(MONDAY)

    with pytest.raises(OptionError, match=r"there is no exchange #-?\d+ on this tape: it has #0 to #"):
        [*transcripts(tape, numbers)]
    with pytest.raises(OptionError, match=r"there is no exchange #-?\d+ on this tape: it has #0 to #"):
        [*chosen(tape, numbers)]


def test_exchanges_are_given_in_the_order_that_was_asked_for():
    """And as often."""
    tape = agent_tape(MONDAY)

    assert [each.number for each in transcripts(tape, [3, 1, 3])] == [3, 1, 3]
    assert [each.number for each in chosen(tape, [3, 1, 3])] == [3, 1, 3]
