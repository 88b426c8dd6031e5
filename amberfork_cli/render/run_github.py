"""A run of tools as annotations in GitHub Actions, one for each call that does not answer as it did."""

from __future__ import annotations

from amberfork_cli.core.compare.words import call_words
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.render.labels import shown
from amberfork_cli.render.lines import plain_text
from amberfork_cli.render.page import Page
from amberfork_cli.render.run_details import detail_lines
from amberfork_cli.render.run_labels import Telling
from amberfork_cli.render.workflow_commands import MOST, error, notice

_LINES = 6  # of what differs in one call
_CELLS = 300  # of one of them


def to_github(report: RunReport, *, is_plan: bool = False) -> str:
    """The annotations that a run shows."""
    return "".join(commands(report, is_plan=is_plan)[:MOST])


def commands(report: RunReport, *, is_plan: bool = False) -> list[str]:
    """The sentence as an error, then what each call came to; as a notice where all is well."""
    telling = Telling(report, is_plan)
    title, sentence = f"amberfork: {telling.verdict}", shown(telling.sentence)
    if report.good:
        return [notice(title, sentence)]
    bad = [call for call in telling.told if not call.good]
    return [error(title, sentence), *(_of_call(call, telling) for call in bad)]


def _of_call(call: CallReport, telling: Telling) -> str:
    """What a call came to: a line for the call, and the first of what differs below it."""
    said = f"{shown(call_words(call.planned.recorded.call))}  {telling.word(call)}"
    lines = [plain_text(line)[:_CELLS] for line in detail_lines(call, Page(None))]
    return error(f"amberfork: {telling.word(call)} at #{call.exchange}", "\n".join([said, *lines[:_LINES]]))
