"""The head of a diff's page: the answer, the counts with the marks of the map, the tapes."""

from __future__ import annotations

from collections.abc import Iterator

from amberfork_cli.core.compare.report import DiffReport, ours
from amberfork_cli.render.exchange_words import losses
from amberfork_cli.render.header import common_endpoint
from amberfork_cli.render.html import frame
from amberfork_cli.render.html.anchors import anchor
from amberfork_cli.render.html.markup import Html, tag
from amberfork_cli.render.html.phrases import phrase
from amberfork_cli.render.labels import Mark, answer, exchanges_word, remarks, told_first, totals

_MARKS = {
    "match": Mark.MATCH,
    "changed": Mark.FORK,
    "carried": Mark.CARRIED,
    "missing": Mark.MISSING,
    "extra": Mark.EXTRA,
}


def header(report: DiffReport) -> Html:
    """What the page begins with."""
    return frame.header(phrase(answer(report)), _below_title(report))


def _below_title(report: DiffReport) -> Iterator[Html]:
    first = told_first(report)
    if first:
        what = "difference" if first.weak else "first fork"
        yield tag("p", tag("a", f"Go to the {what}", href=f"#{anchor(first)}"), class_="jump")
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
