"""A diff as text, for terminals and pipes: sameness recedes, the fork stands out, a sentence answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from amberfork_cli.core.compare.report import DiffReport, Verdict
from amberfork_cli.render.exchange_words import conversation_name, matching
from amberfork_cli.render.header import common_endpoint, header, mark_span, strip
from amberfork_cli.render.labels import Mark, answer, tally
from amberfork_cli.render.lines import Line, Span, Style, cut, line_width, width, wrapped
from amberfork_cli.render.page import Page
from amberfork_cli.render.rows import MARK, WORDS, Block, Rows
from amberfork_cli.render.sections import Plan, Section, planned

_ASIDE = -1  # the group of conversations without a change
_FEWEST = 10  # cells of first words that still say something


def lay_out(report: DiffReport, *, width: int | None, full: bool = False, ascii: bool = False) -> list[Line]:
    """The report as lines of styled text.

    No line is wider than `width` cells (from 60 on); `None` is for a pipe, where nothing is wrapped. `full`
    shows whole values, `ascii` draws without any sign beyond ASCII.
    """
    page = Page(width, full=full, ascii=ascii)
    plan = planned(report)
    lines = header(report, page=page, with_strip=plan.one)
    for block in _spaced(_Conversations(report, page, plan).blocks()):
        lines += block
    return [*lines, (), *closing(report, width=width, ascii=ascii)]


def closing(report: DiffReport, *, width: int | None, ascii: bool = False) -> list[Line]:
    """The sentence that answers, and the counts: on a line of their own where both do not fit on one."""
    page = Page(width, ascii=ascii)
    verdict = (page.words(answer(report)), Style.BOLD)
    counts = (page.words(tally(report)), Style.PLAIN)
    together = (verdict, (f" {counts[0]}", Style.PLAIN)) if counts[0] else (verdict,)
    if page.line_cells is None or line_width(together) <= page.line_cells:
        return [together]
    return [*wrapped([verdict], page.cells), *(wrapped([counts], page.cells) if counts[0] else [])]


def _spaced(blocks: Iterable[Block]) -> Iterator[Sequence[Line]]:
    """The lines of each block, with an empty one before those that need it."""
    before: Block | None = None
    for block in blocks:
        if before is None or before.loud or block.loud or before.group != block.group:
            yield [()]
        yield block.lines
        before = block


class _Conversations:
    """What stands between the header and the answer: conversation by conversation."""

    def __init__(self, report: DiffReport, page: Page, plan: Plan) -> None:
        self.report, self.page, self.plan = report, page, plan
        self.words = {conversation.number: conversation.words for conversation in report.conversations}
        sizes = Counter(exchange.conversation for exchange in report.exchanges if exchange.conversation >= 0)
        single = (
            {} if len(sizes) == 1 else {n: self.words.get(n, "") for n, size in sizes.items() if size == 1}
        )
        self.rows = Rows(page, single, plan.alike, endpoints=not common_endpoint(report))

    def blocks(self) -> Iterator[Block]:
        """Every block in order."""
        if self.report.verdict is Verdict.SAME:
            yield from self.rows.blocks([exchange for exchange in self.report.exchanges if exchange.moved])
            return
        for group, section in enumerate(self.plan.sections):
            if section.same and section.conversation is not None:
                yield Block([self._same(section)], loud=False, group=_ASIDE)
                continue
            if section.conversation is not None:
                yield Block([self._heading(section)], loud=True, group=group)
            yield from self.rows.blocks(section.exchanges, group=group)
        if self.plan.folded:
            yield Block([self._folded()], loud=False, group=_ASIDE)

    def _heading(self, section: Section) -> Line:
        """`conversation 2`, its run as a strip, the first words of its user."""
        name = f"  {_name(section)}  "
        marks = strip(section.exchanges, page=self.page, cells=self.page.cells - width(name))
        line: list[Span] = [(name, Style.PLAIN), *marks]
        return self.rows.cut([*line, *self._first_words(section, self.page.cells - line_width(line))])

    def _same(self, section: Section) -> Line:
        """The same in one muted line, with how many exchanges match."""
        name, count = f" {_name(section)}  ", f"  {matching(section.exchanges)}"
        room = self.page.cells - MARK - width(name) - width(count)
        marks = strip(section.exchanges, page=self.page, cells=room)
        words = self._first_words(section, room - line_width(marks))
        start = (mark_span(Mark.MATCH, page=self.page), (name, Style.MUTED))
        return self.rows.cut([*start, *marks, *words, (count, Style.MUTED)])

    def _folded(self) -> Line:
        """All conversations without a change in one line."""
        exchanges = [exchange for section in self.plan.folded for exchange in section.exchanges]
        told = f" {len(self.plan.folded)} conversations  {matching(exchanges)}"
        return self.rows.cut([mark_span(Mark.MATCH, page=self.page), (told, Style.MUTED)])

    def _first_words(self, section: Section, room: int) -> list[Span]:
        words = self.page.written(self.words.get(section.exchanges[0].conversation, ""))
        if not words or room < _FEWEST:
            return []
        return [(f"  {cut(words, min(WORDS, room - 2), dots=self.page.dots)}", Style.MUTED)]


def _name(section: Section) -> str:
    return conversation_name(section.conversation or 0)
