"""Where a changed value came from."""

import pytest
from chat_bodies import calls, chat, result

from amberfork_cli.core.compare.bodies import findings
from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.reading import read
from amberfork_cli.core.compare.report import Trace, ours, quoted
from amberfork_cli.core.compare.tracing import Tracer


def answered(text: str, *, prefix: str = "c") -> dict[str, object]:
    """A request with one result, which says that."""
    return chat(calls("f", prefix=prefix), result(0, text, prefix))


def said(text: str) -> dict[str, object]:
    """A request in which the model says that."""
    return chat({"role": "assistant", "content": text})


def different(old: object, new: object) -> list[Finding]:
    """What differs between two bodies."""
    return findings(read(old), read(new))  # type: ignore[arg-type]


def test_a_token_that_a_result_brought_is_recognised() -> None:
    """With the exchange and the call it came from."""
    tracer = Tracer()
    first = tracer.trace(1, different(answered("id bk_91f3c0 ok"), answered("id bk_77a1de ok")))

    second = tracer.trace(3, different(said("Booked: bk_91f3c0."), said("Booked: bk_77a1de.")))

    assert first is None
    assert second == Trace("bk_91f3c0", 1, (ours("result of "), quoted("f"), ours("("), ours(")")))


@pytest.mark.parametrize(
    ("old", "new"),
    [("3 degrees", "5 degrees"), ("ab12", "cd34"), ("abcdefgh", "ijklmnop"), ("é1234é", "é5678é")],
)
def test_what_does_not_identify_is_not_traced(old: str, new: str) -> None:
    """Short words, words without a digit, and parts of words say nothing."""
    tracer = Tracer()
    tracer.trace(1, different(answered(old), answered(new)))

    assert tracer.trace(2, different(said(f"x {old}."), said(f"x {new}."))) is None


def test_what_two_results_brought_is_traced_to_neither() -> None:
    """Nobody can say which."""
    tracer = Tracer()
    for exchange in (1, 2):
        tracer.trace(exchange, different(answered("bk_91f3c0"), answered("bk_77a1de")))

    assert tracer.trace(3, different(said("bk_91f3c0"), said("bk_77a1de"))) is None


def test_a_token_that_stands_for_another_one_is_not_traced() -> None:
    """Old and new must both be those of the result."""
    tracer = Tracer()
    tracer.trace(1, different(answered("bk_91f3c0"), answered("bk_77a1de")))

    assert tracer.trace(2, different(said("bk_91f3c0"), said("bk_000000"))) is None
