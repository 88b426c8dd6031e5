"""How four APIs put a run on the wire: request bodies that grow by items, responses, and fresh IDs."""

import base64
import random
import string
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import orjson
from agent_runs import ARGUMENTS, TOOLS, Call, Run

ALNUM = string.ascii_letters + string.digits
Json = dict[str, Any]


class Mint:
    """Fresh IDs, by a seed of their own."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(f"ids {seed}")

    def text(self, prefix: str, length: int, alphabet: str = ALNUM) -> str:
        """An ID of that prefix and so many random characters."""
        return prefix + "".join(self._draw.choices(alphabet, k=length))

    def item(self, prefix: str) -> str:
        """A handle of the Responses API."""
        return self.text(prefix, 50, "0123456789abcdef")

    def blob(self, size: int) -> str:
        """Something that only the provider can read."""
        return base64.b64encode(self._draw.randbytes(size)).decode()


class Wire(ABC):
    """One API: where it listens, which member holds the history, and what goes into it."""

    path: ClassVar[str]
    history: ClassVar[str]

    def __init__(self, mint: Mint) -> None:
        self.mint = mint

    @abstractmethod
    def rest(self, run: Run) -> Json:
        """The request body without its history."""

    def opening(self, run: Run) -> list[Json]:
        """The items that the first request's history has."""
        return [self.ask(run.question)]

    def ask(self, text: str) -> Json:
        """What the user says, as an item of the history."""
        return {"role": "user", "content": text}

    @abstractmethod
    def respond(self, words: str, calls: Sequence[Call]) -> tuple[Json, list[Json]]:
        """A response body, and what the next history has of it and of the results."""


class Chat(Wire):
    """OpenAI chat completions."""

    path, history = "/v1/chat/completions", "messages"

    def rest(self, run: Run) -> Json:  # noqa: ARG002
        """Model and tools; the system prompt is the first message."""
        tools = [{"type": "function", "function": tool} for tool in _tools("parameters")]
        return {"model": "gpt-4.1", "temperature": 0, "tools": tools}

    def opening(self, run: Run) -> list[Json]:
        """System prompt and question."""
        return [{"role": "system", "content": run.system}, self.ask(run.question)]

    def respond(self, words: str, calls: Sequence[Call]) -> tuple[Json, list[Json]]:
        """A completion; an assistant message, and a tool message for each call."""
        made = [
            {"id": self.mint.text("call_", 24), "type": "function", "function": _function(call)}
            for call in calls
        ]
        said = {"role": "assistant", "content": words, **({"tool_calls": made} if made else {})}
        results = [
            {"role": "tool", "tool_call_id": item["id"], "content": call.result}
            for item, call in zip(made, calls, strict=True)
        ]
        choice = {"index": 0, "message": said, "finish_reason": "tool_calls" if made else "stop"}
        response = {"id": self.mint.text("chatcmpl-", 29), "object": "chat.completion", "choices": [choice]}
        return response, [said, *results]


class Anthropic(Wire):
    """Anthropic messages."""

    path, history = "/v1/messages", "messages"

    def rest(self, run: Run) -> Json:
        """Model, system prompt and tools."""
        tools = _tools("input_schema")
        return {"model": "claude-sonnet-4-5", "max_tokens": 4096, "system": run.system, "tools": tools}

    def respond(self, words: str, calls: Sequence[Call]) -> tuple[Json, list[Json]]:
        """A message of text and tool uses; it comes back with a user message of tool results."""
        uses = [
            {
                "type": "tool_use",
                "id": self.mint.text("toolu_01", 22),
                "name": call.name,
                "input": call.arguments,
            }
            for call in calls
        ]
        results = [
            {"type": "tool_result", "tool_use_id": use["id"], "content": call.result}
            for use, call in zip(uses, calls, strict=True)
        ]
        said = {"role": "assistant", "content": [{"type": "text", "text": words}, *uses]}
        response = {"id": self.mint.text("msg_01", 22), "type": "message", **said}
        response["stop_reason"] = "tool_use" if calls else "end_turn"
        return response, [said, {"role": "user", "content": results}] if calls else [said]


class Responses(Wire):
    """OpenAI Responses, kept by the client: items go back under their own IDs."""

    path, history = "/v1/responses", "input"

    def rest(self, run: Run) -> Json:
        """Model, instructions and tools."""
        tools = [{"type": "function", **tool} for tool in _tools("parameters")]
        include = ["reasoning.encrypted_content"]
        return {
            "model": "gpt-5",
            "instructions": run.system,
            "store": False,
            "include": include,
            "tools": tools,
        }

    def respond(self, words: str, calls: Sequence[Call]) -> tuple[Json, list[Json]]:
        """Reasoning, a message and calls; they come back with one output for each call."""
        made = [{"type": "function_call", **self._ids(), **_function(call)} for call in calls]
        results = [
            {"type": "function_call_output", "call_id": item["call_id"], "output": call.result}
            for item, call in zip(made, calls, strict=True)
        ]
        output = [self._thought(), self._message(words), *made]
        return {"id": self.mint.item("resp_"), "object": "response", "output": output}, [*output, *results]

    def _ids(self) -> Json:
        return {"id": self.mint.item("fc_"), "call_id": self.mint.text("call_", 24)}

    def _thought(self) -> Json:
        sealed = self.mint.blob(300)
        return {"type": "reasoning", "id": self.mint.item("rs_"), "summary": [], "encrypted_content": sealed}

    def _message(self, words: str) -> Json:
        text = {"type": "output_text", "text": words, "annotations": []}
        return {"type": "message", "id": self.mint.item("msg_"), "role": "assistant", "content": [text]}


class Gemini(Wire):
    """Gemini generateContent, with IDs and thought signatures."""

    path, history = "/v1beta/models/gemini-3-pro-preview:generateContent", "contents"

    def rest(self, run: Run) -> Json:
        """System instruction and tools."""
        system = {"role": "user", "parts": [{"text": run.system}]}
        return {
            "systemInstruction": system,
            "tools": [{"functionDeclarations": _tools("parametersJsonSchema")}],
        }

    def ask(self, text: str) -> Json:
        """A content of the user."""
        return {"role": "user", "parts": [{"text": text}]}

    def respond(self, words: str, calls: Sequence[Call]) -> tuple[Json, list[Json]]:
        """A content of text and calls, its first part signed; it comes back with a content of results."""
        made = [{"id": self.mint.text("", 8), "name": call.name, "args": call.arguments} for call in calls]
        results = [
            {
                "functionResponse": {
                    "id": item["id"],
                    "name": item["name"],
                    "response": {"result": call.result},
                }
            }
            for item, call in zip(made, calls, strict=True)
        ]
        signed = {"text": words, "thoughtSignature": self.mint.blob(300)}
        said = {"role": "model", "parts": [signed, *({"functionCall": item} for item in made)]}
        response = {
            "candidates": [{"content": said, "finishReason": "STOP"}],
            "responseId": self.mint.text("", 23),
        }
        return response, [said, {"role": "user", "parts": results}] if calls else [said]


APIS: dict[str, type[Wire]] = {
    "openai-chat": Chat,
    "anthropic": Anthropic,
    "responses": Responses,
    "gemini": Gemini,
}


def _function(call: Call) -> Json:
    return {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()}


def _tools(schema: str) -> list[Json]:
    properties = {name: {"type": "string", "description": f"The {name} to look at"} for name in ARGUMENTS}
    shape = {"type": "object", "properties": properties, "required": ["region"]}
    return [{"name": name, "description": f"The tool that can {name}.", schema: shape} for name in TOOLS]
