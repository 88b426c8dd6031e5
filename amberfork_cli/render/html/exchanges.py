"""The exchanges of a run: what matches is folded, a change is an article, and so is what one tape lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff, State, Verdict
from amberfork_cli.render.exchange_words import (
    FIRST,
    IN_A_ROW,
    QUIET,
    UNPAIRED,
    conversation_name,
    last_message,
    matching,
    nearest,
    others_alike,
    place_notes,
    recorded_numbers,
    reissued_numbers,
    traced,
)
from amberfork_cli.render.header import common_endpoint
from amberfork_cli.render.html.anchors import anchor, conversation_anchor
from amberfork_cli.render.html.bodies import Reread, bodies
from amberfork_cli.render.html.markup import LINE, Html, joined, tag
from amberfork_cli.render.html.phrases import fold, icon, link_to, phrase
from amberfork_cli.render.html.places import places
from amberfork_cli.render.html.room import Rooms
from amberfork_cli.render.labels import Mark, exchanges_word, loud_word, mark, told_first
from amberfork_cli.render.sections import Plan, Section, planned, runs

_UNDER_TITLE = 2  # the level of headings right below the title


def exchanges(report: DiffReport, *, reread: Reread | None, full: bool) -> Html:
    """All exchanges of the report, conversation by conversation."""
    return joined(_Exchanges(report, planned(report), reread, full=full).sections(), by=LINE)


@dataclass
class _Exchanges:
    """How the exchanges of a report are told."""

    report: DiffReport
    plan: Plan
    reread: Reread | None
    full: bool
    room: Rooms = field(default_factory=Rooms)

    def __post_init__(self) -> None:
        self._words = {conversation.number: conversation.words for conversation in self.report.conversations}
        self._first = told_first(self.report)
        self._endpoints = not common_endpoint(self.report)
        self._of: dict[int, list[ExchangeDiff]] = {}
        for exchange in self.report.exchanges:
            self._of.setdefault(exchange.conversation, []).append(exchange)

    def sections(self) -> Iterator[Html]:
        """Each section, and the conversations without a change in one fold at the end."""
        for section in self.plan.sections:
            if section.conversation is None:
                yield from self._blocks(section, _UNDER_TITLE)
            elif section.same and self.report.verdict is not Verdict.SAME:
                yield self._same(section)
            else:
                yield self._conversation(section)
        if self.plan.folded:
            yield self._folded()

    def _conversation(self, section: Section) -> Html:
        name, identifier = self._name(section)
        heading = tag("h2", *name, link_to(identifier, conversation_name(section.conversation or 0)))
        return tag(
            "section",
            heading,
            *self._blocks(section, _UNDER_TITLE + 1),
            id=identifier,
            aria_label=conversation_name(section.conversation or 0).capitalize(),
        )

    def _name(self, section: Section) -> tuple[list[str], str]:
        """What a conversation is called: its number, the first words of its user, its size."""
        number = section.conversation or 0
        words = self._words.get(number, "")
        parts: list[str] = [conversation_name(number).capitalize()]
        parts += [" ", tag("q", words)] if words else []
        parts += [" ", tag("small", exchanges_word(len(section.exchanges)))]
        return parts, conversation_anchor(number)

    def _blocks(self, section: Section, level: int) -> Iterator[Html]:
        for each, run in runs(section.exchanges):
            if each in QUIET:
                yield self._quiet(each, run)
            elif each in UNPAIRED:
                yield from self._unpaired(each, run, level)
            else:
                yield self._change(run[0], level)

    def _quiet(self, each: Mark, run: Sequence[ExchangeDiff]) -> Html:
        """A fold of exchanges that match, moved, or only carry a change on."""
        text, complete = reissued_numbers(run)
        number = f"{len(run)} " if each is Mark.CARRIED or not complete else ""
        place = f", {recorded_numbers(run)}" if each is Mark.MOVED else ""
        return fold(each, [tag("b", text), f" {number}{QUIET[each]}{place}"], self._list(run))

    def _same(self, section: Section) -> Html:
        name, identifier = self._name(section)
        name[-1] = tag("small", matching(section.exchanges))
        return fold(Mark.MATCH, name, self._list(section.exchanges), identifier=identifier)

    def _folded(self) -> Html:
        """The conversations without a change, a fold in a fold."""
        together = [exchange for section in self.plan.folded for exchange in section.exchanges]
        title = f"{len(self.plan.folded)} conversations, {matching(together)}"
        return fold(Mark.MATCH, [title], joined(map(self._same, self.plan.folded)))

    def _list(self, run: Sequence[ExchangeDiff]) -> Html:
        """The numbers of a fold, so that a link finds each exchange."""
        return tag("ol", *map(self._item, run), class_="numbers")

    def _item(self, exchange: ExchangeDiff) -> Html:
        if exchange.reissued is None:
            return tag("li", recorded_numbers([exchange]), id=anchor(exchange))
        notes = [f"recorded #{exchange.recorded}"] if exchange.recorded != exchange.reissued else []
        notes += [exchange.endpoint] if self._endpoints and exchange.endpoint else []
        behind = [" ", tag("small", ", ".join(notes))] if notes else []
        return tag("li", f"#{exchange.reissued}", *behind, id=anchor(exchange), tabindex=-1)

    def _change(self, exchange: ExchangeDiff, level: int) -> Html:
        """A fork or a later change."""
        title = [f"#{exchange.reissued} ", tag("em", loud_word(exchange).capitalize())]
        title += [f" {exchange.origin.value}"] if exchange.origin else []
        words = self._words.get(exchange.conversation, "")
        alone = words and len(self._of) > 1 and len(self._of[exchange.conversation]) == 1
        tells_cause = exchange.cause and exchange is not self._first
        parts = [tag("p", phrase(exchange.cause), class_="cause")] if tells_cause else []
        if exchange.alike is None:
            within = anchor(exchange)
            parts.append(
                places(exchange.spots, self.room.values, within=within, level=level + 1, full=self.full)
            )
        parts += [tag("p", phrase(traced(exchange)), class_="note")] if exchange.trace else []
        parts += [bodies(exchange, self.reread, self.room.bodies)]
        article = self._article(exchange, level, title, parts, words if alone else "")
        others = () if exchange.reissued is None else self.plan.alike.get(exchange.reissued, ())
        return joined([article, self._alike(others)]) if others else article

    def _alike(self, others: Sequence[int]) -> Html:
        """The conversations that forked in the very same way, told once."""
        numbers = set(others)
        forks = [exchange for exchange in self.report.exchanges if exchange.reissued in numbers]
        together = [exchange for fork in forks for exchange in self._of[fork.conversation]]
        return fold(Mark.CHANGED, [others_alike(others)], self._list(together))

    def _unpaired(self, each: Mark, run: Sequence[ExchangeDiff], level: int) -> Iterator[Html]:
        """Exchanges that only one tape has; of many in a row the first few, the others in a fold."""
        shown = len(run) if len(run) <= IN_A_ROW else FIRST
        articles = [self._lone(each, exchange, level) for exchange in run]
        yield from articles[:shown]
        if articles[shown:]:
            name = recorded_numbers if each is Mark.MISSING else _reissued
            more = f" {len(run) - shown} more {each.name.lower()}"
            yield fold(each, [tag("b", name(run[shown:])), more], joined(articles[shown:]))

    def _lone(self, each: Mark, exchange: ExchangeDiff, level: int) -> Html:
        number = recorded_numbers([exchange]) if each is Mark.MISSING else f"#{exchange.reissued}"
        title = [f"{number} ", tag("em", each.name.capitalize())]
        told = [words for words in (last_message(exchange), nearest(exchange)) if words]
        parts = [tag("p", phrase(words), class_="note") for words in told]
        return self._article(
            exchange, level, title, [*parts, bodies(exchange, self.reread, self.room.bodies)]
        )

    def _article(
        self, exchange: ExchangeDiff, level: int, title: list[str], parts: list[Html], words: str = ""
    ) -> Html:
        identifier = anchor(exchange)
        notes: list[str] = _place_notes(exchange) if exchange.state is not State.MISSING else []
        notes += [exchange.endpoint] if self._endpoints and exchange.endpoint else []
        behind = [tag("small", note) for note in notes] + ([tag("q", words)] if words else [])
        spaced = [part for note in behind for part in (" ", note)]
        named = tag("span", *title, *spaced, id=f"{identifier}-h")
        link = link_to(identifier, title[0].strip())
        each = mark(exchange)
        return tag(
            "article",
            tag(f"h{level}", icon(each), named, link, class_="title"),
            *parts,
            id=identifier,
            class_=each.name.lower(),
            tabindex=-1,
            aria_labelledby=f"{identifier}-h",
        )


def _place_notes(exchange: ExchangeDiff) -> list[str]:
    """Where else to look; where the same was told before is a link."""
    notes: list[str] = list(place_notes(exchange))
    return notes if exchange.alike is None else [*notes[:-1], tag("a", notes[-1], href=f"#x{exchange.alike}")]


def _reissued(run: Sequence[ExchangeDiff]) -> str:
    return reissued_numbers(run)[0]
