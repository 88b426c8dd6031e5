"""What a user wants left out of the comparison."""

from amberfork_cli.core.adjusting import Adjusted, Adjustments
from amberfork_cli.core.paths import PathPattern, Replacement
from amberfork_cli.core.tape import Body, Exchange, Request

SEED = PathPattern.parse("seed")
TIME = Replacement.parse(r"\d\d:\d\d", "TIME")


def exchange(body: Body) -> Exchange:
    """A request with that body."""
    return Exchange(0, Request("POST", "/v1/x", body=body))


def test_without_adjustments_an_exchange_is_itself() -> None:
    """Nothing is copied."""
    one = exchange(Body.json({"seed": 1}))

    assert Adjustments().of(one).exchange is one
    assert not Adjustments()


def test_members_are_left_out_and_counted() -> None:
    """The recorded exchange stays as it is."""
    one = exchange(Body.json({"seed": 1, "a": "10:00"}))

    found = Adjustments([SEED], [TIME]).of(one)

    assert found == Adjusted(exchange(Body.json({"a": "TIME"})), ignored=1, replaced=1)
    assert one.request.body.value == {"seed": 1, "a": "10:00"}


def test_text_that_spells_json_is_taken_for_it() -> None:
    """As in comparing."""
    found = Adjustments([SEED]).of(exchange(Body.text('{"seed": 1, "a": 2}')))

    assert (found.exchange.request.body, found.ignored) == (Body.json({"a": 2}), 1)


def test_text_takes_the_replacements() -> None:
    """It has no members."""
    found = Adjustments([SEED], [TIME]).of(exchange(Body.text("at 10:00 and 11:00")))

    assert (found.exchange.request.body, found.replaced) == (Body.text("at TIME and TIME"), 2)


def test_what_needs_no_adjustment_keeps_its_body() -> None:
    """Bytes, and whatever does not match."""
    bodies = [Body.bytes(b"10:00"), Body.json({"a": 1}), Body.text("x")]

    found = [Adjustments([SEED], [TIME]).of_body(body) for body in bodies]

    assert found == [(body, 0, 0) for body in bodies]
