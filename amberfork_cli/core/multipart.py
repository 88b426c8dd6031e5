"""Bodies in several parts, as files are uploaded in: the line between two parts is made up for every request.

So it is no part of what is asked, and two requests that differ in it alone are the same.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from amberfork_cli.core.tape import Body, Headers, Request

BOUNDARY: Final = "boundary"
"""What stands for the line between parts, whatever was made up for it."""

_LONGEST: Final = 70  # characters that a boundary may have
_ANY_BYTE: Final = "latin-1"


def without_boundary(request: Request) -> Request:
    """The request with the line between its parts set aside; itself where it has none."""
    value = request.body.value
    if isinstance(value, bytes) and value.startswith(b"--"):
        text = value.decode(_ANY_BYTE)
    elif isinstance(value, str) and value.startswith("--"):
        text = value
    else:
        return request
    drawn = _boundary_of(text)
    if drawn in ("", BOUNDARY):
        return request
    made = re.sub(rf"(?<![^\n])--{re.escape(drawn)}(?=\r?\n|--)", f"--{BOUNDARY}", text)
    body = Body.bytes(made.encode(_ANY_BYTE)) if isinstance(value, bytes) else Body.text(made)
    return replace(request, body=body, headers=_naming(request.headers, drawn))


def _boundary_of(text: str) -> str:
    """What its first line draws and its last closes; nothing where it is no body of parts."""
    drawn = text[2 : text.find("\n", 0, _LONGEST + 4) + 1].rstrip("\r\n")
    begins = 0 < len(drawn) <= _LONGEST and not any(sign.isspace() for sign in drawn)
    return drawn if begins and text[-_LONGEST - 8 :].rstrip().endswith(f"--{drawn}--") else ""


def _naming(headers: Headers, drawn: str) -> Headers:
    """The headers, one of which names the line as well."""
    return tuple(
        (name, value.replace(f"boundary={drawn}", f"boundary={BOUNDARY}")) for name, value in headers
    )
