"""A diff as data: one versioned document, or one difference a line (docs/diff-report.schema.json).

Members that have nothing to say are left out. What JSON has no room for is marked: bytes as base64, numbers
that are not finite as the text of the whole value.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from amberfork_cli.core.compare.report import (
    MISSING,
    Difference,
    DiffReport,
    ExchangeDiff,
    Side,
    Spot,
    State,
    TapeFacts,
    Trace,
    plain,
)
from amberfork_cli.core.jsontext import NonFinite, dumps
from amberfork_cli.core.paths import Path, to_pointer, to_text
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.render.labels import answer, sentence, totals

VERSION = 1

_Members = dict[str, JsonValue]


def document(report: DiffReport) -> _Members:
    """The whole report as one JSON object."""
    return {
        "amberfork_report": VERSION,
        "summary": _summary(report),
        "recorded": _tape(report.recorded),
        "reissued": _tape(report.reissued),
        **_told({"loose": report.loose, "settings": report.settings, "notes": list(report.notes)}),
        "ids": report.ids,
        "conversations": [{"number": each.number, "words": each.words} for each in report.conversations],
        "forks": [_fork(fork) for fork in report.forks],
        "exchanges": [_exchange(exchange) for exchange in report.exchanges],
    }


def lines(report: DiffReport) -> Iterator[_Members]:
    """Each difference as a JSON object; an exchange without a partner is one, too (`missing`, `extra`)."""
    for exchange in report.exchanges:
        if exchange.state in (State.MISSING, State.EXTRA):
            yield {**_place_of(exchange), "kind": exchange.state.value, **_apart(exchange)}
        for spot in exchange.spots:
            for difference in spot.differences:
                yield {**_place_of(exchange), **_place(spot), **_difference(difference)}


def to_json(report: DiffReport) -> bytes:
    """The document as indented UTF-8 text that ends with a line feed."""
    return dumps(document(report), indent=True) + b"\n"


def to_jsonl(report: DiffReport) -> bytes:
    """The differences as UTF-8 text, each on a line of its own."""
    return b"".join(dumps(line) + b"\n" for line in lines(report))


def _summary(report: DiffReport) -> _Members:
    moved = sum(exchange.moved for exchange in report.exchanges)
    differences = sum(len(exchange.differences) for exchange in report.exchanges)
    return {
        "verdict": report.verdict.value,
        "same": report.same,
        "sentence": plain(sentence(report)),
        "answer": plain(answer(report)),
        "counts": {
            "exchanges": len(report.exchanges),
            **totals(report),
            "moved": moved,
            "forks": len(report.forks),
            "differences": differences,
        },
    }


def _tape(tape: TapeFacts) -> _Members:
    left_out = tape.left_out
    torn = left_out.torn_end
    return {
        "source": tape.source,
        "exchanges": tape.exchanges,
        **_told(
            {
                "bad_lines": [_line(*line) for line in left_out.bad_lines],
                "torn_end": _line(*torn) if torn else None,
                "non_finite": left_out.non_finite,
                "duplicate_keys": left_out.duplicate_keys,
                "ignored": tape.ignored,
                "replaced": tape.replaced,
                "unexplained": tape.unexplained,
            }
        ),
    }


def _line(number: int, problem: str) -> _Members:
    return {"line": number, "problem": problem}


def _fork(exchange: ExchangeDiff) -> _Members:
    return {
        "recorded": exchange.recorded,
        "reissued": exchange.reissued,
        "conversation": exchange.conversation,
        **_told(_why(exchange)),
    }


def _exchange(exchange: ExchangeDiff) -> _Members:
    return {
        "state": exchange.state.value,
        "recorded": exchange.recorded,
        "reissued": exchange.reissued,
        "conversation": exchange.conversation,
        **_told({"endpoint": exchange.endpoint, "moved": exchange.moved, **_why(exchange)}),
        **_apart(exchange),
        **_numbers({"carried_from": exchange.carried_from, "alike": exchange.alike}),
        **({"trace": _trace(exchange.trace)} if exchange.trace else {}),
        **_told({"places": [_whole_place(spot) for spot in exchange.spots]}),
    }


def _why(exchange: ExchangeDiff) -> _Members:
    """What kind of change it is and where it came from."""
    origin = exchange.origin.value if exchange.origin else None
    return {"weak": exchange.weak, "origin": origin, "cause": plain(exchange.cause)}


def _apart(exchange: ExchangeDiff) -> _Members:
    """What tells an exchange from its neighbours and from the nearest one of the other tape."""
    words = {"words": plain(exchange.words), "nearest_words": plain(exchange.nearest_words)}
    return {**_told({**words}), **_numbers({"nearest": exchange.nearest})}


def _trace(trace: Trace) -> _Members:
    return {"token": trace.token, "exchange": trace.exchange, "words": plain(trace.words)}


def _place_of(exchange: ExchangeDiff) -> _Members:
    return {
        "exchange": {"recorded": exchange.recorded, "reissued": exchange.reissued},
        "conversation": exchange.conversation,
        "state": exchange.state.value,
        **_told({"origin": exchange.origin.value if exchange.origin else None}),
    }


def _place(spot: Spot) -> _Members:
    return {"place": spot.label, **_told({"who": plain(spot.who), "note": plain(spot.note)})}


def _whole_place(spot: Spot) -> _Members:
    return {**_place(spot), "differences": [_difference(difference) for difference in spot.differences]}


def _difference(difference: Difference) -> _Members:
    words = {
        "summary": plain(difference.summary),
        "recorded_words": plain(difference.recorded_words),
        "reissued_words": plain(difference.reissued_words),
    }
    return {
        "kind": difference.kind.value,
        **_told({"weak": difference.kind.weak, "path": to_text(difference.path)}),
        **_pointer("recorded_pointer", difference.recorded_path),
        **_pointer("reissued_pointer", difference.reissued_path),
        **_pointer("inner_pointer", difference.inner_path),
        **_value("recorded", difference.recorded),
        **_value("reissued", difference.reissued),
        **_told({**words}),
    }


def _pointer(name: str, path: Path | None) -> _Members:
    return {} if path is None else {name: to_pointer(path)}


def _value(name: str, value: Side) -> _Members:
    """The value under its name, or under a name that says how it is written."""
    if value is MISSING:
        return {}
    if isinstance(value, bytes):
        return {f"{name}_base64": base64.b64encode(value).decode()}
    if _holds_non_finite(value):
        return {f"{name}_text": dumps(value).decode()}
    return {name: value}


def _holds_non_finite(value: Side) -> bool:
    waiting: list[Side] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, NonFinite):
            return True
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return False


def _told(members: _Members) -> _Members:
    """The members that say something: not false, not zero, not empty."""
    return {name: value for name, value in members.items() if value}


def _numbers(members: dict[str, int | None]) -> _Members:
    """The numbers that there are, zero among them."""
    return {name: number for name, number in members.items() if number is not None}
