"""The calls of a run of tools: what answers as it did is folded, and what does not is an article."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from amberfork_cli.core.compare.report import Difference, Kind, Spot
from amberfork_cli.core.compare.words import call_words
from amberfork_cli.core.tools.run_report import CallReport
from amberfork_cli.render.html.anchors import call_anchor
from amberfork_cli.render.html.markup import LINE, Html, joined, multiline, tag
from amberfork_cli.render.html.phrases import fold, icon, link_to, phrase
from amberfork_cli.render.html.places import places
from amberfork_cli.render.html.room import Rooms
from amberfork_cli.render.labels import Mark, numbers
from amberfork_cli.render.run_details import Details, details_of, duration, printed_lines
from amberfork_cli.render.run_labels import Telling, calls_word

FRESH = "now"  # what the side is called that is not recorded
_LISTED = 1_000  # calls of a fold; then a count
_PRINTED = 1_000  # lines of what a call printed


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call and the name of its part of the page."""

    report: CallReport
    anchor: str


@dataclass
class ToolCalls:
    """How the calls of a run are told; headings begin at `level`."""

    telling: Telling
    level: int
    full: bool
    room: Rooms = field(default_factory=Rooms)

    def __post_init__(self) -> None:
        calls = self.telling.report.calls
        self.named = [NamedCall(call, call_anchor(number)) for number, call in enumerate(calls, 1)]
        self._told = {id(call) for call in self.telling.told}

    @property
    def first(self) -> NamedCall | None:
        """The first call that is something to worry about."""
        return next((call for call in self.named if not call.report.good), None)

    def markup(self) -> Html:
        """All calls in their order, and what was printed by nobody can say which of them."""
        return joined([*self._runs(), *self._strays()], by=LINE)

    def _runs(self) -> Iterator[Html]:
        for (mark, word, alone), run in groupby(self.named, key=self._together):
            calls = list(run)
            yield self._article(calls[0], mark, word) if alone else self._fold(calls, mark, word)

    def _together(self, call: NamedCall) -> tuple[Mark, str, str]:
        """Equal for neighbours that share a fold."""
        report, telling = call.report, self.telling
        has_more = id(report) in self._told and (not report.good or bool(details_of(report).note))
        return telling.mark(report), telling.word(report), call.anchor if has_more else ""

    def _fold(self, calls: Sequence[NamedCall], mark: Mark, word: str) -> Html:
        own = list(dict.fromkeys(call.report.exchange for call in calls))
        only = phrase(call_words(calls[0].report.planned.recorded.call))
        what = only if len(calls) == 1 else calls_word(len(calls))
        title = [tag("b", numbers(own)[0]), " ", what, f" {word}"]
        items = [self._item(call) for call in calls[:_LISTED]]
        more = [tag("li", f"{calls_word(len(calls) - _LISTED)} more")] if len(calls) > _LISTED else []
        return fold(mark, title, tag("ol", *items, *more, class_="calls"))

    def _item(self, call: NamedCall) -> Html:
        report = call.report
        behind = [" ", tag("small", taken)] if (taken := duration(report)) else []
        asked = phrase(call_words(report.planned.recorded.call))
        start = (f"#{report.exchange} ", asked, *behind)
        return tag("li", *start, *_printed(report), id=call.anchor, tabindex=-1)

    def _article(self, call: NamedCall, mark: Mark, word: str) -> Html:
        report, name = call.report, call.anchor
        asked = phrase(call_words(report.planned.recorded.call))
        taken = [" ", tag("small", taken)] if (taken := duration(report)) else []
        title = tag("span", f"#{report.exchange} ", asked, " ", tag("em", word), *taken, id=f"{name}-h")
        link = link_to(name, f"the call at #{report.exchange}")
        return tag(
            "article",
            tag(f"h{self.level}", icon(mark), title, link, class_="title"),
            *self._details(call),
            id=name,
            class_=mark.name.lower(),
            tabindex=-1,
            aria_labelledby=f"{name}-h",
        )

    def _details(self, call: NamedCall) -> Iterator[Html]:
        told = details_of(call.report)
        if told.now is not None and told.then is None:
            yield tag("p", tag("code", told.now), class_="cause")
        spots = told.spots or _instead(told)
        if spots:
            yield places(
                spots,
                self.room.values,
                within=call.anchor,
                level=self.level + 1,
                full=self.full,
                fresh=FRESH,
            )
        if told.faults:
            yield tag("ul", *(tag("li", tag("code", fault)) for fault in told.faults))
        if told.note:
            yield tag("p", told.note, class_="note")
        yield from _printed(call.report)
        if trace := call.report.invocation.trace:
            yield _text("Traceback", trace)

    def _strays(self) -> Iterator[Html]:
        for exchange, text in self.telling.report.strays:
            yield _text(f"Printed by one of the calls at #{exchange}", text)


def _instead(told: Details) -> tuple[Spot, ...]:
    """What was recorded beside what came instead, as one value that changed."""
    if told.then is None or told.now is None:
        return ()
    return (Spot("result", (), (Difference(Kind.VALUE, (), (), (), told.then, told.now),)),)


def _printed(call: CallReport) -> Iterator[Html]:
    lines, rest = printed_lines(call.printed, call.printed_more, most=_PRINTED)
    if lines:
        size = "1 line" if len(lines) == 1 else f"{len(lines):,} lines"
        more = f", {rest}" if rest else ""
        yield _text(f"Printed, {size}{more}", "\n".join(lines))


def _text(title: str, text: str) -> Html:
    pre = tag("pre", multiline(text), class_="whole", tabindex=0, role="region", aria_label=title)
    return tag("details", tag("summary", title), pre)
