"""The examples of docs/tape-format.md read as the document says."""

import io
import re
from pathlib import Path

import pytest

from amberfork_cli.core.tape import Body, BodyKind, TapeForm
from amberfork_cli.tapes import FORMATS, open_tape

DOCUMENT = (Path(__file__).parents[2] / "docs" / "tape-format.md").read_text("utf-8")


@pytest.fixture
def examples() -> list[bytes]:
    """What stands in the document's blocks of JSON."""
    return [block.encode() for block in re.findall(r"```jsonl?\n(.*?)```", DOCUMENT, re.DOTALL)]


def test_the_first_example_is_a_tape_with_a_header(examples: list[bytes]) -> None:
    """Of two exchanges, the second of which has no response yet."""
    with open_tape(io.BytesIO(examples[0])) as tape:
        exchanges = list(tape)

    assert tape.header["id"] == "refund-2025-03-04"
    assert [exchange.idx for exchange in exchanges] == [0, 1]
    assert [exchange.response is None for exchange in exchanges] == [False, True]


def test_the_second_example_has_every_kind_of_body(examples: list[bytes]) -> None:
    """A JSON object, an event stream, a JSON string, two bytes, and compressed JSON."""
    with open_tape(io.BytesIO(examples[1])) as tape:
        exchanges = list(tape)

    response = exchanges[1].response
    assert response is not None
    assert response.body == Body.text("data: {}\n\n")
    assert [exchanges[number].request.body for number in (0, 2, 3)] == [
        Body.json({"model": "m"}),
        Body.json("m"),
        Body.bytes(b"\xff\x00"),
    ]
    packed = exchanges[4].request.body
    assert (packed.kind, packed.value) == (BodyKind.JSON, {"model": "m"})


def test_the_third_example_is_as_a_recorder_writes_it(examples: list[bytes]) -> None:
    """A stream in two pieces, which was cut."""
    with open_tape(io.BytesIO(examples[2])) as tape:
        (exchange,) = tape

    response = exchange.response
    assert response is not None
    assert sum(size for size, _ in response.extra["chunks"]) == len(str(response.body.value))
    assert {*exchange.extra} == {"provider", "base_url", "recorded_at", "duration_ms", "cut"}


def test_the_last_example_is_a_cassette(examples: list[bytes]) -> None:
    """Of one exchange."""
    with open_tape(io.BytesIO(examples[-1])) as tape:
        assert (tape.form, len(list(tape))) == (TapeForm.CASSETTE, 1)


def test_every_input_format_is_named() -> None:
    """As the option takes it."""
    listed = re.search(r"`--input-format` \(([^)]*)\)", DOCUMENT)

    assert listed is not None
    assert set(re.findall(r"`([\w-]+)`", listed[1])) == {known.name for known in FORMATS}
