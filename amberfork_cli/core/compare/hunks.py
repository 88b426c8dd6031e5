"""Messages that one side has at a place where the other has none: dropped, inserted, or at another place."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.finding import Finding, origin_of, range_text
from amberfork_cli.core.compare.reading import Element
from amberfork_cli.core.compare.report import MISSING, Difference, Kind, Spot, ours
from amberfork_cli.core.compare.words import summary
from amberfork_cli.core.dialects.model import Message, ToolCall
from amberfork_cli.core.paths import Path, to_text

Keyed: TypeAlias = "tuple[Element, Hashable]"
Changed: TypeAlias = "tuple[Sequence[Keyed], Sequence[Keyed]]"


class Hunks:
    """Tells of the messages without a counterpart; of those that the other side has elsewhere it says where.

    `gone` and `come` are all of them with what tells whether two are the same, in their order, `changed` the
    messages of either side that face another one than themselves.
    """

    def __init__(self, gone: Sequence[Keyed], come: Sequence[Keyed], changed: Changed = ((), ())) -> None:
        self._re_issued = _found(gone, come)
        self._recorded = {there: here for here, there in self._re_issued.items()}
        self._re_issued |= _found([one for one in gone if one[0].path not in self._re_issued], changed[1])
        self._recorded |= _found([one for one in come if one[0].path not in self._recorded], changed[0])
        self._gaps = 0

    def of_gap(
        self, gone: Sequence[Element], come: Sequence[Element], *, before: Element | None = None
    ) -> Iterator[Finding]:
        """The messages of one gap, each run of them one finding; `before` is what they stand before."""
        self._gaps += 1
        for run in _runs(gone, self._re_issued):
            lost = tuple(_one_sided(element, Kind.REMOVED) for element in run)
            spot = _spot(run, lost, self._re_issued, "not in the re-issued request", "re-issued at")
            yield self._finding(spot, run, moved=run[0].path in self._re_issued)
        for run in _runs(come, self._recorded):
            won = tuple(_one_sided(element, Kind.ADDED) for element in run)
            spot = _spot(run, won, self._recorded, "only in the re-issued request", "recorded at")
            if before is not None and run[-1] is come[-1] and _same_calls(run, before):
                spot = replace(spot, note=(ours(f"the same call as {to_text(before.path)}"),))
            yield self._finding(spot, run, moved=run[0].path in self._recorded)

    def _finding(self, spot: Spot, run: Sequence[Element], *, moved: bool) -> Finding:
        said, is_old = _all_said(run), spot.differences[0].kind is Kind.REMOVED
        return Finding(
            spot,
            origin_of(run[0].said),
            said if is_old else (),
            () if is_old else said,
            again=bool(spot.note),
            moved=moved,
            gap=self._gaps,
        )


def _found(messages: Sequence[Keyed], others: Sequence[Keyed]) -> dict[Path, Path]:
    """For each message where the same one stands among others, of which each is one."""
    waiting: dict[Hashable, deque[Path]] = defaultdict(deque)
    for element, key in others:
        waiting[key].append(element.path)
    return {element.path: waiting[key].popleft() for element, key in messages if waiting.get(key)}


def _runs(elements: Sequence[Element], elsewhere: Mapping[Path, Path]) -> Iterator[list[Element]]:
    """The elements in runs: of those that are nowhere else, of those that are elsewhere in one piece."""

    def piece(numbered: tuple[int, Element]) -> int | None:
        position, element = numbered
        there = elsewhere.get(element.path, ("", None))[-1]
        return there - position if isinstance(there, int) else None

    for _, run in groupby(enumerate(elements), key=piece):
        yield [element for _, element in run]


def _spot(
    run: Sequence[Element],
    differences: tuple[Difference, ...],
    elsewhere: Mapping[Path, Path],
    nowhere: str,
    there: str,
) -> Spot:
    places = [elsewhere[element.path] for element in run if element.path in elsewhere]
    who = f"{there} {range_text(places)}" if places else nowhere
    return Spot(range_text([element.path for element in run]), (ours(who),), differences)


def _same_calls(elements: Sequence[Element], next_one: Element) -> bool:
    """Whether some messages make just the calls that the next one makes again."""
    made = [_call_key(call) for said in _all_said(elements) for call in said.calls]
    made_again = [_call_key(call) for call in (next_one.said.calls if next_one.said else ())]
    return bool(made) and made == made_again


def _call_key(call: ToolCall) -> tuple[str, bytes]:
    return call.name, jsontext.dumps(call.arguments, sort_keys=True)


def _one_sided(element: Element, kind: Kind) -> Difference:
    words = summary(element.said, element.value)
    if kind is Kind.REMOVED:
        return Difference(kind, (), element.path, None, element.value, MISSING, summary=words)
    return Difference(kind, (), None, element.path, MISSING, element.value, summary=words)


def _all_said(elements: Iterable[Element]) -> tuple[Message, ...]:
    return tuple(element.said for element in elements if element.said)
