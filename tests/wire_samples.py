"""One conversation in each provider's wire shape, its IDs still open.

A body is made with `Id` where an ID stands and `Text` where prose mentions one. `spelled` puts strings in
their places, so that a test can mint IDs as some host would: fresh, restarting every turn, all the same.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Json = Any


@dataclass(frozen=True, slots=True)
class Id:
    """An ID before anybody minted it: its kind (`call`, `item`, `blob`), round and place in the round."""

    kind: str
    round: int
    place: int


@dataclass(frozen=True, slots=True)
class Text:
    """A string that is put together from words and IDs."""

    pieces: tuple[str | Id, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call."""

    name: str
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back, and the place of the call that it answers."""

    place: int
    text: str


@dataclass(frozen=True, slots=True)
class Round:
    """Calls made at once, and their results."""

    calls: tuple[Call, ...]
    results: tuple[Result, ...]


Rounds = Sequence[Round]
Mint = Callable[[Id], str]


def fresh(salt: str) -> Mint:
    """IDs as most hosts mint them: others each time, and told from any word."""
    prefixes = {"call": "call_", "item": "fc_", "blob": "sealed+/"}
    return lambda one: f"{prefixes[one.kind]}{salt}{one.round}x{one.place}Z9"


def counted(start: int) -> Mint:
    """IDs that could be words with a number; each is another one."""
    return lambda one: f"{one.kind}-{start + one.round * 10 + one.place}"


def restarting(one: Id) -> str:
    """Calls that are counted anew in each round; what is no call stays unique."""
    return f"exec_{one.place}" if one.kind == "call" else fresh("R")(one)


def constant(one: Id) -> str:
    """One ID for every call."""
    return "call" if one.kind == "call" else fresh("K")(one)


def empty(one: Id) -> str:
    """No ID for any call."""
    return "" if one.kind == "call" else fresh("E")(one)


def spelled(body: Json, mint: Mint) -> Json:
    """The body with every ID in its place."""
    if isinstance(body, Id):
        return mint(body)
    if isinstance(body, Text):
        return "".join(piece if isinstance(piece, str) else mint(piece) for piece in body.pieces)
    if isinstance(body, dict):
        return {key: spelled(value, mint) for key, value in body.items()}
    return [spelled(item, mint) for item in body] if isinstance(body, list) else body


def data_paths(body: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all that is neither a container nor an ID."""
    if isinstance(body, (dict, list)):
        for key, value in body.items() if isinstance(body, dict) else enumerate(body):
            yield from data_paths(value, (*path, key))
    elif not isinstance(body, Id):
        yield path


def openai_chat(rounds: Rounds) -> Json:
    """OpenAI chat completions."""
    messages: list[Json] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go on."}]
    for number, one in enumerate(rounds):
        calls = [
            {"id": Id("call", number, place), "type": "function", "function": _function(call)}
            for place, call in enumerate(one.calls)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": Id("call", number, result.place), "content": result.text}
            for result in one.results
        ]
    tools = [{"type": "function", "function": _tool("parameters")}]
    return {"model": "gpt-4.1", "temperature": 0, "messages": messages, "tools": tools}


def mistral(rounds: Rounds) -> Json:
    """Mistral, whose calls have no type."""
    messages: list[Json] = [{"role": "user", "content": "Go on."}]
    for number, one in enumerate(rounds):
        calls = [
            {"id": Id("call", number, place), "function": _function(call), "index": place}
            for place, call in enumerate(one.calls)
        ]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls, "prefix": False})
        messages += [
            {
                "role": "tool",
                "name": one.calls[result.place].name,
                "tool_call_id": Id("call", number, result.place),
                "content": result.text,
            }
            for result in one.results
        ]
    return {"model": "mistral-large", "random_seed": 7, "messages": messages}


def cohere(rounds: Rounds) -> Json:
    """Cohere v2."""
    messages: list[Json] = [{"role": "user", "content": "Go on."}]
    for number, one in enumerate(rounds):
        calls = [
            {"id": Id("call", number, place), "type": "function", "function": _function(call)}
            for place, call in enumerate(one.calls)
        ]
        messages.append({"role": "assistant", "tool_plan": "I will look.", "tool_calls": calls})
        messages += [
            {
                "role": "tool",
                "tool_call_id": Id("call", number, result.place),
                "content": [{"type": "document", "document": {"id": "0", "data": result.text}}],
            }
            for result in one.results
        ]
    return {"model": "command-a", "stream": False, "messages": messages}


def openai_responses(rounds: Rounds) -> Json:
    """OpenAI Responses, with items and sealed reasoning sent back."""
    items: list[Json] = [{"role": "user", "content": "Go on."}]
    for number, one in enumerate(rounds):
        items.append(
            {
                "type": "reasoning",
                "id": Id("item", number, 9),
                "summary": [],
                "encrypted_content": Id("blob", number, 0),
            }
        )
        items += [
            {
                "type": "function_call",
                "id": Id("item", number, place),
                "call_id": Id("call", number, place),
                **_function(call),
            }
            for place, call in enumerate(one.calls)
        ]
        items += [
            {
                "type": "function_call_output",
                "call_id": Id("call", number, result.place),
                "output": result.text,
            }
            for result in one.results
        ]
    return {"model": "gpt-5", "store": False, "input": items, "tools": [{"type": "function", "name": "look"}]}


def openai_realtime(rounds: Rounds) -> Json:
    """OpenAI Realtime: the client's events, one after another."""
    events: list[Json] = [{"type": "session.update", "session": {"voice": "ash"}}]
    for number, one in enumerate(rounds):
        for place, call in enumerate(one.calls):
            item = {
                "id": Id("item", number, place),
                "type": "function_call",
                "call_id": Id("call", number, place),
                **_function(call),
            }
            events.append({"type": "conversation.item.create", "item": item})
        for result in one.results:
            output = {
                "type": "function_call_output",
                "call_id": Id("call", number, result.place),
                "output": result.text,
            }
            events.append({"type": "conversation.item.create", "item": output})
    return events


def anthropic(rounds: Rounds) -> Json:
    """Anthropic messages, with thinking sent back."""
    messages: list[Json] = [{"role": "user", "content": "Go on."}]
    for number, one in enumerate(rounds):
        said: list[Json] = [{"type": "thinking", "thinking": "Hm.", "signature": Id("blob", number, 0)}]
        said += [
            {
                "type": "tool_use",
                "id": Id("call", number, place),
                "name": call.name,
                "input": call.arguments,
            }
            for place, call in enumerate(one.calls)
        ]
        results = [
            {
                "type": "tool_result",
                "tool_use_id": Id("call", number, result.place),
                "content": [{"type": "text", "text": result.text}],
            }
            for result in one.results
        ]
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": results}]
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 99,
        "messages": messages,
        "tools": [_tool("input_schema")],
    }


def bedrock(rounds: Rounds) -> Json:
    """Bedrock Converse."""
    messages: list[Json] = [{"role": "user", "content": [{"text": "Go on."}]}]
    for number, one in enumerate(rounds):
        thought = {"text": "Hm.", "signature": Id("blob", number, 0)}
        said: list[Json] = [{"reasoningContent": {"reasoningText": thought}}]
        said += [
            {"toolUse": {"toolUseId": Id("call", number, place), "name": call.name, "input": call.arguments}}
            for place, call in enumerate(one.calls)
        ]
        results = [
            {
                "toolResult": {
                    "toolUseId": Id("call", number, result.place),
                    "content": [{"text": result.text}],
                    "status": "success",
                }
            }
            for result in one.results
        ]
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": results}]
    return {"messages": messages, "inferenceConfig": {"maxTokens": 99}}


def gemini(rounds: Rounds) -> Json:
    """Gemini, with thought signatures sent back."""
    contents: list[Json] = [{"role": "user", "parts": [{"text": "Go on."}]}]
    for number, one in enumerate(rounds):
        said = [
            {
                "functionCall": {
                    "id": Id("call", number, place),
                    "name": call.name,
                    "args": call.arguments,
                },
                "thoughtSignature": Id("blob", number, place),
            }
            for place, call in enumerate(one.calls)
        ]
        results = [
            {
                "functionResponse": {
                    "id": Id("call", number, result.place),
                    "name": one.calls[result.place].name,
                    "response": {"result": result.text},
                }
            }
            for result in one.results
        ]
        contents += [{"role": "model", "parts": said}, {"role": "user", "parts": results}]
    return {"contents": contents, "generationConfig": {"temperature": 0}}


WIRES: dict[str, Callable[[Rounds], Json]] = {
    builder.__name__: builder
    for builder in (
        openai_chat,
        mistral,
        cohere,
        openai_responses,
        openai_realtime,
        anthropic,
        bedrock,
        gemini,
    )
}

NAMES = st.sampled_from(["look", "get_weather", "call"])
ARGUMENTS = st.dictionaries(
    st.sampled_from(["city", "id", "call_id", "tool_use_id", "type"]),
    st.sampled_from(["Seoul", "call_1", "function", "", 1, 1.0, True, None, [{"id": "x"}]]),
    max_size=2,
)
CALLS = st.builds(Call, NAMES, ARGUMENTS)


@st.composite
def rounds(draw: st.DrawFn) -> Rounds:
    """Up to three rounds of up to three calls at once, each of which has its result, in any order."""
    several = draw(st.lists(st.lists(CALLS, min_size=1, max_size=3), max_size=3))
    texts = st.sampled_from(["light rain", "ok", '{"id": "x", "call_id": "y"}'])
    return [
        Round(
            tuple(calls),
            tuple(Result(place, draw(texts)) for place in draw(st.permutations(range(len(calls))))),
        )
        for calls in several
    ]


TWO_CALLS = [
    Round((Call("look", {"city": "Seoul"}), Call("look", {"id": "x"})), (Result(0, "rain"), Result(1, "sun")))
]


SET_ASIDE = {"all": {"call", "item", "blob"}, "items": {"call", "item"}, "calls": {"call"}}
"""Which kinds of ID a set of rules sets aside."""


def only(kinds: set[str], mint: Mint) -> Mint:
    """IDs of those kinds as `mint` makes them, all others always the same."""
    return lambda one: mint(one) if one.kind in kinds else fresh("same")(one)


def with_a_mention(conversation: Rounds) -> Rounds:
    """A last result that mentions the first call twice, where there is one."""
    if not conversation:
        return conversation
    text: Json = Text(("<x id='", Id("call", 0, 0), "'> and ", Id("call", 0, 0), ", nothing else"))
    last = conversation[-1]
    results = (*last.results[:-1], Result(last.results[-1].place, text))
    return [*conversation[:-1], Round(last.calls, results)]


def in_order(conversation: Rounds) -> Rounds:
    """Results in the order of the calls, which is all that one ID for all of them can say."""
    return [
        Round(one.calls, tuple(sorted(one.results, key=lambda result: result.place))) for one in conversation
    ]


def with_results(conversation: Rounds, number: int, results: Sequence[Result]) -> Rounds:
    """Other results for one of the rounds."""
    return [
        Round(one.calls, tuple(results)) if position == number else one
        for position, one in enumerate(conversation)
    ]


def with_change(body: Json, path: tuple[str | int, ...]) -> Json:
    """The body with another value at that path."""
    changed = deepcopy(body)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    value = holder[path[-1]]
    holder[path[-1]] = f"{value}!" if isinstance(value, str) else [value]
    return changed


def with_members_shuffled(value: Json, order: random.Random) -> Json:
    """The same value, members in another order."""
    if isinstance(value, dict):
        members = list(value.items())
        order.shuffle(members)
        return {key: with_members_shuffled(member, order) for key, member in members}
    return [with_members_shuffled(item, order) for item in value] if isinstance(value, list) else value


def _function(call: Call) -> Json:
    return {"name": call.name, "arguments": json.dumps(call.arguments)}


def _tool(schema: str) -> Json:
    return {"name": "look", "description": "Look it up.", schema: {"type": "object", "properties": {}}}
