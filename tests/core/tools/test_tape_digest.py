"""What tells one tape from all others."""

from __future__ import annotations

import copy

import pytest

from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response
from amberfork_cli.core.tools.tape_digest import TapeDigest

FIRST: list[JsonValue] = [{"role": "user", "content": "go"}]
SECOND: list[JsonValue] = [
    *FIRST,
    {"role": "assistant", "content": "gone"},
    {"role": "user", "content": "on"},
]


def test_the_same_tape_has_the_same_digest_however_it_is_read():
    """Whether its requests share their messages or hold copies of them."""
    shared, copies = run(FIRST, SECOND, "on"), run(FIRST, copy.deepcopy(SECOND), "on")

    assert digest(shared) == digest(copies)


@pytest.mark.parametrize(
    "other",
    [
        lambda: run(FIRST, SECOND, "off"),
        lambda: run(FIRST, [*FIRST, *SECOND[1:][::-1]], "on"),
        lambda: run(FIRST, FIRST, "on"),
        lambda: run(FIRST, SECOND, "on", system="Be brief."),
        lambda: run(FIRST, SECOND, "on")[:1],
        list,
    ],
)
def test_whatever_differs_makes_another_one(other):
    """An answer, the order or number of messages, what stands beside them, the exchanges."""
    assert digest(run(FIRST, SECOND, "on")) != digest(other())


def run(first: list[JsonValue], second: list[JsonValue], answer: str, **beside: JsonValue) -> list[Exchange]:
    bodies = [Body.json({**beside, "messages": messages}) for messages in (first, second)]
    response = Response(200, body=Body.text(answer))
    return [Exchange(at, Request("POST", "/", body=body), response) for at, body in enumerate(bodies)]


def digest(exchanges: list[Exchange]) -> str:
    made = TapeDigest()
    for exchange in exchanges:
        made.add(exchange)
    return made.hexdigest()
