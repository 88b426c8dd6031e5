"""Exchanges and short runs in the wire shapes of providers that remember: responses, threads, containers."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response

Json = Any


def post(body: JsonValue, response: JsonValue = None, *, path: str = "/v1/x") -> Exchange:
    """An exchange, unnumbered."""
    answer_ = None if response is None else Response(200, body=Body.json(response))
    return Exchange(0, Request("POST", path, body=Body.json(body)), answer_)


def get(path: str, response: JsonValue) -> Exchange:
    """An exchange that only reads, unnumbered."""
    return Exchange(0, Request("GET", path), Response(200, body=Body.json(response)))


def numbered(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """The exchanges as they stand on one tape."""
    return [replace(exchange, number=number) for number, exchange in enumerate(exchanges)]


def with_streams(exchanges: list[Exchange]) -> list[Exchange]:
    """The same tape, its answers recorded as events: what was made is told first in short, then whole."""
    return [
        replace(
            exchange,
            response=replace(exchange.response, body=Body.text(stream(exchange.response.body.value))),
        )
        if exchange.response
        else exchange
        for exchange in exchanges
    ]


def stream(answer_: Json) -> str:
    """An event stream that ends in that answer."""
    begun = {key: value for key, value in answer_.items() if isinstance(value, str)}
    events = [{"type": "begun", "response": begun}, {"type": "done", "response": answer_}]
    return "".join(f"event: x\ndata: {jsontext.dumps(event).decode()}\n\n" for event in events)


def answer(name: str, *calls: str, **more: Json) -> Json:
    """A response of the Responses API that makes those calls."""
    output = [
        {"type": "function_call", "id": f"fc_{name}_{place}", "call_id": call, "name": "f", "arguments": "{}"}
        for place, call in enumerate(calls)
    ]
    return {"id": name, "object": "response", "output": output, **more}


def outputs(before: str, *results: tuple[str, str]) -> Json:
    """A request of the Responses API that goes on from another with those results."""
    return {
        "previous_response_id": before,
        "input": [
            {"type": "function_call_output", "call_id": call, "output": text} for call, text in results
        ],
    }


def asked(name: str, question: str) -> list[Exchange]:
    """A question, and a yes to its answer."""
    return [
        post({"input": question}, answer(name)),
        post({"input": "yes", "previous_response_id": name}, answer(f"{name}_2", previous_response_id=name)),
    ]


def interaction(name: str, question: str) -> list[Exchange]:
    """The same with Gemini's Interactions."""
    return [
        post({"input": question}, {"id": name, "outputs": []}),
        post({"input": "yes", "previous_interaction_id": name}, {"id": f"{name}_2", "outputs": []}),
    ]


def kept(name: str, question: str, spell: Callable[[str], Json]) -> list[Exchange]:
    """The same in a conversation that the provider keeps; it is opened empty."""
    said_ = [
        post(
            {"input": text, "conversation": spell(name)}, answer(f"{name}_{text}", conversation={"id": name})
        )
        for text in (question, "yes")
    ]
    return [post({}, {"id": name, "object": "conversation"}, path="/v1/conversations"), *said_]


def contained(name: str, question: str, spell: Callable[[str], Json]) -> list[Exchange]:
    """The same in a container of Anthropic's."""
    made = {"type": "message", "id": f"msg_{name}", "container": {"id": name, "expires_at": "2026"}}
    return [
        post({"messages": [{"role": "user", "content": question}]}, made, path="/v1/messages"),
        post(
            {"messages": [{"role": "user", "content": "yes"}], "container": spell(name)},
            made,
            path="/v1/messages",
        ),
    ]


def interpreted(name: str, question: str) -> list[Exchange]:
    """The same in a container of OpenAI's code interpreter."""
    ran = {"type": "code_interpreter_call", "id": f"ci_{name}", "container_id": name}
    return [
        post({"input": question}, {"id": f"resp_{name}", "output": [ran]}),
        post(
            {"input": "yes", "tools": [{"type": "code_interpreter", "container": name}]}, answer(f"{name}_2")
        ),
    ]


def referred(name: str, question: str) -> list[Exchange]:
    """The same by a reference to what was said."""
    said_ = {"type": "message", "id": name, "content": []}
    return [
        post({"input": question}, {"id": f"resp_{name}", "output": [said_]}),
        post(
            {"input": [{"type": "item_reference", "id": name}, {"role": "user", "content": "yes"}]},
            answer("r"),
        ),
    ]


def threaded(name: str, question: str) -> list[Exchange]:
    """The same in a thread of OpenAI's Assistants, which the path names; it is opened empty."""
    said_ = [
        post(
            {"role": "user", "content": text},
            {"id": f"msg_{name}_{text}"},
            path=f"/v1/threads/{name}/messages",
        )
        for text in (question, "yes")
    ]
    return [post({}, {"id": name, "object": "thread"}, path="/v1/threads"), *said_]


def run_of(thread: str, run: str, call: str, polls: int) -> list[Exchange]:
    """A run of OpenAI's Assistants that is polled until it wants a result, and gets it."""
    base = f"/v1/threads/{thread}/runs"
    state = {"id": run, "object": "thread.run", "thread_id": thread, "status": "queued"}
    wants = {
        **state,
        "required_action": {"submit_tool_outputs": {"tool_calls": [{"id": call, "type": "function"}]}},
    }
    return [
        post({}, {"id": thread, "object": "thread"}, path="/v1/threads"),
        post({"assistant_id": "asst_1"}, state, path=base),
        *[get(f"{base}/{run}", state) for _ in range(polls)],
        get(f"{base}/{run}", wants),
        post(
            {"tool_outputs": [{"tool_call_id": call, "output": "x"}]},
            state,
            path=f"{base}/{run}/submit_tool_outputs",
        ),
        get(f"{base}/{run}", state),
        get(f"/v1/threads/{thread}/messages", {"data": [{"id": f"msg_{thread}"}]}),
    ]
