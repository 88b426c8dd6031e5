"""One exchange as text: the conversation as it was sent, a line between what was known and what is new."""

from __future__ import annotations

from collections.abc import Iterator

from amberfork_cli.core.dialects.model import Role
from amberfork_cli.core.dialects.shapes import text_of
from amberfork_cli.core.overview import Delivery
from amberfork_cli.core.tape import Body, BodyKind, JsonValue
from amberfork_cli.core.transcript import LinkedResult, NumberedCall, Said, Transcript
from amberfork_cli.render.figures import counted
from amberfork_cli.render.folding import text_block, value_block
from amberfork_cli.render.lines import Line, Span, Style, cut_line, wrapped
from amberfork_cli.render.notation import notation
from amberfork_cli.render.page import Page

_INDENT = 2
_DEEPER = 4
_ROLES = {
    Role.SYSTEM: "system",
    Role.USER: "user",
    Role.ASSISTANT: "assistant",
    Role.TOOL: "tool",
    Role.UNKNOWN: "message",
}
_DELIVERIES = {
    Delivery.NONE: "no response",
    Delivery.WHOLE: "",
    Delivery.STREAMED: "streamed",
    Delivery.CUT_SHORT: "the stream was cut short",
}


def lay_out(
    transcript: Transcript, *, width: int | None, full: bool = False, ascii: bool = False
) -> list[Line]:
    """The exchange as lines, none wider than `width` cells (from 60 on); `full` folds nothing."""
    page = Page(width, full=full, ascii=ascii)
    return [*_head(transcript, page), *_request(transcript, page), *_response(transcript, page)]


def _head(transcript: Transcript, page: Page) -> Iterator[Line]:
    endpoint = page.raw(str(transcript.endpoint))
    line: list[Span] = [(f"#{transcript.number}", Style.BOLD)]
    line += [(f"  {endpoint}", Style.PLAIN)] if endpoint else []
    line += [(f"  {page.raw(transcript.model)}", Style.ACCENT)] if transcript.model else []
    yield from wrapped(line, page.line_cells)
    if transcript.origin is not None:
        yield ((f"continues #{transcript.origin.exchange}", Style.MUTED),)
    if transcript.tools:
        names = ", ".join(map(page.raw, transcript.tools))
        yield from _few(f"{counted(len(transcript.tools), 'tool')}: {names}", page)


def _few(text: str, page: Page) -> list[Line]:
    """Muted text on one line, or whole where nothing is folded."""
    line = [(text, Style.MUTED)]
    if page.full or page.width is None:
        return wrapped(line, page.line_cells)
    return [cut_line(line, page.cells, dots=page.dots)]


def _request(transcript: Transcript, page: Page) -> Iterator[Line]:
    for at, said in enumerate(transcript.messages):
        yield ()
        if at == transcript.known and transcript.origin is not None:
            yield _divider(f"new since #{transcript.origin.exchange}", page)
        yield from _said(said, page)
    if not transcript.messages:
        yield from _unread(transcript.unread, page)


def _response(transcript: Transcript, page: Page) -> Iterator[Line]:
    status = "" if transcript.status is None else f" {transcript.status}"
    words = _DELIVERIES[transcript.delivery]
    yield ()
    if transcript.delivery is Delivery.NONE:
        yield _divider(words, page)
        return
    yield _divider(f"response{status}{', ' if words else ''}{words}", page)
    if transcript.answer is not None:
        yield from _said(transcript.answer, page)
    else:
        yield from _unread(transcript.unread_answer, page)


def _divider(words: str, page: Page) -> Line:
    return ((f"{page.glyphs.dash * 2} {words}", Style.MUTED),)


def _said(said: Said, page: Page) -> Iterator[Line]:
    others = f"  + {', '.join(map(page.raw, said.others))}" if said.others else ""
    yield _within([(_ROLES[said.message.role], Style.BOLD), (others, Style.MUTED)], page)
    if said.message.text and not said.results:
        yield from text_block(said.message.text, page=page, indent=_INDENT)
    for call in said.calls:
        yield from _call(call, page)
    for result in said.results:
        yield from _result(result, page)
    if said.unread is not None:
        yield from value_block(said.unread, page=page, indent=_INDENT)
    if said.message.text and said.results and _says_more(said):
        yield from text_block(said.message.text, page=page, indent=_INDENT)


def _says_more(said: Said) -> bool:
    """Whether a message with results has words beside them: in some shapes its text is the result itself."""
    return all(text_of(linked.result.content) != said.message.text for linked in said.results)


def _call(numbered: NumberedCall, page: Page) -> Iterator[Line]:
    call = numbered.call
    name: list[Span] = [(f"{' ' * _INDENT}call {numbered.number}  ", Style.MUTED)]
    name.append((page.raw(call.name) or "(no name)", Style.ACCENT))
    notes = [_id(call.id, page), "run by the provider" if call.by_provider else ""]
    notes.append("" if call.complete else "not complete")
    name += [(f"  {note}", Style.MUTED) for note in notes if note]
    yield _within(name, page)
    if call.arguments not in (None, "", {}):
        yield from _block(call.arguments, page)


def _result(linked: LinkedResult, page: Page) -> Iterator[Line]:
    name: list[Span] = [(f"{' ' * _INDENT}result of {_answered(linked)}", Style.MUTED)]
    name.append((f"  {page.raw(linked.name or '')}" if linked.name else "", Style.ACCENT))
    name.append(("  failed" if linked.result.failed else "", Style.LOUD))
    note = _id(linked.result.id, page)
    name.append((f"  {note}" if note else "", Style.MUTED))
    yield _within(name, page)
    yield from _block(linked.result.content, page)


def _answered(linked: LinkedResult) -> str:
    if linked.number is not None:
        return f"call {linked.number}"
    return "a call that nobody made" if linked.earlier is None else f"a call of #{linked.earlier}"


def _id(value: str | None, page: Page) -> str:
    if value is None:
        return ""
    return page.raw(value) if value else '""'


def _block(value: JsonValue, page: Page) -> list[Line]:
    """Arguments or a result: text as text, what holds nothing but text parts too, else JSON."""
    words = value if isinstance(value, str) else _words_alone(value)
    if words is not None:
        return text_block(words, page=page, indent=_DEEPER)
    return value_block(value, page=page, indent=_DEEPER)


def _words_alone(value: JsonValue) -> str | None:
    parts = value if isinstance(value, list) else []
    if not parts or not all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in parts):
        return None
    return text_of(parts)


def _unread(body: Body, page: Page) -> list[Line]:
    """A body whose shape nobody knows, as it is."""
    if body.kind is BodyKind.ABSENT:
        return [((" " * _INDENT + "no body", Style.MUTED),)]
    if isinstance(body.value, bytes):
        line = notation(body.value, page.text_cells, ascii=page.ascii)
        return [_within([(f"{' ' * _INDENT}{line}", Style.PLAIN)], page)]
    if isinstance(body.value, str):
        return text_block(body.value, page=page, indent=_INDENT)
    return value_block(body.value, page=page, indent=_INDENT)


def _within(line: list[Span], page: Page) -> Line:
    kept = [span for span in line if span[0]]
    return tuple(kept) if page.width is None else cut_line(kept, page.cells, dots=page.dots)
