"""What `show` shows, as JSON: the table of a tape, or exchanges as conversations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from amberfork_cli.core.dialects.model import ToolCall
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.overview import Overview
from amberfork_cli.core.paths import to_pointer
from amberfork_cli.core.tape import Body, BodyKind, JsonValue
from amberfork_cli.core.transcript import LinkedResult, Said, Transcript

_VERSION = 1


def table(source: str, rows: Sequence[Overview]) -> bytes:
    """A tape's exchanges in figures, as one document."""
    exchanges: list[JsonValue] = [_row(row) for row in rows]
    return dumps({"show_version": _VERSION, "tape": source, "exchanges": exchanges}, indent=True) + b"\n"


def conversations(source: str, transcripts: Iterable[Transcript]) -> Iterator[bytes]:
    """Exchanges as conversations, one document each, on a line of its own."""
    for transcript in transcripts:
        value = {"show_version": _VERSION, "tape": source, **_transcript(transcript)}
        yield dumps(value) + b"\n"


def _row(row: Overview) -> dict[str, JsonValue]:
    answer = row.answer
    return {
        "exchange": row.number,
        "method": row.endpoint.method,
        "upstream": row.endpoint.upstream or None,
        "path": row.endpoint.path,
        "to_model": row.endpoint.to_model,
        "model": row.model or None,
        "conversation": row.conversation,
        "continues": row.continues,
        "messages": row.messages,
        "added": row.added,
        "results": row.results.count,
        "failed_results": row.results.failed,
        "calls": [*answer.calls],
        "words": answer.words or None,
        "error": answer.error,
        "status": answer.status,
        "delivery": answer.delivery.value,
        "request_bytes": row.sent,
        "response_bytes": row.received,
        "tokens": {"sent": answer.tokens.sent, "received": answer.tokens.received} if answer.tokens else None,
    }


def _transcript(transcript: Transcript) -> dict[str, JsonValue]:
    origin = transcript.origin
    return {
        "exchange": transcript.number,
        "method": transcript.endpoint.method,
        "upstream": transcript.endpoint.upstream or None,
        "path": transcript.endpoint.path,
        "model": transcript.model or None,
        "continues": None if origin is None else origin.exchange,
        "tools": [*transcript.tools],
        "known": transcript.known,
        "messages": [_said(said) for said in transcript.messages],
        "status": transcript.status,
        "delivery": transcript.delivery.value,
        "answer": None if transcript.answer is None else _said(transcript.answer),
        **_unread("body", transcript.unread),
        **_unread("answer_body", transcript.unread_answer),
    }


def _said(said: Said) -> dict[str, JsonValue]:
    return {
        "role": said.message.role.value,
        "path": to_pointer(said.message.path),
        "text": said.message.text,
        **({"others": [*said.others]} if said.others else {}),
        **({"calls": [_call(each.number, each.call) for each in said.calls]} if said.calls else {}),
        **({"unread": said.unread} if said.unread is not None else {}),
        **({"results": [_result(linked) for linked in said.results]} if said.results else {}),
    }


def _call(number: int, call: ToolCall) -> dict[str, JsonValue]:
    return {
        "number": number,
        "id": call.id,
        "name": call.name,
        "arguments": call.arguments,
        "by_provider": call.by_provider,
        "complete": call.complete,
    }


def _result(linked: LinkedResult) -> dict[str, JsonValue]:
    return {
        "id": linked.result.id,
        "answers": linked.number,
        "answers_in": linked.earlier,
        "name": linked.name,
        "failed": linked.result.failed,
        "content": linked.result.content,
    }


def _unread(name: str, body: Body) -> dict[str, JsonValue]:
    """A body that nobody can read as a conversation; bytes are left to `--raw`."""
    if body.kind is BodyKind.ABSENT or isinstance(body.value, bytes):
        return {}
    return {name: body.value}
