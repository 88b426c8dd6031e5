"""What is said of single exchanges beside their marks and numbers, one wording for all displays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amberfork_cli.core.compare.report import ExchangeDiff, State, TapeFacts, Words, ours, quoted
from amberfork_cli.render.labels import GLYPHS, Glyphs, Mark, exchanges_word, numbers

IN_A_ROW = 8  # missing or extra exchanges that are told one by one; of more, the first few
FIRST = 4

QUIET = {Mark.MATCH: "match", Mark.MOVED: "match, moved", Mark.CARRIED: "carried"}
UNPAIRED = (Mark.MISSING, Mark.EXTRA)


def conversation_name(number: int) -> str:
    """What people call a conversation."""
    return f"conversation {number + 1}"


def matching(exchanges: Sequence[ExchangeDiff]) -> str:
    """`10 exchanges match`, and how many of them moved."""
    verb = "matches" if len(exchanges) == 1 else "match"
    moved = sum(exchange.moved for exchange in exchanges)
    return f"{exchanges_word(len(exchanges))} {verb}" + (f", {moved} moved" if moved else "")


def recorded_numbers(exchanges: Sequence[ExchangeDiff], glyphs: Glyphs = GLYPHS) -> str:
    """`recorded #4`, `recorded #4–#9`."""
    own = [exchange.recorded for exchange in exchanges if exchange.recorded is not None]
    return f"recorded {numbers(own, glyphs)[0]}"


def reissued_numbers(exchanges: Sequence[ExchangeDiff], glyphs: Glyphs = GLYPHS) -> tuple[str, bool]:
    """`#4`, `#4–#9`, and whether all are there (see `numbers`)."""
    return numbers([each.reissued for each in exchanges if each.reissued is not None], glyphs)


def place_notes(exchange: ExchangeDiff) -> Iterator[str]:
    """Where a change stands on the recorded tape, if elsewhere, and where the same was told before."""
    if exchange.recorded not in (None, exchange.reissued):
        yield f"recorded #{exchange.recorded}"
    if exchange.alike is not None:
        yield f"as at #{exchange.alike}"


def last_message(exchange: ExchangeDiff) -> Words:
    """What tells an exchange apart that only one tape has; nothing where that is unknown."""
    return (ours("last message: "), *exchange.words) if exchange.words else ()


def nearest(exchange: ExchangeDiff) -> Words:
    """The closest exchange of the other tape, and what keeps the two apart."""
    if exchange.nearest is None:
        return ()
    other = "re-issued" if exchange.state is State.MISSING else "recorded"
    start = ours(f"nearest {other}: #{exchange.nearest}")
    return (start, ours(", "), *exchange.nearest_words) if exchange.nearest_words else (start,)


def traced(exchange: ExchangeDiff) -> Words:
    """Where a value that is new here came from."""
    if exchange.trace is None:
        return ()
    start = ours(f" first stood in #{exchange.trace.exchange}: ")
    return (quoted(exchange.trace.token), start, *exchange.trace.words)


def others_alike(others: Sequence[int], glyphs: Glyphs = GLYPHS) -> str:
    """How many other conversations forked in the very same way, told once."""
    noun = "other" if len(others) == 1 else "others"
    return f"{len(others)} {noun} forked alike, at {numbers(others, glyphs)[0]}"


def losses(tape: TapeFacts) -> str:
    """What reading a tape passed over; nothing where it was read whole."""
    bad = len(tape.left_out.bad_lines)
    lines = [f"{bad} bad {'line' if bad == 1 else 'lines'} left out"] if bad else []
    return ", ".join([*lines, *(["torn last line left out"] if tape.left_out.torn_end else [])])
