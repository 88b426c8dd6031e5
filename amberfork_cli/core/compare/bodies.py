"""What differs between two request bodies, place by place.

Messages are aligned, not compared by index, so that a dropped turn is one place. What a message says and what
its IDs mean are compared apart: two results that changed places are a difference of links, a renumbering is
none. Whatever is no message (settings, tools, prompts outside the list) is compared member by member.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.alignment import pairs
from amberfork_cli.core.compare.batches import (
    Order,
    Reordered,
    arranged,
    in_another_order,
    reordered_messages,
    reordered_parts,
)
from amberfork_cli.core.compare.finding import Finding, origin_of, range_text
from amberfork_cli.core.compare.hunks import Hunks
from amberfork_cli.core.compare.links import Links
from amberfork_cli.core.compare.meanings import Meanings
from amberfork_cli.core.compare.message_changes import (
    MessageChanges,
    Moved,
    back,
    difference_of,
    facing_ids,
    said,
)
from amberfork_cli.core.compare.reading import Element, Id, Reading
from amberfork_cli.core.compare.report import MISSING, Difference, Kind, Origin, Spot, ours
from amberfork_cli.core.compare.tool_offers import tool_members, tool_spots
from amberfork_cli.core.compare.values import Change, changes, likeness
from amberfork_cli.core.compare.words import result_said, who
from amberfork_cli.core.dialects.model import Role
from amberfork_cli.core.paths import to_text
from amberfork_cli.core.tape import JsonValue


def findings(old: Reading, new: Reading) -> list[Finding]:
    """Every place at which two bodies differ: settings, tools and prompts, then the messages in order."""
    meanings, links = Meanings(), Links(old, new)
    if not (isinstance(old.whole, dict) and isinstance(new.whole, dict) and old.name == new.name):
        return list(_settings(old, new, old.whole, new.whole)) or _links(old, new, meanings, links)
    rest = list(_settings(old, new, old.rest, new.rest))
    said = list(_Messages(old, new, meanings, links).findings())
    return [*rest, *_links(old, new, meanings, links), *said]


def _links(old: Reading, new: Reading, meanings: Meanings, links: Links) -> list[Finding]:
    """References outside the messages that point to something else than they did."""
    meanings.declare(old.rest_ids, new.rest_ids)
    found = tuple(links.link(one, other) for one, other in meanings.broken(old.rest_ids, new.rest_ids))
    return [Finding(Spot("body", (), found), Origin.BODY)] if found else []


def _settings(old: Reading, new: Reading, left: JsonValue, right: JsonValue) -> Iterator[Finding]:
    """Members of the body that are no messages."""
    if not isinstance(left, dict) or not isinstance(right, dict):
        found = changes(left, right)
        if found:
            yield Finding(
                Spot("body", (), tuple(difference_of(change, (), ()) for change in found)), Origin.BODY
            )
        return
    tools = old.dialect.tools(left) if old.dialect else (), new.dialect.tools(right) if new.dialect else ()
    holders = tool_members(tools[0]) | tool_members(tools[1])
    yield from (Finding(spot, Origin.TOOLS) for spot in tool_spots(left, right, *tools))
    prompts = {message.path[0]: message for message in (*old.prompts, *new.prompts) if message.path}
    for key in dict.fromkeys([*left, *right]):
        if key in holders:
            continue
        found = _member_changes(key, left, right)
        if found:
            prompt = prompts.get(key)
            origin = origin_of(prompt) if prompt else Origin.SETTINGS
            spot = Spot(to_text((key,)), (), tuple(difference_of(change, (key,), (key,)) for change in found))
            yield Finding(spot, origin, *((prompt,), (prompt,)) if prompt else ((), ()))


def _member_changes(key: str, left: dict[str, JsonValue], right: dict[str, JsonValue]) -> list[Change]:
    if key not in right:
        return [Change(Kind.REMOVED, (), None, left[key], MISSING)]
    if key not in left:
        return [Change(Kind.ADDED, None, (), MISSING, right[key])]
    return changes(left[key], right[key])


_Pair: TypeAlias = "tuple[int | None, int | None]"


class _Messages:
    """The histories of two bodies, aligned."""

    def __init__(self, old: Reading, new: Reading, meanings: Meanings, links: Links) -> None:
        self._old, self._new, self._meanings, self._links = old.elements, new.elements, meanings, links
        self._keys_old = [jsontext.dumps(element.value, sort_keys=True) for element in self._old]
        self._keys_new = [jsontext.dumps(element.value, sort_keys=True) for element in self._new]
        self._reordered = reordered_messages(self._old, self._new)
        self._order = self._arrangement()
        self._pairs = self._aligned()
        self._relinked: set[int] = set()

    def findings(self) -> Iterator[Finding]:
        """What differs, in the order of the messages."""
        hunks = self._hunks()
        gone: list[Element] = []
        come: list[Element] = []
        for i, j in self._pairs:
            if i is not None and j is not None:
                at = self._order[j]
                yield from hunks.of_gap(gone, come, before=self._new[at])
                gone, come = [], []
                equal = self._keys_old[i] == self._keys_new[at]
                yield from self._pair(self._old[i], at, equal=equal)
                yield from (self._run(run) for run in self._reordered if self._ends_at(run, i))
            elif i is not None:
                gone.append(self._old[i])
            elif j is not None:
                come.append(self._new[self._order[j]])
        yield from hunks.of_gap(gone, come)

    def _hunks(self) -> Hunks:
        facing_ = [(i, None if j is None else self._order[j]) for i, j in self._pairs]
        other = [
            (i, j) for i, j in facing_ if i is None or j is None or self._keys_old[i] != self._keys_new[j]
        ]
        olds = [(self._old[i], self._keys_old[i], j is None) for i, j in other if i is not None]
        news = [(self._new[j], self._keys_new[j], i is None) for i, j in other if j is not None]
        alone, changed = (
            [[(element, key) for element, key, lone in side if lone is which] for side in (olds, news)]
            for which in (True, False)
        )
        return Hunks(alone[0], alone[1], (changed[0], changed[1]))

    def _ends_at(self, run: Reordered, i: int) -> bool:
        """Whether a reordered run ends with that recorded message, and its order is to be told."""
        return i == run.old_start + len(run.order) - 1 and self._tells_order(run)

    def _tells_order(self, run: Reordered) -> bool:
        """Whether links do not say already what stands elsewhere in a run."""
        return not run.crossed or _are_elsewhere(run.order, {at - run.new_start for at in self._relinked})

    def _arrangement(self) -> list[int]:
        """The re-issued messages, by their positions, with the reordered runs as they were recorded."""
        order = list(range(len(self._new)))
        for run in self._reordered:
            order[run.new_start : run.new_start + len(run.order)] = [
                run.new_start + position for position in run.order
            ]
        return order

    def _aligned(self) -> list[_Pair]:
        """The messages that belong together. A run counts as reordered only where it meets its like."""
        while True:
            arranged_keys = [self._keys_new[at] for at in self._order]
            found = pairs(self._keys_old, arranged_keys, self._likeness, begins=self._begins)
            together = set(found)
            meeting = [run for run in self._reordered if together.issuperset(_facing(run))]
            if meeting == self._reordered:
                return found
            self._reordered = meeting
            self._order = self._arrangement()

    @cached_property
    def _results(self) -> set[bytes]:
        sides = (self._keys_old, self._old), (self._keys_new, self._new)
        return {key for keys, side in sides for key, one in zip(keys, side, strict=True) if _is_result(one)}

    def _begins(self, key: Hashable) -> bool:
        """Whether a message, known by its key, begins a turn: a result never does."""
        return key not in self._results

    def _likeness(self, i: int, j: int) -> float:
        """Messages are partners only if the same speaker says them, or two speakers the very same."""
        old, new = self._old[i], self._new[self._order[j]]
        if _but_for_role(old.value) == _but_for_role(new.value) != {}:
            return 1.0
        if old.said is None or new.said is None or old.said.role is not new.said.role:
            return 0.0 if old.said and new.said else likeness(old.value, new.value)
        alike = likeness(old.value, new.value)
        same_calls = [call.name for call in old.said.calls] == [call.name for call in new.said.calls]
        return alike + 0.5 if alike and same_calls else alike

    def _pair(self, old: Element, at: int, *, equal: bool) -> Iterator[Finding]:
        """What differs between two messages that are each other's counterpart."""
        new = self._new[at]
        name, order, crossed = (not equal and reordered_parts(old, new)) or ("", (), True)
        moved = (name, order) if name else None
        arranged_ = arranged(new, *moved) if moved else new
        found = [] if equal else changes(old.value, arranged_.value)
        yield from MessageChanges(old, new, arranged_, moved).findings(found)
        links = list(self._broken(old, arranged_, moved, equal=equal))
        if links:
            self._relinked.add(at)
        if moved and (not crossed or _are_elsewhere(moved[1], _parts_of(links, moved[0]))):
            yield _reordered_parts(old, new, moved)
        yield from (_linked(old, new, self._links.link(*link, old, new)) for link in links)

    def _broken(self, old: Element, new: Element, moved: Moved, *, equal: bool) -> Iterator[tuple[Id, Id]]:
        """The references in two messages that mean different things, as they stand in either."""
        ids = new.ids if equal else facing_ids(old, new)
        stands_at = dict(zip((one.path for one in ids), (one.path for one in new.ids), strict=True))
        self._meanings.declare(old.ids, ids)
        for one, other in self._meanings.broken(old.ids, ids):
            yield one, replace(other, path=back(stands_at[other.path], moved))

    def _run(self, run: Reordered) -> Finding:
        """Results of one batch that came in another order, as one finding."""
        count = len(run.order)
        first, last = (self._new[at] for at in (run.new_start, run.new_start + count - 1))
        old_path = self._old[run.old_start].path
        difference = Difference(
            Kind.REORDERED,
            (),
            old_path,
            first.path,
            list(range(count)),
            [*run.order],
            summary=(ours(f"{count} results {in_another_order(run.order)}"),),
        )
        results = tuple(
            element.said for element in self._new[run.new_start : run.new_start + count] if element.said
        )
        spot = Spot(range_text([first.path, last.path]), (ours("tool results of one batch"),), (difference,))
        return Finding(spot, Origin.TOOL_RESULT, new=results)


def _are_elsewhere(order: Order, told: Container[object]) -> bool:
    """Whether any of the elements stands at another place than before, but for those that are told of."""
    return any(at != position and position not in told for at, position in enumerate(order))


def _parts_of(links: Iterable[tuple[Id, Id]], name: str) -> set[str | int]:
    """The positions in a list of a message where references mean different things."""
    return {new.path[1] for _, new in links if new.path[:1] == (name,) and len(new.path) > 1}


def _facing(run: Reordered) -> Iterator[_Pair]:
    """The pairs of a reordered run that is aligned with its like."""
    return ((run.old_start + k, run.new_start + k) for k in range(len(run.order)))


def _but_for_role(message: JsonValue) -> JsonValue:
    """All of a message but who says it; of what is no object nothing."""
    members = message.items() if isinstance(message, dict) else ()
    return {key: value for key, value in members if key != "role"}


def _is_result(element: Element) -> bool:
    return element.said is not None and element.said.role is Role.TOOL


def _reordered_parts(old: Element, new: Element, moved: tuple[str, Order]) -> Finding:
    name, order = moved
    difference = Difference(
        Kind.REORDERED,
        (),
        (*old.path, name),
        (*new.path, name),
        list(range(len(order))),
        [*order],
        summary=(ours(f"{len(order)} {_parts_word(new, len(order))} {in_another_order(order)}"),),
    )
    results = bool(new.said and new.said.results)
    origin = Origin.TOOL_RESULT if results else Origin.MODEL_OUTPUT
    words = (ours("tool results of one batch"),) if results else who(new.said)
    return Finding(Spot(to_text(new.path), words, (difference,)), origin, said(old), said(new))


def _parts_word(element: Element, count: int) -> str:
    """What the parts of a message are, so many of them."""
    message = element.said
    if message and len(message.results) == count:
        return "results"
    return "calls" if message and len(message.calls) == count else "parts"


def _linked(old: Element, new: Element, difference: Difference) -> Finding:
    """A finding for one reference that answers another call."""
    path = difference.reissued_path or ()
    result = new.result_at(path[len(new.path) :])
    words = (ours("tool result "), *result_said(result)) if result else who(new.said)
    origin = Origin.TOOL_RESULT if result else origin_of(new.said)
    spot = Spot(to_text(new.path), words, (difference,))
    return Finding(spot, origin, said(old), said(new), result=result)
