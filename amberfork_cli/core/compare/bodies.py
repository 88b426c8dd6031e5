"""What differs between two request bodies, place by place.

Messages are aligned, not compared by index, so that a dropped turn is one place. What a message says and what
its IDs mean are compared apart: two results that changed places are a difference of links, a renumbering is
none. Whatever is no message (settings, tools, prompts outside the list) is compared member by member.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, TypeVar

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.alignment import pairs
from amberfork_cli.core.compare.batches import (
    Order,
    Reordered,
    arranged,
    reordered_messages,
    reordered_parts,
)
from amberfork_cli.core.compare.meanings import Meanings
from amberfork_cli.core.compare.reading import Element, Id, Reading
from amberfork_cli.core.compare.report import MISSING, Difference, Kind, Origin, Spot, Words, ours
from amberfork_cli.core.compare.tool_offers import tool_members, tool_spots
from amberfork_cli.core.compare.values import Change, changes, facing, likeness
from amberfork_cli.core.compare.words import call_words, result_said, result_words, summary, who
from amberfork_cli.core.dialects.model import Message, Role, ToolCall, ToolResult
from amberfork_cli.core.ids.id_rules import Path
from amberfork_cli.core.paths import to_text
from amberfork_cli.core.tape import JsonValue


@dataclass(frozen=True, slots=True)
class Finding:
    """A spot, and what is known of it that a display does not need but the cause of a fork does.

    `old` and `new` are the messages it is about, several where a hunk of them was dropped or inserted;
    `calls` and `result` what in them differs. `again` marks an inserted turn whose call is made once more
    right after it.
    """

    spot: Spot
    origin: Origin
    old: tuple[Message, ...] = ()
    new: tuple[Message, ...] = ()
    calls: tuple[ToolCall | None, ToolCall | None] = (None, None)
    result: ToolResult | None = None
    again: bool = False


_ORIGINS = {
    Role.SYSTEM: Origin.SYSTEM_PROMPT,
    Role.USER: Origin.USER_PROMPT,
    Role.ASSISTANT: Origin.MODEL_OUTPUT,
    Role.TOOL: Origin.TOOL_RESULT,
    Role.UNKNOWN: Origin.BODY,
}


def findings(old: Reading, new: Reading) -> list[Finding]:
    """Every place at which two bodies differ: settings, tools and prompts, then the messages in order."""
    meanings = Meanings()
    if not (isinstance(old.whole, dict) and isinstance(new.whole, dict) and old.name == new.name):
        return list(_settings(old, new, old.whole, new.whole)) or _links(old, new, meanings)
    rest = list(_settings(old, new, old.rest, new.rest))
    said = list(_Messages(old, new, meanings).findings())
    return [*rest, *_links(old, new, meanings), *said]


def narrowed(finding: Finding, left: tuple[Difference, ...]) -> Finding:
    """The finding with only those of its differences; of a hunk with only those messages."""
    spot = replace(finding.spot, differences=left)
    messages = finding.old or finding.new
    if (finding.old and finding.new) or len(messages) != len(finding.spot.differences):
        return replace(finding, spot=spot)
    kept = {id(difference) for difference in left}
    facing_ = zip(messages, finding.spot.differences, strict=True)
    messages = tuple(message for message, difference in facing_ if id(difference) in kept)
    spot = replace(spot, label=_range(messages[0].path, messages[-1].path))
    old, new = (messages if side else () for side in (finding.old, finding.new))
    return replace(finding, spot=spot, old=old, new=new)


def _links(old: Reading, new: Reading, meanings: Meanings) -> list[Finding]:
    """References outside the messages that point to something else than they did."""
    meanings.declare(old.rest_ids, new.rest_ids)
    links = tuple(_link(one, other) for one, other in meanings.broken(old.rest_ids, new.rest_ids))
    return [Finding(Spot("body", (), links), Origin.BODY)] if links else []


def _settings(old: Reading, new: Reading, left: JsonValue, right: JsonValue) -> Iterator[Finding]:
    """Members of the body that are no messages."""
    if not isinstance(left, dict) or not isinstance(right, dict):
        found = changes(left, right)
        if found:
            yield Finding(Spot("body", (), tuple(_plain(change, (), ()) for change in found)), Origin.BODY)
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
            origin = _ORIGINS[prompt.role] if prompt else Origin.SETTINGS
            spot = Spot(to_text((key,)), (), tuple(_plain(change, (key,), (key,)) for change in found))
            yield Finding(spot, origin, *((prompt,), (prompt,)) if prompt else ((), ()))


def _member_changes(key: str, left: dict[str, JsonValue], right: dict[str, JsonValue]) -> list[Change]:
    if key not in right:
        return [Change(Kind.REMOVED, (), None, left[key], MISSING)]
    if key not in left:
        return [Change(Kind.ADDED, None, (), MISSING, right[key])]
    return changes(left[key], right[key])


def _plain(change: Change, old_path: Path, new_path: Path) -> Difference:
    """A change as a difference, its paths led back to the bodies."""
    return Difference(
        change.kind,
        change.path if change.inner is None else (*change.path, *change.inner),
        None if change.old_path is None else (*old_path, *change.old_path),
        None if change.new_path is None else (*new_path, *change.new_path),
        change.old,
        change.new,
        inner_path=change.inner,
    )


def _link(old: Id, new: Id, old_at: Element | None = None, new_at: Element | None = None) -> Difference:
    """A reference that points to something else than it did."""
    before, after = (
        element.result_at(one.path) if element else None for element, one in ((old_at, old), (new_at, new))
    )
    return Difference(
        Kind.ORPHAN if old.orphan is not new.orphan else Kind.LINK,
        (),
        (*(old_at.path if old_at else ()), *old.path),
        (*(new_at.path if new_at else ()), *new.path),
        recorded_words=_answers(old, before),
        reissued_words=_answers(new, after),
    )


def _answers(one: Id, result: ToolResult | None) -> Words:
    if result is None:
        return (ours("another ID"),)
    if one.orphan:
        return (ours("a call that nobody made"),)
    return call_words(result.answers) if result.answers else (ours("a call of an earlier response"),)


_Pair: TypeAlias = "tuple[int | None, int | None]"
_Moved: TypeAlias = "tuple[str, Order] | None"


class _Messages:
    """The histories of two bodies, aligned."""

    def __init__(self, old: Reading, new: Reading, meanings: Meanings) -> None:
        self._old, self._new, self._meanings = old.elements, new.elements, meanings
        self._keys_old = [jsontext.dumps(element.value, sort_keys=True) for element in self._old]
        self._keys_new = [jsontext.dumps(element.value, sort_keys=True) for element in self._new]
        self._reordered = reordered_messages(self._old, self._new)
        self._order = self._arrangement()
        self._pairs = self._aligned()
        self._relinked: set[int] = set()

    def findings(self) -> Iterator[Finding]:
        """What differs, in the order of the messages."""
        gone: list[Element] = []
        come: list[Element] = []
        for i, j in self._pairs:
            if i is not None and j is not None:
                at = self._order[j]
                yield from _hunks(gone, come, before=self._new[at])
                gone, come = [], []
                equal = self._keys_old[i] == self._keys_new[at]
                yield from self._pair(self._old[i], at, equal=equal)
            elif i is not None:
                gone.append(self._old[i])
            elif j is not None:
                come.append(self._new[self._order[j]])
        yield from _hunks(gone, come)
        yield from (self._run(run) for run in self._reordered if self._tells_order(run))

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
        """Messages are partners only if the same speaker says them."""
        old, new = self._old[i], self._new[self._order[j]]
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
        yield from _spots(old, new, [_unarranged(change, moved) for change in found])
        links = list(self._links(old, arranged_, moved, equal=equal))
        if links:
            self._relinked.add(at)
        if moved and (not crossed or _are_elsewhere(moved[1], _parts_of(links, moved[0]))):
            yield _reordered_parts(old, new, moved)
        yield from (_linked(old, new, _link(*link, old, new)) for link in links)

    def _links(self, old: Element, new: Element, moved: _Moved, *, equal: bool) -> Iterator[tuple[Id, Id]]:
        """The references in two messages that mean different things, as they stand in either."""
        ids = new.ids if equal else _facing_ids(old, new)
        stands_at = dict(zip((one.path for one in ids), (one.path for one in new.ids), strict=True))
        self._meanings.declare(old.ids, ids)
        for one, other in self._meanings.broken(old.ids, ids):
            yield one, replace(other, path=_back(stands_at[other.path], moved))

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
            summary=(ours(f"{count} results in another order"),),
        )
        said = tuple(
            element.said for element in self._new[run.new_start : run.new_start + count] if element.said
        )
        spot = Spot(_range(first.path, last.path), (ours("tool results of one batch"),), (difference,))
        return Finding(spot, Origin.TOOL_RESULT, new=said)


def _are_elsewhere(order: Order, told: Container[object]) -> bool:
    """Whether any of the elements stands at another place than before, but for those that are told of."""
    return any(at != position and position not in told for at, position in enumerate(order))


def _parts_of(links: Iterable[tuple[Id, Id]], name: str) -> set[str | int]:
    """The positions in a list of a message where references mean different things."""
    return {new.path[1] for _, new in links if new.path[:1] == (name,) and len(new.path) > 1}


def _facing(run: Reordered) -> Iterator[_Pair]:
    """The pairs of a reordered run that is aligned with its like."""
    return ((run.old_start + k, run.new_start + k) for k in range(len(run.order)))


def _is_result(element: Element) -> bool:
    return element.said is not None and element.said.role is Role.TOOL


def _facing_ids(old: Element, new: Element) -> tuple[Id, ...]:
    """The IDs of a message, each at the place of the recorded message that its call or result belongs to."""
    places = {name: _places(old, new, name) for name in {one.path[0] for one in new.ids if len(one.path) > 1}}
    return tuple(replace(one, path=_placed(one.path, places.get(one.path[0], {}))) for one in new.ids)


def _places(old: Element, new: Element, name: str | int) -> dict[int, int]:
    """For each position of a list in a message its counterpart; what has none comes before the list."""
    sides = [
        element.value.get(name) if isinstance(element.value, dict) and isinstance(name, str) else None
        for element in (old, new)
    ]
    if not isinstance(sides[0], list) or not isinstance(sides[1], list):
        return {}
    found = facing(sides[0], sides[1])
    return {j: -1 - j if i is None else i for i, j in found if j is not None}


def _placed(path: Path, places: dict[int, int]) -> Path:
    if len(path) > 1 and isinstance(path[1], int):
        return (path[0], places.get(path[1], path[1]), *path[2:])
    return path


def _unarranged(change: Change, moved: _Moved) -> Change:
    """The change with its re-issued path where the value stands, not where its counterpart does."""
    return change if change.new_path is None else replace(change, new_path=_back(change.new_path, moved))


def _back(path: Path, moved: _Moved) -> Path:
    if moved and path[:1] == (moved[0],) and len(path) > 1 and isinstance(path[1], int):
        return (path[0], moved[1][path[1]], *path[2:])
    return path


def _spots(old: Element, new: Element, found: Sequence[Change]) -> Iterator[Finding]:
    """The changes of one message, those of one call or result together."""
    groups: dict[Path, list[Change]] = {}
    for change in found:
        groups.setdefault(_place(old, change.old_path) or _place(new, change.new_path), []).append(change)
    for group in groups.values():
        yield _spot(old, new, group)


def _place(element: Element, path: Path | None) -> Path:
    """The path from the message to the call or result that a change is in."""
    at = None if path is None else element.call_at(path) or element.result_at(path)
    return at.path[len(element.path) :] if at else ()


def _spot(old: Element, new: Element, group: Sequence[Change]) -> Finding:
    calls = (
        _first(old.call_at(change.old_path) for change in group if change.old_path is not None),
        _first(new.call_at(change.new_path) for change in group if change.new_path is not None),
    )
    result = _first(new.result_at(change.new_path) for change in group if change.new_path is not None)
    result = result or _first(
        old.result_at(change.old_path) for change in group if change.old_path is not None
    )
    differences = tuple(_shown(change, old, new, calls, result) for change in group)
    spot = Spot(to_text(new.path), _who(old, new, calls, result), differences)
    said = new.said or old.said
    role = said.role if said else Role.UNKNOWN
    origin = Origin.TOOL_RESULT if result else _ORIGINS[role]
    return Finding(spot, origin, _said(old), _said(new), calls, result)


_Found = TypeVar("_Found")


def _first(found: Iterable[_Found | None]) -> _Found | None:
    return next((one for one in found if one is not None), None)


def _said(element: Element) -> tuple[Message, ...]:
    return (element.said,) if element.said else ()


def _who(
    old: Element, new: Element, calls: tuple[ToolCall | None, ToolCall | None], result: ToolResult | None
) -> Words:
    call = calls[0] or calls[1]
    if call is not None:
        return (ours("assistant calls "), *call_words(call)[:1])
    return result_words(result) if result else who(new.said or old.said)


def _shown(
    change: Change,
    old: Element,
    new: Element,
    calls: tuple[ToolCall | None, ToolCall | None],
    result: ToolResult | None,
) -> Difference:
    """A change with the path that people read: from the call's arguments, from the result's content."""
    difference = _plain(change, old.path, new.path)
    element, call = (old, calls[0]) if change.old_path is not None else (new, calls[1])
    call = call or calls[0] or calls[1]
    full = (*element.path, *change.path)
    inner = change.inner or ()
    if change.kind in (Kind.ADDED, Kind.REMOVED) and change.inner is None:
        difference = replace(difference, summary=_whole(element, full))
    if call is not None and not difference.summary:
        return replace(difference, path=(*_in_call(full, call), *inner))
    there = element.result_at(change.path) if result else None
    if there is not None and full[: len(there.content_path)] == there.content_path:
        rest = full[len(there.content_path) :]
        return replace(difference, path=(*(rest[2:] if rest[1:2] == ("text",) else rest), *inner))
    return difference


def _whole(element: Element, path: Path) -> Words:
    """The calls or results in a value that only one side has, in words; none where it holds no whole one."""
    said = element.said
    calls = [call for call in (said.calls if said else ()) if call.path[: len(path)] == path]
    results = [result for result in (said.results if said else ()) if result.path[: len(path)] == path]
    words = [call_words(call) for call in calls] or [result_words(result) for result in results]
    return tuple(
        piece for number, one in enumerate(words) for piece in ((ours(", "),) if number else ()) + one
    )


def _in_call(full: Path, call: ToolCall) -> Path:
    if full[: len(call.arguments_path)] == call.arguments_path:
        return ("arguments", *full[len(call.arguments_path) :])
    rest = full[len(call.path) :]
    return rest[1:] if rest[:1] in (("function",), ("custom",)) else rest


def _reordered_parts(old: Element, new: Element, moved: tuple[str, Order]) -> Finding:
    name, order = moved
    results = bool(new.said and new.said.results)
    what = f"{len(order)} {'results' if results else 'calls'}"
    path = (name,)
    difference = Difference(
        Kind.REORDERED,
        (),
        (*old.path, *path),
        (*new.path, *path),
        list(range(len(order))),
        [*order],
        summary=(ours(f"{what} in another order"),),
    )
    origin = Origin.TOOL_RESULT if results else Origin.MODEL_OUTPUT
    words = (ours("tool results of one batch"),) if results else who(new.said)
    return Finding(Spot(to_text(new.path), words, (difference,)), origin, _said(old), _said(new))


def _linked(old: Element, new: Element, difference: Difference) -> Finding:
    """A finding for one reference that answers another call."""
    path = difference.reissued_path or ()
    result = new.result_at(path[len(new.path) :])
    words = (ours("tool result "), *result_said(result)) if result else who(new.said)
    origin = Origin.TOOL_RESULT if result else _ORIGINS[new.said.role if new.said else Role.UNKNOWN]
    spot = Spot(to_text(new.path), words, (difference,))
    return Finding(spot, origin, _said(old), _said(new), result=result)


def _hunks(
    gone: Sequence[Element], come: Sequence[Element], *, before: Element | None = None
) -> Iterator[Finding]:
    """Messages that only one side has, each run of them one finding; `before` is what they stand before."""
    if gone:
        lost = tuple(_one_sided(element, Kind.REMOVED) for element in gone)
        spot = Spot(_range(gone[0].path, gone[-1].path), (ours("not in the re-issued request"),), lost)
        yield Finding(spot, _origin(gone), old=_all_said(gone))
    if come:
        won = tuple(_one_sided(element, Kind.ADDED) for element in come)
        again = before is not None and _same_calls(come, before)
        note = (ours(f"the same call as {to_text(before.path)}"),) if again and before else ()
        spot = Spot(_range(come[0].path, come[-1].path), (ours("only in the re-issued request"),), won, note)
        yield Finding(spot, _origin(come), new=_all_said(come), again=again)


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


def _origin(elements: Sequence[Element]) -> Origin:
    said = elements[0].said
    return _ORIGINS[said.role if said else Role.UNKNOWN]


def _range(first: Path, last: Path) -> str:
    if first == last:
        return to_text(first)
    return f"{to_text(first)}–{to_text(last[-1:])}"
