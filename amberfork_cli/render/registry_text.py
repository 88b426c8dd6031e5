"""A registry as text: its tools, or how they stand beside those that a tape offers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from amberfork_cli.core.compare.report import Difference, Spot, Words, ours
from amberfork_cli.core.tools.registry_check import Offer, RegistryCheck, ToolCheck
from amberfork_cli.core.tools.tool import Effect, Tool
from amberfork_cli.render.header import mark_span
from amberfork_cli.render.labels import Mark
from amberfork_cli.render.lines import Line, Style, cut_line, padded, wrapped
from amberfork_cli.render.lines import width as _width
from amberfork_cli.render.page import Page
from amberfork_cli.render.run_labels import calls_word, tool_names
from amberfork_cli.render.spots import spot_lines

_EFFECTS = {
    Effect.READ_ONLY: "read-only",
    Effect.SIDE_EFFECT: "side effect",
    Effect.UNDECLARED: "not declared read-only",
}
_OFFERS = {
    Offer.SAME: (Mark.MATCH, "same"),
    Offer.DESCRIBED: (Mark.CHANGED, "descriptions differ"),
    Offer.CHANGED: (Mark.FORK, "the schema differs"),
    Offer.MISSING: (Mark.FORK, "missing in the registry"),
    Offer.EXTRA: (Mark.EXTRA, "not on the tape"),
}


def lay_out(tools: Sequence[Tool], *, width: int | None, ascii: bool = False) -> list[Line]:
    """One line a tool: name and parameters, what is known of its effect, its limit, its first words."""
    page = Page(width, ascii=ascii)
    rows = [(_called(tool), _EFFECTS[tool.effect], _limit(tool), _first_words(tool)) for tool in tools]
    return [_row(row, columns, page) for columns in [_columns(rows)] for row in rows]


def lay_out_check(check: RegistryCheck, *, width: int | None, ascii: bool = False) -> list[Line]:
    """One line a tool, what differs below it, and sentences that answer: for the tools, and for the calls."""
    page = Page(width, ascii=ascii)
    names = [page.raw(tool.name) for tool in check.tools]
    column = max(map(_width, names), default=0)
    lines: list[Line] = []
    for tool, name in zip(check.tools, names, strict=True):
        mark, word = _OFFERS[tool.offer]
        style = Style.MUTED if tool.offer.good else Style.LOUD
        called = (f" {padded(name, column)}  ", Style.PLAIN)
        lines.append(_within((mark_span(mark, page=page), called, (word, style)), page))
        lines += _changed(tool, page)
    answers = (_answer_for_tools(check.tools), _answer_for_calls(check))
    answered = [
        line for words in answers for line in wrapped([(page.words(words), Style.BOLD)], page.line_cells)
    ]
    return [*lines, (), *answered]


def _answer_for_tools(checks: Sequence[ToolCheck]) -> Words:
    words = (
        (Offer.SAME, "the same"),
        (Offer.DESCRIBED, "with other descriptions"),
        (Offer.CHANGED, "with another schema"),
        (Offer.MISSING, "missing in the registry"),
    )
    on_tape = sum(check.offer is not Offer.EXTRA for check in checks)
    told = [f"{_count(checks, offer)} {word}" for offer, word in words if _count(checks, offer)]
    extra = _count(checks, Offer.EXTRA)
    more = f"; {extra} more in the registry" if extra else ""
    return (ours(f"{_tools(on_tape)} on the tape" + (f": {', '.join(told)}" if told else "") + f"{more}."),)


def _answer_for_calls(check: RegistryCheck) -> Words:
    """Whether calls can break, as those on the tape show it."""
    calls, unfit = len(check.run.calls), check.unfit
    if not calls:
        return (ours("No call on the tape."),)
    if not unfit:
        every = "The only call" if calls == 1 else f"All {calls_word(calls)}"
        return (ours(f"{every} on the tape {'fits' if calls == 1 else 'fit'}."),)
    do = "does" if len(unfit) == 1 else "do"
    start = ours(f"{len(unfit):,} of {calls_word(calls)} on the tape {do} not fit (")
    return (start, *tool_names(unfit), ours("): see amberfork run-tools --dry-run."))


def _count(checks: Iterable[ToolCheck], offer: Offer) -> int:
    return sum(check.offer is offer for check in checks)


def _tools(count: int) -> str:
    return "1 tool" if count == 1 else f"{count} tools"


def _changed(check: ToolCheck, page: Page) -> list[Line]:
    """What differs: first what can break a call."""
    found: dict[str, list[Difference]] = {}
    for each in (*check.schema, *check.words):
        place, *path = each.path
        difference = Difference(each.kind, tuple(path), each.old_path, each.new_path, each.old, each.new)
        found.setdefault(str(place), []).append(difference)
    spots = [Spot(place, (), tuple(differences)) for place, differences in found.items()]
    lines = spot_lines(spots, page=page)
    return [_within(((f"{page.glyphs.bar} ", Style.ACCENT), *line), page) for line in lines]


def _called(tool: Tool) -> str:
    """`search(query, limit?)`: parameters that need not be given have a question mark."""
    schema = tool.schema.parameters
    properties, required = schema.get("properties"), schema.get("required")
    needed = required if isinstance(required, list) else []
    names = properties if isinstance(properties, dict) else {}
    return f"{tool.name}({', '.join(name if name in needed else f'{name}?' for name in names)})"


def _limit(tool: Tool) -> str:
    return f"{tool.timeout_ms / 1000:g} s"


def _first_words(tool: Tool) -> str:
    return tool.description.strip().partition("\n")[0]


def _columns(rows: Sequence[tuple[str, ...]]) -> list[int]:
    return [max(map(_width, texts)) for texts in zip(*rows, strict=True)]


def _row(row: Sequence[str], columns: Sequence[int], page: Page) -> Line:
    name, effect, limit, words = (
        padded(page.raw(text), cells) for text, cells in zip(row, columns, strict=True)
    )
    muted = (f"{limit}  {words}".rstrip(), Style.MUTED)
    return _within(((f"{name}  ", Style.PLAIN), (f"{effect}  ", Style.PLAIN), muted), page)


def _within(line: Line, page: Page) -> Line:
    return line if page.line_cells is None else cut_line(line, page.line_cells, dots=page.dots)
