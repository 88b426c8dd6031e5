"""Which recorded exchange answers which re-issued one.

Equal requests pair off first, wherever they stand. Of what is left, conversations are paired with
conversations and turns with turns inside them: each is looked at with a handful of candidates, never all with
all. What finds no partner is missing or extra.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from amberfork_cli.core.compare.alignment import align, facing, longest_run
from amberfork_cli.core.compare.conversation import Turn

_RARE = 8  # a message that opens more conversations than this tells none of them apart


@dataclass(frozen=True, slots=True)
class Pairing:
    """The partners of two tapes, as numbers of their exchanges.

    `equal` maps re-issued to recorded exchanges with the same fingerprint, `changed` those that were paired
    although they differ. `moved` are the re-issued numbers of equal pairs outside the longest run that kept
    its order. `nearest` maps an extra exchange to the recorded one it is closest to. `inserted` maps the
    first of some inserted turns to the one behind them that says what was recorded.
    """

    equal: dict[int, int]
    changed: dict[int, int]
    moved: frozenset[int]
    nearest: dict[int, int] = field(default_factory=dict)
    inserted: dict[int, int] = field(default_factory=dict)

    def beside(self, reissued: int) -> int | None:
        """The recorded exchange that a re-issued one is paired with or, as an extra one, stands beside."""
        partner = self.partner(reissued)
        return self.nearest.get(reissued) if partner is None else partner

    def partner(self, reissued: int) -> int | None:
        """The recorded exchange that a re-issued one is paired with."""
        return self.equal.get(reissued, self.changed.get(reissued))


def pair(recorded: Sequence[Turn], reissued: Sequence[Turn]) -> Pairing:
    """The partners of the turns of two tapes, in time linear in their number but for ordering."""
    equal = _equal_pairs(recorded, reissued)
    kept = longest_run(list(equal.values()))
    moved = frozenset(number for position, number in enumerate(equal) if position not in kept)
    pairing = Pairing(equal, {}, moved)
    left_old = _by_conversation(recorded, set(equal.values()))
    left_new = _by_conversation(reissued, set(equal))
    partners = _Conversations(recorded, reissued, equal).partners(left_old, left_new)
    before = _before(recorded), _before(reissued)
    for conversation, old_conversation in partners.items():
        _pair_turns(left_old[old_conversation], left_new[conversation], pairing, *before)
    _pair_what_goes_on_elsewhere(recorded, reissued, pairing)
    _place_extras(recorded, reissued, pairing)
    return pairing


def _before(turns: Iterable[Turn]) -> dict[int, int]:
    """For each exchange the one that stands before it in its conversation, unless it only asks that again."""
    before: dict[int, int] = {}
    latest: dict[int, Turn] = {}
    for turn in turns:
        last = latest.get(turn.conversation)
        if last is not None and (turn.parent, turn.added) != (last.parent, last.added):
            before[turn.number] = last.number
        latest[turn.conversation] = turn
    return before


def _equal_pairs(recorded: Iterable[Turn], reissued: Iterable[Turn]) -> dict[int, int]:
    """Requests with one fingerprint, used up in order: a third of two recorded ones has no partner."""
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for turn in recorded:
        waiting[turn.fingerprint].append(turn.number)
    return {
        turn.number: waiting[turn.fingerprint].popleft() for turn in reissued if waiting.get(turn.fingerprint)
    }


def _by_conversation(turns: Iterable[Turn], taken: set[int]) -> dict[int, list[Turn]]:
    left: dict[int, list[Turn]] = {}
    for turn in turns:
        if turn.number not in taken:
            left.setdefault(turn.conversation, []).append(turn)
    return left


class _Conversations:
    """Finds for each re-issued conversation that has something left its recorded counterpart."""

    def __init__(self, recorded: Sequence[Turn], reissued: Sequence[Turn], equal: dict[int, int]) -> None:
        self._old_roots = _roots(recorded)
        self._new_roots = _roots(reissued)
        self._votes: dict[int, Counter[int]] = defaultdict(Counter)
        for new, old in equal.items():
            self._votes[reissued[new].conversation][recorded[old].conversation] += 1

    def partners(self, left_old: dict[int, list[Turn]], left_new: dict[int, list[Turn]]) -> dict[int, int]:
        """The recorded conversation for each re-issued one: each recorded one is given once."""
        partners: dict[int, int] = {}
        free = dict.fromkeys(left_old)
        for conversation in left_new:
            for candidate, _ in self._votes[conversation].most_common():
                if candidate in free:
                    partners[conversation] = candidate
                    del free[candidate]
                    break
        new = [one for one, left in left_new.items() if one not in partners and left[0].parent is None]
        whole = dict.fromkeys(one for one in free if left_old[one][0].parent is None)
        self._pair_roots(new, whole, partners)
        return partners

    def _pair_roots(self, new: list[int], free: dict[int, None], partners: dict[int, int]) -> None:
        """Whole conversations that share no exchange: by rare opening messages, then by what is alike."""
        rare = self._rare_openings(free)
        late = []
        for conversation in new:
            found = self._by_opening(self._new_roots[conversation], rare, free)
            if found is None:
                late.append(conversation)
            else:
                partners[conversation] = found
                del free[found]
        for conversation in late:
            found = self._by_position(self._new_roots[conversation], free, alone=len(late) == 1 == len(free))
            if found is not None:
                partners[conversation] = found
                del free[found]

    def _rare_openings(self, free: Iterable[int]) -> dict[bytes, list[int]]:
        openings: dict[bytes, list[int]] = defaultdict(list)
        for conversation in free:
            for digest in set(self._old_roots[conversation].added):
                openings[digest].append(conversation)
        return {digest: found for digest, found in openings.items() if len(found) <= _RARE}

    def _by_opening(self, root: Turn, rare: dict[bytes, list[int]], free: dict[int, None]) -> int | None:
        shared = Counter(
            conversation
            for digest in dict.fromkeys(root.added)
            for conversation in rare.get(digest, ())
            if conversation in free and self._old_roots[conversation].endpoint == root.endpoint
        )
        if not shared:
            return None
        most = max(shared.values())
        return min(found for found, count in shared.items() if count == most)

    def _by_position(self, root: Turn, free: dict[int, None], *, alone: bool) -> int | None:
        """The first free conversation of the same kind; a lone pair is compared whatever it holds."""
        for conversation in free:
            old = self._old_roots[conversation]
            alike = old.rest == root.rest or not set(old.added).isdisjoint(root.added)
            if old.endpoint == root.endpoint and (alone or alike):
                return conversation
        return next(iter(free)) if alone else None


def _roots(turns: Iterable[Turn]) -> dict[int, Turn]:
    roots: dict[int, Turn] = {}
    for turn in turns:
        roots.setdefault(turn.conversation, turn)
    return roots


def _pair_turns(
    old: list[Turn],
    new: list[Turn],
    pairing: Pairing,
    before_old: dict[int, int],
    before_new: dict[int, int],
) -> None:
    """Pair what is left of two conversations: turns that say the same, then those that stand in one gap.

    What IDs mean is left aside: two results that changed places make no turn another one. Turns that say
    different things are alternatives; those after an equal turn only where they stand right behind it.
    """
    for block in align([turn.added for turn in old], [turn.added for turn in new], substituting=True):
        for i, j in facing(block, lambda i, j: 1 + _shared(old[i], new[j])):
            if i is None or j is None:
                continue
            before = before_old.get(old[i].number), before_new.get(new[j].number)
            if (
                block.equal
                or _alternatives(old[i].parent, new[j].parent, pairing)
                or (None not in before and _alternatives(*before, pairing))
            ):
                pairing.changed[new[j].number] = old[i].number
    _begin_with_the_first(new, pairing)


def _shared(old: Turn, new: Turn) -> float:
    """How much of what two turns add both of them add; less than what makes them a pair at all."""
    return len(set(old.added) & set(new.added)) / (1 + max(len(old.added), len(new.added)))


def _alternatives(old: int | None, new: int | None, pairing: Pairing) -> bool:
    """Whether what comes after two turns may be alternatives."""
    return new not in pairing.equal or pairing.equal[new] == old


def _begin_with_the_first(new: list[Turn], pairing: Pairing) -> None:
    """Where turns were inserted, compare the first of them: it is the first request that is not on the tape.

    The turn that says what the recorded one said comes after the inserted ones, and is extra in their place.
    """
    inserted: dict[int, int] = {}
    for turn in new:
        first = turn.number if turn.parent is None else inserted.get(turn.parent, turn.number)
        if turn.number not in pairing.changed:
            inserted[turn.number] = first
        elif first != turn.number:
            pairing.changed[first] = pairing.nearest[turn.number] = pairing.changed.pop(turn.number)
            pairing.inserted[first] = turn.number


def _pair_what_goes_on_elsewhere(
    recorded: Iterable[Turn], reissued: Iterable[Turn], pairing: Pairing
) -> None:
    """Pair requests that say the same, but go on from other exchanges by their names."""
    taken = {*pairing.equal.values(), *pairing.changed.values()}
    waiting: dict[tuple[bytes, tuple[bytes, ...], bytes], deque[int]] = defaultdict(deque)
    for turn in recorded:
        if turn.chained and turn.number not in taken:
            waiting[turn.endpoint, turn.added, turn.rest].append(turn.number)
    for turn in reissued:
        key = turn.endpoint, turn.added, turn.rest
        if turn.chained and pairing.partner(turn.number) is None and waiting.get(key):
            pairing.changed[turn.number] = waiting[key].popleft()
            pairing.nearest.pop(turn.number, None)


def _place_extras(recorded: Iterable[Turn], reissued: Iterable[Turn], pairing: Pairing) -> None:
    """Find for each extra exchange the recorded one that stands where it stands."""
    first_child: dict[int | None, int] = {}
    for turn in recorded:
        if turn.parent is not None:
            first_child.setdefault(turn.parent, turn.number)
    for turn in reissued:
        if turn.parent is None or pairing.partner(turn.number) is not None or turn.number in pairing.nearest:
            continue
        before = pairing.partner(turn.parent)
        beside = pairing.nearest.get(turn.parent) if before is None else first_child.get(before, before)
        if beside is not None:
            pairing.nearest[turn.number] = beside
