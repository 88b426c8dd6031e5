"""The matcher for vcrpy, with requests as vcrpy hands them over; tests/sdks tries the real releases."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from amberfork_cli.errors import OptionError
from amberfork_cli.vcr import body

URL = "https://api.example/v1/chat/completions"
ASKS = json.dumps({"model": "m"}).encode()
FORM = {"content-type": "application/x-www-form-urlencoded"}
GZIP = {"Content-Encoding": ["gzip"]}


@dataclass
class Asked:
    """A request of vcrpy: what clients handed over as its body stays what it was."""

    body: Any
    headers: dict[str, Any] = field(default_factory=dict)
    method: str = "POST"
    uri: str = URL


def upload(line: str) -> Asked:
    """A file, with that line around it."""
    return Asked(f"--{line}\r\n\r\nhello\r\n--{line}--\r\n".encode())


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working directory without settings."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Asked(ASKS), Asked(b'{ "model": "m" }')),
        (Asked(ASKS), Asked(ASKS.decode())),
        (Asked(ASKS), Asked(bytearray(ASKS))),
        (Asked(ASKS), Asked(io.BytesIO(ASKS))),
        (Asked(ASKS), Asked(iter([ASKS[:5], ASKS[5:]]))),
        (Asked(ASKS), Asked({"model": "m"})),
        (Asked(ASKS), Asked(gzip.compress(ASKS), GZIP)),
        (Asked(ASKS), Asked(ASKS, uri="http://127.0.0.1:8080/v1/chat/completions")),
        (Asked(None), Asked(b"")),
        (Asked(b"\xff\x00"), Asked(b"\xff\x00")),
        (Asked(b"a=1&b=2", FORM), Asked(b"b=2&a=1", FORM)),
        (upload("5b4a"), upload("414d")),
    ],
)
def test_what_asks_the_same_matches(one, other):
    """In whatever form a client handed it over."""
    body(one, other)


@pytest.mark.parametrize(
    ("now", "recorded", "difference"),
    [
        (Asked(ASKS), Asked(b'{"model":"n"}'), 'model: "n" on the tape, "m" now'),
        (Asked(ASKS), Asked(None), 'body: nothing on the tape, {"model":"m"} now'),
        (Asked(ASKS), Asked(ASKS, method="PUT"), 'method: "PUT" on the tape, "POST" now'),
        (Asked(ASKS), Asked(ASKS, uri=f"{URL}?a=1"), 'query.a: "1" on the tape, nothing now'),
        (
            Asked(ASKS),
            Asked(ASKS, uri="https://api.example/v1/x"),
            'path: "/v1/x" on the tape, "/v1/chat/completions" now',
        ),
        (Asked(b"a=1", FORM), Asked(b"a=2", FORM), 'a[0]: "2" on the tape, "1" now'),
        (
            Asked(b"\xff\x00"),
            Asked(b"\xff\x01"),
            "body: 2 bytes on the tape, 2 now, not the same from byte 2 on",
        ),
    ],
)
def test_what_does_not_is_explained(now, recorded, difference):
    """By the first difference."""
    with pytest.raises(AssertionError) as found:
        body(now, recorded)

    assert str(found.value) == f"the recorded request differs at {difference}"


def test_what_the_settings_leave_out_is_left_out(folder):
    """As with every command; what they cannot mean is told."""
    one, other = (Asked(json.dumps({"model": "m", "user": user})) for user in "ab")
    (folder / "amberfork.toml").write_text('ignore = ["user"]\n')

    body(one, other)


def test_settings_that_cannot_be_meant_are_told(folder):
    """And not taken for a difference."""
    (folder / "amberfork.toml").write_text('preset = ["no-such"]\n')

    with pytest.raises(OptionError, match='"preset" cannot be "no-such"'):
        body(Asked(ASKS), Asked(ASKS))
