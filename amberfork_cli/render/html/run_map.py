"""The map of a diff: every exchange of both tapes on a strip, where the fork is seen at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff
from amberfork_cli.render.html.anchors import anchor
from amberfork_cli.render.html.strip import Lane, RunMap, Stop, Strip, StripLine
from amberfork_cli.render.labels import Mark, loud_word, mark, numbers

_LANES = 8  # conversations with a lane of their own; the others share the last

_Stops = Sequence[Stop[ExchangeDiff]]


def run_map(report: DiffReport) -> RunMap:
    """The map of all exchanges, in the order of the run, a lane a conversation."""
    ticks = [
        (position, exchange.reissued)
        for position, exchange in enumerate(report.exchanges)
        if exchange.reissued is not None
    ]
    return Strip(len(report.exchanges), _said).drawn(list(_lanes(report.exchanges)), ticks)


def _lanes(exchanges: Sequence[ExchangeDiff]) -> Iterator[Lane[ExchangeDiff]]:
    """The longest conversations, in the order of their beginning; the last lane is for what is left."""
    sizes = Counter(exchange.conversation for exchange in exchanges)
    own = [number for number, size in sizes.items() if number >= 0 and (size > 1 or len(sizes) == 1)]
    most = _LANES if len(own) == len(sizes) <= _LANES else _LANES - 1
    longest = sorted(own, key=lambda number: -sizes[number])[:most]
    alone = [number for number in own if number in longest]
    placed: dict[int, list[Stop[ExchangeDiff]]] = {number: [] for number in alone}
    for position, exchange in enumerate(exchanges):
        lane = exchange.conversation if exchange.conversation in alone else -1
        placed.setdefault(lane, []).append(Stop(position, mark(exchange), anchor(exchange), exchange))
    for number, stops in placed.items():
        yield _own_lane(number, stops) if number in alone else _shared_lane(stops)


def _own_lane(number: int, stops: _Stops) -> Lane[ExchangeDiff]:
    lines = list(_lines(stops))
    branch = next((line for line in lines if line.name == "branch"), None)
    return Lane(stops, lines, f"Conversation {number + 1}", str(number + 1), branch)


def _shared_lane(stops: _Stops) -> Lane[ExchangeDiff]:
    spine = StripLine("spine", stops[0].position, stops[-1].position)
    return Lane(stops, [spine], "Other exchanges", "…", shared=True)


def _lines(stops: _Stops) -> Iterator[StripLine]:
    """The recorded run straight on, and beside it what was re-issued after the fork."""
    first, last = stops[0].position, stops[-1].position
    fork = next((stop.position for stop in stops if stop.kind is Mark.FORK), None)
    reissued = [stop.position for stop in stops if stop.thing.reissued is not None]
    end = reissued[-1] if reissued else first
    turn = end if fork is None else fork
    yield StripLine("spine", first, turn)
    if last > turn:
        yield StripLine("ghost", turn, last)
    if fork is not None and end > fork:
        yield StripLine("branch", fork, end)


def _said(kind: Mark, exchanges: Sequence[ExchangeDiff]) -> str:
    first = exchanges[0]
    if kind is Mark.MISSING:
        own = [exchange.recorded for exchange in exchanges if exchange.recorded is not None]
        return f"recorded {numbers(own)[0]} missing"
    own = [exchange.reissued for exchange in exchanges if exchange.reissued is not None]
    word = loud_word(first).lower() if first.spots else kind.name.lower()
    origin = f": {first.origin.value}" if first.origin and len(own) == 1 else ""
    return f"{numbers(own)[0]} {word}{origin}"
