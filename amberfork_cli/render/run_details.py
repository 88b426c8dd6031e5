"""What there is to say of a tool call beyond its line: how its results differ, why it failed, its output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.report import Difference, Spot
from amberfork_cli.core.compare.values import Change, changes
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.comparison import Status
from amberfork_cli.core.tools.run_report import CallReport
from amberfork_cli.render.fences import diff_lines
from amberfork_cli.render.lines import Line, Style, cut, wrapped
from amberfork_cli.render.page import Page
from amberfork_cli.render.pairs import RECORDED, REISSUED
from amberfork_cli.render.spots import BAR, spot_lines

PRINTED_LINES = 8  # of what a call printed
PRINTED_QUIETLY = 3  # the same of a call that is no news
_FAULTS = 8  # of arguments
_BOTH = " "
_SECOND = 1000  # milliseconds


@dataclass(frozen=True, slots=True)
class Details:
    """Two answers that differ have `spots`. Else `then` is what was recorded, where there was anything.

    `now` is what came instead: a result, or an error, of which `faults` tell more where there are several.
    `note` says what stood in the way of comparing.
    """

    spots: tuple[Spot, ...] = ()
    then: str | None = None
    now: str | None = None
    faults: tuple[str, ...] = ()
    note: str = ""


def details_of(call: CallReport) -> Details:
    """What there is to say of a call."""
    note = call.comparison.note if call.comparison else ""
    if call.status is Status.CHANGED and call.invocation.ok and call.comparison is not None:
        return Details((_spot(changes(call.comparison.then, call.comparison.now)),), note=note)
    return Details(note=note) if call.good else _instead(call, note)


def detail_lines(call: CallReport, page: Page) -> list[Line]:
    """The details as lines, without what the call printed."""
    told = details_of(call)
    lines = spot_lines(told.spots, page=page)
    for side, text in ((RECORDED, told.then), (REISSUED, told.now)):
        for line in _lines_of(text, page):
            lines += _signed(f"{side.sign} ", line, side.style, page)
    for fault in _first(told.faults, page):
        lines += _signed("  ", fault, Style.PLAIN, page)
    for line in (told.note, *_trace(call, page)):
        lines += _signed("", line, Style.MUTED, page) if line else []
    return lines


def detail_fence(call: CallReport, *, full: bool) -> list[str]:
    """The same as lines of a diff that Markdown colours: a sign at column 0 of each; without the note."""
    page, told = Page(None, full=full), details_of(call)
    lines = list(diff_lines(told.spots, full=full))
    for side, text in ((RECORDED, told.then), (REISSUED, told.now)):
        lines += [f"{side.sign} {_cut(page.raw(line), page)}" for line in _lines_of(text, page)]
    return lines + [f"{_BOTH} {_cut(page.raw(fault), page)}" for fault in _first(told.faults, page)]


def printed_lines(text: str, more: int, *, most: int | None) -> tuple[list[str], str]:
    """The first lines of what was printed, and what is said of the rest."""
    lines = text.splitlines()
    left = 0 if most is None else max(len(lines) - most, 0)
    rest = [f"{left:,} more lines"] * (left > 0) + [f"{more:,} more characters"] * (more > 0)
    return lines[: len(lines) - left], ", ".join(rest)


def duration(call: CallReport) -> str:
    """How long the tool ran; nothing where it did not."""
    ms = call.invocation.duration_ms
    if ms is None:
        return ""
    if ms < 1:
        return "<1 ms"
    return f"{ms:.0f} ms" if ms < _SECOND else f"{ms / _SECOND:.1f} s"


def _instead(call: CallReport, note: str) -> Details:
    comparison, end = call.comparison, call.invocation
    recorded = comparison is not None and call.planned.recorded.result is not None
    return Details(
        then=_text_of(comparison.then) if comparison is not None and recorded else None,
        now=_text_of(end.data) if end.ok else end.error,
        faults=tuple(map(_fault, end.details)) if len(end.details) > 1 else (),
        note=note,
    )


def _spot(found: Sequence[Change]) -> Spot:
    return Spot("result", (), tuple(_as_difference(change) for change in found))


def _as_difference(change: Change) -> Difference:
    path = change.path if change.inner is None else (*change.path, *change.inner)
    return Difference(
        change.kind, path, change.old_path, change.new_path, change.old, change.new, inner_path=change.inner
    )


def _fault(fault: JsonValue) -> str:
    if isinstance(fault, dict) and fault.keys() == {"path", "message"}:
        return f"{fault['path']}: {fault['message']}".removeprefix(": ")
    return _text_of(fault)


def _text_of(value: JsonValue) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value).decode()


def _lines_of(text: str | None, page: Page) -> Sequence[str]:
    """A text on one line, spaces made one; on as many as it has where all is told."""
    if text is None:
        return ()
    return text.splitlines() if page.full else (" ".join(text.split()),)


def _first(faults: Sequence[str], page: Page) -> Sequence[str]:
    return faults if page.full else faults[:_FAULTS]


def _trace(call: CallReport, page: Page) -> Sequence[str]:
    """The traceback, where all is told."""
    return call.invocation.trace.splitlines() if page.full else ()


def _signed(sign: str, text: str, style: Style, page: Page) -> list[Line]:
    """A text behind its sign, cut to one line or, where all is told, on as many as it takes."""
    if not page.full or page.width is None:
        return [((sign, style), (_cut(page.raw(text), page), style))]
    room = page.cells - BAR - len(sign)
    rows = wrapped(((page.raw(text), style),), room)
    return [((" " * len(sign) if number else sign, style), *row) for number, row in enumerate(rows)]


def _cut(text: str, page: Page) -> str:
    return text if page.full else cut(text, page.text_cells - BAR - 2, dots=page.dots)
