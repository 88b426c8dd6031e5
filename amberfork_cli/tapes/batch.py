"""Input files of OpenAI's Batch API: one request a line, each with an ID of its own.

The answers come in a file of their own, which holds no requests and so is no tape.
"""

from __future__ import annotations

from typing import Final

from amberfork_cli.core.tape import Body, Exchange, JsonValue, Place, TapeForm
from amberfork_cli.tapes.formats import LineFormat
from amberfork_cli.tapes.imports import imported_request
from amberfork_cli.tapes.reading import Reading, ShapeError

ID: Final = "custom_id"
_REQUEST: Final = ("method", "url", "body")


def _fits(value: JsonValue) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get(ID), str):
        return False
    return isinstance(value.get("body"), dict) or _is_result(value)


def _is_result(value: dict[str, JsonValue]) -> bool:
    return "body" not in value and any(name in value for name in ("response", "error", "result"))


def _exchange(value: JsonValue, number: int, place: Place | None, _: Reading) -> Exchange:
    if not isinstance(value, dict) or ID not in value:
        raise ShapeError(f'not a batch request: no "{ID}"')
    if _is_result(value):
        raise ShapeError("the result of a batch, not a request: open the file that was sent")
    method, url = value.get("method", "POST"), value.get("url")
    if not isinstance(method, str) or not isinstance(url, str) or "body" not in value:
        raise ShapeError('not a batch request: no "url" or no "body"')
    request = imported_request(method, url, (), Body.json(value["body"]))
    others = {name: held for name, held in value.items() if name not in _REQUEST}
    return Exchange(number, request, place=place, extra=others)


BATCH: Final = LineFormat("batch", TapeForm.TAPE, _fits, _exchange)
