"""Each provider's lines of a batch: what was sent, what came back, and what else they say."""

from __future__ import annotations

import pytest

from amberfork_cli.core.tape import Body, JsonValue, Request, Response
from amberfork_cli.tapes.batch_forms import answered_in, asked_in

CHAT: JsonValue = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
CLAUDE: JsonValue = {"anthropic_version": "v", "messages": [{"role": "user", "content": "Hi"}]}
CONVERSE: JsonValue = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}
GEMINI: JsonValue = {"contents": [{"parts": [{"text": "Hi"}]}]}
ANSWER: JsonValue = {"says": "Hello"}


@pytest.mark.parametrize(
    ("line", "path", "body", "rest"),
    [
        ({"custom_id": "a", "url": "/v1/embeddings", "body": {}}, "/v1/embeddings", {}, {"custom_id": "a"}),
        ({"custom_id": "a", "body": CHAT}, "/v1/chat/completions", CHAT, {"custom_id": "a"}),
        ({"custom_id": "a", "params": CHAT}, "/v1/messages", CHAT, {"custom_id": "a"}),
        ({"key": "a", "request": GEMINI}, "/v1beta/models/:generateContent", GEMINI, {"key": "a"}),
        (
            {"key": "a", "request": {**GEMINI, "model": "models/m"}},  # type: ignore[dict-item]
            "/v1beta/models/m:generateContent",
            {**GEMINI, "model": "models/m"},  # type: ignore[dict-item]
            {"key": "a"},
        ),
        (
            {"key": "a", "request": {"content": {"parts": []}}},
            "/v1beta/models/:embedContent",
            {"content": {"parts": []}},
            {"key": "a"},
        ),
        ({"request": GEMINI, "tag": 1}, "/v1/publishers/google/models/:generateContent", GEMINI, {"tag": 1}),
        (
            {"custom_id": "a", "request": CLAUDE},
            "/v1/publishers/anthropic/models/:rawPredict",
            CLAUDE,
            {"custom_id": "a"},
        ),
        ({"recordId": "a", "modelInput": CLAUDE}, "/model//invoke", CLAUDE, {"recordId": "a"}),
        ({"modelInput": {"inputText": "Hi"}}, "/model//invoke", {"inputText": "Hi"}, {}),
        ({"recordId": "a", "modelInput": CONVERSE}, "/model//converse", CONVERSE, {"recordId": "a"}),
    ],
)
def test_a_line_that_was_sent_is_a_request_to_a_model(
    line: dict[str, JsonValue], path: str, body: JsonValue, rest: dict[str, JsonValue]
) -> None:
    """To where its provider would have taken it alone, as far as the line says so; the ID stays beside it."""
    form = asked_in(line)

    assert form is not None
    assert answered_in(line) is None
    assert form.request(line) == Request("POST", path, body=Body.json(body))
    assert form.response(line) == (None, rest)


@pytest.mark.parametrize(
    ("line", "response", "rest"),
    [
        (
            {"request": GEMINI, "response": ANSWER, "status": "", "processed_time": "t"},
            Response(body=Body.json(ANSWER)),
            {"status": "", "processed_time": "t"},
        ),
        ({"request": GEMINI, "response": {}, "status": "Bad"}, None, {"status": "Bad"}),
        (
            {"custom_id": "a", "request": CLAUDE, "response": ANSWER},
            Response(body=Body.json(ANSWER)),
            {"custom_id": "a"},
        ),
        (
            {"recordId": "a", "modelInput": CLAUDE, "modelOutput": ANSWER},
            Response(body=Body.json(ANSWER)),
            {"recordId": "a"},
        ),
        (
            {"recordId": "a", "modelInput": CLAUDE, "error": {"errorCode": 400}},
            None,
            {"recordId": "a", "error": {"errorCode": 400}},
        ),
    ],
)
def test_a_line_may_hold_both(
    line: dict[str, JsonValue], response: Response | None, rest: dict[str, JsonValue]
) -> None:
    """As Vertex and Bedrock write them: an answer is what the model said, and an error stays beside it."""
    form = asked_in(line)

    assert form is not None
    assert answered_in(line) is None
    assert form.response(line) == (response, rest)


@pytest.mark.parametrize(
    ("line", "response", "rest"),
    [
        (
            {"custom_id": "a", "result": {"type": "succeeded", "message": ANSWER}},
            Response(body=Body.json(ANSWER)),
            {"custom_id": "a"},
        ),
        (
            {"custom_id": "a", "result": {"type": "errored", "error": {"type": "error"}}},
            None,
            {"custom_id": "a", "type": "errored", "error": {"type": "error"}},
        ),
        ({"custom_id": "a", "result": {"type": "expired"}}, None, {"custom_id": "a", "type": "expired"}),
        ({"key": "a", "response": ANSWER}, Response(body=Body.json(ANSWER)), {"key": "a"}),
        ({"key": "a", "error": {"code": 3}}, None, {"key": "a", "error": {"code": 3}}),
        (
            {"custom_id": "a", "response": {"status_code": 200, "body": ANSWER}, "error": None},
            Response(200, body=Body.json(ANSWER)),
            {"custom_id": "a", "error": None},
        ),
    ],
)
def test_a_line_that_came_back_is_a_result(
    line: dict[str, JsonValue], response: Response | None, rest: dict[str, JsonValue]
) -> None:
    """What was no answer of a model is no response."""
    form = answered_in(line)

    assert form is not None
    assert asked_in(line) is None
    assert form.response(line) == (response, rest)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {"custom_id": "a"},
        {"custom_id": 1, "body": {}},
        {"custom_id": 1, "params": {}},
        {"key": "a", "request": {"method": "POST", "contents": []}},
        {"key": "a", "request": {"path": "/", "contents": []}},
        {"request": {}, "response": {}, "key": "a"},
        {"key": "a", "response": "text"},
        {"key": 1, "response": {}},
        {"modelOutput": {}},
    ],
)
def test_anything_else_is_neither(value: JsonValue) -> None:
    """Exchanges of tapes above all."""
    assert asked_in(value) is None
    assert answered_in(value) is None
