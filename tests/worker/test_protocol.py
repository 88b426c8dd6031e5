"""Messages on the pipe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.worker.protocol import (
    Call,
    Decoder,
    Finished,
    Leave,
    Load,
    Loaded,
    LoadFailed,
    Printed,
    ProtocolError,
    Started,
    encode,
)

_TEXT = st.text(st.characters(codec=None, categories=None), max_size=20)  # lone surrogates too
_NUMBER = st.integers(0, 2**31)
MESSAGES = st.one_of(
    st.builds(Load, _TEXT, st.booleans(), st.booleans()),
    st.builds(Call, _NUMBER, _TEXT, _TEXT, _TEXT, st.booleans()),
    st.just(Leave()),
    st.builds(Loaded, st.lists(_TEXT, max_size=2), st.lists(st.lists(_TEXT, max_size=2), max_size=2)),
    st.builds(LoadFailed, _TEXT, _TEXT, st.none() | _NUMBER, _TEXT, _TEXT),
    st.builds(Started, _NUMBER, st.floats(allow_nan=False, allow_infinity=False)),
    st.builds(Printed, _NUMBER, _TEXT),
    st.builds(Finished, _NUMBER, st.floats(0, 9), _TEXT),
)


@given(st.lists(MESSAGES, max_size=5), st.integers(1, 50))
def test_messages_come_out_as_they_went_in(messages, size):
    """In whatever pieces the pipe delivers them."""
    wire = b"".join(map(encode, messages))
    decoder = Decoder()

    out = [message for at in range(0, len(wire), size) for message in decoder.feed(wire[at : at + size])]

    assert out == messages


@pytest.mark.parametrize("wire", [b"hello world", bytes(7) + b"\x02{}", bytes(7) + b'\x06["No"]'])
def test_what_is_no_message_is_told(wire):
    """A tool that writes on the pipe by accident must not be taken for an answer."""
    decoder = Decoder()

    with pytest.raises(ProtocolError):
        list(decoder.feed(wire))
