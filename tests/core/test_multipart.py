"""The line between the parts of a body, which is made up for every request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.ids.fingerprint import fingerprint
from amberfork_cli.core.multipart import without_boundary
from amberfork_cli.core.tape import Body, Exchange, Request

DRAWN = st.from_regex(r"[0-9A-Za-z'()+_,./:=?-]{1,70}", fullmatch=True)


def upload(drawn: str, content: bytes = b"hello", *, text: bool = False) -> Request:
    """A file in a form, with that line between its parts."""
    line = drawn.encode()
    part = b'content-disposition: form-data; name="file"; filename="a"\r\n\r\n'
    body = b"--" + line + b"\r\n" + part + content + b"\r\n--" + line + b"--\r\n"
    headers = (("content-type", f"multipart/form-data; boundary={drawn}"),)
    return Request("POST", "/v1/files", headers, Body.text(body.decode()) if text else Body.bytes(body))


@given(DRAWN, DRAWN, st.booleans())
def test_uploads_that_differ_in_it_alone_are_the_same(one, other, text):
    """Whatever was drawn, in text as in bytes."""
    assert without_boundary(upload(one, text=text)) == without_boundary(upload(other, text=text))


@given(DRAWN)
def test_what_is_in_the_parts_counts(drawn):
    """Every byte of it."""
    contents = (b"hello", b"hallo", b"hello\r\n", b"\xff\x00")

    assert len({without_boundary(upload(drawn, content)).body.value for content in contents}) == 4


@pytest.mark.parametrize(
    "body",
    [
        Body.json({"a": "--x\r\n--x--"}),
        Body.text("--x"),
        Body.text("--x\r\nno end"),
        Body.text("-- a list --\n--"),
        Body.text("---\ntitle: front matter\n---"),
        Body.bytes(b"--\r\n----"),
        Body.bytes(b"--" + b"x" * 71 + b"\r\n--" + b"x" * 71 + b"--"),
    ],
)
def test_any_other_body_is_itself(body):
    """Nothing is copied."""
    request = Request("POST", "/", body=body)

    assert without_boundary(request) is request


def test_two_uploads_have_one_fingerprint():
    """As they are compared, with nothing named to leave out."""
    fingerprints = {
        fingerprint(Adjustments().of(Exchange(0, upload(drawn))).exchange) for drawn in ("5b4a", "414d")
    }

    assert len(fingerprints) == 1
