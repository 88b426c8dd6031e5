"""Ratios that hold on any machine: cases take turns, round by round, and the median of each is compared.

Times differ between machines and with what else runs there; the ratio of two cases measured side by side does
not. Processor time counts, since waiting for a core says nothing about the case.
"""

import os
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """Seconds of one case over all rounds."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.seconds)


def interleaved(cases: Mapping[str, Callable[[], float]], *, rounds: int) -> dict[str, Spread]:
    """What each case gave, each run once a round, after one round that only warms caches up."""
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds + 1):
        for name, case in cases.items():
            seconds = case()
            if turn:
                taken[name].append(seconds)
    return {name: Spread(tuple(seconds)) for name, seconds in taken.items()}


def process_seconds(command: Sequence[str]) -> float:
    """Processor seconds of a whole process; raises RuntimeError, with its output, where it fails."""
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
    )
    assert child.stdout is not None
    with child.stdout:
        output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        message = f"{' '.join(command)} exits {child.returncode}:\n{output.decode(errors='replace')}"
        raise RuntimeError(message)
    return usage.ru_utime + usage.ru_stime


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its first column to the left and the others to the right."""
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [_aligned(heads, widths), rule, *(_aligned(row, widths) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *others = row
    return [
        first.ljust(widths[0]),
        *(text.rjust(width) for text, width in zip(others, widths[1:], strict=True)),
    ]
