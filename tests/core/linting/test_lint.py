"""What is wrong on a tape."""

from __future__ import annotations

from dataclasses import replace

import pytest
from agent_tapes import MONDAY, WIRES, Run, Turn, chained_responses, listed, weather
from agent_tapes import tape as agent_tape
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.linting.findings import MEANINGS, Finding, Place, Rule
from amberfork_cli.core.linting.lint import lint
from amberfork_cli.core.tape import Body, Exchange, ExchangeList, JsonValue, Request, Response, TapeForm

KEY = "sk-ant-api03-aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6iJ9l"
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}


@pytest.mark.parametrize("wire", [*WIRES.values(), chained_responses], ids=lambda wire: wire.__name__)
def test_a_sound_run_is_clean(wire):
    """In every provider's shape, whether it keeps the history or not."""
    report = lint(agent_tape(MONDAY, wire=wire))

    assert (report.findings, report.exchanges, report.clean) == ((), 7, True)


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "gemini_without_ids"])
def test_an_orphan_and_the_call_that_it_missed_are_told_once(wire):
    """Later turns repeat them, and are counted."""
    run = Run((Turn((weather(),), links=(-1,)), Turn((weather("Busan"),))))

    report = lint(agent_tape(run, wire=WIRES[wire]))

    assert {(each.rule, each.place.exchange) for each in report.findings} == {
        (Rule.CALL_WITHOUT_RESULT, 0),
        (Rule.ORPHAN_RESULT, 1),
    }


def test_the_last_call_of_a_run_has_no_result():
    """And it is said that the run ended there."""
    (found,) = lint(listed([*agent_tape(MONDAY)][:1])).findings

    assert found == Finding(
        Rule.CALL_WITHOUT_RESULT,
        "nothing answers the call of get_weather, at the end of the run",
        Place(0, None, "/response/body/choices/0/message/tool_calls/0"),
    )


@pytest.mark.parametrize(
    "asked",
    [
        {"tool_choice": "required"},
        {"tool_choice": "any"},
        {"tool_choice": {"type": "function", "function": {"name": "f"}}},
        {"tool_choice": {"type": "allowed_tools", "mode": "required", "tools": []}},
        {"function_call": {"name": "f"}},
        {"toolConfig": {"toolChoice": {"any": {}}}},
        {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
        {"tool_config": {"function_calling_config": {"mode": "ANY"}}},
    ],
)
def test_a_call_that_was_forced_may_be_the_last(asked):
    """That is how a model is made to answer in a shape: nobody is to run it."""
    answer: JsonValue = {"choices": [{"message": {"role": "assistant", "tool_calls": [CALL]}}]}

    assert _of_body({"messages": [], **asked}, answer) == ()


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"tool_choice": "auto"},
        {"tool_choice": {"type": "auto"}},
        {"tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": []}},
        {"function_call": "auto"},
        {"toolConfig": {"toolChoice": {"auto": {}}}},
        {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}},
    ],
)
def test_a_call_that_the_model_chose_is_to_be_answered(asked):
    """Even the last."""
    answer: JsonValue = {"choices": [{"message": {"role": "assistant", "tool_calls": [CALL]}}]}

    assert [each.rule for each in _of_body({"messages": [], **asked}, answer)] == [Rule.CALL_WITHOUT_RESULT]


def test_a_call_of_which_the_provider_tells_afterwards_is_answered():
    """On a socket its end may come when the result has been sent."""
    result: JsonValue = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
    call: JsonValue = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
    event: JsonValue = {"type": "response.done", "response": {"output": [call]}}
    asked: JsonValue = {"type": "conversation.item.create", "item": result}
    exchange = Exchange(
        0, Request("WS", "/v1/realtime", body=Body.json(asked)), Response(101, body=Body.json([event]))
    )

    assert lint(listed([exchange])).findings == ()


HI = 'data: {"choices": [{"index": 0, "delta": {"content": "Hi"}}]}\n\n'
END = 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


@pytest.mark.parametrize(("stream", "cut"), [(HI, True), (HI + END[:9], True), (HI + END, False)])
def test_a_stream_that_stops_before_its_end_is_told(stream, cut):
    """It would break off again when it is replayed."""
    request = Request("POST", "/v1/chat/completions", body=Body.json({"messages": []}))
    exchange = Exchange(0, request, Response(200, body=Body.text(stream)))

    found = [(each.rule, each.place.pointer) for each in lint(ExchangeList([exchange])).findings]

    assert found == ([(Rule.CUT_STREAM, "/response/body")] if cut else [])


def test_a_call_that_the_conversation_leaves_behind_has_no_result():
    """The next message is the user's."""
    (found,) = _of_messages({"role": "assistant", "tool_calls": [CALL]}, {"role": "user", "content": "?"})

    assert (found.message, found.place.pointer) == (
        "nothing answers the call of f, and the conversation goes on",
        "/request/body/messages/0/tool_calls/0",
    )


def test_a_handle_of_nobody_explains_results():
    """A tape may begin in the middle of a conversation that the provider keeps."""
    later = [*agent_tape(MONDAY, wire=chained_responses)][1:]

    assert lint(listed(later)).clean


def test_a_member_that_is_called_like_a_credential_holds_one():
    """Whatever it looks like, as long as it is no placeholder; later turns repeat it."""
    used: JsonValue = {"name": "f", "arguments": {"api_key": "Qx7vT2mN9pLr4kWz", "password": "<password-1>"}}

    report = _of_messages({"role": "user", "content": "Hi"}, {"role": "assistant", "note": used})

    assert [(each.rule, each.message, each.place.pointer) for each in report] == [
        (Rule.SECRET, "a credential (16 characters)", "/request/body/messages/1/note/arguments/api_key")
    ]


def test_calls_of_one_id_are_told():
    """Nobody can say which of them a result answers."""
    asked: JsonValue = {"role": "assistant", "tool_calls": [CALL]}

    (found,) = _of_messages(asked, RESULT, asked, RESULT)

    assert (found.rule, found.place.pointer) == (Rule.DUPLICATE_ID, "/request/body/messages/2/tool_calls/0")


def test_empty_ids_are_told():
    """Of calls and of results."""
    found = _of_messages(
        {"role": "assistant", "tool_calls": [{**CALL, "id": ""}]}, {**RESULT, "tool_call_id": ""}
    )

    assert [each.rule for each in found] == [Rule.EMPTY_ID, Rule.EMPTY_ID]


@pytest.mark.parametrize(
    ("path", "upstream", "model", "length", "fits"),
    [
        ("/v1/chat/completions", None, "gpt-4o", 40, True),
        ("/v1/chat/completions", None, "gpt-4o", 41, False),
        ("/v1/chat/completions", "https://api.openai.com", "x", 41, False),
        ("/v1/chat/completions", "https://x.openai.azure.com", "x", 41, False),
        ("/v1/chat/completions", "https://api.groq.com", "openai/gpt-oss", 41, True),
        ("/v1/chat/completions", None, "deepseek-chat", 41, True),
        ("/v1/chat/completions", "https://api.mistral.ai", "x", 9, True),
        ("/v1/chat/completions", "https://api.mistral.ai", "x", 10, False),
        ("/v1/chat/completions", None, "mistral-large-latest", 8, False),
    ],
)
def test_ids_of_a_chat_are_as_long_as_its_host_takes(path, upstream, model, length, fits):
    """40 for OpenAI, exactly 9 for Mistral, and nothing is known of others."""
    id_ = "call_".ljust(length, "x")
    messages: JsonValue = [
        {"role": "assistant", "tool_calls": [{**CALL, "id": id_}]},
        {**RESULT, "tool_call_id": id_},
    ]
    extra: dict[str, JsonValue] = {} if upstream is None else {"upstream": upstream}
    request = Request("POST", path, body=Body.json({"model": model, "messages": messages}), extra=extra)

    found = lint(ExchangeList([Exchange(0, request)])).findings

    assert [(each.rule, each.more) for each in found] == ([] if fits else [(Rule.ID_LENGTH, 1)])


@pytest.mark.parametrize("wire", ["responses", "bedrock"])
@pytest.mark.parametrize("length", [64, 65])
def test_ids_of_responses_and_bedrock_have_64_characters_at_most(wire, length):
    """One more is refused."""
    tape = [*agent_tape(Run((Turn((weather(),)),)), wire=WIRES[wire])]
    key, id_ = ("call_id", None) if wire == "responses" else ("toolUseId", None)
    id_ = _first(tape[1].request.body.value, key)
    body = _replaced(tape[1].request.body.value, id_, id_.ljust(length, "x"))
    exchange = replace(tape[1], number=0, request=replace(tape[1].request, body=Body.json(body)))

    found = lint(ExchangeList([exchange])).findings

    assert [each.rule for each in found] == ([Rule.ID_LENGTH] if length > 64 else [])


@pytest.mark.parametrize(
    ("arguments", "sound"),
    [("{}", True), ("", True), ("null", True), ("{oops", False), ("[1]", False), ('{"a":1}{', False)],
)
def test_arguments_are_a_json_object(arguments, sound):
    """As a tool would take them."""
    call = {**CALL, "function": {"name": "f", "arguments": arguments}}

    found = _of_messages({"role": "assistant", "tool_calls": [call]}, RESULT)

    assert [(each.rule, each.place.pointer) for each in found] == (
        [] if sound else [(Rule.ARGUMENTS, "/request/body/messages/0/tool_calls/0/function/arguments")]
    )


def test_the_input_of_a_custom_tool_is_any_text():
    """It is no JSON, and need not be."""
    call = {"id": "call_1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}

    assert _of_messages({"role": "assistant", "tool_calls": [call]}, RESULT) == ()


def test_credentials_are_found_everywhere_and_each_is_told_once():
    """Path, headers, bodies, members that amberfork does not know, the pieces of a stream."""
    halves = [
        f'data: {{"choices":[{{"delta":{{"content":"{half}"}}}}]}}\n\n' for half in (KEY[:20], KEY[20:])
    ]
    request = Request(
        "POST",
        "/v1/chat/completions?key=abc",
        (("Authorization", "Bearer abcdefgh"),),
        Body.json({"messages": [{"role": "user", "content": f"{KEY}x"}], f"{KEY}y": 1}),
        extra={"note": f"{KEY}z"},
    )
    response = Response(200, body=Body.text("".join([*halves, "data: [DONE]\n\n"])))

    report = lint(ExchangeList([Exchange(0, request, response), Exchange(1, request, response)]))

    assert {(each.rule, each.place.pointer, each.more) for each in report.findings} == {
        (Rule.SECRET, "/request/path", 1),
        (Rule.SECRET, "/request/headers/0/1", 1),
        (Rule.SECRET, "/request/body", 1),
        (Rule.SECRET, "/request/body/messages/0/content", 0),
        (Rule.SECRET, "/request/note", 1),
        (Rule.SECRET, "/response/body", 1),
    }
    assert KEY not in repr(report)


def test_an_id_is_no_credential_whatever_it_looks_like():
    """A call may have any ID."""
    found = _of_messages(
        {"role": "assistant", "tool_calls": [{**CALL, "id": KEY}]}, {**RESULT, "tool_call_id": KEY}
    )

    assert found == ()


def test_what_json_cannot_carry_safely_is_told():
    """Integers that doubles round, halves of characters, depth."""
    deep: JsonValue = []
    for _ in range(250):
        deep = [deep]
    body: JsonValue = {"a": 2**53, "b": 2**53 + 1, "c": "\ud83d", "d": deep}

    found = lint(ExchangeList([Exchange(0, Request("POST", "/x", body=Body.json(body)))])).findings

    assert [(each.rule, each.place.pointer[:15]) for each in found] == [
        (Rule.UNSAFE_INTEGER, "/request/body/b"),
        (Rule.HALF_CHARACTER, "/request/body/c"),
        (Rule.DEEP_NESTING, "/request/body/d"),
    ]


def test_pointers_into_bare_bodies_begin_at_the_body():
    """The line of a tape of bodies is the body itself."""
    exchange = Exchange(0, Request("POST", "", body=Body.json({"messages": [], "x": KEY})))

    (found,) = lint(ExchangeList([exchange], form=TapeForm.BODIES)).findings

    assert found.place.pointer == "/x"


def test_every_rule_is_explained():
    """For code scanning."""
    assert {*MEANINGS} == {*Rule}


NAMES = "role content messages input type text tool_calls id call_id function name arguments output usage"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x", KEY, "tool", "function", "\ud83d"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(JSON, JSON), min_size=1, max_size=3))
def test_any_bodies_can_be_looked_through_and_no_credential_is_told(bodies):
    """Whatever shape they have; a second look finds the same."""
    tape = ExchangeList(
        Exchange(at, Request("POST", "/v1/x", body=Body.json(asked)), Response(200, body=Body.json(said)))
        for at, (asked, said) in enumerate(bodies)
    )

    report = lint(tape)

    assert report == lint(tape)
    assert all(KEY not in each.message + each.place.pointer for each in report.findings)


def _of_messages(*messages: JsonValue) -> tuple[Finding, ...]:
    request = Request("POST", "/v1/chat/completions", body=Body.json({"messages": [*messages]}))
    return lint(ExchangeList([Exchange(0, request)])).findings


def _of_body(asked: JsonValue, answered: JsonValue) -> tuple[Finding, ...]:
    request = Request("POST", "/v1/chat/completions", body=Body.json(asked))
    return lint(ExchangeList([Exchange(0, request, Response(200, body=Body.json(answered)))])).findings


def _first(value, key):
    """The first value of a member of that name."""
    if isinstance(value, dict):
        if key in value:
            return value[key]
        value = list(value.values())
    found = [_first(each, key) for each in value] if isinstance(value, list) else []
    return next((each for each in found if each is not None), None)


def _replaced(value, old, new):
    if isinstance(value, dict):
        return {name: _replaced(held, old, new) for name, held in value.items()}
    if isinstance(value, list):
        return [_replaced(held, old, new) for held in value]
    return new if value == old else value
