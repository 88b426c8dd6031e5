"""Two sequences side by side: what they share in order, and what stands between.

Elements are compared by equality alone, so callers hand over digests. A dropped or inserted element is one
gap, wherever it stands and however often others repeat.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of both sequences: `old[i1:i2]` against `new[j1:j2]`; equal, or a gap where they differ."""

    equal: bool
    i1: int
    i2: int
    j1: int
    j2: int


def align(old: Sequence[Hashable], new: Sequence[Hashable], *, substituting: bool = False) -> list[Block]:
    """The blocks of a shortest edit, in order; they cover both sequences, and gaps are never adjacent.

    With `substituting`, an element in the place of another is one edit, not two: a lone element that both
    sides happen to have then does not outweigh many that face each other.
    """
    from rapidfuzz.distance import Indel, Levenshtein

    numbers: dict[Hashable, int] = {}
    left = [numbers.setdefault(element, len(numbers)) for element in old]
    right = [numbers.setdefault(element, len(numbers)) for element in new]
    blocks: list[Block] = []
    i = j = 0
    for code in (Levenshtein if substituting else Indel).opcodes(left, right):
        if code.tag == "equal":
            _gap(blocks, i, code.src_start, j, code.dest_start)
            blocks.append(Block(True, code.src_start, code.src_end, code.dest_start, code.dest_end))
            i, j = code.src_end, code.dest_end
    _gap(blocks, i, len(left), j, len(right))
    return blocks


def _gap(blocks: list[Block], i1: int, i2: int, j1: int, j2: int) -> None:
    if i1 < i2 or j1 < j2:
        blocks.append(Block(False, i1, i2, j1, j2))


def longest_run(numbers: Sequence[int]) -> set[int]:
    """The positions of a longest strictly increasing run: what kept its order."""
    tails: list[int] = []
    tail_positions: list[int] = []
    before: list[int] = []
    for position, number in enumerate(numbers):
        at = bisect_left(tails, number)
        before.append(tail_positions[at - 1] if at else -1)
        tails[at : at + 1] = [number]
        tail_positions[at : at + 1] = [position]
    kept: set[int] = set()
    position = tail_positions[-1] if tail_positions else -1
    while position >= 0:
        kept.add(position)
        position = before[position]
    return kept


_MOST_CELLS = 4096  # a gap of 64 by 64; larger ones are paired in order


def pairs(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    likeness: Callable[[int, int], float],
    *,
    begins: Callable[[Hashable], bool] = lambda _: False,
) -> list[tuple[int | None, int | None]]:
    """The positions that belong together, in order; `None` where one side has no counterpart.

    Equal elements are partners. In a gap those are partners whose likeness, from 0 to 1, adds up to most; a
    likeness of 0 is no partnership. Where a gap of one side could as well stand further up, since the
    elements there repeat, it is moved to the nearest place where an element `begins` something.
    """
    found: list[tuple[int | None, int | None]] = []
    for block in _slid(align(old, new), old, new, begins):
        found.extend(facing(block, likeness))
    return found


def facing(block: Block, likeness: Callable[[int, int], float]) -> list[tuple[int | None, int | None]]:
    """The positions of one block that belong together, in order, as `pairs` has them."""
    if block.equal:
        return list(zip(range(block.i1, block.i2), range(block.j1, block.j2), strict=True))
    return _gap_pairs(block, likeness)


def _slid(
    blocks: list[Block], old: Sequence[Hashable], new: Sequence[Hashable], begins: Callable[[Hashable], bool]
) -> list[Block]:
    """The blocks with each one-sided gap moved up to where something begins, if it can be."""
    for at in range(1, len(blocks)):
        before, gap = blocks[at - 1], blocks[at]
        if gap.equal or not before.equal or (gap.i1 < gap.i2 and gap.j1 < gap.j2):
            continue
        side, start, end = (new, gap.j1, gap.j2) if gap.i1 == gap.i2 else (old, gap.i1, gap.i2)
        steps = _steps_up(side, start, end, before.i2 - before.i1, begins)
        if steps:
            blocks[at - 1 : at + 1] = [
                Block(True, before.i1, before.i2 - steps, before.j1, before.j2 - steps),
                Block(False, gap.i1 - steps, gap.i2 - steps, gap.j1 - steps, gap.j2 - steps),
            ]
            following = (
                blocks[at + 1] if at + 1 < len(blocks) else Block(True, gap.i2, gap.i2, gap.j2, gap.j2)
            )
            behind = Block(True, following.i1 - steps, following.i2, following.j1 - steps, following.j2)
            blocks[at + 1 : at + 2] = [behind]
    return blocks


def _steps_up(
    side: Sequence[Hashable], start: int, end: int, most: int, begins: Callable[[Hashable], bool]
) -> int:
    """How far a gap must move up so that it begins with a beginning; 0 where it does or never will."""
    for steps in range(most + 1):
        if begins(side[start - steps]):
            return steps
        if steps == most or side[start - steps - 1] != side[end - steps - 1]:
            return 0
    return 0


def _gap_pairs(block: Block, likeness: Callable[[int, int], float]) -> list[tuple[int | None, int | None]]:
    rows, columns = range(block.i1, block.i2), range(block.j1, block.j2)
    if len(rows) * len(columns) > _MOST_CELLS:
        likely = [(i, j) for i, j in zip(rows, columns, strict=False) if likeness(i, j) > 0]
    else:
        likely = _likeliest(rows, columns, likeness)
    found: list[tuple[int | None, int | None]] = []
    i, j = block.i1, block.j1
    for next_i, next_j in [*likely, (block.i2, block.j2)]:
        found.extend((position, None) for position in range(i, next_i))
        found.extend((None, position) for position in range(j, next_j))
        if next_i < block.i2:
            found.append((next_i, next_j))
        i, j = next_i + 1, next_j + 1
    return found


def _likeliest(rows: range, columns: range, likeness: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """The pairs, in order on both sides, whose likeness adds up to most."""
    best = [[0.0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    scores = [[likeness(i, j) for j in columns] for i in rows]
    for i in range(len(rows) - 1, -1, -1):
        for j in range(len(columns) - 1, -1, -1):
            with_pair = best[i + 1][j + 1] + scores[i][j] if scores[i][j] > 0 else 0.0
            best[i][j] = max(with_pair, best[i + 1][j], best[i][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(rows) and j < len(columns):
        if scores[i][j] > 0 and best[i][j] == best[i + 1][j + 1] + scores[i][j]:
            found.append((rows[i], columns[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found
