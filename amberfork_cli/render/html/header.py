"""The head of the page: the answer, the counts with the marks of the map, the tapes; and its foot."""

from __future__ import annotations

from collections.abc import Iterator

from amberfork_cli import __version__
from amberfork_cli.core.compare.report import DiffReport, TapeFacts, ours
from amberfork_cli.render.exchange_words import losses
from amberfork_cli.render.header import common_endpoint
from amberfork_cli.render.html.anchors import anchor
from amberfork_cli.render.html.markup import Html, tag
from amberfork_cli.render.html.phrases import icon, phrase
from amberfork_cli.render.labels import Mark, answer, command, exchanges_word, remarks, told_first, totals

_MARKS = {
    "match": Mark.MATCH,
    "changed": Mark.FORK,
    "carried": Mark.CARRIED,
    "missing": Mark.MISSING,
    "extra": Mark.EXTRA,
}
_BAD_LINES = 20  # of a tape; then a count
_THEMES = (("auto", "as the system"), ("light", "light"), ("dark", "dark"))


def header(report: DiffReport) -> Html:
    """What the page begins with."""
    return tag("header", tag("h1", phrase(answer(report))), *_below_title(report), _controls())


def footer(report: DiffReport) -> Html:
    """The keys, which need the script, and the command that made the report."""
    keys = [
        part
        for key, does in (
            ("j", "next change"),
            ("k", "previous change"),
            ("o", "open all"),
            ("c", "close all"),
            ("/", "search"),
        )
        for part in (tag("kbd", key), f" {does}  ")
    ]
    made = tag("p", f"amberfork {__version__}: ", tag("code", command(report)))
    return tag("footer", tag("p", *keys, class_="script", hidden=True), made)


def _controls() -> Html:
    """Search and folding, which need the script; the colours, which do not."""
    search = tag(
        "div",
        tag(
            "label",
            "Search ",
            tag("input", type="search", id="search", autocomplete="off", spellcheck="false"),
        ),
        tag("button", "Open all", type="button", id="open"),
        tag("button", "Close all", type="button", id="close"),
        tag("output", id="found", for_="search", aria_live="polite"),
        class_="script",
        hidden=True,
    )
    return tag("div", search, _themes(), class_="controls")


def _themes() -> Html:
    choices = (
        tag(
            "label",
            tag(
                "input", type="radio", name="theme", value=value, checked=value == "auto", id=f"theme-{value}"
            ),
            tag("span", name),
        )
        for value, name in _THEMES
    )
    return tag("fieldset", tag("legend", "Colours"), *choices, class_="themes")


def _below_title(report: DiffReport) -> Iterator[Html]:
    first = told_first(report)
    if first:
        what = "difference" if first.weak else "first fork"
        yield tag("p", tag("a", f"Go to the {what}", href=f"#{anchor(first)}"), class_="jump")
    yield tag("ul", *_counts(report), class_="counts", aria_label="Exchanges")
    yield tag("dl", *_tapes(report))
    told = [word for remark in remarks(report) for word in (ours("; "), *remark)][1:]
    if told:
        yield tag("p", phrase(tuple(told)), class_="note")


def _counts(report: DiffReport) -> Iterator[Html]:
    """The counts, which explain the marks of the map."""
    for word, count in totals(report).items():
        name = None if count else "zero"
        yield tag("li", icon(_MARKS[word]), tag("b", str(count)), f" {word}", class_=name)


def _tapes(report: DiffReport) -> Iterator[Html]:
    for side, tape in (("recorded", report.recorded), ("re-issued", report.reissued)):
        lost = losses(tape)
        size = f"{exchanges_word(tape.exchanges)}, {lost}" if lost else exchanges_word(tape.exchanges)
        yield tag("dt", side)
        yield tag("dd", tag("code", tape.source), " ", tag("small", size), *_bad_lines(tape))
    endpoint = common_endpoint(report)
    if endpoint:
        yield tag("dt", "endpoint")
        yield tag("dd", tag("code", endpoint))


def _bad_lines(tape: TapeFacts) -> Iterator[Html]:
    """What was left out of a tape, line by line."""
    lines = list(tape.left_out.bad_lines)
    lines += [tape.left_out.torn_end] if tape.left_out.torn_end else []
    if not lines:
        return
    told = [tag("li", f"line {number}: {problem}") for number, problem in lines[:_BAD_LINES]]
    told += [tag("li", f"{len(lines) - _BAD_LINES} more")] if len(lines) > _BAD_LINES else []
    yield tag("details", tag("summary", "which"), tag("ul", *told))
