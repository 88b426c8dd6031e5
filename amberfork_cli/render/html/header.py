"""The head of a diff's page: the answer, the counts with the marks of the map, the tapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from amberfork_cli.core.compare.report import DiffReport, ours
from amberfork_cli.render.exchange_words import losses
from amberfork_cli.render.header import common_endpoint
from amberfork_cli.render.html import frame
from amberfork_cli.render.html.anchors import TOOLS, anchor
from amberfork_cli.render.html.markup import Html, joined, tag
from amberfork_cli.render.html.phrases import phrase
from amberfork_cli.render.labels import Mark, answer, exchanges_word, remarks, told_first, totals

if TYPE_CHECKING:
    from amberfork_cli.core.tools.run_report import RunReport

_MARKS = {
    "match": Mark.MATCH,
    "changed": Mark.FORK,
    "carried": Mark.CARRIED,
    "missing": Mark.MISSING,
    "extra": Mark.EXTRA,
}


def header(report: DiffReport, tools: RunReport | None = None) -> Html:
    """What the page begins with; that tools answer otherwise is part of the answer."""
    title = phrase(answer(report))
    if tools and not tools.good:
        from amberfork_cli.render.run_labels import sentence  # a diff alone does without

        title = joined([title, " Tools: ", phrase(sentence(tools))])
    return frame.header(title, _below_title(report, tools))


def _below_title(report: DiffReport, tools: RunReport | None) -> Iterator[Html]:
    first = told_first(report)
    if first:
        what = "difference" if first.weak else "first fork"
        yield tag("p", tag("a", f"Go to the {what}", href=f"#{anchor(first)}"), class_="jump")
    if tools:
        yield tag("p", tag("a", "Go to the tools", href=f"#{TOOLS}"), class_="jump")
    counted = ((_MARKS[word], count, word) for word, count in totals(report).items())
    yield frame.counts(counted, label="Exchanges")
    yield tag("dl", *_tapes(report))
    told = [word for remark in remarks(report) for word in (ours("; "), *remark)][1:]
    if told:
        yield tag("p", phrase(tuple(told)), class_="note")


def _tapes(report: DiffReport) -> Iterator[Html]:
    for side, tape in (("recorded", report.recorded), ("re-issued", report.reissued)):
        lost = losses(tape)
        size = f"{exchanges_word(tape.exchanges)}, {lost}" if lost else exchanges_word(tape.exchanges)
        yield frame.fact(side, tape.source, size, frame.bad_lines(tape))
    endpoint = common_endpoint(report)
    if endpoint:
        yield frame.fact("endpoint", endpoint)
