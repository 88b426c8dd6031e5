"""What differs between the responses to two paired requests."""

from typing import Any

from diff_telling import lines

from amberfork_cli.core.compare.answers import VOLATILE, Answering
from amberfork_cli.core.compare.responses import response_findings
from amberfork_cli.core.paths import Replacement
from amberfork_cli.core.tape import ABSENT, Body, Exchange, Request, Response

Json = Any


def exchange(body: Body = ABSENT, *, status: int = 200) -> Exchange:
    """A request that was answered so."""
    asked = {"model": "m", "messages": [{"role": "user", "content": "Go."}]}
    request = Request("POST", "/v1/chat/completions", body=Body.json(asked))
    return Exchange(0, request, Response(status, body=body))


def answer(text: str = "x", **more: Json) -> Body:
    """A chat completion."""
    return Body.json({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}], **more})


def told(old: Exchange, new: Exchange) -> list[str]:
    """What differs, place by place."""
    return [line for finding in response_findings(old, new) for line in lines(finding.spot)]


def test_the_same_answer_differs_nowhere() -> None:
    """Whatever is fresh in every response."""
    old, new = (exchange(answer(**dict.fromkeys(VOLATILE, number))) for number in (1, 2))

    assert told(old, new) == []


def test_the_members_that_differ_are_told_by_their_own_paths() -> None:
    """Under the member of the answer that they stand in."""
    assert told(exchange(answer("x")), exchange(answer("y"))) == [
        "response.choices",
        '  value 0.message.content "x" -> "y"',
    ]


def test_ids_of_calls_are_set_apart() -> None:
    """A response mints them anew."""
    old, new = (
        exchange(Body.json({"choices": [{"message": {"tool_calls": [{"id": one, "type": "function"}]}}]}))
        for one in ("call_a", "call_b")
    )

    assert told(old, new) == []


def test_ids_behind_an_item_more_are_no_difference() -> None:
    """What stands in front of them is told, not that they are counted on."""

    def made(*names: str) -> Exchange:
        calls = [{"id": f"call_{id(names)}_{name}", "type": "function", "name": name} for name in names]
        return exchange(Body.json({"output": calls}))

    assert told(made("f", "g"), made("e", "f", "g"))[1:] == [
        '  added 0 nothing -> {"id":"__amberfork_tool_call__","type":"function","name":"e"}'
    ]


def test_ids_that_mean_other_things_are_told() -> None:
    """A result in a response that answers another of its calls."""

    def made(answered: str) -> Exchange:
        calls = [{"id": one, "type": "server_tool_use", "name": "f"} for one in ("srv_a", "srv_b")]
        result = {"type": "web_search_tool_result", "tool_use_id": answered, "content": []}
        return exchange(Body.json({"content": [*calls, result]}))

    assert told(made("srv_a"), made("srv_b")) == [
        "response",
        "  link content.2.tool_use_id the one of content[0].id -> the one of content[1].id",
    ]


def test_texts_are_replaced_as_in_requests() -> None:
    """What says nothing there says nothing here."""
    old, new = (exchange(answer(f"It is {hour}:00.")) for hour in (10, 11))
    how = Answering(replacements=[Replacement.parse("[0-9]+:00", "TIME")])

    assert response_findings(old, new, how) == []
    assert response_findings(old, new) != []


def test_another_status_is_told_first() -> None:
    """Before the body that came with it."""
    old, new = exchange(answer(), status=200), exchange(Body.text("busy"), status=429)

    assert [line for line in told(old, new) if not line.startswith(" ")] == ["response.status", "response"]


def test_one_response_more_is_told_as_that() -> None:
    """Its status stands for it."""
    silent = Exchange(0, exchange().request)

    assert told(silent, exchange()) == ["response", "  added nothing -> 200"]
    assert told(exchange(), silent) == ["response", "  removed 200 -> nothing"]
    assert told(silent, silent) == []


def test_bodies_that_are_no_json_are_compared_as_they_stand() -> None:
    """A body of another kind is another body."""
    assert told(exchange(Body.text("a")), exchange(Body.text("b"))) == ["response", '  value "a" -> "b"']
    assert told(exchange(ABSENT), exchange(Body.bytes(b"\x00"))) == [
        "response",
        "  added nothing -> b'\\x00'",
    ]
    assert told(exchange(Body.text("a")), exchange(Body.text("a"))) == []


def test_what_came_through_a_websocket_is_the_message_that_it_spells() -> None:
    """In however many pieces it came; audio and IDs are fresh in every run."""

    def heard(name: str, text: str, *audio: str) -> Exchange:
        item: Json = {"id": f"item_{name}", "type": "message", "content": [{"transcript": text}]}
        pieces: list[Json] = [{"type": "response.output_audio.delta", "delta": piece} for piece in audio]
        done: Json = {"type": "response.done", "response": {"id": f"resp_{name}", "output": [item]}}
        return exchange(Body.json([*pieces, done]), status=101)

    same = told(heard("a", "Yes.", "AAAA", "BBBB"), heard("b", "Yes.", "CCCC"))
    other = told(heard("a", "Yes.", "AAAA"), heard("b", "No.", "AAAA"))

    assert same == []
    assert other == ["response.output", '  value 0.content.0.transcript "Yes." -> "No."']


def test_a_stream_is_read_as_the_request_tells() -> None:
    """What one provider says in its events another would take for nothing."""

    def heard(*words: str) -> Exchange:
        turns: list[Json] = [{"serverContent": {"outputTranscription": {"text": word}}} for word in words]
        request = Request(
            "GET", "/v1beta/models/gemini-live:BidiGenerateContent", body=Body.json({"setup": {}})
        )
        done: Json = {"serverContent": {"turnComplete": True}}
        return Exchange(0, request, Response(101, body=Body.json([*turns, done])))

    assert told(heard("It is", " foggy."), heard("It is", " foggy.")) == []
    assert told(heard("It is", " foggy."), heard("It is", " sunny.")) != []
