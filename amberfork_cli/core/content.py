"""What a body holds as JSON, however it was recorded."""

from __future__ import annotations

from enum import Enum

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import Body, BodyKind, JsonValue
from amberfork_cli.errors import JsonError


class Absent(Enum):
    """What stands for the JSON value of a body that has none."""

    VALUE = "absent"


def json_of(body: Body) -> JsonValue | Absent:
    """The JSON value that a body carries. Text that spells an object or array counts as what it spells."""
    if body.kind is BodyKind.JSON and not isinstance(body.value, bytes):
        return body.value
    if body.kind is BodyKind.TEXT and isinstance(body.value, str) and body.value.lstrip()[:1] in ("{", "["):
        try:
            return jsontext.loads(body.value)
        except JsonError:
            return Absent.VALUE
    return Absent.VALUE
