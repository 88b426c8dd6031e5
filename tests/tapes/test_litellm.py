"""Logs of LiteLLM are read as the calls that they tell of."""

import io
import json
from typing import Any

import pytest

from amberfork_cli.core.tape import Body, Exchange, Request, Response, Tape
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape

Json = Any
MESSAGES = [{"role": "user", "content": "Hi"}]
ANSWER = {"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "content": "Hello"}}]}


def entry(**changed: Json) -> dict[str, Json]:
    """A payload, with the members that count and some that do not."""
    return {
        "id": "chatcmpl-1",
        "call_type": "acompletion",
        "status": "success",
        "startTime": 1763532000.5,
        "model": "gpt-4o",
        "api_base": "https://api.openai.com/v1",
        "metadata": {"user_api_key_hash": "x"},
        "messages": MESSAGES,
        "response": ANSWER,
        "model_parameters": {"temperature": 0.5, "tools": [], "model": "other"},
        **changed,
    }


EXCHANGE = Exchange(
    0,
    Request(
        "POST",
        "/v1/chat/completions",
        body=Body.json({"model": "gpt-4o", "messages": MESSAGES, "temperature": 0.5, "tools": []}),
        extra={"upstream": "https://api.openai.com"},
    ),
    Response(body=Body.json(ANSWER)),
    extra={"synthetic": True, "recorded_at": "2025-11-19T06:00:00.500000+00:00"},
)


@pytest.mark.parametrize("input_format", [None, "litellm"])
@pytest.mark.parametrize(
    "source",
    [
        json.dumps(entry()),
        json.dumps(entry(), indent=1),
        json.dumps([entry()]),
        json.dumps([entry()], indent=1),
        json.dumps(entry()) + "\n",
    ],
    ids=["alone", "indented", "a list", "an indented list", "a line"],
)
def test_a_payload_is_an_exchange(source: str, input_format: str | None) -> None:
    """Put together, and marked; however it is written down, it is not taken for the body of a request."""
    with tape(source, input_format=input_format) as found:
        assert list(found) == [EXCHANGE]


def test_lines_are_exchanges() -> None:
    """In their order."""
    with tape("".join(json.dumps(entry(model=model)) + "\n" for model in "abc")) as found:
        bodies: list[Json] = [exchange.request.body.value for exchange in found]

    assert [body["model"] for body in bodies] == ["a", "b", "c"]


def test_the_body_that_the_proxy_kept_is_the_request() -> None:
    """As a row of its spendings has it, where JSON may be text."""
    body = {"model": "mine", "messages": MESSAGES, "stream": True}
    row = entry(
        proxy_server_request=json.dumps({"url": "http://proxy/chat/completions", "body": body}),
        messages="{}",
        response=json.dumps(ANSWER),
        startTime="2026-05-07T00:14:12.872+00:00",
    )

    (exchange,) = _read(row)

    assert exchange.request.body == Body.json(body)
    assert exchange.response == Response(body=Body.json(ANSWER))
    assert exchange.extra == {"recorded_at": "2026-05-07T00:14:12.872+00:00"}


@pytest.mark.parametrize(
    ("kind", "path", "member"),
    [
        ("completion", "/v1/chat/completions", "messages"),
        ("atext_completion", "/v1/completions", "prompt"),
        ("aresponses", "/v1/responses", "input"),
        ("aembedding", "/v1/embeddings", "input"),
        ("anthropic_messages", "/v1/messages", "messages"),
    ],
)
def test_the_kind_of_call_says_where_it_went(kind: str, path: str, member: str) -> None:
    """And what the messages are called there."""
    (exchange,) = _read(entry(call_type=kind, api_base=None, model_parameters=None))

    assert (exchange.request.path, exchange.request.extra) == (path, {})
    assert exchange.request.body == Body.json({"model": "gpt-4o", member: MESSAGES})


def test_a_call_that_failed_has_no_response() -> None:
    """What is said of the error stays beside it."""
    error = {"error_code": "429", "error_message": "slow down"}

    first, second = _read(
        entry(status="failure", error_information=error), entry(status="failure", error_str="no")
    )

    assert (first.response, first.extra["error"]) == (None, error)
    assert (second.response, second.extra["error"]) == (None, "no")


def test_calls_of_other_kinds_are_left_out_and_told() -> None:
    """Of which nobody knows where they went."""
    told: list[str] = []

    with tape(json.dumps([entry(call_type="ahealth_check"), entry()]), notice=told.append) as found:
        assert list(found) == [EXCHANGE]

    assert told == ["stream: 1 call is of a kind that amberfork does not know, and left out"]


def test_a_line_that_is_no_call_is_named() -> None:
    """Lenient reading leaves it out."""
    source = json.dumps(entry()) + '\n{"call_type": "acompletion"}\n'

    with pytest.raises(TapeError) as caught, tape(source) as found:
        list(found)
    with tape(source, lenient=True) as found:
        assert list(found) == [EXCHANGE]

    problem = 'not a log of a call: no "call_type", or neither "messages" nor a request'
    assert str(caught.value) == f"stream:2:1: {problem}"


def test_the_body_of_a_request_is_not_taken_for_a_log() -> None:
    """Even if it has members of the same names."""
    with tape(json.dumps({"messages": MESSAGES, "call_type": "x"})) as found:
        (exchange,) = found

    assert exchange.request.path == ""


def _read(*entries: Json) -> list[Exchange]:
    with tape(json.dumps(list(entries))) as found:
        return list(found)


def tape(source: str, **options: Any) -> Tape:
    """Open a text as a tape."""
    return open_tape(io.BytesIO(source.encode()), **options)
