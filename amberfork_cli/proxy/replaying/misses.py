"""What to say of a request that is not on the tape: the nearest recorded one, and what first differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from amberfork_cli.core.compare.diffing import DiffOptions, diff_tapes
from amberfork_cli.core.compare.report import Difference, Kind, Missing, Side, Spot, plain
from amberfork_cli.core.compare.words import cut, notation
from amberfork_cli.core.paths import to_text
from amberfork_cli.core.redaction.redact import PATTERNS, taken_out
from amberfork_cli.core.redaction.redacting import PATTERN
from amberfork_cli.core.tape import NOTHING, Exchange, ExchangeList, JsonValue
from amberfork_cli.proxy.replaying.recorded import Miss

_ROOM = 60  # characters of a value; the first difference is to be found, not to be read whole
_LEAD: Final = 24  # characters that two texts may share before they part
_PATTERNS: Final = f"patterns were taken out of this tape: --replace REGEX {PATTERN} takes them out of both"


def explain(
    miss: Miss,
    asked: Exchange,
    *,
    source: str,
    options: DiffOptions,
    header: Mapping[str, JsonValue] = NOTHING,
) -> str:
    """One sentence: that the request is not on the tape, and how the nearest one differs.

    `header` is that of the tape, which may say that it does not hold all that was asked.
    """
    endpoint = f"{asked.request.method} {asked.request.path.partition('?')[0]}"
    if miss.nearest is None:
        return f"{endpoint} is not on the tape {source}: no recorded request has this method and path"
    number = miss.nearest.number
    if miss.answers:
        times = "once" if miss.answers == 1 else f"{miss.answers} times"
        return f"{endpoint} is on the tape {source} only {times}, last as #{number}, and that is used up"
    difference = first_difference(miss.nearest, asked, options)
    told = f"{endpoint} is not on the tape {source}: nearest is #{number}, which {difference}"
    return f"{told} ({_PATTERNS})" if PATTERNS in taken_out(header) and PATTERN in difference else told


def first_difference(recorded: Exchange, asked: Exchange, options: DiffOptions) -> str:
    """What first differs between two requests that are not the same: a predicate of the recorded one."""
    old, new = (ExchangeList([replace(each, number=0)]) for each in (recorded, asked))
    report = diff_tapes(old, new, options)
    for exchange in report.exchanges:
        for spot in exchange.spots:
            for difference in spot.differences:
                return f"differs at {_place(spot, difference)}: {_sides(difference)}"
    return "has no answer on the tape" if recorded.response is None else "goes on from another response"


def _place(spot: Spot, difference: Difference) -> str:
    path = to_text((*difference.path, *(difference.inner_path or ())))
    if not path:
        return spot.label
    return spot.label + path if path.startswith("[") else f"{spot.label}.{path}"


def _sides(difference: Difference) -> str:
    if difference.recorded_words or difference.reissued_words:
        return f"{plain(difference.recorded_words)} on the tape, {plain(difference.reissued_words)} now"
    if difference.kind is Kind.REORDERED:
        return "in another order"
    left, right = difference.recorded, difference.reissued
    if isinstance(left, str) and isinstance(right, str):
        return _texts(left, right)
    if isinstance(left, bytes) and isinstance(right, bytes):
        same = _beginning_in_common(left, right)
        return f"{len(left):,} bytes on the tape, {len(right):,} now, not the same from byte {same + 1:,} on"
    return f"{_shown(left)} on the tape, {_shown(right)} now"


def _texts(left: str, right: str) -> str:
    """Two texts from shortly before they part: what they begin with would be all that there is room for."""
    same = _beginning_in_common(left, right)
    start = 0 if same <= _LEAD else left.find(" ", same - _LEAD, same) + 1 or same - _LEAD // 2
    before = "…" if start else ""
    return f"{before}{_shown(left[start:])} on the tape, {before}{_shown(right[start:])} now"


def _beginning_in_common(left: str | bytes, right: str | bytes) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


def _shown(side: Side) -> str:
    if isinstance(side, Missing):
        return "nothing"
    if isinstance(side, bytes):
        return f"{len(side):,} bytes"
    return plain(cut(notation(side), _ROOM))
