"""A strip along the page that is a whole run: lines for what it did, a mark for each thing that stands on it.

An element stands for a stretch of neighbours, whose place and length are numbers in the style sheet: 5 things
and 500 cost the same. Lines and marks repeat what hidden text says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from typing import Generic, TypeVar

from amberfork_cli.render.html.markup import Html, joined, tag
from amberfork_cli.render.labels import Mark

QUIET = (Mark.MATCH, Mark.MOVED, Mark.CARRIED)
_TICKS = 12
_CLOSE = 40  # marks of a longer run would lie on top of each other: neighbours share one

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class RunMap:
    """The map as markup, and the rules that say where its elements stand."""

    markup: Html
    rules: str


@dataclass(frozen=True, slots=True)
class Stop(Generic[Thing]):
    """One thing on the strip: its position, what it is drawn as, and the name of the part that tells it."""

    position: int
    kind: Mark
    anchor: str
    thing: Thing


@dataclass(frozen=True, slots=True)
class StripLine:
    """A line of a lane from one position to another: what the run did there, without a word."""

    name: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Lane(Generic[Thing]):
    """Things in a row with the lines that they stand on; `name` and its short form head the lane.

    Marks that stand behind `branch` and were run again stand beside the line. A lane that is `shared` draws
    its quiet stretches itself, since no line of it says what happened there.
    """

    stops: Sequence[Stop[Thing]]
    lines: Sequence[StripLine]
    name: str = ""
    short: str = ""
    branch: StripLine | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class _Stretch(Generic[Thing]):
    """Neighbours in a lane that are drawn as one: positions from the first, up to where the next begins."""

    stops: Sequence[Stop[Thing]]
    last: int

    @property
    def kind(self) -> Mark:
        return self.stops[0].kind

    @property
    def first(self) -> int:
        return self.stops[0].position


class Strip(Generic[Thing]):
    """Draws the lanes of a run of so many things; `said` puts a stretch of them into words."""

    def __init__(self, size: int, said: Callable[[Mark, Sequence[Thing]], str]) -> None:
        self._size, self._said = size, said
        self._rules: list[str] = []
        self._names = (f"k{number}" for number in count())

    def drawn(self, lanes: Sequence[Lane[Thing]], ticks: Iterable[tuple[int, int]]) -> RunMap:
        """The map; ticks are a position and the number to stand there."""
        self._rules = [f".map{{--count:{self._size};--lanes:{len(lanes)}}}"]
        drawn = [self._lane(number, lane, named=len(lanes) > 1) for number, lane in enumerate(lanes)]
        nav = tag(
            "nav",
            tag("div", joined(map(self._tick, stepped(list(ticks)))), class_="ticks", aria_hidden="true"),
            tag("ol", *drawn, class_="lanes"),
            class_="map",
            aria_label="Map of the run",
        )
        return RunMap(nav, "".join(self._rules))

    def _lane(self, number: int, lane: Lane[Thing], *, named: bool) -> Html:
        elements = [tag("i", class_=line.name, id=self._placed(line.first, line.last)) for line in lane.lines]
        for stretch in self._stretches(lane):
            behind = lane.branch is not None and lane.branch.first < stretch.first
            elements.append(self._link(stretch, aside=behind and _is_run_again(stretch.kind), lane=lane))
        self._rules.append(f"#l{number}{{--l:{number}}}")
        return tag("li", *([_heading(lane)] if named else []), *elements, id=f"l{number}")

    def _stretches(self, lane: Lane[Thing]) -> Iterator[_Stretch[Thing]]:
        runs = [tuple(run) for _, run in groupby(lane.stops, key=self._drawn_with)]
        ends = [run[0].position for run in runs[1:]] + [lane.stops[-1].position] * bool(runs)
        for run, end in zip(runs, ends, strict=True):
            yield _Stretch(run, end if run[0].kind in QUIET else run[-1].position)

    def _drawn_with(self, stop: Stop[Thing]) -> tuple[Mark, int]:
        """Equal for neighbours that are drawn as one."""
        return stop.kind, -1 if self._size > _CLOSE or stop.kind in QUIET else stop.position

    def _link(self, stretch: _Stretch[Thing], *, aside: bool, lane: Lane[Thing]) -> Html:
        names = [stretch.kind.name.lower()]
        names += ["aside"] if aside else []
        names += ["drawn"] if lane.shared and stretch.kind is Mark.CARRIED else []
        names += ["many"] if len(stretch.stops) > 1 and stretch.kind not in QUIET else []
        said = self._said(stretch.kind, [stop.thing for stop in stretch.stops])
        return tag(
            "a",
            tag("span", said, class_="unseen"),
            class_=" ".join(names),
            id=self._placed(stretch.first, stretch.last),
            href=f"#{stretch.stops[0].anchor}",
            title=said,
        )

    def _tick(self, tick: tuple[int, int]) -> Html:
        position, number = tick
        return tag("i", f"#{number}", id=self._placed(position, position))

    def _placed(self, first: int, last: int) -> str:
        """A fresh identifier, now that a rule says where its element stands."""
        identifier = next(self._names)
        length = f";--n:{last - first}" if last > first else ""
        self._rules.append(f"#{identifier}{{--a:{first}{length}}}")
        return identifier


def stepped(ticks: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Numbers beside the run, at steps of 1, 2, 5, 10, 20 and so on."""
    step = next(step for step in _steps() if len(ticks) <= step * _TICKS)
    return (tick for tick in ticks if tick[1] % step == 0)


def _steps() -> Iterator[int]:
    for power in count():
        yield from (digit * 10**power for digit in (1, 2, 5))


def _is_run_again(kind: Mark) -> bool:
    return kind in (Mark.CARRIED, Mark.CHANGED, Mark.EXTRA, Mark.FORK)


def _heading(lane: Lane[Thing]) -> Html:
    if lane.short.isdigit():
        unseen, seen = lane.name.removesuffix(lane.short), lane.short
    else:
        unseen, seen = lane.name, lane.short
    return tag("b", tag("span", unseen, class_="unseen"), seen, title=lane.name)
