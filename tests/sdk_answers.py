"""What the providers say in these tests: "Hi.", whole or in pieces, as the path that is asked has it."""

from __future__ import annotations

import base64
import json
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from stub_provider import Answer, Asked, chat

PIECES = ("Hi", ".")
TEXT = "".join(PIECES)
BETWEEN_S = 0.02  # so that the pieces of a stream come apart
SSE = {"content-type": "text/event-stream"}
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "system_fingerprint": "f"}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
OUTPUT = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": TEXT, "annotations": []}],
}
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "status": "completed",
    "model": "m",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [OUTPUT],
    "usage": {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    },
}
BILLED = {"billed_units": {"input_tokens": 1, "output_tokens": 1}}


def say(asked: Asked) -> Answer:
    """The answer to what is asked, 404 to what nobody knows here."""
    path = asked.path.partition("?")[0]
    streamed = asked.body[:1] == b"{" and bool(asked.json.get("stream"))
    for ends, whole, stream in LANGUAGES:
        if ends in path:
            return stream() if streamed or whole is None else whole()
    return Answer(json.dumps({"error": {"message": f"nobody is at {asked.path}"}}).encode(), status=404)


def _json(value: object) -> Answer:
    return Answer(json.dumps(value).encode())


def _slowly(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        if number:
            time.sleep(BETWEEN_S)
        yield piece


def _events(events: Iterable[dict[str, Any]], *, end: bytes = b"") -> Answer:
    """A stream of events, each with its name where it has one."""
    lines = [
        (f"event: {event['type']}\n".encode() if "type" in event else b"")
        + b"data: %s\n\n" % json.dumps(event).encode()
        for event in events
    ]
    return Answer(_slowly([*lines, *((end,) if end else ())]), headers=SSE)


def _chat() -> Answer:
    return chat(TEXT, usage=USAGE, system_fingerprint="f", service_tier=None)


def _chat_stream() -> Answer:
    deltas = [*({"role": "assistant", "content": piece} for piece in PIECES), {}]
    choices = [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"} for delta in deltas]
    return _events(({**CHUNK, "choices": [choice]} for choice in choices), end=b"data: [DONE]\n\n")


def _response() -> Answer:
    return _json(RESPONSE)


def _response_stream() -> Answer:
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    events = [
        {"type": "response.created", "response": {**RESPONSE, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**OUTPUT, "content": []}},
        {"type": "response.content_part.added", **at, "part": part},
        *({"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []} for piece in PIECES),
        {"type": "response.output_text.done", **at, "text": TEXT, "logprobs": []},
        {"type": "response.output_item.done", "output_index": 0, "item": OUTPUT},
        {"type": "response.completed", "response": RESPONSE},
    ]
    return _events({**event, "sequence_number": number} for number, event in enumerate(events))


def _message() -> Answer:
    return _json({**MESSAGE, "content": [{"type": "text", "text": TEXT}], "stop_reason": "end_turn"})


def _message_events() -> list[dict[str, Any]]:
    return [
        {"type": "message_start", "message": MESSAGE},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in PIECES
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
    ]


def _message_stream() -> Answer:
    return _events(_message_events())


def _content(text: str) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m", "responseId": "r"}


def _contents() -> Answer:
    lines = (b"data: %s\r\n\r\n" % json.dumps(_content(piece)).encode() for piece in PIECES)
    return Answer(_slowly(lines), headers=SSE)


def _cohere() -> Answer:
    message = {"role": "assistant", "content": [{"type": "text", "text": TEXT}]}
    return _json({"id": "x", "finish_reason": "COMPLETE", "message": message, "usage": BILLED})


def _cohere_stream() -> Answer:
    start = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    return _events(
        [
            {"type": "message-start", "id": "x", "delta": {"message": start}},
            {
                "type": "content-start",
                "index": 0,
                "delta": {"message": {"content": {"type": "text", "text": ""}}},
            },
            *(
                {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": piece}}}}
                for piece in PIECES
            ),
            {"type": "content-end", "index": 0},
            {"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": BILLED}},
        ]
    )


def _ollama(text: str = TEXT, *, done: bool = True) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"model": "m", "created_at": "2024-01-01T00:00:00Z", "message": message, "done": done}


def _ollama_stream() -> Answer:
    parts = [*(_ollama(piece, done=False) for piece in PIECES), {**_ollama(""), "done_reason": "stop"}]
    lines = (json.dumps(part).encode() + b"\n" for part in parts)
    return Answer(_slowly(lines), headers={"content-type": "application/x-ndjson"})


def _converse() -> Answer:
    message = {"role": "assistant", "content": [{"text": TEXT}]}
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    return _json(
        {
            "output": {"message": message},
            "stopReason": "end_turn",
            "usage": usage,
            "metrics": {"latencyMs": 1},
        }
    )


def _converse_stream() -> Answer:
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    return _frames(
        [
            ("messageStart", {"role": "assistant"}),
            *(("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}}) for piece in PIECES),
            ("contentBlockStop", {"contentBlockIndex": 0}),
            ("messageStop", {"stopReason": "end_turn"}),
            ("metadata", {"usage": usage, "metrics": {"latencyMs": 1}}),
        ]
    )


def _invoked_stream() -> Answer:
    events = (json.dumps(event).encode() for event in _message_events())
    return _frames([("chunk", {"bytes": base64.b64encode(event).decode()}) for event in events])


def _frames(events: Iterable[tuple[str, object]]) -> Answer:
    """A binary event stream, as AWS sends them."""
    frames = (_frame(kind, json.dumps(payload).encode()) for kind, payload in events)
    return Answer(_slowly(frames), headers={"content-type": "application/vnd.amazon.eventstream"})


def _frame(kind: str, payload: bytes) -> bytes:
    headers = b"".join(
        struct.pack("!B", len(name)) + name + struct.pack("!BH", 7, len(value)) + value
        for name, value in (
            (b":event-type", kind.encode()),
            (b":content-type", b"application/json"),
            (b":message-type", b"event"),
        )
    )
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    frame = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return frame + struct.pack("!I", zlib.crc32(frame))


Say = Callable[[], Answer]
LANGUAGES: tuple[tuple[str, Say | None, Say], ...] = (
    ("/converse-stream", None, _converse_stream),
    ("/converse", _converse, _converse_stream),
    ("/invoke-with-response-stream", None, _invoked_stream),
    ("/invoke", _message, _message_stream),
    (":streamRawPredict", None, _message_stream),
    (":rawPredict", _message, _message_stream),
    (":streamGenerateContent", None, _contents),
    (":generateContent", lambda: _json(_content(TEXT)), _contents),
    ("/chat/completions", _chat, _chat_stream),
    ("/responses", _response, _response_stream),
    ("/messages", _message, _message_stream),
    ("/api/chat", lambda: _json(_ollama()), _ollama_stream),
    ("/v2/chat", _cohere, _cohere_stream),
    (
        "/v1/chat",
        lambda: _json({"text": TEXT, "generation_id": "g", "finish_reason": "COMPLETE"}),
        _cohere_stream,
    ),
)
