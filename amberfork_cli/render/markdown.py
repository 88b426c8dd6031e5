"""A diff as Markdown, for a comment on a pull request or the summary of a job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from amberfork_cli.core.compare.report import (
    DiffReport,
    ExchangeDiff,
    Piece,
    State,
    TapeFacts,
    Verdict,
    ours,
    quoted,
)
from amberfork_cli.render.exchange_words import (
    FIRST,
    IN_A_ROW,
    QUIET,
    UNPAIRED,
    conversation_name,
    last_message,
    losses,
    nearest,
    others_alike,
    place_notes,
    recorded_numbers,
    reissued_numbers,
    traced,
)
from amberfork_cli.render.fences import diff_lines
from amberfork_cli.render.header import common_endpoint
from amberfork_cli.render.labels import (
    Mark,
    answer,
    command,
    exchanges_word,
    loud_word,
    mark,
    remarks,
    told_first,
    totals,
    whole_calls,
)
from amberfork_cli.render.markdown_text import (
    LIMIT,
    OPEN,
    Block,
    as_html,
    cell,
    code,
    fence,
    filled,
    folded,
    our_words,
    piece,
    prose,
)
from amberfork_cli.render.sections import Plan, planned, runs

if TYPE_CHECKING:
    from amberfork_cli.core.tools.run_report import RunReport

_FORKS = 10  # rows of the table of forks
_CLOSING = 600  # characters kept for the last line


def to_markdown(
    report: DiffReport, *, full: bool = False, limit: int = LIMIT, tools: RunReport | None = None
) -> str:
    """The report in fewer than `limit` characters; what was left out is said. `full` shows whole values.

    The run of tools beside it, if there was one, comes behind it and has half of the room, or what is left.
    """
    if tools is None:
        return _to_markdown(report, full=full, limit=limit)
    half = _tools(tools, full=full, limit=limit // 2)
    own = _to_markdown(report, full=full, limit=limit - len(half) - 1)
    return f"{own}\n{_tools(tools, full=full, limit=limit - len(own) - 1)}"


def _tools(tools: RunReport, *, full: bool, limit: int) -> str:
    from amberfork_cli.render import run_markdown  # and what running tools needs, which a diff alone does not

    return run_markdown.to_markdown(tools, full=full, limit=limit)


def _to_markdown(report: DiffReport, *, full: bool, limit: int) -> str:
    plan = planned(report)
    parts = _opening(report)
    told = filled(parts, _Changes(report, plan, full=full).blocks(), limit - _CLOSING)
    left_out = _loud(plan) - told
    return "\n\n".join([*parts, *_closing(report, left_out)]) + "\n"


def _loud(plan: Plan) -> int:
    """How many exchanges there are to tell."""
    told = [exchange for section in plan.sections if not section.same for exchange in section.exchanges]
    return sum(mark(exchange) not in QUIET for exchange in told)


class _Changes:
    """What differs, exchange by exchange."""

    def __init__(self, report: DiffReport, plan: Plan, *, full: bool) -> None:
        self._plan, self._full = plan, full
        self._endpoints = not common_endpoint(report)
        self._words = {conversation.number: conversation.words for conversation in report.conversations}
        sizes = Counter(exchange.conversation for exchange in report.exchanges)
        self._single = {number for number, size in sizes.items() if size == 1 and len(sizes) > 1}
        self._first = told_first(report)
        self._told = 0

    def blocks(self) -> Iterator[Block]:
        """Every change and every exchange without a partner; the heading of a conversation with its first."""
        for section in self._plan.sections:
            heading = "" if section.conversation is None else f"{self._heading(section.conversation)}\n\n"
            for each, exchanges in runs(section.exchanges) if not section.same else ():
                if each in UNPAIRED:
                    yield Block(heading + self._unpaired(each, exchanges), len(exchanges))
                elif each in (Mark.FORK, Mark.CHANGED):
                    yield Block(heading + self._change(exchanges[0]), 1)
                else:
                    continue
                heading = ""

    def _heading(self, conversation: int) -> str:
        words = self._words.get(conversation)
        name = conversation_name(conversation).capitalize()
        return f"#### {name}: {code(words)}" if words else f"#### {name}"

    def _change(self, exchange: ExchangeDiff) -> str:
        parts = []
        if exchange.alike is None:
            parts.append(fence(diff_lines(exchange.spots, full=self._full)))
        others = self._plan.alike.get(exchange.reissued or 0, ())
        parts += [prose((ours(others_alike(others)),))] if others else []
        parts += [prose(words) for words in (traced(exchange),) if words]
        self._told += 1
        if self._told <= OPEN or not parts:
            return "\n\n".join([self._title(exchange), *parts])
        return folded(self._summary(exchange), parts)

    def _title(self, exchange: ExchangeDiff) -> str:
        """`**`#4` Fork**, model output, recorded `#3``."""
        word = loud_word(exchange).capitalize()
        start = f"**{code(f'#{exchange.reissued}')} {word}**"
        title = ", ".join([start, *map(piece, self._notes(exchange))])
        return f"{title}: {prose(exchange.cause)}" if self._tells_cause(exchange) else title

    def _summary(self, exchange: ExchangeDiff) -> str:
        """The same as HTML, because Markdown is not read inside it."""
        word = loud_word(exchange).capitalize()
        start = f"<b><code>#{exchange.reissued}</code> {word}</b>"
        title = ", ".join([start, *map(as_html, self._notes(exchange))])
        told = "".join(map(as_html, whole_calls(exchange.cause)))
        return f"{title}: {told}" if self._tells_cause(exchange) else title

    def _tells_cause(self, exchange: ExchangeDiff) -> bool:
        """Whether the cause is told here and not in the answer or in the table of forks."""
        return bool(exchange.cause) and exchange.state is not State.FORK and exchange is not self._first

    def _notes(self, exchange: ExchangeDiff) -> Iterator[Piece]:
        if exchange.origin:
            yield ours(exchange.origin.value)
        yield from map(ours, place_notes(exchange))
        if self._endpoints and exchange.endpoint:
            yield quoted(exchange.endpoint)
        if exchange.conversation in self._single and self._words.get(exchange.conversation):
            yield quoted(self._words[exchange.conversation])

    def _unpaired(self, each: Mark, exchanges: Sequence[ExchangeDiff]) -> str:
        """A list of exchanges that only one tape has; of many, the first few and a count."""
        many = len(exchanges) > IN_A_ROW and not self._full
        told = exchanges[:FIRST] if many else exchanges
        lines = [self._lonely(each, exchange) for exchange in told]
        rest = exchanges[len(told) :]
        if rest:
            lines.append(f"- {our_words(_name(each, rest))}: {len(rest)} more {each.name.lower()}")
        return "\n".join(lines)

    def _lonely(self, each: Mark, exchange: ExchangeDiff) -> str:
        endpoint = (quoted(exchange.endpoint),) if self._endpoints and exchange.endpoint else ()
        words = [told for told in (last_message(exchange), nearest(exchange), endpoint) if told]
        start = f"- **{our_words(_name(each, (exchange,)))} {each.name.capitalize()}**"
        return ", ".join([start, *map(prose, words)])


def _opening(report: DiffReport) -> list[str]:
    """Verdict, sentence, tapes, counts, what was set aside, and the forks at a glance."""
    parts = [f"### amberfork: {report.verdict.value}", f"**{prose(answer(report))}**"]
    parts.append("\n".join(_tapes(report)))
    parts += [] if report.same else [_counts(report)]
    parts += ["\n".join(f"- {prose(remark)}" for remark in told)] if (told := remarks(report)) else []
    forks = [fork for fork in report.forks if fork.alike is None]
    return [*parts, "\n".join(_fork_table(forks))] if len(forks) > 1 else parts


def _tapes(report: DiffReport) -> Iterator[str]:
    endpoint = common_endpoint(report)
    yield f"| | tape | {cell(code(endpoint)) if endpoint else ''} |"
    yield "|---|---|---|"
    yield _tape("recorded", report.recorded)
    yield _tape("re-issued", report.reissued)


def _tape(side: str, tape: TapeFacts) -> str:
    lost = losses(tape)
    count = f"{exchanges_word(tape.exchanges)}, {lost}" if lost else exchanges_word(tape.exchanges)
    return f"| {side} | {cell(code(tape.source))} | {count} |"


def _counts(report: DiffReport) -> str:
    """`4 match · **1 changed** · 7 carried …`."""
    loud = ("changed", "missing", "extra")
    told = [(word, f"{count} {word}", count and word in loud) for word, count in totals(report).items()]
    return " · ".join(f"**{text}**" if bold else text for _, text, bold in told)


def _fork_table(forks: Sequence[ExchangeDiff]) -> Iterator[str]:
    yield "| fork | from | what |"
    yield "|---|---|---|"
    for fork in forks[:_FORKS]:
        origin = fork.origin.value if fork.origin else ""
        yield f"| {code(f'#{fork.reissued}')} | {origin} | {cell(prose(fork.cause))} |"
    if len(forks) > _FORKS:
        yield f"| … | | {len(forks) - _FORKS} more forks |"


def _closing(report: DiffReport, left_out: int) -> Iterator[str]:
    shown = code(command(report))
    if left_out:
        yield f"**{exchanges_word(left_out)} more to tell: left out here to stay short, shown by** {shown}"
    elif report.verdict is not Verdict.SAME:
        yield f"All of it: {shown}"


def _name(each: Mark, exchanges: Sequence[ExchangeDiff]) -> str:
    return recorded_numbers(exchanges) if each is Mark.MISSING else reissued_numbers(exchanges)[0]
