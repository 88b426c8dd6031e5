"""Read the sample tapes without amberfork: their calls and results, by each provider's own rules.

The tests of the samples look through this, so that a fault of amberfork's own readers cannot hide one.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[1] / "sample_tapes"
TAPES = sorted(SAMPLES.glob("*.jsonl"))


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call as the model declared it; `id` is `None` where the provider gives none."""

    id: str | None
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What the client sent back for a call: text, or a JSON value."""

    id: str | None
    content: Any


def exchanges(name: str) -> list[dict[str, Any]]:
    """The exchanges of the sample tape of that name, without its header line."""
    lines = (SAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def history(exchange: dict[str, Any]) -> list[Call | Result]:
    """The calls and results in a request, in their order."""
    return list(_SHAPES[_api(exchange)].history(exchange["request"]["body"]))


def answer(exchange: dict[str, Any]) -> list[Call]:
    """The calls that the model made in its response, a streamed one put together first."""
    body = exchange["response"]["body"]
    shape = _SHAPES[_api(exchange)]
    return list(shape.streamed(body) if isinstance(body, str) else shape.answer(body))


def events(stream: str) -> list[dict[str, Any]]:
    """The JSON that each event of a stream carries."""
    data = [line.removeprefix("data: ") for line in stream.split("\n") if line.startswith("data: ")]
    return [json.loads(text) for text in data if text != "[DONE]"]


class _Chat:
    @staticmethod
    def calls(message: dict[str, Any]) -> Iterator[Call]:
        for call in message.get("tool_calls", ()):
            yield Call(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))

    def history(self, body: dict[str, Any]) -> Iterator[Call | Result]:
        for message in body["messages"]:
            yield from self.calls(message)
            if message["role"] == "tool":
                yield Result(message["tool_call_id"], message["content"])

    def answer(self, body: dict[str, Any]) -> Iterator[Call]:
        return self.calls(body["choices"][0]["message"])

    def streamed(self, stream: str) -> Iterator[Call]:
        pieces: dict[int, list[str]] = {}
        for event in events(stream):
            for choice in event["choices"]:
                for part in choice["delta"].get("tool_calls", ()):
                    function = part["function"]
                    if "id" in part:
                        pieces[part["index"]] = [part["id"], function["name"], ""]
                    pieces[part["index"]][2] += function["arguments"]
        for call_id, name, arguments in pieces.values():
            yield Call(call_id, name, json.loads(arguments))


class _Anthropic:
    def history(self, body: dict[str, Any]) -> Iterator[Call | Result]:
        for message in body["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "tool_use":
                    yield Call(block["id"], block["name"], block["input"])
                if block["type"] == "tool_result":
                    yield Result(block["tool_use_id"], block["content"])

    def answer(self, body: dict[str, Any]) -> Iterator[Call]:
        for block in body["content"]:
            if block["type"] == "tool_use":
                yield Call(block["id"], block["name"], block["input"])

    def streamed(self, stream: str) -> Iterator[Call]:
        blocks: dict[int, dict[str, Any]] = {}
        pieces: dict[int, str] = {}
        for event in events(stream):
            if event["type"] == "content_block_start" and event["content_block"]["type"] == "tool_use":
                blocks[event["index"]] = event["content_block"]
            elif event["type"] == "content_block_delta" and event["delta"]["type"] == "input_json_delta":
                pieces[event["index"]] = pieces.get(event["index"], "") + event["delta"]["partial_json"]
        for index, block in blocks.items():
            yield Call(block["id"], block["name"], json.loads(pieces[index]))


class _Responses:
    def history(self, body: dict[str, Any]) -> Iterator[Call | Result]:
        for item in body["input"] if isinstance(body["input"], list) else ():
            if item.get("type") == "function_call":
                yield Call(item["call_id"], item["name"], json.loads(item["arguments"]))
            if item.get("type") == "function_call_output":
                yield Result(item["call_id"], item["output"])

    def answer(self, body: dict[str, Any]) -> Iterator[Call]:
        for item in body["output"]:
            if item["type"] == "function_call":
                yield Call(item["call_id"], item["name"], json.loads(item["arguments"]))


class _Bedrock:
    def history(self, body: dict[str, Any]) -> Iterator[Call | Result]:
        for message in body["messages"]:
            yield from self.blocks(message["content"])

    def answer(self, body: dict[str, Any]) -> Iterator[Call]:
        for found in self.blocks(body["output"]["message"]["content"]):
            assert isinstance(found, Call)
            yield found

    @staticmethod
    def blocks(content: list[dict[str, Any]]) -> Iterator[Call | Result]:
        for block in content:
            if use := block.get("toolUse"):
                yield Call(use["toolUseId"], use["name"], use["input"])
            if result := block.get("toolResult"):
                [part] = result["content"]
                yield Result(result["toolUseId"], part["json"] if "json" in part else part["text"])


class _Gemini:
    def history(self, body: dict[str, Any]) -> Iterator[Call | Result]:
        for content in body["contents"]:
            yield from self.parts(content["parts"])

    def answer(self, body: dict[str, Any]) -> Iterator[Call]:
        for found in self.parts(body["candidates"][0]["content"]["parts"]):
            assert isinstance(found, Call)
            yield found

    @staticmethod
    def parts(parts: list[dict[str, Any]]) -> Iterator[Call | Result]:
        for part in parts:
            if call := part.get("functionCall"):
                yield Call(call.get("id"), call["name"], call["args"])
            if response := part.get("functionResponse"):
                yield Result(response.get("id"), response["response"]["result"])


_SHAPES: dict[str, Any] = {
    "/v1/chat/completions": _Chat(),
    "/v1/messages": _Anthropic(),
    "/v1/responses": _Responses(),
    "converse": _Bedrock(),
    "generateContent": _Gemini(),
}


def _api(exchange: dict[str, Any]) -> str:
    path: str = exchange["request"]["path"]
    [api] = [name for name in _SHAPES if path == name or path.endswith(("/" + name, ":" + name))]
    return api
