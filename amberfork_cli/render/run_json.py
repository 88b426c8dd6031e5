"""A run of tools as data: one versioned document, or the messages that answer the calls, one a line.

The document is described by docs/run-report.schema.json. Members that have nothing to say are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.report import plain
from amberfork_cli.core.paths import to_pointer
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.comparison import Comparison
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.core.tools.volatile import Part
from amberfork_cli.render.json_parts import Members, of_tape, of_value, told
from amberfork_cli.render.run_labels import Telling

VERSION = 1


def to_json(report: RunReport, *, is_plan: bool = False) -> bytes:
    """The document as indented UTF-8 text that ends with a line feed."""
    return jsontext.dumps(document(report, is_plan=is_plan), indent=True) + b"\n"


def to_jsonl(report: RunReport) -> bytes:
    """The `role: "tool"` message of each call, in the order of the tape; those that did not run say so."""
    return b"".join(jsontext.dumps(_message(call)) + b"\n" for call in report.calls)


def document(report: RunReport, *, is_plan: bool = False) -> Members:
    """The whole report as one JSON object; of a plan it says so, and what would run is told as skipped."""
    return {
        "amberfork_run": VERSION,
        **told({"dry_run": is_plan}),
        "summary": {
            "good": report.good,
            "sentence": plain(Telling(report, is_plan).sentence),
            "counts": {status.value: count for status, count in report.counts().items()},
            "calls": len(report.calls),
            "turns": report.turns,
            "by_provider": report.by_provider,
            "restarts": report.restarts,
        },
        "tape": of_tape(report.tape),
        "registry": report.registry,
        "calls": [_call(call) for call in report.calls],
        **told({"strays": [{"exchange": at, "printed": text} for at, text in report.strays]}),
    }


def _message(call: CallReport) -> Members:
    """As it is sent, under the name that the tape has."""
    return {**replace(call.invocation, name=call.planned.name).message()}


def _call(call: CallReport) -> Members:
    planned, end = call.planned, call.invocation
    return {
        "exchange": call.exchange,
        "position": planned.position,
        "call_id": planned.recorded.call.id,
        "name": planned.name,
        "tool": planned.tool,
        **of_value("arguments", planned.recorded.call.arguments),
        "decision": planned.decision.value,
        "status": call.status.value if call.status else None,
        "good": call.good,
        "result": end.envelope(),
        **_recorded(call),
        **told({"flag": planned.flag, "effect": planned.effect.value if planned.effect else None}),
        **(_comparison(call.comparison) if call.comparison else {}),
        **told(
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


def _recorded(call: CallReport) -> Members:
    result = call.planned.recorded.result
    if result is None:
        return {}
    return {"recorded": {**of_value("content", result.result.content), "failed": result.result.failed}}


def _comparison(comparison: Comparison) -> Members:
    return told(
        {
            "via": [via.value for via in comparison.via],
            "changes": _parts(comparison.changes),
            "volatile": _parts(comparison.volatile),
            "respelled": _parts(comparison.respelled),
            "error_then": comparison.error_then,
            "note": comparison.note,
        }
    )


def _parts(parts: Iterable[Part]) -> list[JsonValue]:
    """Parts that differ; a side that has no such part has no member."""
    return [
        {
            "pointer": to_pointer(part.path),
            **of_value("recorded", part.then),
            **of_value("fresh", part.now),
            **told({"kind": part.kind.value if part.kind else None}),
        }
        for part in parts
    ]
