"""A run of tools as a page of its own, or as a part of the page of a diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amberfork_cli.core.tools.run_report import RunReport
from amberfork_cli.render.html import frame
from amberfork_cli.render.html.anchors import TOOLS
from amberfork_cli.render.html.markup import LINE, NOTHING, Html, joined, tag
from amberfork_cli.render.html.phrases import phrase
from amberfork_cli.render.html.strip import Lane, RunMap, Stop, Strip, StripLine
from amberfork_cli.render.html.tool_calls import NamedCall, ToolCalls
from amberfork_cli.render.labels import Mark, numbers
from amberfork_cli.render.run_labels import Telling, command, flags, header_counts

_TITLE = 2  # the level of headings below the title of the page


def to_html(report: RunReport, *, is_plan: bool = False, full: bool = False) -> bytes:
    """The report as a UTF-8 page; `full` shows every difference."""
    telling = Telling(report, is_plan)
    calls = ToolCalls(telling, _TITLE, full)
    title = f"{telling.verdict}: {report.tape.source}, amberfork"
    page = frame.Page(
        title[:1].upper() + title[1:],
        _map(telling, calls.named),
        frame.header(phrase(telling.sentence), _below_title(telling, calls)),
        calls.markup(),
        frame.footer(command(report)),
    )
    return page.to_bytes()


def section(report: RunReport, *, full: bool = False) -> Html:
    """The run as a part of another page."""
    telling = Telling(report)
    calls = ToolCalls(telling, _TITLE + 1, full)
    heading = tag("h2", "Tools ", tag("small", header_counts(report)))
    parts = [heading, tag("p", phrase(telling.sentence)), *_known(telling), calls.markup()]
    return tag("section", joined(parts, by=LINE), id=TOOLS, aria_label="Tools")


def _below_title(telling: Telling, calls: ToolCalls) -> Iterator[Html]:
    if calls.first:
        yield tag("p", tag("a", "Go to the first difference", href=f"#{calls.first.anchor}"), class_="jump")
    kinds = {telling.word(call): telling.mark(call) for call in telling.report.calls}
    yield frame.counts(((kinds[word], count, word) for word, count in telling.counts.items()), label="Calls")
    yield from _known(telling)


def _known(telling: Telling) -> Iterator[Html]:
    """Where calls and tools come from, and what else holds for the whole run."""
    report = telling.report
    yield tag(
        "dl",
        frame.fact("tape", report.tape.source, header_counts(report), frame.bad_lines(report.tape)),
        frame.fact("registry", report.registry),
    )
    if telling.remarks:
        yield tag("p", phrase(telling.remarks), class_="note")
    if hints := flags(report):
        yield tag("p", "To run more of them: ", tag("code", " ".join(hints)), class_="note")


def _map(telling: Telling, calls: Sequence[NamedCall]) -> RunMap:
    """Every call on a strip, numbered by exchange."""
    if not calls:
        return RunMap(NOTHING, "")
    stops = [Stop(at, telling.mark(call.report), call.anchor, call) for at, call in enumerate(calls)]
    ticks = {call.report.exchange: at for at, call in reversed(list(enumerate(calls)))}
    spine = StripLine("spine", 0, len(calls) - 1)

    def said(_: Mark, together: Sequence[NamedCall]) -> str:
        own = sorted({call.report.exchange for call in together})
        return f"{numbers(own)[0]} {telling.word(together[0].report)}"

    in_order = sorted((at, exchange) for exchange, at in ticks.items())
    return Strip(len(calls), said).drawn([Lane(stops, [spine])], in_order)
