"""The tool calls of a tape: each once, in turns, with its recorded result."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.dialects.calls import (
    RecordedCall,
    RecordedResult,
    ResultPlace,
    Side,
    Turn,
    result_places,
    tool_turns,
)
from amberfork_cli.core.dialects.model import ToolCall, ToolResult
from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response


def test_a_call_of_a_response_is_found_once_with_its_result() -> None:
    """The call where it was made, the result where it stands first; later requests only repeat them."""
    asked = [system("Be brief."), user("Seoul?")]
    called = [*asked, assistant(call("call_1", "f", {"city": "Seoul"}))]
    done = [*called, tool("call_1", "sunny")]

    turns = tool_turns(
        tape(
            (asked, called[-1]),
            (done, says("Sunny.")),
            ([*done, says("Sunny."), user("Thanks!")], says("Bye.")),
        )
    )

    path = ("choices", 0, "message", "tool_calls", 0)
    made = ToolCall("call_1", "f", '{"city": "Seoul"}', path, (*path, "function", "arguments"))
    declared = ("messages", 2, "tool_calls", 0)
    repeated = ToolCall("call_1", "f", '{"city": "Seoul"}', declared, (*declared, "function", "arguments"))
    result = ToolResult("call_1", "sunny", ("messages", 3), ("messages", 3, "content"), answers=repeated)
    recorded = RecordedCall(made, 0, Side.RESPONSE, RecordedResult(result, 1, Side.REQUEST))
    assert turns == (Turn(0, (recorded,)),)


def test_without_responses_calls_come_from_histories() -> None:
    """Each at the first request that shows it, grouped by the turn that made it."""
    first = [user("go"), assistant(call("a", "f"), call("b", "g")), tool("b", "2"), tool("a", "1")]
    second = [*first, assistant(call("c", "f")), tool("c", "3")]

    turns = tool_turns(tape((first, None), (second, None)))

    assert shown(turns) == [(0, ["f request 1", "g request 2"]), (1, ["f request 3"])]


def test_an_id_that_is_used_again_is_another_call() -> None:
    """The very same call in two turns is two calls, and each has its own result."""
    again = assistant(call("exec_0", "f", {"x": 1}))
    first = [user("go"), again, tool("exec_0", "1")]
    second = [*first, again, tool("exec_0", "2")]

    with_responses = tool_turns(tape(([user("go")], again), (first, again), (second, says("done"))))
    without = tool_turns(tape((second, None), (second, None)))

    assert shown(with_responses) == [(0, ["f response 1"]), (1, ["f response 2"])]
    assert shown(without) == [(0, ["f request 1"]), (0, ["f request 2"])]


def test_two_conversations_with_the_same_ids_are_kept_apart() -> None:
    """However they are interleaved, what the user said before tells them apart."""
    again = assistant(call("exec_0", "f"))
    asked = [[user(word)] for word in ("one", "two")]
    done = [[*history, again, tool("exec_0", str(number))] for number, history in enumerate(asked)]

    turns = tool_turns(
        tape(
            (asked[0], again),
            (asked[1], again),
            (done[1], says("b")),
            (done[0], says("a")),
            (done[1], says("b")),
        )
    )

    assert shown(turns) == [(0, ["f response 0"]), (1, ["f response 1"])]


def test_one_question_asked_twice_is_two_calls_even_without_ids() -> None:
    """Each response is a call of its own; its result comes from the history that holds it."""
    asked = [user("go")]
    called = assistant(call(None, "f"))
    done = [[*asked, called, tool(None, result)] for result in ("1", "2")]

    turns = tool_turns(tape((asked, called), (asked, called), (done[0], says("a")), (done[1], says("b"))))

    assert shown(turns) == [(0, ["f response 1"]), (1, ["f response 2"])]


def test_a_second_result_of_the_same_call_is_not_its_recorded_one() -> None:
    """A history that forks at a result repeats the call; the first result counts."""
    called = [user("go"), assistant(call("call_1", "f"))]

    turns = tool_turns(tape(([*called, tool("call_1", "1")], None), ([*called, tool("call_1", "2")], None)))

    assert shown(turns) == [(0, ["f request 1"])]


def test_ids_that_a_client_writes_anew_are_forgiven_once() -> None:
    """Added, dropped or replaced: it is the call out of the response, and from then on goes by both."""
    for theirs, ours in ((None, "pyd_1"), ("call_1", None), ("call_1", "fc_1")):
        done = [user("go"), assistant(call(ours, "f")), tool(ours, "1")]
        after = [*done, says("ok"), user("more")]

        turns = tool_turns(
            tape(([user("go")], assistant(call(theirs, "f"))), (done, says("ok")), (after, says("bye")))
        )

        assert shown(turns) == [(0, ["f response 1"])]


def test_runs_of_one_prompt_with_ids_of_their_own_are_not_one_call() -> None:
    """On a tape of requests only, the IDs are what tells them apart."""
    runs = [
        [user("go"), assistant(call(call_id, "f")), tool(call_id, "1")] for call_id in ("call_1", "call_2")
    ]

    assert shown(tool_turns(tape(*((run, None) for run in runs)))) == [
        (0, ["f request 1"]),
        (1, ["f request 1"]),
    ]


def test_arguments_that_a_client_writes_anew_are_the_same_call() -> None:
    """Spacing, member order and the many ways to say nothing."""
    for theirs, ours in (('{"a":1,"b":2}', '{"b": 2, "a": 1}'), ("", "{}"), ("null", ""), ("[", "[")):
        done = [user("go"), assistant(spelled("call_1", theirs)), tool("call_1", "1")]

        turns = tool_turns(tape(([user("go")], assistant(spelled("call_1", ours))), (done, says("ok"))))

        assert shown(turns) == [(0, ["f response 1"])]


def test_a_rewritten_history_is_recognised_by_ids_that_are_no_words() -> None:
    """Where a client drops or sums up what came before, `call_k3J9xQ2` can mean only one call."""
    call_id = "call_k3J9xQ2"
    done = [user("go"), assistant(call(call_id, "f")), tool(call_id, "1")]
    shortened = [user("(what was said before)"), *done[1:], assistant(call("call_p8Wz5Lm", "g"))]

    turns = tool_turns(
        tape(
            ([user("go")], done[1]),
            (done, shortened[-1]),
            ([*shortened, tool("call_p8Wz5Lm", "2")], says("ok")),
        )
    )

    assert shown(turns) == [(0, ["f response 1"]), (1, ["g response 2"])]


def test_a_system_prompt_that_changes_with_the_time_changes_no_call() -> None:
    """Nor do cache hints that move from message to message."""
    first = [system("It is 10:00."), {**user("go"), "cache_control": {"type": "ephemeral"}}]
    second = [
        system("It is 10:01."),
        user("go"),
        assistant(call(None, "f")),
        {**tool(None, "1"), "cache_control": {"type": "ephemeral"}},
    ]

    assert shown(tool_turns(tape((first, second[2]), (second, says("ok"))))) == [(0, ["f response 1"])]


def test_a_response_that_goes_on_from_an_earlier_one_answers_its_calls() -> None:
    """The provider keeps the history: what the request answers was declared in the response that it names."""
    exchanges = [
        responses({"input": word}, {"id": f"resp_{word}", "output": [function_call("exec_0")]})
        for word in ("one", "two")
    ]
    answers = [
        responses(
            {"previous_response_id": f"resp_{word}", "input": [function_output("exec_0", word)]},
            {"id": f"resp_{word}_2", "output": [function_call("exec_0")]},
        )
        for word in ("two", "one")
    ]

    turns = tool_turns(numbered([*exchanges, *answers]))

    assert shown(turns) == [
        (0, ["f response one"]),
        (1, ["f response two"]),
        (2, ["f response None"]),
        (3, ["f response None"]),
    ]


def test_what_the_provider_ran_has_its_result_in_the_response() -> None:
    """Call and result are found together."""
    item = {"type": "mcp_call", "id": "mcp_1", "name": "ask", "arguments": "{}", "output": "4"}

    ((turn,),) = (tool_turns(numbered([responses({"input": "go"}, {"output": [item]})])),)

    (only,) = turn.calls
    assert (only.call.by_provider, only.side) == (True, Side.RESPONSE)
    assert only.result is not None
    assert (only.result.result.content, only.result.side) == ("4", Side.RESPONSE)


def test_a_call_out_of_a_stream_that_was_cut_is_not_complete() -> None:
    """It is reported, so that nobody runs it."""
    delta = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{"}}]}
    text = f"data: {json.dumps({'choices': [{'delta': delta}]})}"
    request = Request("POST", "/v1/chat/completions", (), Body.json({"messages": [user("go")]}))

    turns = tool_turns([Exchange(0, request, Response(200, (), Body.text(text)))])

    assert [(each.call.arguments, each.call.complete) for turn in turns for each in turn.calls] == [
        ("{", False)
    ]


def test_polling_for_one_response_finds_its_calls_once() -> None:
    """The same response twice, by an ID that can mean only one call."""
    body = {"id": "resp_1", "output": [function_call("call_k3J9xQ2")]}

    turns = tool_turns(numbered([responses({"input": "go"}, body), responses(None, body)]))

    assert shown(turns) == [(0, ["f response None"])]


def test_bodies_that_are_no_conversations_are_passed_over() -> None:
    """Other requests of a tape call no tools."""
    exchanges = [
        Exchange(0, Request("GET", "/v1/models")),
        Exchange(1, Request("POST", "/upload", (), Body.bytes(b"\x00")), Response(200, (), Body.text("ok"))),
        Exchange(2, Request("POST", "/v1/embeddings", (), Body.json({"input": "x"}))),
    ]

    assert tool_turns(exchanges) == ()


def test_every_place_of_a_result_is_told() -> None:
    """So that a fresh one can be put into all requests that repeat it."""
    first = [user("go"), assistant(call("a", "f"), call("b", "g")), tool("b", "2"), tool("a", "1")]
    exchanges = tape((first, None), ([*first, says("ok"), user("more")], None))

    places = list(result_places(exchanges))

    assert [(each.exchange, each.result.content_path, each.turn, each.call) for each in places] == [
        (0, ("messages", 2, "content"), 0, 1),
        (0, ("messages", 3, "content"), 0, 0),
        (1, ("messages", 2, "content"), 0, 1),
        (1, ("messages", 3, "content"), 0, 0),
    ]
    assert all(isinstance(each, ResultPlace) for each in places)


STEPS = st.lists(st.sampled_from(["f", "g", "f g", "f f", "words"]), min_size=1, max_size=5)


@given(st.lists(STEPS, min_size=1, max_size=3), st.sampled_from(["unique", "constant", "none"]), st.data())
@settings(max_examples=60, deadline=None)
def test_a_tape_holds_each_call_once(runs: list[list[str]], ids: str, data: st.DataObject) -> None:
    """Whatever the IDs and the interleaving: as many calls as were made, each with its own result."""
    pending = [list(agent_run(f"run {number}", run, ids)) for number, run in enumerate(runs)]
    made = sum(len(step.split()) for run in runs for step in run if step != "words")
    exchanges: list[tuple[Any, Any]] = []
    while any(pending):
        run = data.draw(st.sampled_from([each for each in pending if each]))
        exchanges.append(run.pop(0))

    with_responses = tool_turns(tape(*exchanges))
    only_requests = tool_turns(tape(*((request, None) for request, _ in exchanges)))

    for turns in (with_responses, only_requests):
        results = [each.result.result.content for turn in turns for each in turn.calls if each.result]
        assert len(results) == len(set(map(str, results))) == sum(len(turn.calls) for turn in turns) == made


def agent_run(name: str, steps: list[str], ids: str) -> Any:
    """Requests and replies of an agent that takes these steps, every result a text of its own."""
    history: list[JsonValue] = [user(name)]
    for number, step in enumerate([*steps, "words"]):
        if step == "words":
            reply, answers = says("ok"), [user("go on")]
        else:
            names = list(enumerate(step.split()))
            id_of = {
                place: {"unique": f"call_{name}{number}{place}X", "constant": "call", "none": None}[ids]
                for place, _ in names
            }
            reply = assistant(*(call(id_of[place], each) for place, each in names))
            answers = [
                {**tool(id_of[place], f"{name} {number} {place}"), "name": each} for place, each in names
            ]
        yield list(history), reply
        history += [reply, *answers]


def shown(turns: tuple[Turn, ...]) -> list[tuple[int, list[str]]]:
    """Each turn's exchange and, for each call, its name, where it was found, and its result."""
    return [
        (
            turn.exchange,
            [
                f"{each.call.name} {each.side} {each.result and each.result.result.content}"
                for each in turn.calls
            ],
        )
        for turn in turns
    ]


def tape(*exchanges: tuple[Any, Any]) -> list[Exchange]:
    """Chat exchanges of a history and a reply, or none."""
    return numbered(
        [
            Exchange(
                0,
                Request("POST", "/v1/chat/completions", (), Body.json({"messages": history})),
                None if reply is None else Response(200, (), Body.json({"choices": [{"message": reply}]})),
            )
            for history, reply in exchanges
        ]
    )


def numbered(exchanges: list[Exchange]) -> list[Exchange]:
    return [Exchange(number, each.request, each.response) for number, each in enumerate(exchanges)]


def responses(request: Any, response: JsonValue) -> Exchange:
    asked = Request("POST", "/v1/responses", (), Body.json(request))
    return Exchange(0, asked, Response(200, (), Body.json(response)))


def function_call(call_id: str) -> dict[str, JsonValue]:
    return {"type": "function_call", "call_id": call_id, "name": "f", "arguments": "{}"}


def function_output(call_id: str, output: str) -> dict[str, JsonValue]:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def system(text: str) -> dict[str, JsonValue]:
    return {"role": "system", "content": text}


def user(text: str) -> dict[str, JsonValue]:
    return {"role": "user", "content": text}


def says(text: str) -> dict[str, JsonValue]:
    return {"role": "assistant", "content": text}


def assistant(*calls: JsonValue) -> dict[str, JsonValue]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def call(call_id: str | None, name: str, arguments: JsonValue = None) -> JsonValue:
    written = json.dumps({} if arguments is None else arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": written}}


def spelled(call_id: str, arguments: str) -> JsonValue:
    return {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}


def tool(call_id: str | None, content: str) -> dict[str, JsonValue]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}
