"""What a run of tools is called: the sentence that answers, statuses, marks; one wording for all displays."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from amberfork_cli.core.compare.report import Piece, Words, ours, quoted
from amberfork_cli.core.tools.comparison import Status
from amberfork_cli.core.tools.plan import Decision
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.core.tools.tool import Effect
from amberfork_cli.render.labels import Mark

_MOST_NAMES = 3  # of tools, behind a count in the sentence

_STATUS = {
    Status.SAME: "same",
    Status.SAME_EXCEPT_VOLATILE: "same except volatile parts",
    Status.CHANGED: "changed",
    Status.ERROR_NOW: "failed now",
    Status.ERROR_THEN: "failed then",
    Status.SAME_ERROR: "failed as before",
    Status.INVALID_ARGUMENTS: "invalid arguments",
    Status.TIMED_OUT: "timed out",
    Status.INTERRUPTED: "interrupted",
    Status.UNKNOWN_TOOL: "unknown tool",
    Status.SKIPPED_SIDE_EFFECT: "skipped",
    Status.NO_RECORDED_RESULT: "no recorded result",
    Status.NOT_COMPARABLE: "not comparable",
}
_QUIET = {Status.SAME, Status.SAME_EXCEPT_VOLATILE, Status.SAME_ERROR}
_NAMELESS = {Status.SAME, Status.NO_RECORDED_RESULT}
_TOLD_BEFORE = {Status.INVALID_ARGUMENTS, Status.UNKNOWN_TOOL}  # what can be told of a call that does not run


def sentence(report: RunReport) -> Words:
    """The answer, as in `12 calls: 9 same, 1 changed (get_weather), 1 skipped (refund: side effect).`."""
    if not report.calls:
        return (ours("No tool call to run."),)
    parts = [_counted(status, count, report) for status, count in report.counts().items()]
    left_out = len(report.calls) - len(report.compared)
    parts += [(ours(f"{left_out} left out"),)] if left_out else []
    told = [piece for part in parts for piece in (ours(", "), *part)][1:]
    return _merged((ours(f"{calls_word(len(report.calls))}: "), *told, ours(".")))


def plan_sentence(report: RunReport) -> Words:
    """What would be done, as in `4 calls: 3 would run, 1 skipped: side effect.`."""
    if not report.calls:
        return (ours("No tool call to run."),)
    counts = Counter(plan_word(call) for call in report.calls)
    told = ", ".join(f"{count:,} {word}" for word, count in counts.items())
    return (ours(f"{calls_word(len(report.calls))}: {told}."),)


@dataclass(frozen=True, slots=True)
class Telling:
    """How a run is told: as what became of its calls, or as the plan of what would become of them."""

    report: RunReport
    is_plan: bool = False

    @property
    def sentence(self) -> Words:
        """The answer."""
        return plan_sentence(self.report) if self.is_plan else sentence(self.report)

    @property
    def verdict(self) -> str:
        """The answer in a word or two, as a title has it."""
        if self.is_plan:
            return "plan of a run of tools"
        return "tools answer as they did" if self.report.good else "tools answer otherwise"

    def word(self, call: CallReport) -> str:
        """What became of a call, or would become of it."""
        return plan_word(call) if self.is_plan else status_word(call)

    def mark(self, call: CallReport) -> Mark:
        """What a call is drawn as."""
        return plan_mark(call) if self.is_plan else mark(call)

    @property
    def remarks(self) -> Words:
        """What else there is to know of the run."""
        times = "once" if self.report.restarts == 1 else f"{self.report.restarts} times"
        told = f"The registry was loaded anew {times}; what it held in memory was lost."
        return (ours(told),) if self.report.restarts else ()

    @property
    def counts(self) -> dict[str, int]:
        """How many calls are told by each word, in the order in which they come."""
        return dict(Counter(self.word(call) for call in self.report.calls))

    @property
    def told(self) -> Iterator[CallReport]:
        """The calls of which there may be more to say than a word; of each unknown tool only the first."""
        unknown: set[str] = set()
        for call in self.report.calls:
            is_unknown = call.status is Status.UNKNOWN_TOOL
            if not (is_unknown and call.planned.name in unknown) and not self._is_told(call):
                yield call
            if is_unknown:
                unknown.add(call.planned.name)

    def _is_told(self, call: CallReport) -> bool:
        """Whether its word says all."""
        if self.is_plan:
            return call.status not in _TOLD_BEFORE
        return is_quiet(call)


def is_quiet(call: CallReport) -> bool:
    """Whether all that there is to say of a call is its word, and what it printed."""
    return call.good and not (call.comparison and call.comparison.note)


def header_counts(report: RunReport) -> str:
    """`6 calls in 5 turns, 2 more run by the provider`."""
    turns = "1 turn" if report.turns == 1 else f"{report.turns:,} turns"
    provider = f", {report.by_provider:,} more run by the provider" if report.by_provider else ""
    return f"{calls_word(len(report.calls))} in {turns}{provider}"


def command(report: RunReport) -> str:
    """The command that runs these tools, as a shell reads it, without its other options."""
    return shlex.join(["amberfork", "run-tools", report.tape.source, "--registry", report.registry])


def calls_word(count: int) -> str:
    """`1 call`, `12 calls`."""
    return "1 call" if count == 1 else f"{count:,} calls"


def status_word(call: CallReport) -> str:
    """What became of a call, in a word or two."""
    if call.comparison is None:
        return "left out"
    if call.comparison.status is Status.SKIPPED_SIDE_EFFECT:
        return f"skipped: {_why_skipped(call)}"
    return _STATUS[call.comparison.status]


def mark(call: CallReport) -> Mark:
    """What a call is drawn as."""
    if not call.good:
        return Mark.FORK
    return Mark.MATCH if call.status in _QUIET else Mark.MISSING


def plan_word(call: CallReport) -> str:
    """What would be done with a call."""
    if not _would_run(call):
        return status_word(call)
    return "would run" if call.planned.decision is Decision.RUN else "would run alone"


def plan_mark(call: CallReport) -> Mark:
    """What a call is drawn as in a plan."""
    return Mark.MATCH if _would_run(call) else mark(call)


def flags(report: RunReport) -> tuple[str, ...]:
    """What would run the calls that were not, each once: `--allow refund`."""
    return tuple(dict.fromkeys(call.planned.flag for call in report.calls if call.planned.flag))


def _would_run(call: CallReport) -> bool:
    return call.planned.decision.runs and call.status is Status.SKIPPED_SIDE_EFFECT


def _counted(status: Status, count: int, report: RunReport) -> Words:
    """`1 changed (get_weather)`; nobody asks which ones are the same."""
    calls = [call for call in report.calls if call.status is status]
    said = ours(f"{count:,} {_STATUS[status]}")
    if status in _NAMELESS:
        return (said,)
    why = f": {_why_skipped(*calls)}" if status is Status.SKIPPED_SIDE_EFFECT else ""
    return (said, ours(" ("), *tool_names(calls), ours(f"{why})"))


def tool_names(calls: Iterable[CallReport]) -> Words:
    """The tools that the calls name, each once: the first few, and how many more."""
    names = list(dict.fromkeys(call.planned.name for call in calls))
    shown: list[Piece] = [piece for name in names[:_MOST_NAMES] for piece in (ours(", "), quoted(name))][1:]
    more = len(names) - _MOST_NAMES
    return (*shown, *((ours(f" and {more} more"),) if more > 0 else ()))


def _merged(words: Words) -> Words:
    """The same words, neighbours of one kind in one piece: a bracket of ours is no part of what is quoted."""
    groups = groupby(words, key=lambda piece: piece.quoted)
    return tuple(Piece("".join(piece.text for piece in group), quoted=of_tape) for of_tape, group in groups)


def _why_skipped(*calls: CallReport) -> str:
    effects = {call.planned.effect for call in calls}
    if effects == {Effect.UNDECLARED}:
        return "not declared read-only"
    return "side effect" if effects == {Effect.SIDE_EFFECT} else "side effects, or not declared read-only"
