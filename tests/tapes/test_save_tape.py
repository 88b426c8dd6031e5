"""What is written reads as what was read."""

import io
import json
from pathlib import Path

import pytest

from amberfork_cli.core.tape import Body, Exchange, Request, TapeForm
from amberfork_cli.errors import OutputError, TapeError
from amberfork_cli.tapes import exchange_line, header_line, open_tape, save_tape

ONE = (
    b'{"idx":7,"request":{"method":"POST","path":"/","headers":[["b","1"],["a","2"]],'
    b'"body":{"z":1.0,"a":[]},"timeout":9},"run":{"id":"r"}}\n'
)
TWO = b'{"request":{"method":"GET","path":"/"},"response":{"status":200,"body":"\\"","latency_ms":3}}\n'
HEADER = b'{"tape_version":"1","id":"run-1","agent":{"b":1,"a":2}}\n'
BODIES = b'{"messages":[],"a":1}\n{"a":1,"messages":[]}\n'


@pytest.mark.parametrize("source", [ONE, ONE + TWO, HEADER + ONE + TWO, HEADER, b"", BODIES])
def test_a_tape_as_amberfork_writes_it_comes_out_as_it_went_in(source: bytes) -> None:
    """Byte for byte: header, unknown members, the order of members, bare bodies."""
    assert _copy(source) == source


@pytest.mark.parametrize(
    ("source", "written"),
    [
        (b"\xef\xbb\xbf\r\n" + HEADER[:-1] + b"\r\n\n" + TWO[:-1], HEADER + TWO),
        (json.dumps(json.loads(ONE), indent=2).encode(), ONE),
        (b'{"cassette_version":"0.1","exchanges":[' + TWO + b"]}", TWO),
        (
            b'{"cassette_version":"0.1","id":"run-1","exchanges":[' + TWO + b'],"agent":{"b":1,"a":2}}',
            HEADER + TWO,
        ),
        (b'{"messages":[]}', b'{"request":{"method":"POST","path":"","body":{"messages":[]}}}\n'),
        (
            b'{"request":{"method":"GET","path":"/","headers":{"a":["1","2"]}}}',
            b'{"request":{"method":"GET","path":"/","headers":[["a","1"],["a","2"]]}}\n',
        ),
    ],
)
def test_anything_else_comes_out_as_a_tape(source: bytes, written: bytes) -> None:
    """In the one spelling that amberfork writes."""
    assert _copy(source) == written


def test_text_comes_out_as_a_tape_of_text() -> None:
    """A body that is no JSON fits on a line as well."""
    assert _copy(b"a\nb", as_text=True) == b'{"request":{"method":"POST","path":"","body":"a\\nb"}}\n'


def test_exchanges_can_be_written_in_a_form_and_with_a_header() -> None:
    """As a command does that changed them."""
    exchanges = [Exchange(0, Request("POST", "/", body=Body.json({"n": 1})))]
    tape, bodies = io.BytesIO(), io.BytesIO()

    save_tape(iter(exchanges), tape, header={"id": 3})
    save_tape(iter(exchanges), bodies, form=TapeForm.BODIES, header={"id": 3})

    assert tape.getvalue() == header_line({"id": 3}) + exchange_line(exchanges[0])
    assert bodies.getvalue() == b'{"n":1}\n'


@pytest.mark.parametrize("body", [Body.text("x"), Body.bytes(b"x"), Request("POST", "/").body])
def test_bare_bodies_must_be_json(body: Body) -> None:
    """Their lines hold nothing else."""
    with pytest.raises(OutputError, match=r"^cannot write bodies: #4 has no JSON body"):
        save_tape([Exchange(4, Request("POST", "", body=body))], io.BytesIO(), form=TapeForm.BODIES)


def test_a_tape_can_be_written_over_itself(tmp_path: Path) -> None:
    """It is read to its end before it is replaced."""
    path = tmp_path / "tape.jsonl"
    path.write_bytes(HEADER[:-1] + b"\r\n\r\n" + ONE + TWO)

    with open_tape(path) as tape:
        save_tape(tape, path)

    assert path.read_bytes() == HEADER + ONE + TWO


def test_a_tape_that_turns_out_broken_leaves_the_target_alone(tmp_path: Path) -> None:
    """Also where the target is the tape itself."""
    path = tmp_path / "tape.jsonl"
    path.write_bytes(ONE + b"{oops\n")

    with open_tape(path) as tape, pytest.raises(TapeError):
        save_tape(tape, path)

    assert path.read_bytes() == ONE + b"{oops\n"
    assert list(tmp_path.iterdir()) == [path]


def _copy(source: bytes, *, as_text: bool = False) -> bytes:
    written = io.BytesIO()
    with open_tape(io.BytesIO(source), as_text=as_text) as tape:
        save_tape(tape, written)
    return written.getvalue()
