"""A run of tools as Markdown, for a comment on a pull request or the summary of a job."""

from __future__ import annotations

from collections.abc import Iterator

from amberfork_cli.core.compare.words import call_words
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.render.labels import whole_calls
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
    prose,
)
from amberfork_cli.render.run_details import PRINTED_LINES, detail_fence, details_of, printed_lines
from amberfork_cli.render.run_labels import Telling, calls_word, command, flags, header_counts

_ROWS = 10  # of the table of calls that stand at once; more are folded
_MOST_ROWS = 100
_CLOSING = 600  # characters kept for the last line


def to_markdown(report: RunReport, *, is_plan: bool = False, full: bool = False, limit: int = LIMIT) -> str:
    """The report in fewer than `limit` characters; what was left out is said. `full` shows whole values."""
    telling = Telling(report, is_plan)
    parts = _opening(telling)
    blocks = list(_blocks(telling, full=full))
    left_out = len(blocks) - filled(parts, blocks, limit - _CLOSING)
    return "\n\n".join([*parts, *_closing(telling, left_out)]) + "\n"


def _opening(telling: Telling) -> list[str]:
    """Verdict, sentence, tape and registry, and the calls at a glance."""
    report = telling.report
    parts = [f"### amberfork: {telling.verdict}", f"**{prose(telling.sentence)}**"]
    parts += [prose(telling.remarks)] if telling.remarks else []
    sources = [
        "| | | |",
        "|---|---|---|",
        f"| tape | {cell(code(report.tape.source))} | {header_counts(report)} |",
        f"| registry | {cell(code(report.registry))} | |",
    ]
    return [*parts, "\n".join(sources), *([_calls(telling)] if report.calls else [])]


def _calls(telling: Telling) -> str:
    calls = telling.report.calls
    table = "\n".join(
        ["| | call | |", "|---|---|---|", *(_row(call, telling) for call in calls[:_MOST_ROWS])]
    )
    left = len(calls) - _MOST_ROWS
    more = [f"{calls_word(left)} more."] if left > 0 else []
    return table if len(calls) <= _ROWS else folded(calls_word(len(calls)), [table, *more])


def _row(call: CallReport, telling: Telling) -> str:
    word = telling.word(call) if call.good else f"**{telling.word(call)}**"
    asked = prose(call_words(call.planned.recorded.call))
    return f"| {code(f'#{call.exchange}')} | {cell(asked)} | {word} |"


def _blocks(telling: Telling, *, full: bool) -> Iterator[Block]:
    """Each call of which there is more to say; the first few open."""
    told = 0
    for call in telling.told:
        parts = list(_details(call, full=full))
        if parts:
            told += 1
            open_ = told <= OPEN
            text = (
                "\n\n".join([_title(call, telling), *parts])
                if open_
                else folded(_summary(call, telling), parts)
            )
            yield Block(text, 1)


def _details(call: CallReport, *, full: bool) -> Iterator[str]:
    lines = detail_fence(call, full=full)
    if lines:
        yield fence(lines)
    if note := details_of(call).note:
        yield our_words(note)
    printed, rest = printed_lines(call.printed, call.printed_more, most=None if full else PRINTED_LINES)
    if printed:
        yield "\n\n".join(["Printed:", fence(printed, language="text"), *([rest] if rest else [])])
    if full and call.invocation.trace:
        yield fence(call.invocation.trace.splitlines(), language="text")


def _title(call: CallReport, telling: Telling) -> str:
    asked = prose(call_words(call.planned.recorded.call))
    return f"**{code(f'#{call.exchange}')} {asked}** {telling.word(call)}"


def _summary(call: CallReport, telling: Telling) -> str:
    """The same as HTML."""
    asked = "".join(map(as_html, whole_calls(call_words(call.planned.recorded.call))))
    return f"<b><code>#{call.exchange}</code> {asked}</b> {telling.word(call)}"


def _closing(telling: Telling, left_out: int) -> Iterator[str]:
    report = telling.report
    if hints := flags(report):
        yield f"To run more of them: {code(' '.join(hints))}"
    shown = code(command(report))
    if left_out:
        yield f"**{calls_word(left_out)} more to tell: left out here to stay short, shown by** {shown}"
    elif not report.good:
        yield f"All of it: {shown}"
