"""Texts that stand encoded in other texts."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.core.redaction.wrapped_texts import wrapped_in

SAID = "A text of some length, as a file has it: é, ~, ?\n" * 3


@pytest.mark.parametrize(
    "encoded",
    [
        base64.b64encode(SAID.encode()).decode(),
        base64.b64encode(SAID.encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(SAID.encode()).decode(),
        base64.encodebytes(SAID.encode()).decode().rstrip("\n"),
        base64.encodebytes(SAID.encode()).decode().rstrip("\n").replace("\n", "\r\n"),
        quote(SAID, safe=""),
    ],
    ids=["base64", "without padding", "for URLs", "in lines", "in lines of a mail", "in a URL"],
)
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("data:text/plain;base64,", '"'), ("a ", "\nand more")]
)
def test_what_is_encoded_is_found_and_can_be_encoded_again(encoded: str, before: str, after: str) -> None:
    """At its place, and in the same letters, lines and padding."""
    (found,) = wrapped_in(before + encoded + after)

    assert (found.text, found.start, found.end) == (SAID, len(before), len(before) + len(encoded))
    assert found.wrap(SAID) == encoded


@pytest.mark.parametrize(
    "text",
    [
        "words and nothing else, however many of them there are",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        base64.b64encode(bytes(range(256))).decode(),
        "100 % of a long_word_that_goes_on_and_on_without_an_end",
        "c2hvcnQ=",
    ],
    ids=["words", "a digest", "bytes", "a name", "short"],
)
def test_what_only_looks_encoded_is_not(text: str) -> None:
    """Digests, images and names spell no text."""
    assert [*wrapped_in(text)] == []


@given(st.text(min_size=20), st.booleans())
def test_any_text_comes_back(text: str, lines: bool) -> None:
    """Whatever its letters."""
    data = text.encode(errors="replace")
    encoded = (base64.encodebytes(data) if lines else base64.b64encode(data)).decode().rstrip("\n")

    (found,) = wrapped_in(encoded)

    assert found.text == data.decode()
    assert found.wrap(found.text) == encoded
