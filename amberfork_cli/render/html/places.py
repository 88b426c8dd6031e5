"""What differs, place by place: a table a place, its row headers the names, a column a side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby

from amberfork_cli.core.compare.report import Difference, Kind, Spot
from amberfork_cli.core.paths import to_pointer
from amberfork_cli.render.html.anchors import difference_anchor
from amberfork_cli.render.html.markup import NOTHING, Html, joined, tag
from amberfork_cli.render.html.phrases import link_to, phrase
from amberfork_cli.render.html.room import Room
from amberfork_cli.render.html.values import Cells, cells
from amberfork_cli.render.labels import settled
from amberfork_cli.render.spots import first_differences, is_value, more_differences, named

_DIFFERENCES = 100  # in one table of places; then a count


def places(
    spots: Sequence[Spot], room: Room, *, within: str, level: int, full: bool, fresh: str = "re-issued"
) -> Html:
    """The tables of the places of what is called `within`; headings begin at `level`.

    `fresh` names the side that stands beside the recorded one.
    """
    total = sum(len(spot.differences) for spot in spots)
    most = total if full else _DIFFERENCES
    tables = _Tables(within, room, level, ("recorded", fresh))
    parts: list[Html] = []
    for are_values, group in groupby(first_differences(spots, most), key=is_value):
        together = list(group)
        parts += [tables.values(together)] if are_values else map(tables.place, together)
    if total > most:
        parts.append(tag("p", f"{more_differences(total - most)} (--full shows them)", class_="note"))
    return joined(parts)


@dataclass(slots=True)
class _Tables:
    """The tables of one thing, whose differences are numbered through."""

    within: str
    room: Room
    level: int
    sides: tuple[str, str]
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def values(self, spots: Sequence[Spot]) -> Html:
        """Places that are a value each, in one table without a heading."""
        return self._table([entry for spot in spots for entry in named(spot)], shared=None)

    def place(self, spot: Spot) -> Html:
        """A place with its heading: what it is called, who says it, and its pointer if all rows have it."""
        shared = _shared(spot.differences)
        parts: list[str] = [tag("code", settled(spot.label))]
        parts += [" ", tag("span", phrase(spot.who), class_="who")] if spot.who else []
        parts += [" ", tag("code", shared, class_="pointer")] if shared else []
        heading = tag(f"h{self.level}", *parts)
        note = tag("p", phrase(spot.note), class_="note") if spot.note else NOTHING
        return joined([heading, note, self._table(named(spot), shared=shared)])

    def _table(self, entries: Sequence[tuple[str, Difference]], *, shared: str | None) -> Html:
        rows = [row for name, difference in entries for row in self._rows(name, difference, shared)]
        has_sides = any(difference.kind is not Kind.REORDERED for _, difference in entries)
        return tag("table", self._head() if has_sides else NOTHING, tag("tbody", *rows))

    def _head(self) -> Html:
        return tag("thead", tag("tr", *(tag("th", name, scope="col") for name in ("where", *self.sides))))

    def _rows(self, name: str, difference: Difference, shared: str | None) -> Iterator[Html]:
        identifier = difference_anchor(self.within, next(self.numbers))
        row = cells(settled(name), difference, self.room)
        pointer = None if shared else _pointer(difference)
        if row.told and not row.name:
            yield tag("tr", tag("td", row.told, colspan=3), id=identifier, tabindex=-1)
        else:
            head = _row_head(row, None if pointer == f"/{row.name}" else pointer, identifier)
            yield tag("tr", head, *_sides(row, self.sides), id=identifier, tabindex=-1)
        if row.whole:
            yield tag("tr", tag("td", row.whole, colspan=3), class_="all")


def _row_head(row: Cells, pointer: str | None, identifier: str) -> Html:
    link = link_to(identifier, f"the difference {row.name}".rstrip())
    remarks = [[remark] for remark in row.remarks]
    remarks += [[tag("code", pointer, class_="pointer")]] if pointer else []
    if row.name or not remarks:
        return tag("th", tag("code", row.name), link, *_below(remarks), scope="row")
    remarks[0].append(link)
    return tag("th", *_below(remarks), scope="row")


def _below(remarks: Sequence[Sequence[str]]) -> Iterator[Html]:
    return (tag("small", *remark) for remark in remarks)


def _sides(row: Cells, names: tuple[str, str]) -> Iterator[Html]:
    if row.told:
        yield tag("td", row.told, colspan=2)
        return
    for side, value in zip(names, (row.recorded, row.reissued), strict=True):
        yield tag("td", value, data_side=side) if value else tag("td", class_="none")


def _shared(differences: Sequence[Difference]) -> str | None:
    """The pointer that all differences of a place have, if they have one."""
    pointers = {_pointer(difference) for difference in differences}
    return pointers.pop() if len(pointers) == 1 else None


def _pointer(difference: Difference) -> str:
    """Where a value stands, as a JSON Pointer; both where that differs from tape to tape.

    What is inside a text that holds JSON, the name says.
    """
    paths = (difference.recorded_path, difference.reissued_path)
    pointers = dict.fromkeys(to_pointer(path) for path in paths if path is not None)
    return " → ".join(pointers)
