"""Files of batches: one request a line, each with an ID of its own; or all of them in one JSON list.

Results come in files of their own, which hold no requests and so are no tapes: `batch_results` joins the two.
Vertex and Bedrock write each result beside its request, and such a file is whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from amberfork_cli.core.tape import NOTHING, Exchange, JsonValue, Place, Request, TapeForm
from amberfork_cli.tapes.batch_forms import IDS, answered_in, asked_in
from amberfork_cli.tapes.formats import ForeignFormat, LineFormat, Recording
from amberfork_cli.tapes.reading import Reading, ShapeError

RESULT: Final = "batch_result"
"""The member of an exchange that keeps what a result says beside the response: its ID, and its error."""

_MADE: Final = ("requests",)  # where the body that makes a batch at Anthropic has them
_NO_REQUEST: Final = (
    'not a batch request: no "custom_id" with "body" or "params", no "request" and no "modelInput"'
)
_ALONE: Final = (
    "the result of a batch, not a request: join it with the file that was sent, "
    "as in amberfork convert SENT.jsonl RESULTS.jsonl -o tape.jsonl"
)


def is_result(value: JsonValue) -> bool:
    """Whether a line is the result of a request, and not a request, or an exchange of a tape."""
    return answered_in(value) is not None


def identity_of(members: Mapping[str, JsonValue]) -> tuple[str, str] | None:
    """The member that tells a request of a batch from the others, and its value, if there is one."""
    return next(((name, held) for name in IDS if isinstance(held := members.get(name), str)), None)


def _fits(value: JsonValue) -> bool:
    return asked_in(value) is not None or is_result(value)


def _exchange(value: JsonValue, number: int, place: Place | None, _: Reading) -> Exchange:
    form = asked_in(value)
    if form is None:
        raise ShapeError(_ALONE if is_result(value) else _NO_REQUEST)
    assert isinstance(value, dict)  # noqa: S101 - `asked_in` looked
    request = form.request(value)
    response, rest = form.response(value)
    return Exchange(number, request, response, place=place, extra=rest)


def _answered(value: JsonValue, number: int, place: Place | None, _: Reading) -> Exchange:
    """A result as an exchange whose request is still to be found."""
    form = answered_in(value)
    if form is None or not isinstance(value, dict):
        raise ShapeError("not the result of a batch: no ID, or nothing that came back")
    response, rest = form.response(value)
    identity = identity_of(rest)
    assert identity is not None  # noqa: S101 - `answered_in` looked
    name, held = identity
    others: JsonValue = {key: one for key, one in rest.items() if key != name and one is not None}
    return Exchange(
        number,
        Request("POST", ""),
        response,
        place=place,
        extra={name: held, **({RESULT: others} if others else NOTHING)},
    )


def _listed(recording: Recording, reading: Reading) -> Iterator[Exchange]:
    number = 0
    for item in recording.items(reading, _MADE, ()):
        try:
            exchange = _exchange(item.value, number, None, reading)
        except ShapeError as error:
            reading.pass_over(ShapeError(error.problem, item.pointer + error.path), item.line, torn=False)
            continue
        yield exchange
        del exchange, item
        number += 1


def _is_list(value: JsonValue) -> bool:
    listed = value.get(_MADE[0]) if isinstance(value, dict) else value
    return isinstance(listed, list) and bool(listed) and asked_in(listed[0]) is not None


BATCH: Final = LineFormat("batch", TapeForm.TAPE, _fits, _exchange)
BATCH_LIST: Final = ForeignFormat(
    "batch-list",
    "a list of a batch's requests",
    _listed,
    _is_list,
    re.compile(rb'\s*(?:\{\s*"requests"\s*:\s*)?\[\s*\{\s*"custom_id"\s*:'),
)
RESULTS: Final = LineFormat("batch results", TapeForm.TAPE, is_result, _answered)
"""Results as exchanges without their requests, which only joining makes a tape of."""
