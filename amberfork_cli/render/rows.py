"""The exchanges of a section as lines: runs of quiet ones folded, a block for each that is not quiet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from amberfork_cli.core.compare.report import ExchangeDiff
from amberfork_cli.render.exchange_words import (
    FIRST,
    IN_A_ROW,
    QUIET,
    UNPAIRED,
    last_message,
    nearest,
    others_alike,
    place_notes,
    recorded_numbers,
    reissued_numbers,
    traced,
)
from amberfork_cli.render.header import mark_span
from amberfork_cli.render.labels import Mark, loud_word, mark
from amberfork_cli.render.lines import (
    Line,
    Span,
    Style,
    cut,
    cut_line,
    fits,
    line_width,
    padded,
    width,
    wrapped,
)
from amberfork_cli.render.page import Page
from amberfork_cli.render.sections import runs
from amberfork_cli.render.spots import spot_lines

WORDS = 48  # cells of the first words of a conversation
MARK = 2  # cells of the mark and its space
_NUMBERS = 24  # cells that the numbers of a section are padded to at most
_GAP = 2  # cells between two fields


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together; an empty line stands around those that are loud, and between groups."""

    lines: Sequence[Line]
    loud: bool
    group: int


@dataclass(frozen=True, slots=True)
class Rows:
    """How the exchanges of a report are told.

    `words` has the first words of the conversations that are a single exchange, `alike` the forks that are
    told at another one. `endpoints` says that each block names its endpoint.
    """

    page: Page
    words: Mapping[int, str]
    alike: Mapping[int, Sequence[int]]
    endpoints: bool

    def blocks(self, exchanges: Sequence[ExchangeDiff], *, group: int = 0) -> Iterator[Block]:
        """The exchanges in their order."""
        found = list(runs(exchanges))
        column = self._column(run for each, run in found if each is not Mark.MISSING)
        for each, run in found:
            if each in QUIET:
                yield Block([self._quiet(each, run, column)], loud=False, group=group)
            elif each in UNPAIRED:
                yield Block(list(self._unpaired(each, run, column)), loud=True, group=group)
            else:
                yield Block(list(self._change(run[0], column)), loud=True, group=group)
                yield from self._alike(run[0], group)

    def _column(self, runs: Iterator[Sequence[ExchangeDiff]]) -> int:
        """How wide the numbers of a section are, so that what follows them is aligned."""
        return min(
            max((width(reissued_numbers(run, self.page.glyphs)[0]) for run in runs), default=0), _NUMBERS
        )

    def _quiet(self, each: Mark, exchanges: Sequence[ExchangeDiff], column: int) -> Line:
        """A run of exchanges that match, moved, or only carry a change on."""
        text, complete = reissued_numbers(exchanges, self.page.glyphs)
        count = f"{len(exchanges)} " if each is Mark.CARRIED or not complete else ""
        place = f"  {recorded_numbers(exchanges, self.page.glyphs)}" if each is Mark.MOVED else ""
        style = Style.PLAIN if each is Mark.CARRIED else Style.MUTED
        told = f" {padded(text, column)}  {count}{QUIET[each]}{place}"
        return self.cut([mark_span(each, page=self.page), (told, style)])

    def _change(self, exchange: ExchangeDiff, column: int) -> Iterator[Line]:
        """A fork or a later change: its number, where it came from, and what differs behind a bar."""
        line = [
            mark_span(mark(exchange), page=self.page),
            (f" {padded(f'#{exchange.reissued}', column)}  ", Style.BOLD),
            (loud_word(exchange), Style.LOUD),
        ]
        if exchange.origin:
            line.append((f"  {exchange.origin.value}", Style.BOLD))
        line += [(f"  {note}", Style.MUTED) for note in self._notes(exchange)]
        yield self.cut(self._with_endpoint(line, exchange))
        inside = spot_lines(exchange.spots, page=self.page) if exchange.alike is None else []
        for under in (*inside, *self._trace(exchange)):
            yield ((f"{self.page.glyphs.bar} ", Style.LOUD), *under)

    def _notes(self, exchange: ExchangeDiff) -> Iterator[str]:
        yield from place_notes(exchange)
        words = self.words.get(exchange.conversation)
        if words:
            yield cut(self.page.written(words), WORDS, dots=self.page.dots)

    def _with_endpoint(self, line: list[Span], exchange: ExchangeDiff) -> list[Span]:
        endpoint = f"  {self.page.written(exchange.endpoint)}"
        room = self.page.cells - line_width(line)
        named = self.endpoints and exchange.endpoint and (self.page.width is None or fits(endpoint, room))
        return [*line, (endpoint, Style.MUTED)] if named else line

    def _trace(self, exchange: ExchangeDiff) -> Iterator[Line]:
        """Where a value that is new here came from."""
        if exchange.trace:
            yield from wrapped([(self.page.words(traced(exchange)), Style.MUTED)], self._room(MARK))

    def _alike(self, exchange: ExchangeDiff, group: int) -> Iterator[Block]:
        """How many other conversations forked in the very same way, told once."""
        others = () if exchange.reissued is None else self.alike.get(exchange.reissued, ())
        if others:
            told = f" {others_alike(others, self.page.glyphs)}"
            line = self.cut([mark_span(Mark.CHANGED, page=self.page), (told, Style.PLAIN)])
            yield Block([line], loud=True, group=group)

    def _unpaired(self, each: Mark, exchanges: Sequence[ExchangeDiff], column: int) -> Iterator[Line]:
        """Exchanges of one tape only, one by one; of many, the first few and a count."""
        told = exchanges if self.page.full or len(exchanges) <= IN_A_ROW else exchanges[:FIRST]
        names = [self._name(each, (exchange,)) for exchange in told]
        column = max(map(width, names)) if each is Mark.MISSING else column
        for name, exchange in zip(names, told, strict=True):
            yield self._with_words(each, name, exchange, column)
            yield from self._nearest(exchange, column)
        rest = exchanges[len(told) :]
        if rest:
            more = f" {padded(self._name(each, rest), column)}  {len(rest)} more {each.name.lower()}"
            yield self.cut([mark_span(each, page=self.page), (more, Style.PLAIN)])

    def _name(self, each: Mark, exchanges: Sequence[ExchangeDiff]) -> str:
        return (
            recorded_numbers(exchanges, self.page.glyphs)
            if each is Mark.MISSING
            else reissued_numbers(exchanges, self.page.glyphs)[0]
        )

    def _with_words(self, each: Mark, name: str, exchange: ExchangeDiff, column: int) -> Line:
        line = [
            mark_span(each, page=self.page),
            (f" {padded(name, column)}  ", Style.BOLD),
            (each.name, Style.LOUD),
        ]
        if exchange.words:
            line.append((f"  {self.page.words(last_message(exchange))}", Style.MUTED))
        return self.cut(self._with_endpoint(line, exchange))

    def _nearest(self, exchange: ExchangeDiff, column: int) -> Iterator[Line]:
        """The closest exchange of the other tape, and what keeps the two apart."""
        words = nearest(exchange)
        indent = MARK + column + _GAP
        for line in wrapped([(self.page.words(words), Style.MUTED)], self._room(indent)) if words else ():
            yield ((" " * indent, Style.PLAIN), *line)

    def _room(self, taken: int) -> int | None:
        """How many cells are left on a line; in a pipe as many as it likes."""
        return None if self.page.line_cells is None else self.page.line_cells - taken

    def cut(self, line: Sequence[Span]) -> Line:
        """The line as the page has room for it; a pipe has room for all."""
        return (
            tuple(line) if self.page.width is None else cut_line(line, self.page.cells, dots=self.page.dots)
        )
