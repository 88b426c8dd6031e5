"""What each exchange of a tape comes to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from agent_tapes import MONDAY, WIRES, chained_responses, listed
from agent_tapes import tape as agent_tape

from amberfork_cli.core.overview import (
    Answer,
    Delivery,
    Endpoint,
    Overview,
    Results,
    Tokens,
    answer_of,
    delivery_of,
    overview,
)
from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response


def test_an_exchange_in_figures():
    """Everything that is told of one exchange."""
    body: JsonValue = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    said: JsonValue = {
        "choices": [{"message": {"role": "assistant", "content": "Hello."}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2},
    }

    found = overview([_exchange(body, said, path="/v1/chat/completions?key=abc")])

    assert found == [
        Overview(
            number=0,
            endpoint=Endpoint("POST", "https://api.example.com", "/v1/chat/completions"),
            model="m",
            messages=1,
            added=1,
            results=Results(),
            answer=Answer(200, Delivery.WHOLE, (), "Hello.", tokens=Tokens(7, 2)),
            sent=len('{"model":"m","messages":[{"role":"user","content":"Hi"}]}'),
            received=115,
            continues=None,
            conversation=0,
        )
    ]


@pytest.mark.parametrize("wire", WIRES)
def test_every_wire_tells_the_same_story(wire):
    """Calls, results and what continues what do not depend on the provider."""
    found = overview(agent_tape(MONDAY, wire=WIRES[wire]))

    assert [(each.continues, each.results.count, each.answer.calls) for each in found] == [
        (None, 0, ("get_weather",)),
        (0, 1, ("search_flights",)),
        (1, 1, ("get_weather", "get_weather")),
        (2, 2, ("book_hotel",)),
        (3, 1, ()),
        (4, 0, ("get_weather",)),
        (5, 1, ()),
    ]
    assert {each.model for each in found} == {"m-1"}


def test_what_a_turn_adds_is_what_its_parent_does_not_have():
    """The history is counted, and the part of it that is new."""
    found = overview(agent_tape(MONDAY))

    assert [(each.messages, each.added) for each in found][:3] == [(2, 2), (4, 2), (6, 2)]


def test_a_conversation_that_the_provider_keeps_is_followed():
    """A request that names an earlier response continues its exchange, and all of its messages are new."""
    found = overview(agent_tape(MONDAY, wire=chained_responses))

    assert [each.continues for each in found] == [None, 0, 1, 2, 3, 4, 5]
    assert all(each.added == each.messages for each in found)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"usage": {"prompt_tokens": 5, "completion_tokens": 6}}, Tokens(5, 6)),
        ({"usage": {"input_tokens": 5, "cache_read_input_tokens": 90, "output_tokens": 6}}, Tokens(95, 6)),
        ({"usage": {"inputTokens": 5, "outputTokens": 6}}, Tokens(5, 6)),
        ({"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 6, "thoughtsTokenCount": 2}},
         Tokens(5, 8)),
        ({"usage": {"tokens": {"input_tokens": 5.0, "output_tokens": 6.0}}}, Tokens(5, 6)),
        ({"prompt_eval_count": 5, "eval_count": 6}, Tokens(5, 6)),
        ({"usage": {"prompt_tokens": 5}}, Tokens(5, None)),
        ({"usage": {"prompt_tokens": True, "completion_tokens": 1e300}}, Tokens(None, None)),
        ({"usage": None}, Tokens(None, None)),
    ],
)  # fmt: skip
def test_tokens_are_read_in_every_spelling(usage, tokens):
    """Each provider's names; cached tokens count among those that came in, whoever counts them apart."""
    (found,) = overview([_exchange({"messages": []}, usage)])

    assert found.answer.tokens == tokens


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/v1beta/models/gemini-3:generateContent", "gemini-3"),
        ("/model/eu.anthropic.x-v1%3A0/converse", "eu.anthropic.x-v1:0"),
        ("/openai/deployments/mine/chat/completions", "mine"),
        ("/v1/messages", ""),
    ],
)
def test_a_model_in_the_path_is_found(path, model):
    """Where the body does not name it."""
    (found,) = overview([_exchange({"messages": []}, {}, path=path)])

    assert found.model == model


@pytest.mark.parametrize(
    ("body", "delivery"),
    [
        (Body.json({"choices": []}), Delivery.WHOLE),
        (Body.text("no stream"), Delivery.WHOLE),
        (
            Body.text('data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: [DONE]\n\n'),
            Delivery.STREAMED,
        ),
        (Body.text('data: {"choices": [{"delta": {"content": "x"}}]}\n\n'), Delivery.CUT_SHORT),
    ],
)
def test_a_stream_is_told_from_a_whole_answer(body, delivery):
    """And one that stops before its end from one that does not."""
    response = Response(200, body=body)

    spelled, _ = answer_of(response, None)

    assert delivery_of(response, spelled) is delivery


def test_an_error_is_told_in_its_own_words():
    """In the answer's place."""
    said: JsonValue = {"error": {"type": "overloaded_error", "message": "Overloaded"}}

    (found,) = overview([_exchange({"messages": []}, said)])

    assert (found.answer.words, found.answer.error) == ("Overloaded", True)


def test_results_that_failed_are_counted():
    """Where the shape has room to say so."""
    result = {"type": "tool_result", "tool_use_id": "a", "content": "no", "is_error": True}
    body: JsonValue = {"max_tokens": 1, "messages": [{"role": "user", "content": [result]}]}

    (found,) = overview([_exchange(body, {}, path="/v1/messages")])

    assert found.results == Results(1, failed=1)


def test_two_conversations_are_told_apart():
    """Interleaved on one tape."""
    first, second = agent_tape(MONDAY), agent_tape(replace(MONDAY, question="Something else."))
    mixed = [one for pair in zip(first, second, strict=True) for one in pair]

    found = overview(listed(mixed))

    assert [each.conversation for each in found] == [0, 1] * 7


def _exchange(body: JsonValue, said: JsonValue, *, path: str = "/v1/chat/completions") -> Exchange:
    request = Request("POST", path, body=Body.json(body), extra={"upstream": "https://api.example.com"})
    return Exchange(0, request, Response(200, body=Body.json(said)))
