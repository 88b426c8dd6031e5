"""Reports of a diff in a few words: what a test can compare as a whole."""

from amberfork_cli.core.compare.report import (
    MISSING,
    Difference,
    DiffReport,
    ExchangeDiff,
    Side,
    Spot,
    State,
    plain,
)
from amberfork_cli.core.jsontext import dumps

_MARKS = {
    State.MATCH: ".",
    State.FORK: "F",
    State.CHANGED: "C",
    State.CARRIED: ":",
    State.MISSING: "o",
    State.EXTRA: "+",
}


def marks(report: DiffReport) -> str:
    """One mark for each exchange: `.` match, `F` fork, `C` changed, `:` carried, `o` missing, `+` extra."""
    return "".join(_MARKS[exchange.state] for exchange in report.exchanges)


def causes(report: DiffReport) -> list[str]:
    """What completes the sentence of each change."""
    return [plain(change.cause) for change in report.changes]


def told(exchange: ExchangeDiff) -> str:
    """What an exchange tells: each place on a line, and below it its differences."""
    return "\n".join(line for spot in exchange.spots for line in lines(spot))


def lines(spot: Spot) -> list[str]:
    """A place, and below it its differences."""
    differences = (f"  {_difference(difference)}" for difference in spot.differences)
    return [_words(spot.label, plain(spot.who)), *differences]


def _difference(difference: Difference) -> str:
    path = ".".join(map(str, difference.path))
    if difference.recorded_words or difference.reissued_words:
        sides = plain(difference.recorded_words), "->", plain(difference.reissued_words)
    elif difference.summary:
        kind, *others = difference.summary if not difference.summary[0].quoted else ((), *difference.summary)
        sides = plain([kind] if kind else ()), plain(others), ""
    else:
        sides = _side(difference.recorded), "->", _side(difference.reissued)
    return _words(difference.kind.value, path, *sides)


def _words(*words: str) -> str:
    return " ".join(word for word in words if word)


def _side(side: Side) -> str:
    if side is MISSING:
        return "nothing"
    return repr(side) if isinstance(side, bytes) else dumps(side).decode()
