"""A tape is read once, and every exchange can be looked at again."""

import gzip
import io
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.tape import (
    Body,
    Exchange,
    ExchangeList,
    JsonValue,
    Place,
    Request,
    Tape,
    TapeForm,
)
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape

MARK = b"\xef\xbb\xbf"
LINES = [
    b'{"request":{"method":"POST","path":"/%d","body":[%d]}}\n' % (number, number) for number in range(5)
]
TAPE = MARK + b'{"tape_version":"1"}\n' + LINES[0] + b"\r\n" + b"".join(LINES[1:])
CASSETTE = b'{"cassette_version":"0.1","exchanges":[' + b",".join(LINES) + b"]}"
EXCHANGES = [Exchange(n, Request("POST", f"/{n}", body=Body.json([n]))) for n in range(5)]
PLACES = [Place(line, offset, 53) for line, offset in ((2, 24), (4, 79), (5, 132), (6, 185), (7, 238))]


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "tape"
    path.write_bytes(data)
    return path


def _compressed(folder: Path, data: bytes) -> Path:
    return _file(folder, gzip.compress(data))


def _pipe(_: Path, data: bytes) -> BinaryIO:
    return io.BytesIO(data)


KINDS = [_file, _compressed, _pipe]
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)
EVERY_SOURCE = pytest.mark.parametrize("source", [TAPE, CASSETTE], ids=["tape", "cassette"])
Kind = Callable[[Path, bytes], "Path | BinaryIO"]


@EVERY_KIND
def test_every_exchange_says_where_it_stands(kind: Kind, tmp_path: Path) -> None:
    """Line, offset and length, in the decompressed text; the mark and blank lines count, the header too."""
    with open_tape(kind(tmp_path, TAPE)) as tape:
        places = [exchange.place for exchange in tape]

    assert places == PLACES
    assert [TAPE[place.offset :][: place.length] for place in PLACES] == LINES


@EVERY_KIND
@EVERY_SOURCE
def test_an_exchange_can_be_looked_at_again(kind: Kind, source: bytes, tmp_path: Path) -> None:
    """In any order, also while the rest is still to be read, and with its place."""
    with open_tape(kind(tmp_path, source)) as tape:
        exchanges = iter(tape)
        begun = [next(exchanges) for _ in range(3)]
        looked_at = [tape.reread(number) for number in (2, 0, 1)]
        rest = list(exchanges)

        assert begun + rest == EXCHANGES
        assert looked_at == [EXCHANGES[2], EXCHANGES[0], EXCHANGES[1]]
        assert [tape.reread(n).place for n in range(5)] == [exchange.place for exchange in begun + rest]


def test_what_is_looked_at_again_is_read_once_where_it_repeats(tmp_path: Path) -> None:
    """One request after another of a conversation shares its messages, as in the first reading."""
    history: list[JsonValue] = [{"role": "user", "content": "Go on. " * 200}, {"role": "assistant"}]
    bodies: list[JsonValue] = [{"messages": [*history[:1], *history[1:] * count]} for count in range(4)]
    with open_tape(_file(tmp_path, b"".join(dumps(body) + b"\n" for body in bodies))) as tape:
        assert len(list(tape)) == 4

        found = [tape.reread(number).request.body.value for number in range(4)]

    assert found == bodies
    assert _messages(found[3])[0] is _messages(found[2])[0]


def _messages(body: object) -> list[JsonValue]:
    assert isinstance(body, dict)
    found: list[JsonValue] = body["messages"]
    return found


@EVERY_KIND
@EVERY_SOURCE
def test_every_iteration_begins_at_the_first_exchange(kind: Kind, source: bytes, tmp_path: Path) -> None:
    """One that was left off, one that overtakes it and one that comes after."""
    with open_tape(kind(tmp_path, source)) as tape:
        left_off, overtaking = iter(tape), iter(tape)
        first = [next(left_off), next(left_off)]

        assert first == EXCHANGES[:2]
        assert list(overtaking) == EXCHANGES
        assert list(left_off) == EXCHANGES[2:]
        assert list(tape) == EXCHANGES


@EVERY_KIND
@EVERY_SOURCE
@pytest.mark.parametrize("number", [-1, 2, 5])
def test_what_has_not_been_read_cannot_be_looked_at(
    kind: Kind, source: bytes, number: int, tmp_path: Path
) -> None:
    """Numbers count from 0 and from the front."""
    with open_tape(kind(tmp_path, source)) as tape:
        exchanges = iter(tape)
        next(exchanges), next(exchanges)

        with pytest.raises(IndexError):
            tape.reread(number)


@EVERY_KIND
def test_trouble_comes_again(kind: Kind, tmp_path: Path) -> None:
    """A second iteration must not take the good beginning for the whole tape."""
    with open_tape(kind(tmp_path, TAPE + b"{oops\n")) as tape:
        troubles = [_trouble(tape), _trouble(tape)]

    assert troubles[0] == troubles[1]
    assert ":8:2:" in troubles[0]


@EVERY_KIND
@EVERY_SOURCE
def test_a_closed_tape_gives_nothing(kind: Kind, source: bytes, tmp_path: Path) -> None:
    """Neither the rest nor what was read before, and says why."""
    with open_tape(kind(tmp_path, source)) as tape:
        next(iter(tape))

    assert "closed" in _trouble(tape)
    with pytest.raises(TapeError, match="closed"):
        tape.reread(0)


@EVERY_KIND
@EVERY_SOURCE
def test_one_pass_keeps_nothing(
    kind: Kind, source: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No copy is made of what cannot be read twice."""
    data = kind(tmp_path, source)
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")

    with open_tape(data, one_pass=True) as tape:
        assert list(tape) == EXCHANGES
        with pytest.raises(TapeError, match="one pass"):
            tape.reread(0)


def test_a_plain_file_needs_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tape of a gigabyte is looked at where it lies."""
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")

    with open_tape(_file(tmp_path, TAPE)) as tape:
        assert list(tape) == EXCHANGES
        assert tape.reread(3) == EXCHANGES[3]


def test_a_plain_file_says_how_long_it_is(tmp_path: Path) -> None:
    """So that progress can be shown; of a pipe nobody knows."""
    with open_tape(_file(tmp_path, TAPE)) as plain, open_tape(_pipe(tmp_path, TAPE)) as pipe:
        assert (plain.size, pipe.size) == (len(TAPE), None)


def test_a_file_that_changes_meanwhile_is_trouble(tmp_path: Path) -> None:
    """What is looked at again must be what was compared."""
    path = _file(tmp_path, TAPE)

    with open_tape(path) as tape:
        list(tape)
        os.truncate(path, 140)

        assert tape.reread(1) == EXCHANGES[1]
        with pytest.raises(TapeError) as caught:
            tape.reread(2)

    assert str(caught.value) == f"{path}:5: this line has changed since it was read"


def test_a_file_that_is_replaced_meanwhile_is_still_read(tmp_path: Path) -> None:
    """The tape holds what it opened."""
    path = _file(tmp_path, TAPE)

    with open_tape(path) as tape:
        next(iter(tape))
        (tmp_path / "new").write_bytes(b"")
        (tmp_path / "new").replace(path)

        assert list(tape) == EXCHANGES
        assert list(tape) == EXCHANGES


def test_a_list_of_exchanges_is_a_tape() -> None:
    """Read from nowhere, with form and header as they are given."""
    tape = ExchangeList(iter(EXCHANGES), source="here", form=TapeForm.BODIES, header={"id": 1})

    assert (list(tape), list(tape), tape.reread(2)) == (EXCHANGES, EXCHANGES, EXCHANGES[2])
    assert (tape.source, tape.form, tape.header, tape.endpoints_unknown) == (
        "here",
        TapeForm.BODIES,
        {"id": 1},
        True,
    )


@EVERY_KIND
def test_no_more_than_an_exchange_or_two_is_held(kind: Kind, tmp_path: Path) -> None:
    """Memory depends on the largest exchange, not on the length of the tape."""
    length = 1 << 20
    line = b'{"request":{"method":"POST","path":"/","body":"%s"}}\n' % (b"a" * length)

    with open_tape(kind(tmp_path, line * 40)) as tape:
        tracemalloc.start()
        count = sum(1 for _ in tape)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert count == 40
    assert peak < 10 * length


def _trouble(tape: Tape) -> str:
    with pytest.raises(TapeError) as caught:
        list(tape)
    return str(caught.value)
