"""Where a long text changed: each change with the common text around it, within one line of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from amberfork_cli.render.lines import width
from amberfork_cli.render.textdiff import Run, TextDiff

CONTEXT = 28  # cells before a change: enough to find the words, and the change stands near the margin


@dataclass(frozen=True, slots=True)
class Place:
    """Changes that are shown together.

    `runs` begins and ends with a change; `before` and `after` are what both sides have beside it, up to the
    line break, or to another change of the same line: then it is `inside` that line, or the line `goes_on`.
    `whole_lines` says that one side has lines here that the other has not.
    """

    before: str
    runs: tuple[Run, ...]
    after: str
    inside: bool = False
    goes_on: bool = False
    whole_lines: bool = False

    @property
    def changes(self) -> int:
        """How many changes are shown here."""
        return sum(1 for run in self.runs if not run.same)

    def sharpened(self) -> Place:
        """The place with its first change begun at the very character that differs."""
        first = self.runs[0]
        at = 0
        while at < min(len(first.old), len(first.new)) and first.old[at] == first.new[at]:
            at += 1
        while at and not all(width(side[at : at + 1]) for side in (first.old, first.new) if len(side) > at):
            at -= 1
        before = (self.before + first.old[:at]).rpartition("\n")[2]
        return replace(self, before=before, runs=(Run(first.old[at:], first.new[at:]), *self.runs[1:]))


def places(diff: TextDiff, cells: int) -> Iterator[Place]:
    """Every change of a text, those made one place that stand in one line and fit on `cells` cells."""
    runs = diff.runs
    at = 0
    while at < len(runs):
        if runs[at].same:
            at += 1
            continue
        last = _last_that_fits(runs, at, cells)
        yield _place(runs, at, last)
        at = last + 1


def _place(runs: tuple[Run, ...], first: int, last: int) -> Place:
    earlier = runs[first - 1].old if first else ""
    later = runs[last + 1].old if last + 1 < len(runs) else ""
    before = earlier[earlier.rfind("\n") + 1 :]
    after = later.split("\n", 1)[0]
    at_end = not later or later.startswith("\n")
    inside = first > 1 and before == earlier and not _sides_match(runs[first - 2], str.endswith)
    goes_on = last + 2 < len(runs) and after == later and not _sides_match(runs[last + 2], str.startswith)
    lines = first == last and _are_lines(runs[first], starts=not before, ends=at_end, last=not later)
    return Place(before, runs[first : last + 1], after, inside, goes_on, whole_lines=lines)


def _sides_match(run: Run, test: Callable[[str, str], bool]) -> bool:
    """Whether a side of a change begins or ends with a line break."""
    return test(run.old, "\n") or test(run.new, "\n")


def _are_lines(run: Run, *, starts: bool, ends: bool, last: bool) -> bool:
    """Whether a change that only one side has consists of whole lines, and not of empty ones."""
    text = run.old or run.new
    if (run.old and run.new) or not text.strip():
        return False
    return (starts and (text.endswith("\n") or last)) or (ends and text.startswith("\n"))


def _last_that_fits(runs: tuple[Run, ...], first: int, cells: int) -> int:
    """The last change that can stand on one line with the first."""
    last = first
    before = runs[first - 1].old if first else ""
    taken = min(CONTEXT, len(before) - before.rfind("\n") - 1) + _size(runs[first])
    while last + 2 < len(runs) and "\n" not in runs[last].old + runs[last].new:
        taken += len(runs[last + 1].old) + _size(runs[last + 2])
        if taken > cells or "\n" in runs[last + 1].old:
            break
        last += 2
    return last


def _size(run: Run) -> int:
    """About how many cells a change takes; what does not fit after all is cut."""
    return max(len(run.old), len(run.new))
