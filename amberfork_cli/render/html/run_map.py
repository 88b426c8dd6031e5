"""The map of the run: every exchange of both tapes on a strip, where the fork is seen at a glance.

An element stands for a run of neighbours, whose place and length are numbers in the style sheet: 5 exchanges
and 500 cost the same. Lines and marks repeat what hidden text says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby

from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff
from amberfork_cli.render.html.anchors import anchor
from amberfork_cli.render.html.markup import Html, joined, tag
from amberfork_cli.render.labels import Mark, loud_word, mark, numbers

_LANES = 8  # conversations with a lane of their own; the others share the last
_TICKS = 12
_CLOSE = 40  # marks of a longer run would lie on top of each other: neighbours share one
_QUIET = (Mark.MATCH, Mark.MOVED, Mark.CARRIED)


@dataclass(frozen=True, slots=True)
class RunMap:
    """The map as markup, and the rules that say where its elements stand."""

    markup: Html
    rules: str


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Neighbours in a lane that are drawn as one: positions from `first`, up to where the next begins."""

    kind: Mark
    exchanges: tuple[ExchangeDiff, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Lane:
    """The exchanges of one conversation, or of those that share a lane, with their positions in the run."""

    number: int
    placed: tuple[tuple[int, ExchangeDiff], ...]
    shared: bool


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a lane from one position to another: what the run did there, without a word."""

    name: str
    first: int
    last: int


def run_map(report: DiffReport) -> RunMap:
    """The map of all exchanges, in the order of the run, a lane a conversation."""
    size, lanes = len(report.exchanges), _lanes(report.exchanges)
    rules = [f".map{{--count:{size};--lanes:{len(lanes)}}}"]
    identifiers = (f"k{number}" for number in count())
    drawn = [_lane(lane, identifiers, rules, names=len(lanes) > 1, close=size > _CLOSE) for lane in lanes]
    ticks = joined(_ticks(report.exchanges, identifiers, rules))
    nav = tag(
        "nav",
        tag("div", ticks, class_="ticks", aria_hidden="true"),
        tag("ol", *drawn, class_="lanes"),
        class_="map",
        aria_label="Map of the run",
    )
    return RunMap(nav, "".join(rules))


def _lanes(exchanges: Sequence[ExchangeDiff]) -> list[_Lane]:
    """The longest conversations, in the order of their beginning; the last lane is for what is left."""
    sizes = Counter(exchange.conversation for exchange in exchanges)
    own = [number for number, size in sizes.items() if number >= 0 and (size > 1 or len(sizes) == 1)]
    most = _LANES if len(own) == len(sizes) <= _LANES else _LANES - 1
    longest = sorted(own, key=lambda number: -sizes[number])[:most]
    alone = [number for number in own if number in longest]
    placed: dict[int, list[tuple[int, ExchangeDiff]]] = {number: [] for number in alone}
    for position, exchange in enumerate(exchanges):
        placed.setdefault(exchange.conversation if exchange.conversation in alone else -1, []).append(
            (position, exchange)
        )
    return [
        _Lane(at, tuple(members), shared=number not in alone)
        for at, (number, members) in enumerate(placed.items())
    ]


def _lane(lane: _Lane, identifiers: Iterator[str], rules: list[str], *, names: bool, close: bool) -> Html:
    lines = list(_lines(lane))
    branch = next((line for line in lines if line.name == "branch"), None)
    elements = []
    for line in lines:
        place = _placed(next(identifiers), line.first, line.last, rules)
        elements.append(tag("i", class_=line.name, id=place))
    for stretch in _stretches(lane, close=close):
        place = _placed(next(identifiers), stretch.first, stretch.last, rules)
        aside = branch is not None and branch.first < stretch.first and _is_reissued(stretch)
        elements.append(_link(stretch, place, aside=aside, drawn=lane.shared))
    heading = [_lane_name(lane)] if names else []
    rules.append(f"#l{lane.number}{{--l:{lane.number}}}")
    return tag("li", *heading, *elements, id=f"l{lane.number}")


def _lane_name(lane: _Lane) -> Html:
    if lane.shared:
        return tag("b", tag("span", "Other exchanges", class_="unseen"), "…", title="Other exchanges")
    name = lane.placed[0][1].conversation + 1
    return tag("b", tag("span", "Conversation ", class_="unseen"), str(name), title=f"Conversation {name}")


def _lines(lane: _Lane) -> Iterator[_Line]:
    """The recorded run straight on, and beside it what was re-issued after the fork."""
    first, last = lane.placed[0][0], lane.placed[-1][0]
    if lane.shared:
        yield _Line("spine", first, last)
        return
    fork = next((at for at, exchange in lane.placed if mark(exchange) is Mark.FORK), None)
    reissued = [at for at, exchange in lane.placed if exchange.reissued is not None]
    end = reissued[-1] if reissued else first
    turn = end if fork is None else fork
    yield _Line("spine", first, turn)
    if last > turn:
        yield _Line("ghost", turn, last)
    if fork is not None and end > fork:
        yield _Line("branch", fork, end)


def _stretches(lane: _Lane, *, close: bool) -> Iterator[_Stretch]:
    runs = [
        tuple(run) for _, run in groupby(lane.placed, key=lambda placed: _drawn_with(*placed, close=close))
    ]
    ends = [run[0][0] for run in runs[1:]] + [lane.placed[-1][0]]
    for run, end in zip(runs, ends, strict=True):
        kind = mark(run[0][1])
        last = end if kind in _QUIET else run[-1][0]
        yield _Stretch(kind, tuple(exchange for _, exchange in run), run[0][0], last)


def _drawn_with(position: int, exchange: ExchangeDiff, *, close: bool) -> tuple[Mark, int]:
    """Equal for neighbours that are drawn as one."""
    kind = mark(exchange)
    return kind, -1 if close or kind in _QUIET else position


def _is_reissued(stretch: _Stretch) -> bool:
    return stretch.kind in (Mark.CARRIED, Mark.CHANGED, Mark.EXTRA, Mark.FORK)


def _placed(identifier: str, first: int, last: int, rules: list[str]) -> str:
    """The identifier, now that a rule says where its element stands."""
    length = f";--n:{last - first}" if last > first else ""
    rules.append(f"#{identifier}{{--a:{first}{length}}}")
    return identifier


def _link(stretch: _Stretch, identifier: str, *, aside: bool, drawn: bool) -> Html:
    names = [stretch.kind.name.lower()]
    names += ["aside"] if aside else []
    names += ["drawn"] if drawn and stretch.kind is Mark.CARRIED else []
    names += ["many"] if len(stretch.exchanges) > 1 and stretch.kind not in _QUIET else []
    said = _said(stretch)
    return tag(
        "a",
        tag("span", said, class_="unseen"),
        class_=" ".join(names),
        id=identifier,
        href=f"#{anchor(stretch.exchanges[0])}",
        title=said,
    )


def _said(stretch: _Stretch) -> str:
    first = stretch.exchanges[0]
    if stretch.kind is Mark.MISSING:
        own = [exchange.recorded for exchange in stretch.exchanges if exchange.recorded is not None]
        return f"recorded {numbers(own)[0]} missing"
    own = [exchange.reissued for exchange in stretch.exchanges if exchange.reissued is not None]
    word = loud_word(first).lower() if first.spots else stretch.kind.name.lower()
    origin = f": {first.origin.value}" if first.origin and len(own) == 1 else ""
    return f"{numbers(own)[0]} {word}{origin}"


def _ticks(exchanges: Sequence[ExchangeDiff], identifiers: Iterator[str], rules: list[str]) -> Iterator[Html]:
    """Numbers beside the run, at steps of 1, 2, 5, 10, 20 and so on."""
    total = sum(exchange.reissued is not None for exchange in exchanges)
    step = next(step for step in _steps() if total <= step * _TICKS)
    for position, exchange in enumerate(exchanges):
        if exchange.reissued is not None and exchange.reissued % step == 0:
            identifier = next(identifiers)
            rules.append(f"#{identifier}{{--a:{position}}}")
            yield tag("i", f"#{exchange.reissued}", id=identifier)


def _steps() -> Iterator[int]:
    for power in count():
        yield from (digit * 10**power for digit in (1, 2, 5))
