"""What is said of a request that is not on the tape."""

from __future__ import annotations

import pytest

from amberfork_cli.core.compare.diffing import DiffOptions
from amberfork_cli.core.tape import Body, Exchange, Request
from amberfork_cli.proxy.replaying.misses import first_difference


def asked(body: Body) -> Exchange:
    return Exchange(0, Request("POST", "/v1/chat/completions", (), body))


def says(text: str) -> Body:
    return Body.json({"messages": [{"role": "user", "content": text}]})


@pytest.mark.parametrize(
    ("recorded", "now", "sides"),
    [
        ("a", "b", '"a" on the tape, "b" now'),
        ("Be kind. " * 9 + "It is 1999.", "Be kind. " * 9 + "It is 2001.", '…"kind. Be kind. It is 1999."'),
        ("x" * 90 + "1", "x" * 90 + "2", '…"xxxxxxxxxxxx1" on the tape, …"xxxxxxxxxxxx2" now'),
        ("x" * 90, "x" * 91, '…"xxxxxxxxxxxx" on the tape, …"xxxxxxxxxxxxx" now'),
    ],
)
def test_texts_are_shown_where_they_part(recorded, now, sides):
    """Of two long ones the beginning is the same, and there is room for little more."""
    difference = first_difference(asked(says(recorded)), asked(says(now)), DiffOptions())

    assert difference.startswith(f"differs at messages[0].content: {sides}")


def test_bytes_are_told_apart():
    """By their number, and where they part."""
    recorded, now = asked(Body.bytes(b"\xff\x00\x01")), asked(Body.bytes(b"\xff\x00\x02\x03"))

    assert first_difference(recorded, now, DiffOptions()) == (
        "differs at body: 3 bytes on the tape, 4 now, not the same from byte 3 on"
    )
