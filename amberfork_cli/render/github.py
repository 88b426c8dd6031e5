"""A diff as annotations in GitHub Actions, one for each fork."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff, ours
from amberfork_cli.render.labels import loud_word, sentence, shown
from amberfork_cli.render.workflow_commands import MOST, error, notice

if TYPE_CHECKING:
    from amberfork_cli.core.tools.run_report import RunReport


def to_github(report: DiffReport, *, tools: RunReport | None = None) -> str:
    """The annotations that a run shows: the answers first, that of the run of tools beside it as well."""
    first, *others = _commands(report)
    beside = _tools(tools) if tools else []
    return "".join([first, *beside[:1], *others, *beside[1:]][:MOST])


def _tools(tools: RunReport) -> list[str]:
    from amberfork_cli.render import run_github  # and what running tools needs, which a diff alone does not

    return run_github.commands(tools)


def _commands(report: DiffReport) -> list[str]:
    """The sentence as an error, then the forks of other conversations; as a notice where all is the same."""
    if report.same:
        return [notice("amberfork: same", shown(sentence(report)))]
    others = [error(f"amberfork: fork at #{fork.reissued}", told) for fork, told in _others(report)]
    return [error(f"amberfork: {report.verdict.value}", shown(sentence(report))), *others]


def _others(report: DiffReport) -> Iterator[tuple[ExchangeDiff, str]]:
    """The forks that the sentence does not tell, each with its cause."""
    for fork in report.forks[1:]:
        if fork.alike is None:
            yield fork, shown((ours(f"{loud_word(fork).capitalize()} at #{fork.reissued}: "), *fork.cause))
