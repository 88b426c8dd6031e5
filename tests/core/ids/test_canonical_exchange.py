"""One exchange as it is written without its IDs."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_bodies import tapes
from run_bodies import ID, body, call, result

from amberfork_cli.core import jsontext
from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.ids.canonical_exchange import (
    CanonicalExchange,
    WrittenExchanges,
    canonical_exchange,
    carried_exchange,
)
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.paths import PathPattern, Replacement
from amberfork_cli.core.tape import ABSENT, Body, Exchange, JsonValue, Request, Response

FIRST, SECOND = "__amberfork_tool_call_0__", "__amberfork_tool_call_1__"
ASKED = Request("POST", "/v1", (("a", "b"),), Body.json(body(call(), result())))
ANSWERED = Response(200, (("c", "d"),), Body.json({"choices": [{"message": call("call_mW3x")}]}))
EXCHANGE = Exchange(3, ASKED, ANSWERED, idx="x", extra={"note": 1})


def canonical(
    exchange: Exchange, *, responses: bool = False, adjustments: Adjustments | None = None
) -> CanonicalExchange:
    """By the full rules."""
    return canonical_exchange(
        exchange, rules=IdRules.ALL, adjustments=adjustments or Adjustments(), responses=responses
    )


def test_only_the_body_of_the_request_changes() -> None:
    """Number, headers, response and unknown members are those that were recorded."""
    made = canonical(EXCHANGE)

    request = replace(ASKED, body=Body.json(body(call(FIRST), result(FIRST))))
    assert made.exchange == replace(EXCHANGE, request=request)
    assert made.response is None


def test_a_response_goes_on_with_the_numbers_of_its_request() -> None:
    """Its calls are new ones."""
    made = canonical(EXCHANGE, responses=True)

    response = replace(ANSWERED, body=Body.json({"choices": [{"message": call(SECOND)}]}))
    assert made.exchange.response == response


def test_a_response_is_canonical_whatever_the_request_was() -> None:
    """A request without a body has no numbers to go on with."""
    made = canonical(Exchange(0, Request("GET", "/"), ANSWERED), responses=True)

    assert made.request is None
    assert made.exchange.request.body == ABSENT
    assert made.exchange.response == replace(
        ANSWERED, body=Body.json({"choices": [{"message": call(FIRST)}]})
    )


@pytest.mark.parametrize(
    "recorded", [ABSENT, Body.text("call_9Ys2kQ81"), Body.bytes(b"\xff"), Body.text("{oops")]
)
def test_a_body_that_is_no_json_stays_as_it_is(recorded: Body) -> None:
    """In the request and in the response."""
    exchange = Exchange(0, Request("POST", "/", body=recorded), Response(200, body=recorded))

    made = canonical(exchange, responses=True)

    assert (made.exchange, made.request, made.response) == (exchange, None, None)


def test_text_that_spells_a_value_counts_as_that_value() -> None:
    """As it does when two requests are compared."""
    made = canonical(Exchange(0, Request("POST", "/", body=Body.text('{"tool_call_id": "call_1"}'))))

    assert made.exchange.request.body == Body.json({"tool_call_id": FIRST})


def test_what_is_left_out_is_counted_and_never_an_id() -> None:
    """Ignoring and replacing come before IDs are looked for."""
    adjustments = Adjustments(
        (PathPattern.parse("model"),),
        (Replacement.parse("Weather", "Wind"), Replacement.parse("call_.*", "c")),
    )

    made = canonical(EXCHANGE, adjustments=adjustments)

    assert (made.ignored, made.replaced) == (1, 3)
    assert made.request is not None
    assert [use.original for use in made.request.ids] == ["c"]


def test_what_was_rewritten_is_named_place_by_place() -> None:
    """What held its token already is not."""
    given = body(call(FIRST), call(), result(FIRST), result(content=f"see {ID}"))

    made = canonical(Exchange(0, Request("POST", "/", body=Body.json(given))))

    assert [(use.original, pointer) for use, pointer in made.rewritten] == [
        (ID, "/messages/2/tool_calls/0/id"),
        (ID, "/messages/4/tool_call_id"),
        (ID, "/messages/4/content"),
    ]
    assert [*canonical(made.exchange).rewritten] == []


def test_lookalikes_of_both_bodies_are_named() -> None:
    """A reader could take them for tokens."""
    text = {"messages": [{"content": FIRST}]}
    exchange = Exchange(
        0, Request("POST", "/", body=Body.json(text)), Response(200, body=Body.json({"a": FIRST}))
    )

    assert canonical(exchange).lookalikes == ("/messages/0/content",)
    assert canonical(exchange, responses=True).lookalikes == ("/messages/0/content", "/a")


@given(tapes(), st.booleans(), st.booleans(), st.sampled_from(["", "model", "**.content"]))
@settings(max_examples=100, deadline=None)
def test_exchanges_are_written_as_each_is_made_alone(
    tape: list[JsonValue], responses: bool, sort_keys: bool, ignored: str
) -> None:
    """What is written once for several requests, too; counted and sorted as it should be."""
    adjustments = Adjustments((PathPattern.parse(ignored),) if ignored else ())
    written = WrittenExchanges(
        rules=IdRules.ALL, adjustments=adjustments, responses=responses, sort_keys=sort_keys
    )
    exchanges = [
        Exchange(number, Request("POST", "/", body=Body.json(asked)), Response(200, body=Body.json(tape[0])))
        for number, asked in enumerate(tape)
    ]

    found = [written.of(exchange) for exchange in exchanges]

    alone = [canonical(exchange, responses=responses, adjustments=adjustments) for exchange in exchanges]
    assert [texts(one, sort_keys=False) for one in found] == [
        texts(one, sort_keys=sort_keys) for one in alone
    ]
    assert [(one.ignored, one.lookalikes) for one in found] == [
        (one.ignored, one.lookalikes) for one in alone
    ]


def texts(made: CanonicalExchange, *, sort_keys: bool) -> tuple[bytes, bytes]:
    """What is written of the bodies; names are sorted in the request's, and in a response's that was made."""
    exchange = made.exchange
    assert exchange.response is not None
    return (
        jsontext.dumps(exchange.request.body.value, sort_keys=sort_keys),
        jsontext.dumps(exchange.response.body.value, sort_keys=sort_keys and made.response is not None),
    )


def test_a_text_can_be_carried_whatever_it_spells() -> None:
    """Replacements are made in it, and nothing else."""
    exchange = Exchange(0, Request("POST", "", body=Body.text('{"tool_call_id": "call_1"}')))

    made = carried_exchange(exchange, adjustments=Adjustments((), (Replacement.parse("_", "-"),)))

    assert made.exchange.request.body == Body.text('{"tool-call-id": "call-1"}')
    assert (made.request, made.ignored, made.replaced) == (None, 0, 3)


def test_bytes_can_be_carried_too() -> None:
    """There is no text to replace anything in."""
    exchange = Exchange(0, Request("POST", "", body=Body.bytes(b"_\xff")))

    made = carried_exchange(exchange, adjustments=Adjustments((), (Replacement.parse("_", "-"),)))

    assert made == CanonicalExchange(exchange, None)
