"""Files of OpenAI's Batch API: one request a line, each with an ID of its own, or one result a line.

Results come in files of their own, which hold no requests and so are no tapes. `batch_results` joins the two.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from amberfork_cli.core.tape import (
    ABSENT,
    NOTHING,
    Body,
    Exchange,
    JsonValue,
    Place,
    Request,
    Response,
    TapeForm,
)
from amberfork_cli.tapes.formats import LineFormat
from amberfork_cli.tapes.imports import imported_request, imported_response
from amberfork_cli.tapes.reading import Reading, ShapeError

ID: Final = "custom_id"
"""The member by which a request and its result are known to belong together."""

RESULT: Final = "batch_result"
"""The member of an exchange that keeps what a result says beside the response: its ID, and its error."""

_REQUEST: Final = ("method", "url", "body")
_ALONE: Final = (
    "the result of a batch, not a request: join it with the file that was sent, "
    "as in amberfork convert SENT.jsonl RESULTS.jsonl -o tape.jsonl"
)


def is_result(value: JsonValue) -> bool:
    """Whether a line is the result of a request, and not a request, or an exchange of a tape."""
    if not isinstance(value, dict) or not isinstance(value.get(ID), str):
        return False
    is_more = "body" in value or "request" in value
    return not is_more and any(name in value for name in ("response", "error", "result"))


def _fits(value: JsonValue) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get(ID), str):
        return False
    return isinstance(value.get("body"), dict) or is_result(value)


def _exchange(value: JsonValue, number: int, place: Place | None, _: Reading) -> Exchange:
    if not isinstance(value, dict) or ID not in value:
        raise ShapeError(f'not a batch request: no "{ID}"')
    if is_result(value):
        raise ShapeError(_ALONE)
    method, url = value.get("method", "POST"), value.get("url")
    if not isinstance(method, str) or not isinstance(url, str) or "body" not in value:
        raise ShapeError('not a batch request: no "url" or no "body"')
    request = imported_request(method, url, (), Body.json(value["body"]))
    others = {name: held for name, held in value.items() if name not in _REQUEST}
    return Exchange(number, request, place=place, extra=others)


def _answered(value: JsonValue, number: int, place: Place | None, _: Reading) -> Exchange:
    """A result as an exchange whose request is still to be found."""
    if not isinstance(value, dict) or not is_result(value) or not ("response" in value or "error" in value):
        raise ShapeError(f'not the result of a batch: no "{ID}", or no "response" and no "error"')
    response = value.get("response")
    others: JsonValue = {
        name: held for name, held in value.items() if name not in (ID, "response") and held is not None
    }
    return Exchange(
        number,
        Request("POST", ""),
        None if response is None else _response(response),
        place=place,
        extra={ID: value[ID], **({RESULT: others} if others else NOTHING)},
    )


def _response(value: JsonValue) -> Response:
    if not isinstance(value, dict):
        raise ShapeError("not the result of a batch: the response is no object", "/response")
    status, body = value.get("status_code"), value.get("body")
    if status is not None and type(status) is not int:
        raise ShapeError("not the result of a batch: the status is no whole number", "/response/status_code")
    answer = imported_response(status, (), _body(body))
    identity = value.get("request_id")
    return answer if identity is None else replace(answer, extra={"request_id": identity})


def _body(value: JsonValue) -> Body:
    if value is None or value == "":
        return ABSENT
    return Body.text(value) if isinstance(value, str) else Body.json(value)


BATCH: Final = LineFormat("batch", TapeForm.TAPE, _fits, _exchange)
RESULTS: Final = LineFormat("batch results", TapeForm.TAPE, is_result, _answered)
"""Results as exchanges without their requests, which only joining makes a tape of."""
