"""What an agent said and did, without any ID, and seven ways in which it goes over the wire.

A run is made of turns: one answer of the model each, and what came after it. A wire makes a tape of a run; it
mints its IDs by a seed, so that two tapes of one run differ in nothing but their IDs.
"""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from amberfork_cli.core.tape import Body, Exchange, ExchangeList, Request, Response

Json = Any


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call, and what the tool gave back."""

    name: str
    arguments: dict[str, Json]
    result: Json


@dataclass(frozen=True, slots=True)
class Turn:
    """An answer of the model: calls with their results, or words and what the user says to them.

    `order` is the order in which the results came. `links` gives for each call the one that its result
    answers, -1 for one that nobody made.
    """

    calls: tuple[Call, ...] = ()
    says: str = ""
    question: str = ""
    order: tuple[int, ...] = ()
    links: tuple[int, ...] = ()

    def results(self) -> Iterator[tuple[int, Call]]:
        """Each result: the position of the call that it answers, and the call that it is of."""
        for position in self.order or range(len(self.calls)):
            yield (self.links[position] if self.links else position), self.calls[position]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that is offered."""

    name: str
    description: str = "Does it."
    properties: tuple[str, ...] = ("city",)

    @property
    def schema(self) -> Json:
        """Its arguments."""
        return {"type": "object", "properties": {name: {"type": "string"} for name in self.properties}}


@dataclass(frozen=True, slots=True)
class Run:
    """All that happened from the first question to the last answer."""

    turns: tuple[Turn, ...]
    system: str = "You are a careful travel agent. Always verify before you book."
    question: str = "Plan a weekend in Seoul."
    model: str = "m-1"
    settings: dict[str, Json] = field(default_factory=lambda: {"temperature": 0.2})
    tools: tuple[Tool, ...] = (Tool("get_weather"), Tool("search_flights"), Tool("book_hotel"))
    answer: str = "All done."


def weather(city: str = "Seoul", *, celsius: int = 3) -> Call:
    """A call for the weather."""
    return Call("get_weather", {"city": city}, {"celsius": celsius, "sky": "snow"})


def flights(day: str = "2026-03-01") -> Call:
    """A call for flights."""
    return Call("search_flights", {"to": "NRT", "date": day}, {"flights": [{"id": "KE703", "price": 412}]})


def hotel(nights: int = 2, *, confirmation: str = "bk_91f3c0") -> Call:
    """A call that books."""
    return Call("book_hotel", {"city": "Seoul", "nights": nights}, {"confirmation": confirmation})


MONDAY = Run(
    (
        Turn((weather(),)),
        Turn((flights(),)),
        Turn((weather("Seoul"), weather("Busan", celsius=9))),
        Turn((hotel(),)),
        Turn(says="Booked.", question="Thank you. And the weather?"),
        Turn((weather("Jeju", celsius=12),)),
    )
)


def without(run: Run, turn: int) -> Run:
    """The run without one turn."""
    return replace(run, turns=run.turns[:turn] + run.turns[turn + 1 :])


def with_turn(run: Run, turn: int, new: Turn) -> Run:
    """The run with one turn more, before the one that had its place."""
    return replace(run, turns=(*run.turns[:turn], new, *run.turns[turn:]))


def changed(run: Run, turn: int, **members: Json) -> Run:
    """The run with something else in one turn."""
    turns = list(run.turns)
    turns[turn] = replace(turns[turn], **members)
    return replace(run, turns=tuple(turns))


class Mint:
    """Fresh IDs, by a seed."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def __call__(self, prefix: str) -> str:
        """An ID that no other run has."""
        return (
            prefix + "".join(self._draw.choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJK0123456789", k=22)) + "Z9"
        )


def chat(run: Run, mint: Mint) -> list[Exchange]:
    """OpenAI chat completions: the system prompt is a message."""
    tools = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
        }
        for tool in run.tools
    ]
    messages: list[Json] = [
        {"role": "system", "content": run.system},
        {"role": "user", "content": run.question},
    ]
    tape = _Tape("/v1/chat/completions")
    for turn in (*run.turns, Turn(says=run.answer)):
        made = [{"id": mint("call_"), "type": "function", "function": _function(call)} for call in turn.calls]
        said = {"role": "assistant", "content": turn.says or None, **({"tool_calls": made} if made else {})}
        reason = "tool_calls" if made else "stop"
        tape.add(
            {"model": run.model, **run.settings, "messages": [*messages], "tools": tools},
            {
                "id": mint("chatcmpl-"),
                "choices": [{"index": 0, "message": said, "finish_reason": reason}],
                "usage": {"total_tokens": len(mint("")) + len(messages)},
            },
        )
        messages.append(said)
        messages += [
            {
                "role": "tool",
                "tool_call_id": made[at]["id"] if at >= 0 else mint("call_"),
                "content": _text(call),
            }
            for at, call in turn.results()
        ]
        messages += [{"role": "user", "content": turn.question}] if turn.question else []
    return tape.exchanges


def anthropic(run: Run, mint: Mint) -> list[Exchange]:
    """Anthropic messages: one message holds all results of a turn."""
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
        for tool in run.tools
    ]
    messages: list[Json] = [{"role": "user", "content": run.question}]
    tape = _Tape("/v1/messages")
    rest = {"model": run.model, "max_tokens": 1024, **run.settings, "system": run.system, "tools": tools}
    for turn in (*run.turns, Turn(says=run.answer)):
        made = [
            {"type": "tool_use", "id": mint("toolu_"), "name": call.name, "input": call.arguments}
            for call in turn.calls
        ]
        content = [*([{"type": "text", "text": turn.says}] if turn.says else []), *made]
        said = {"role": "assistant", "content": content}
        reason = "tool_use" if made else "end_turn"
        tape.add(
            {**rest, "messages": [*messages]},
            {"id": mint("msg_"), "type": "message", **said, "stop_reason": reason},
        )
        results = [
            {
                "type": "tool_result",
                "tool_use_id": made[at]["id"] if at >= 0 else mint("toolu_"),
                "content": _text(call),
            }
            for at, call in turn.results()
        ]
        messages.append(said)
        messages += [{"role": "user", "content": results}] if results else []
        messages += [{"role": "user", "content": turn.question}] if turn.question else []
    return tape.exchanges


def responses(run: Run, mint: Mint) -> list[Exchange]:
    """OpenAI Responses, the whole history sent each time."""
    tape = _Tape("/v1/responses")
    items: list[Json] = [{"role": "user", "content": run.question}]
    for turn in (*run.turns, Turn(says=run.answer)):
        output = _output(turn, mint)
        tape.add(
            {**_responses_rest(run), "store": False, "input": [*items]},
            {"id": mint("resp_"), "object": "response", "output": output},
        )
        items += [*output, *_outputs(turn, output, mint)]
    return tape.exchanges


def chained_responses(run: Run, mint: Mint) -> list[Exchange]:
    """OpenAI Responses, each request going on from the response before it."""
    tape = _Tape("/v1/responses")
    news: list[Json] = [{"role": "user", "content": run.question}]
    before: dict[str, Json] = {}
    for turn in (*run.turns, Turn(says=run.answer)):
        output, name = _output(turn, mint), mint("resp_")
        tape.add(
            {**_responses_rest(run), **before, "input": news},
            {"id": name, "object": "response", "output": output},
        )
        before, news = {"previous_response_id": name}, _outputs(turn, output, mint)
    return tape.exchanges


def _responses_rest(run: Run) -> Json:
    tools = [
        {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.schema}
        for tool in run.tools
    ]
    return {"model": run.model, **run.settings, "instructions": run.system, "tools": tools}


def _output(turn: Turn, mint: Mint) -> list[Json]:
    text = {"type": "output_text", "text": turn.says, "annotations": []}
    said = {"type": "message", "id": mint("msg_"), "role": "assistant", "content": [text]}
    calls = [
        {"type": "function_call", "id": mint("fc_"), "call_id": mint("call_"), **_function(call)}
        for call in turn.calls
    ]
    return [*([said] if turn.says else []), *calls]


def _outputs(turn: Turn, output: list[Json], mint: Mint) -> list[Json]:
    made = [item for item in output if item["type"] == "function_call"]
    results = [
        {
            "type": "function_call_output",
            "call_id": made[at]["call_id"] if at >= 0 else mint("call_"),
            "output": _text(call),
        }
        for at, call in turn.results()
    ]
    return [*results, *([{"role": "user", "content": turn.question}] if turn.question else [])]


def gemini(run: Run, mint: Mint) -> list[Exchange]:
    """Gemini: the model stands in the path, and calls have IDs."""
    return _gemini(run, lambda: {"id": mint("")})


def gemini_without_ids(run: Run, _: Mint) -> list[Exchange]:
    """Gemini as it was: nothing but its name and place says which call a result answers."""
    return _gemini(run, dict)


def _gemini(run: Run, id_of: Callable[[], dict[str, str]]) -> list[Exchange]:
    declared = [
        {"name": tool.name, "description": tool.description, "parameters": tool.schema} for tool in run.tools
    ]
    rest = {
        "systemInstruction": {"parts": [{"text": run.system}]},
        "generationConfig": run.settings,
        "tools": [{"functionDeclarations": declared}],
    }
    contents: list[Json] = [{"role": "user", "parts": [{"text": run.question}]}]
    tape = _Tape(f"/v1beta/models/{run.model}:generateContent")
    for turn in (*run.turns, Turn(says=run.answer)):
        made = [{**id_of(), "name": call.name, "args": call.arguments} for call in turn.calls]
        parts = [*([{"text": turn.says}] if turn.says else []), *({"functionCall": call} for call in made)]
        said = {"role": "model", "parts": parts}
        tape.add({**rest, "contents": [*contents]}, {"candidates": [{"content": said}]})
        answered = [
            (({key: made[at][key] for key in ("id",) if key in made[at]} if at >= 0 else id_of()), call)
            for at, call in turn.results()
        ]
        results = [
            {"functionResponse": {**named, "name": call.name, "response": _object(call)}}
            for named, call in answered
        ]
        contents.append(said)
        contents += [{"role": "user", "parts": results}] if results else []
        contents += [{"role": "user", "parts": [{"text": turn.question}]}] if turn.question else []
    return tape.exchanges


def bedrock(run: Run, mint: Mint) -> list[Exchange]:
    """Bedrock Converse: the model stands in the path."""
    tools = [
        {
            "toolSpec": {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": {"json": tool.schema},
            }
        }
        for tool in run.tools
    ]
    rest = {
        "system": [{"text": run.system}],
        "inferenceConfig": run.settings,
        "toolConfig": {"tools": tools},
    }
    messages: list[Json] = [{"role": "user", "content": [{"text": run.question}]}]
    tape = _Tape(f"/model/{run.model}/converse")
    for turn in (*run.turns, Turn(says=run.answer)):
        made = [
            {"toolUse": {"toolUseId": mint("tooluse_"), "name": call.name, "input": call.arguments}}
            for call in turn.calls
        ]
        said = {"role": "assistant", "content": [*([{"text": turn.says}] if turn.says else []), *made]}
        tape.add({**rest, "messages": [*messages]}, {"output": {"message": said}})
        results = [
            {
                "toolResult": {
                    "toolUseId": made[at]["toolUse"]["toolUseId"] if at >= 0 else mint("tooluse_"),
                    "content": [{"json": _object(call)}],
                    "status": "success",
                }
            }
            for at, call in turn.results()
        ]
        messages.append(said)
        messages += [{"role": "user", "content": results}] if results else []
        messages += [{"role": "user", "content": [{"text": turn.question}]}] if turn.question else []
    return tape.exchanges


Wire = Callable[[Run, Mint], list[Exchange]]
WIRES: dict[str, Wire] = {
    wire.__name__: wire for wire in (chat, anthropic, responses, gemini, gemini_without_ids, bedrock)
}
"""The wires whose requests carry the whole history."""


def tape(*runs: Run, wire: Wire = chat, seed: int = 1, name: str = "tape") -> ExchangeList:
    """The runs on one tape, one after another."""
    mint = Mint(seed)
    return listed([one for run in runs for one in wire(run, mint)], name=name)


def listed(exchanges: list[Exchange], *, name: str = "tape") -> ExchangeList:
    """A tape of those exchanges, numbered anew."""
    return ExchangeList(
        [replace(exchange, number=number) for number, exchange in enumerate(exchanges)], source=name
    )


def edited(one: ExchangeList, change: Callable[[int, Json], Json]) -> ExchangeList:
    """The tape, each body as `change` gives it for its number."""
    bodies = (Body.json(change(each.number, each.request.body.value)) for each in one)
    pairs = zip(one, bodies, strict=True)
    return listed([replace(each, request=replace(each.request, body=body)) for each, body in pairs])


def interleaved(*tapes: ExchangeList) -> ExchangeList:
    """The exchanges of several tapes of one length, taking turns."""
    return listed([exchange for several in zip(*tapes, strict=True) for exchange in several])


class _Tape:
    def __init__(self, path: str) -> None:
        self._path = path
        self.exchanges: list[Exchange] = []

    def add(self, request: Json, response: Json) -> None:
        body = json.loads(json.dumps(request))  # so that no two exchanges share what they hold
        self.exchanges.append(
            Exchange(
                len(self.exchanges),
                Request("POST", self._path, body=Body.json(body)),
                Response(200, body=Body.json(response)),
            )
        )


def _function(call: Call) -> Json:
    return {"name": call.name, "arguments": json.dumps(call.arguments)}


def _text(call: Call) -> str:
    return call.result if isinstance(call.result, str) else json.dumps(call.result)


def _object(call: Call) -> Json:
    return {"text": call.result} if isinstance(call.result, str) else call.result
