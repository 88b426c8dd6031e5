"""A diff as data: one versioned document, or one difference a line (docs/diff-report.schema.json).

Members that have nothing to say are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from amberfork_cli.core.compare.report import (
    Difference,
    DiffReport,
    ExchangeDiff,
    Spot,
    State,
    Trace,
    plain,
)
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.paths import Path, to_pointer, to_text
from amberfork_cli.render.json_parts import Members, of_tape, of_value, told
from amberfork_cli.render.labels import answer, sentence, totals

if TYPE_CHECKING:
    from amberfork_cli.core.tools.run_report import RunReport

VERSION = 1


def document(report: DiffReport, *, tools: RunReport | None = None) -> Members:
    """The whole report as one JSON object; the run of tools beside it, if there was one, is a member."""
    return {
        "amberfork_report": VERSION,
        "summary": _summary(report),
        "recorded": of_tape(report.recorded),
        "reissued": of_tape(report.reissued),
        **told({"loose": report.loose, "settings": report.settings, "notes": list(report.notes)}),
        "ids": report.ids,
        "conversations": [{"number": each.number, "words": each.words} for each in report.conversations],
        "forks": [_fork(fork) for fork in report.forks],
        "exchanges": [_exchange(exchange) for exchange in report.exchanges],
        **({"tools": _tools(tools)} if tools else {}),
    }


def lines(report: DiffReport) -> Iterator[Members]:
    """Each difference as a JSON object; an exchange without a partner is one, too (`missing`, `extra`)."""
    for exchange in report.exchanges:
        if exchange.state in (State.MISSING, State.EXTRA):
            yield {**_place_of(exchange), "kind": exchange.state.value, **_apart(exchange)}
        for spot in exchange.spots:
            for difference in spot.differences:
                yield {**_place_of(exchange), **_place(spot), **_difference(difference)}


def to_json(report: DiffReport, *, tools: RunReport | None = None) -> bytes:
    """The document as indented UTF-8 text that ends with a line feed."""
    return dumps(document(report, tools=tools), indent=True) + b"\n"


def to_jsonl(report: DiffReport) -> bytes:
    """The differences as UTF-8 text, each on a line of its own."""
    return b"".join(dumps(line) + b"\n" for line in lines(report))


def _tools(tools: RunReport) -> Members:
    from amberfork_cli.render import run_json  # and what running tools needs, which a diff alone does not

    return run_json.document(tools)


def _summary(report: DiffReport) -> Members:
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


def _fork(exchange: ExchangeDiff) -> Members:
    return {
        "recorded": exchange.recorded,
        "reissued": exchange.reissued,
        "conversation": exchange.conversation,
        **told(_why(exchange)),
    }


def _exchange(exchange: ExchangeDiff) -> Members:
    return {
        "state": exchange.state.value,
        "recorded": exchange.recorded,
        "reissued": exchange.reissued,
        "conversation": exchange.conversation,
        **told({"endpoint": exchange.endpoint, "moved": exchange.moved, **_why(exchange)}),
        **_apart(exchange),
        **_numbers({"carried_from": exchange.carried_from, "alike": exchange.alike}),
        **({"trace": _trace(exchange.trace)} if exchange.trace else {}),
        **told({"places": [_whole_place(spot) for spot in exchange.spots]}),
    }


def _why(exchange: ExchangeDiff) -> Members:
    """What kind of change it is and where it came from."""
    origin = exchange.origin.value if exchange.origin else None
    return {"weak": exchange.weak, "origin": origin, "cause": plain(exchange.cause)}


def _apart(exchange: ExchangeDiff) -> Members:
    """What tells an exchange from its neighbours and from the nearest one of the other tape."""
    words = {"words": plain(exchange.words), "nearest_words": plain(exchange.nearest_words)}
    return {**told({**words}), **_numbers({"nearest": exchange.nearest})}


def _trace(trace: Trace) -> Members:
    return {"token": trace.token, "exchange": trace.exchange, "words": plain(trace.words)}


def _place_of(exchange: ExchangeDiff) -> Members:
    return {
        "exchange": {"recorded": exchange.recorded, "reissued": exchange.reissued},
        "conversation": exchange.conversation,
        "state": exchange.state.value,
        **told({"origin": exchange.origin.value if exchange.origin else None}),
    }


def _place(spot: Spot) -> Members:
    return {"place": spot.label, **told({"who": plain(spot.who), "note": plain(spot.note)})}


def _whole_place(spot: Spot) -> Members:
    return {**_place(spot), "differences": [_difference(difference) for difference in spot.differences]}


def _difference(difference: Difference) -> Members:
    words = {
        "summary": plain(difference.summary),
        "recorded_words": plain(difference.recorded_words),
        "reissued_words": plain(difference.reissued_words),
    }
    return {
        "kind": difference.kind.value,
        **told({"weak": difference.kind.weak, "path": to_text(difference.path)}),
        **_pointer("recorded_pointer", difference.recorded_path),
        **_pointer("reissued_pointer", difference.reissued_path),
        **_pointer("inner_pointer", difference.inner_path),
        **of_value("recorded", difference.recorded),
        **of_value("reissued", difference.reissued),
        **told({**words}),
    }


def _pointer(name: str, path: Path | None) -> Members:
    return {} if path is None else {name: to_pointer(path)}


def _numbers(members: dict[str, int | None]) -> Members:
    """The numbers that there are, zero among them."""
    return {name: number for name, number in members.items() if number is not None}
