"""A run of tools as JUnit XML, which CI servers show: one suite, a test case a call.

What was not run, and what could not be compared because nothing was recorded, is skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from amberfork_cli.core.compare.words import call_words
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.render.junit_xml import Suite, element, failure, to_xml
from amberfork_cli.render.labels import Mark, shown
from amberfork_cli.render.lines import plain_text
from amberfork_cli.render.page import Page
from amberfork_cli.render.run_details import detail_lines, printed_lines
from amberfork_cli.render.run_labels import Telling, command
from amberfork_cli.render.visible import visible

_CLASS = "amberfork.tools"
_PRINTED = 1000  # lines of what a call printed; servers keep what they are given


def to_junit(report: RunReport, *, is_plan: bool = False, full: bool = False) -> bytes:
    """The report as UTF-8 XML; `full` shows whole values and every difference."""
    return to_xml("amberfork run-tools", [suite(report, is_plan=is_plan, full=full)])


def suite(report: RunReport, *, is_plan: bool = False, full: bool = False) -> Suite:
    """All calls of the run."""
    telling = Telling(report, is_plan)
    cases = [
        _case(call, name, telling, full=full) for call, name in zip(report.calls, _names(report), strict=True)
    ]
    return Suite(command(report), shown(telling.sentence), cases)


def _names(report: RunReport) -> Iterator[str]:
    """A name for each call; servers take two cases of one name for one."""
    met: Counter[str] = Counter()
    for call in report.calls:
        name = f"#{call.exchange} {shown(call_words(call.planned.recorded.call))}"
        met[name] += 1
        yield name if met[name] == 1 else f"{name} ({met[name]})"


def _case(call: CallReport, name: str, telling: Telling, *, full: bool) -> ET.Element:
    ms = call.invocation.duration_ms
    took = {} if ms is None else {"time": f"{ms / 1000:.3f}"}
    case = element("testcase", classname=_CLASS, name=name, **took)
    if not call.good:
        case.append(_failure(call, telling, full=full))
    elif telling.mark(call) is not Mark.MATCH:
        case.append(element("skipped", message=telling.word(call)))
    if call.printed:
        case.append(_printed(call))
    return case


def _failure(call: CallReport, telling: Telling, *, full: bool) -> ET.Element:
    kind = call.status.value if call.status else telling.word(call)
    lines = detail_lines(call, Page(None, full=full))
    return failure(kind, telling.word(call), [plain_text(line) for line in lines])


def _printed(call: CallReport) -> ET.Element:
    made = element("system-out")
    lines, rest = printed_lines(call.printed, call.printed_more, most=_PRINTED)
    made.text = "\n".join([*map(visible, lines), *([rest] if rest else [])])
    return made
