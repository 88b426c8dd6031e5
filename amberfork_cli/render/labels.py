"""What a diff is called: the sentence that answers, marks, numbers and kinds, one wording for all displays.

A sentence is pieces, each ours or the tape's, so that a display may quote what stands on a tape.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from amberfork_cli.core.compare.lookalikes import named_apart
from amberfork_cli.core.compare.report import (
    Difference,
    DiffReport,
    ExchangeDiff,
    Kind,
    Piece,
    State,
    TapeFacts,
    Verdict,
    Words,
    ours,
    plain,
    quoted,
)
from amberfork_cli.render.notation import type_word
from amberfork_cli.render.textdiff import Run, TextDiff, text_diff
from amberfork_cli.render.visible import escaped

__all__ = [
    "ASCII_GLYPHS",
    "GLYPHS",
    "Glyphs",
    "Mark",
    "Run",
    "TextDiff",
    "answer",
    "command",
    "exchanges_word",
    "loud_word",
    "mark",
    "numbers",
    "remarks",
    "sentence",
    "settled",
    "shown",
    "suffix",
    "tally",
    "text_diff",
    "told_first",
    "totals",
    "whole_calls",
]


class Mark(IntEnum):
    """What an exchange is drawn as, the weightiest last: it shows where several share one mark."""

    MATCH = 0
    MOVED = 1
    CARRIED = 2
    EXTRA = 3
    MISSING = 4
    CHANGED = 5
    FORK = 6


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The signs of a display: one a mark, in the marks' order, and those of its own words."""

    marks: str
    bar: str
    between: str
    arrow: str
    dash: str
    dots: str


GLYPHS = Glyphs("·↕╎●○◇◆", "┃", "│", "→", "–", "…")
ASCII_GLYPHS = Glyphs(".~:+o%*", "|", "|", "->", "-", "...")

_MARKS = {
    State.FORK: Mark.FORK,
    State.CHANGED: Mark.CHANGED,
    State.CARRIED: Mark.CARRIED,
    State.MISSING: Mark.MISSING,
    State.EXTRA: Mark.EXTRA,
}
_NUMBERS_CELLS = 16
_OF_A_CALL = re.compile('[(),…" ]*[(…)][(),…" ]*')


def sentence(report: DiffReport) -> Words:
    """The answer, the counts and what was left out: what the diff comes to, in one line."""
    counts = tally(report)
    return (*answer(report), ours(" "), *counts) if counts else answer(report)


def answer(report: DiffReport) -> Words:
    """The verdict and its cause, a sentence of its own."""
    return _ANSWERS[report.verdict](report)


def told_first(report: DiffReport) -> ExchangeDiff | None:
    """The change whose cause the answer tells; nothing where no exchange changed."""
    changes = report.changes
    return next((exchange for exchange in changes if not exchange.weak), changes[0] if changes else None)


def whole_calls(words: Words) -> Words:
    """The words with a call of the tape, or a text that we cut, as one piece: `f`, `(`, `x="a"`, `)`."""
    made: list[Piece] = []
    for piece in words:
        if made and made[-1].quoted and (piece.quoted or _goes_on(made[-1].text, piece.text)):
            made[-1] = quoted(made[-1].text + piece.text)
        else:
            made.append(piece)
    return tuple(made)


def tally(report: DiffReport) -> Words:
    """How many exchanges became what, and what of the tapes was left out; nothing where all is the same."""
    sentences = []
    if report.verdict is not Verdict.SAME:
        sentences.append(", ".join(f"{count} {word}" for word, count in totals(report).items()) + ".")
    left_out = _left_out(report)
    if left_out:
        sentences.append(left_out)
    return (ours(" ".join(sentences)),) if sentences else ()


def totals(report: DiffReport) -> dict[str, int]:
    """How many exchanges match, changed (forks among them), are carried, missing, extra: in this order."""
    counts = Counter(exchange.state for exchange in report.exchanges)
    return {
        "match": counts[State.MATCH],
        "changed": counts[State.FORK] + counts[State.CHANGED],
        "carried": counts[State.CARRIED],
        "missing": counts[State.MISSING],
        "extra": counts[State.EXTRA],
    }


def remarks(report: DiffReport) -> tuple[Words, ...]:
    """What was set aside before the tapes were compared, and what else holds for the whole report."""
    pair = (report.recorded, report.reissued)
    counted = [
        ("ignored values", [tape.ignored for tape in pair]),
        ("replaced values", [tape.replaced for tape in pair]),
        ("IDs that no response on the tape explains", [tape.unexplained for tape in pair]),
        ("numbers that JSON has no room for", [tape.left_out.non_finite for tape in pair]),
        ("members written twice", [tape.left_out.duplicate_keys for tape in pair]),
    ]
    told: list[Words] = [
        (ours(f"{what}: {one} recorded, {other} re-issued"),)
        for what, (one, other) in counted
        if one or other
    ]
    if report.ids != "all":
        told.append((ours("ID rules: "), quoted(report.ids)))
    if report.settings:
        told.append((ours("settings: "), quoted(report.settings)))
    return (*told, *((quoted(note),) for note in report.notes))


def command(report: DiffReport) -> str:
    """The command that gives this report again, as a shell reads it, without its options."""
    return report.command or shlex.join(["amberfork", "diff", report.recorded.source, report.reissued.source])


def mark(exchange: ExchangeDiff) -> Mark:
    """What the exchange is drawn as; a weak change is no fork."""
    if exchange.state is State.MATCH:
        return Mark.MOVED if exchange.moved else Mark.MATCH
    return Mark.CHANGED if exchange.state is State.FORK and exchange.weak else _MARKS[exchange.state]


def loud_word(exchange: ExchangeDiff) -> str:
    """The word in capitals that says the same as the mark."""
    return "DIFFERS" if exchange.weak else exchange.state.value.upper()


def suffix(difference: Difference) -> str:
    """The kind in a word or two, where the two values do not show it."""
    if difference.kind is Kind.TYPE:
        return f"type: {type_word(difference.recorded)}, now {type_word(difference.reissued)}"
    return difference.kind.value if difference.kind in _TOLD_KINDS else ""


def numbers(of: Sequence[int], glyphs: Glyphs = GLYPHS) -> tuple[str, bool]:
    """Exchange numbers as `#0–#3` or `#0, #2–#3`, and whether all are there: `#0…#60` leaves some out."""
    runs = list(_stretches(of))
    text = ", ".join(
        f"#{first}" if first == last else f"#{first}{glyphs.dash}#{last}" for first, last in runs
    )
    if len(runs) == 1 or len(text) <= _NUMBERS_CELLS:
        return text, True
    return f"#{of[0]}{glyphs.dots}#{of[-1]}", False


def exchanges_word(count: int) -> str:
    """`12 exchanges`, `1 exchange`."""
    return f"{count} {_plural(count, 'exchange')}"


def shown(words: Words, *, ascii: bool = False) -> str:
    """The words as one line of text without anything unseen; with `ascii`, in ASCII."""
    if not ascii:
        return escaped(plain(words))
    return "".join(
        escaped(piece.text if piece.quoted else _plainer(piece.text), ascii=True) for piece in words
    )


def settled(text: str, *, ascii: bool = False) -> str:
    """A place's label: tape text that may hold one dash of ours, between the first and the last of a hunk."""
    name = named_apart(text)
    return escaped(name.replace("]–", "]-") if ascii else name, ascii=ascii)


def _goes_on(call: str, ours: str) -> bool:
    """Whether words of ours belong to the call or the cut text before them."""
    return _OF_A_CALL.fullmatch(ours) is not None or (ours == ", " and call.count("(") > call.count(")"))


_TOLD_KINDS = {Kind.LINK, Kind.ORPHAN, Kind.SPELLING, Kind.FORM}


def _same(report: DiffReport) -> Words:
    count = len(report.exchanges)
    start = "Same: the exchange matches" if count == 1 else f"Same: all {count} exchanges match"
    moved = sum(exchange.moved for exchange in report.exchanges)
    place = f", {moved} of them at another place" if moved else ""
    return (ours(f"{start}{place}{_allowed(report)}."),)


def _allowed(report: DiffReport) -> str:
    """The weak differences that `--loose` let pass, counted by kind."""
    kinds = Counter(
        difference.kind.value for exchange in report.exchanges for difference in exchange.differences
    )
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return f" ({told} allowed by --loose)" if told else ""


def _forked(report: DiffReport) -> Words:
    strong = [exchange for exchange in report.changes if not exchange.weak] or list(report.changes)
    firsts = list({exchange.conversation: exchange for exchange in reversed(strong)}.values())[::-1]
    return _at(_how_many_forked(firsts, report), firsts[0])


def _how_many_forked(firsts: Sequence[ExchangeDiff], report: DiffReport) -> str:
    if len(firsts) == 1:
        return "Forked at"
    sizes = Counter(exchange.conversation for exchange in report.exchanges)
    single = all(sizes[exchange.conversation] == 1 for exchange in firsts)
    alike = " alike" if all(exchange.alike is not None for exchange in firsts[1:]) else ""
    return f"{len(firsts)} {'exchanges' if single else 'conversations'} forked{alike}, first at"


def _weak(report: DiffReport) -> Words:
    first = " first" if len(report.changes) > 1 else ""
    return _at(f"Differs in form and spelling only,{first} at", report.changes[0])


def _at(start: str, exchange: ExchangeDiff) -> Words:
    recorded = "" if exchange.recorded is None else f" (recorded #{exchange.recorded})"
    place = f"{start} #{exchange.reissued}{recorded}"
    return (ours(f"{place}: "), *exchange.cause, ours(".")) if exchange.cause else (ours(f"{place}."),)


def _stopped(report: DiffReport) -> Words:
    last = max(exchange.reissued for exchange in report.exchanges if exchange.reissued is not None)
    return (ours(f"Stopped after #{last}: {_never(report)}."),)


def _not_forked(report: DiffReport) -> Words:
    extra = report.counts(State.EXTRA)
    if not report.counts(State.MISSING):
        return (ours(f"Not forked, but {extra} re-issued {_are_not(extra, 'exchange')}."),)
    also = f" and {extra} re-issued {_are_not(extra, 'one')}" if extra else ""
    return (ours(f"Not forked, but {_never(report)}{also}."),)


def _never(report: DiffReport) -> str:
    missing = report.counts(State.MISSING)
    were = "was" if missing == 1 else "were"
    return f"{missing} recorded {_plural(missing, 'exchange')} {were} never re-issued"


def _are_not(count: int, noun: str) -> str:
    return f"{_plural(count, noun)} {'is' if count == 1 else 'are'} not on the recorded tape"


_ANSWERS = {
    Verdict.SAME: _same,
    Verdict.FORKED: _forked,
    Verdict.WEAK: _weak,
    Verdict.STOPPED: _stopped,
    Verdict.NOT_FORKED: _not_forked,
}


def _left_out(report: DiffReport) -> str:
    parts = [*_losses(report.recorded, "recorded"), *_losses(report.reissued, "re-issued")]
    if not parts:
        return ""
    told = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{told[0].upper()}{told[1:]} left out."


def _losses(tape: TapeFacts, side: str) -> Iterator[str]:
    bad = len(tape.left_out.bad_lines)
    if bad:
        yield f"{bad} bad {_plural(bad, 'line')} of the {side} tape"
    if tape.left_out.torn_end:
        yield f"the torn last line of the {side} tape"


def _stretches(of: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of numbers without a gap."""
    first = last = None
    for number in of:
        if first is None or last is None or number != last + 1:
            if first is not None and last is not None:
                yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last


def _plainer(text: str) -> str:
    """Words of ours without the signs that ASCII lacks; the tape's are never replaced."""
    return (
        text.replace(GLYPHS.dots, ASCII_GLYPHS.dots)
        .replace(GLYPHS.dash, ASCII_GLYPHS.dash)
        .replace(GLYPHS.arrow, ASCII_GLYPHS.arrow)
    )


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"
