"""The calls of earlier responses."""

from dataclasses import replace

from agent_tapes import MONDAY, Mint, chained_responses, chat

from amberfork_cli.core.compare.earlier import calls_made, reading_with_calls, unanswered, with_calls
from amberfork_cli.core.compare.reading import read
from amberfork_cli.core.dialects.model import Message, Role, ToolResult
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.tape import Body, Exchange, Request, Response


def test_the_calls_of_a_response_are_found_by_their_ids() -> None:
    """In whatever shape it is."""
    for wire in (chained_responses, chat):
        calls = calls_made(wire(MONDAY, Mint(1))[2])

        assert [(call.name, call.id == name) for name, call in calls.items()] == [("get_weather", True)] * 2


def test_a_stream_makes_calls_too() -> None:
    """Once it is put together."""
    exchange = chained_responses(MONDAY, Mint(1))[0]
    assert exchange.response is not None
    event = {"type": "response.completed", "response": exchange.response.body.value}
    streamed = Body.text(f"event: response.completed\ndata: {dumps(event).decode()}\n\n")

    found = calls_made(replace(exchange, response=Response(200, body=streamed)))

    assert found == calls_made(exchange)


def test_an_exchange_without_an_answer_makes_none() -> None:
    """Nor does one of no known shape."""
    assert calls_made(Exchange(0, Request("POST", "/v1/x"))) == {}


def test_results_are_linked_to_calls_that_their_request_does_not_hold() -> None:
    """Those that have a call keep it."""
    first, second = chained_responses(MONDAY, Mint(1))[:2]
    reading = read(second.request.body.value)  # type: ignore[arg-type]

    found = reading_with_calls(reading, calls_made(first))

    answers = [result.answers for one in found.elements if one.said for result in one.said.results]
    assert [call.name for call in answers if call] == ["get_weather"]


def test_a_result_that_no_call_explains_stays_unanswered() -> None:
    """It is asked for only where there is one."""
    message = Message((), Role.TOOL, results=(ToolResult("c9", "x", (), ()),))

    assert (unanswered([message]), unanswered([])) == (True, False)
    assert with_calls(message, {}) == message
