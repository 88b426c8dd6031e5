"""What is not with a model is left out where only models count."""

import io
from dataclasses import replace

import pytest

from amberfork_cli.core.tape import Body, Exchange, ExchangeList, Request
from amberfork_cli.tapes import open_tape
from amberfork_cli.tapes.models import among_all, models_only, to_model


def _exchange(number: int, *, marked: object = None) -> Exchange:
    extra = {} if marked is None else {"to_model": marked}
    return Exchange(number, Request("POST", f"/{number}", body=Body.json([]), extra=extra))  # type: ignore[arg-type]


MIXED = [
    _exchange(0, marked=False),
    _exchange(1),
    _exchange(2, marked=True),
    _exchange(3, marked=False),
    _exchange(4),
]


def test_only_what_is_marked_is_left_out() -> None:
    """Tapes that were recorded without marks are taken whole."""
    assert [to_model(exchange) for exchange in MIXED] == [False, True, True, False, True]


def test_exchanges_with_a_model_are_numbered_among_themselves() -> None:
    """So that a number is a position, as on every tape; what they were is looked at again by it."""
    notices: list[str] = []
    tape = models_only(ExchangeList(MIXED, source="mixed"), notice=notices.append)

    once, again = list(tape), list(tape)

    assert [(exchange.number, exchange.request.path) for exchange in once] == [
        (0, "/1"),
        (1, "/2"),
        (2, "/4"),
    ]
    assert again == once
    assert [tape.reread(number) for number in (2, 0)] == [once[2], once[0]]
    assert notices == ["mixed: 2 exchanges are not with a model and left out"]


def test_what_was_left_out_comes_back_in_its_place() -> None:
    """With the numbers that all of them have."""
    tape = ExchangeList(MIXED)
    changed = [replace(exchange, idx="changed") for exchange in models_only(tape)]

    whole = list(among_all(tape, changed))

    assert whole == [
        MIXED[0],
        replace(MIXED[1], idx="changed"),
        replace(MIXED[2], idx="changed"),
        MIXED[3],
        replace(MIXED[4], idx="changed"),
    ]


def test_what_has_not_been_passed_cannot_be_looked_at() -> None:
    """As of every tape."""
    tape = models_only(ExchangeList(MIXED))
    next(iter(tape))

    for number in (-1, 1):
        with pytest.raises(IndexError):
            tape.reread(number)


def test_a_tape_without_marks_is_the_same_tape() -> None:
    """Places, header, form and size too; closing it closes that tape."""
    source = b'{"tape_version":"1"}\n{"request":{"method":"GET","path":"/"}}\n'
    notices: list[str] = []

    with open_tape(io.BytesIO(source)) as tape, models_only(tape, notice=notices.append) as seen:
        exchanges = list(seen)

        assert exchanges == list(tape)
        assert exchanges[0].place == next(iter(tape)).place
        assert (seen.header, seen.form, seen.size, seen.source) == (
            tape.header,
            tape.form,
            tape.size,
            tape.source,
        )
        assert seen.left_out is tape.left_out
    assert notices == []
