"""A run of tools as data: one versioned document, or the messages that answer the calls, one a line."""

from __future__ import annotations

from dataclasses import replace

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.report import MISSING, plain
from amberfork_cli.core.paths import to_pointer
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.comparison import Comparison
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.core.tools.volatile import Part
from amberfork_cli.render.run_labels import sentence

VERSION = 1

_Members = dict[str, JsonValue]


def to_json(report: RunReport) -> bytes:
    """The document as indented UTF-8 text that ends with a line feed."""
    return jsontext.dumps(document(report), indent=True) + b"\n"


def to_jsonl(report: RunReport) -> bytes:
    """The `role: "tool"` message of each call, in the order of the tape; those that did not run say so."""
    return b"".join(jsontext.dumps(_message(call)) + b"\n" for call in report.calls)


def document(report: RunReport) -> _Members:
    """The whole report as one JSON object; members that have nothing to say are left out."""
    left_out = report.tape.left_out
    return {
        "amberfork_run": VERSION,
        "summary": {
            "good": report.good,
            "sentence": plain(sentence(report)),
            "counts": {status.value: count for status, count in report.counts().items()},
            "calls": len(report.calls),
            "turns": report.turns,
            "by_provider": report.by_provider,
            "restarts": report.restarts,
        },
        "tape": {
            "source": report.tape.source,
            "exchanges": report.tape.exchanges,
            **_told({"bad_lines": len(left_out.bad_lines), "torn_end": left_out.torn_end is not None}),
        },
        "registry": report.registry,
        "calls": [_call(call) for call in report.calls],
        **_told({"strays": [{"exchange": at, "printed": text} for at, text in report.strays]}),
    }


def _message(call: CallReport) -> _Members:
    """As it is sent, under the name that the tape has."""
    return {**replace(call.invocation, name=call.planned.name).message()}


def _call(call: CallReport) -> _Members:
    planned, end = call.planned, call.invocation
    return {
        "exchange": call.exchange,
        "position": planned.position,
        "call_id": planned.recorded.call.id,
        "name": planned.name,
        "tool": planned.tool,
        "arguments": planned.recorded.call.arguments,
        "decision": planned.decision.value,
        "status": call.status.value if call.status else None,
        "good": call.good,
        "result": end.envelope(),
        **_told({"recorded": _recorded(call), "flag": planned.flag, "effect": planned.effect}),
        **(_comparison(call.comparison) if call.comparison else {}),
        **_told(
            {
                "lossy": list(end.lossy),
                "trace": end.trace,
                "printed": call.printed,
                "printed_more": call.printed_more,
                "runs": call.runs,
                "state_lost": call.state_lost,
            }
        ),
    }


def _recorded(call: CallReport) -> JsonValue:
    result = call.planned.recorded.result
    return {"content": result.result.content, "failed": result.result.failed} if result else None


def _comparison(comparison: Comparison) -> _Members:
    return _told(
        {
            "via": list(comparison.via),
            "changes": [_part(part) for part in comparison.changes],
            "volatile": [_part(part) for part in comparison.volatile],
            "respelled": [_part(part) for part in comparison.respelled],
            "error_then": comparison.error_then,
            "note": comparison.note,
        }
    )


def _part(part: Part) -> _Members:
    """A part that differs; a side that has no such part has no member."""
    sides = (("recorded", part.then), ("fresh", part.now))
    return {
        "pointer": to_pointer(part.path),
        **{name: value for name, value in sides if value is not MISSING and not isinstance(value, bytes)},
        **_told({"kind": part.kind}),
    }


def _told(members: _Members) -> _Members:
    return {name: value for name, value in members.items() if value not in (None, "", [], 0, False)}
