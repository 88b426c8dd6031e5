"""Compressed bodies are compared by what they hold and written back as they were."""

import gzip
import json
import sys
import zlib
from base64 import b64encode
from collections.abc import Callable

import brotli
import pytest
import zstandard

from amberfork_cli.core.tape import Body, BodyKind
from amberfork_cli.tapes import content, exchange_line
from amberfork_cli.tapes.exchanges import exchange_from
from amberfork_cli.tapes.reading import Reading

JSON = b'{"messages": [], "n": 1.0}'


def _raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


CODINGS = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("GZIP", gzip.compress),
    ("br", brotli.compress),
    ("zstd", zstandard.compress),
    ("deflate", zlib.compress),
    ("deflate", _raw_deflate),
    ("identity, gzip", gzip.compress),
    ("gzip, br", lambda data: brotli.compress(gzip.compress(data, mtime=0))),
]
EVERY_CODING = pytest.mark.parametrize(("coding", "compress"), CODINGS)


@EVERY_CODING
@pytest.mark.parametrize(
    ("held", "kind", "value"),
    [
        (JSON, BodyKind.JSON, json.loads(JSON)),
        (b"null", BodyKind.JSON, None),
        (b"data: {}\n\n", BodyKind.TEXT, "data: {}\n\n"),
        (b"", BodyKind.TEXT, ""),
        (b"\xff\x00", BodyKind.BYTES, b"\xff\x00"),
    ],
)
def test_a_compressed_body_is_what_it_holds(
    coding: str, compress: Callable[[bytes], bytes], held: bytes, kind: BodyKind, value: object
) -> None:
    """JSON if it is JSON, else text, else bytes; the bytes of the wire are kept beside it."""
    wire = compress(held)

    read, notices = _read(wire, [["Content-Encoding", coding]])

    assert (read.kind, read.value, read.wire, notices) == (kind, value, wire, [])


@EVERY_CODING
def test_a_compressed_body_is_written_back_as_it_was(coding: str, compress: Callable[[bytes], bytes]) -> None:
    """Reading what was written gives the same, bytes of the wire included."""
    exchange = exchange_from(_value(compress(JSON), [["content-encoding", coding]]), 0, None, Reading("here"))

    again = exchange_from(json.loads(exchange_line(exchange)), 0, None, Reading("here"))

    assert again == exchange
    assert json.loads(exchange_line(again))["request"]["body_encoding"] == "base64"


@pytest.mark.parametrize("headers", [[], [["content-encoding", "identity"]], [["content-encoding", ""]]])
def test_bytes_that_are_not_compressed_stay_bytes(headers: list[list[str]]) -> None:
    """Even where they could be read as JSON: that is how they were recorded."""
    read, notices = _read(JSON, headers)

    assert (read, notices) == (Body.bytes(JSON), [])


def test_several_headers_are_one_list() -> None:
    """As HTTP has it: what was done last is undone first."""
    wire = brotli.compress(gzip.compress(JSON, mtime=0))

    read, _ = _read(wire, [["content-encoding", "gzip"], ["accept", "*"], ["Content-Encoding", "br"]])

    assert (read.kind, read.value) == (BodyKind.JSON, json.loads(JSON))


@pytest.mark.parametrize(
    ("coding", "wire", "problem"),
    [
        ("compress", b"\x1f\x9d", 'no decoder for "compress"'),
        ("gzip, sdch", gzip.compress(JSON, mtime=0), 'no decoder for "sdch"'),
        ("gzip", gzip.compress(JSON, mtime=0)[:-9], "the gzip data ends in the middle"),
        ("zstd", zstandard.compress(JSON)[:-3], "the zstd data ends in the middle"),
        ("br", brotli.compress(JSON)[:-3], "the br data ends in the middle"),
        ("zstd", JSON, "the zstd data is damaged: "),
        ("gzip", JSON, "the gzip data is damaged: "),
    ],
)
def test_what_cannot_be_decoded_stays_bytes_and_is_told(coding: str, wire: bytes, problem: str) -> None:
    """The decoder that is missing is named, and the tape is still read."""
    read, notices = _read(wire, [["content-encoding", coding]])

    assert read == Body.bytes(wire)
    assert len(notices) == 1
    assert notices[0].startswith(f"here: a body is compared as bytes: {problem}")


def test_a_decoder_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the user can install it."""
    monkeypatch.setitem(sys.modules, "brotli", None)

    read, notices = _read(brotli.compress(JSON), [["content-encoding", "br"]])

    assert read.kind is BodyKind.BYTES
    assert notices == ['here: a body is compared as bytes: no decoder for "br" is installed']


@EVERY_CODING
def test_a_body_that_expands_without_end_stays_bytes(
    coding: str, compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tape from somebody else must not fill the memory."""
    monkeypatch.setattr(content, "LIMIT", 10_000)
    wire = compress(bytes(10_001))

    read, notices = _read(wire, [["content-encoding", coding]])

    assert read == Body.bytes(wire)
    assert notices == ["here: a body is compared as bytes: it expands to more than 10,000 bytes"]


def test_a_limit_can_be_reached() -> None:
    """64 MiB, which is more than any provider takes."""
    assert content.LIMIT == 64 * 1024 * 1024


def test_the_same_trouble_is_told_once() -> None:
    """A tape may have thousands of such bodies."""
    notices: list[str] = []
    reading = Reading("here", notice=notices.append)

    for coding in ("compress", "sdch", "compress"):
        exchange_from(_value(b"x", [["content-encoding", coding]]), 0, None, reading)

    assert [notice.rpartition(" ")[2] for notice in notices] == ['"compress"', '"sdch"']


def test_lenient_reading_looks_into_compressed_bodies_too() -> None:
    """What it bends there is counted."""
    reading = Reading("here", lenient=True)

    exchange = exchange_from(
        _value(gzip.compress(b'{"a":1,"a":2}', mtime=0), [["content-encoding", "gzip"]]), 0, None, reading
    )

    assert exchange.request.body.value == {"a": 2}
    assert reading.left_out.duplicate_keys == 1


def _value(wire: bytes, headers: list[list[str]]) -> dict[str, object]:
    body = {"body": b64encode(wire).decode(), "body_encoding": "base64"}
    return {"request": {"method": "POST", "path": "/", "headers": headers, **body}}


def _read(wire: bytes, headers: list[list[str]]) -> tuple[Body, list[str]]:
    """The body that these bytes are, and what was told about it."""
    notices: list[str] = []
    exchange = exchange_from(_value(wire, headers), 0, None, Reading("here", notice=notices.append))
    return exchange.request.body, notices
