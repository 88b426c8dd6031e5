"""Two sequences side by side: what they share in order, and what stands between.

Elements are compared by equality alone, so callers hand over digests. A dropped or inserted element is one
gap, wherever it stands and however often others repeat.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of both sequences: `old[i1:i2]` against `new[j1:j2]`; equal, or a gap where they differ."""

    equal: bool
    i1: int
    i2: int
    j1: int
    j2: int


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Block]:
    """The blocks of a shortest edit, in order; they cover both sequences, and gaps are never adjacent."""
    from rapidfuzz.distance import Indel

    numbers: dict[Hashable, int] = {}
    left = [numbers.setdefault(element, len(numbers)) for element in old]
    right = [numbers.setdefault(element, len(numbers)) for element in new]
    blocks: list[Block] = []
    i = j = 0
    for code in Indel.opcodes(left, right):
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
