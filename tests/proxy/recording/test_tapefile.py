"""The tape as it is recorded: what becomes of a file that is there, of a torn line, of a full disk."""

import os

import pytest

from amberfork_cli.core.tape import Exchange, Request
from amberfork_cli.errors import OptionError, OutputError
from amberfork_cli.proxy.recording.tapefile import Existing, TapeFile

HEADER = b'{"tape_version":"1"}\n'
GET = Exchange(0, Request("GET", "/a"))
LINE = b'{"request":{"method":"GET","path":"/a"}}\n'


def recorded(path, existing=Existing.REFUSE) -> TapeFile:
    """A tape to which one exchange was recorded, closed."""
    tape = TapeFile(path, existing=existing, header={})
    tape.append(GET)
    tape.close()
    return tape


def test_a_new_tape_has_a_header_and_a_line_an_exchange(tmp_path):
    """And counts its exchanges."""
    tape = recorded(tmp_path / "new.jsonl")

    assert tape.path.read_bytes() == HEADER + LINE
    assert (tape.count, tape.torn, tape.failure) == (1, 0, None)


def test_a_file_that_is_there_is_not_touched(tmp_path):
    """Unless that is asked for."""
    path = tmp_path / "there.jsonl"
    path.write_bytes(b"mine")

    with pytest.raises(OptionError) as refused:
        TapeFile(path, header={})

    assert str(refused.value) == f"{path} exists: --append goes on with it, --force records over it"
    assert path.read_bytes() == b"mine"


def test_force_records_over_it(tmp_path):
    """What was there is gone."""
    path = tmp_path / "there.jsonl"
    path.write_bytes(b"mine")

    recorded(path, Existing.FORCE)

    assert path.read_bytes() == HEADER + LINE


@pytest.mark.parametrize(
    ("before", "after", "torn"),
    [
        (b"", HEADER + LINE, 0),
        (HEADER, HEADER + LINE, 0),
        (HEADER + LINE, HEADER + LINE + LINE, 0),
        (LINE.rstrip(), LINE + LINE, 0),
        (LINE + b'{"request": {"met', LINE + LINE, 17),
        (LINE + b"\0\0\0", LINE + LINE, 3),
        (LINE + b'"x"', LINE + LINE, 3),
    ],
)
def test_append_goes_on_behind_the_last_whole_line(before, after, torn, tmp_path):
    """A torn end is cut off; a whole line that only lacks its end is ended."""
    path = tmp_path / "there.jsonl"
    path.write_bytes(before)

    tape = recorded(path, Existing.APPEND)

    assert (path.read_bytes(), tape.torn) == (after, torn)


@pytest.mark.parametrize("content", [b"my diary", b"my diary\nday one\n", b"[1]\n", b'{"messages": []}\n'])
def test_append_touches_nothing_that_is_no_tape(content, tmp_path):
    """Not even its end."""
    path = tmp_path / "diary.txt"
    path.write_bytes(content)

    with pytest.raises(OptionError) as refused:
        TapeFile(path, existing=Existing.APPEND, header={})

    assert str(refused.value) == f"{path}: this is no tape that can be gone on with"
    assert path.read_bytes() == content


def test_a_torn_line_of_any_length_is_found(tmp_path):
    """Longer than what is read at a time."""
    path = tmp_path / "long.jsonl"
    path.write_bytes(LINE + b"x" * (3 << 20))

    recorded(path, Existing.APPEND)

    assert path.read_bytes() == LINE + LINE


@pytest.mark.parametrize(
    ("name", "reason"), [("no/such/folder.jsonl", "no such file or directory"), (".", "is a directory")]
)
def test_a_place_that_cannot_be_written_is_named(name, reason, tmp_path):
    """With the operating system's own words."""
    with pytest.raises(OutputError) as refused:
        TapeFile(tmp_path / name, existing=Existing.FORCE, header={})

    assert str(refused.value) == f"cannot write {tmp_path / name}: {reason}"


def test_a_line_that_cannot_be_written_whole_is_taken_back_and_ends_the_recording(tmp_path, monkeypatch):
    """A tape with a hole would look like one without."""
    path = tmp_path / "full.jsonl"
    tape = TapeFile(path, header={})
    tape.append(GET)
    write = os.write
    room = iter((5,))

    def half(descriptor: int, data) -> int:
        for count in room:
            return write(descriptor, bytes(data)[:count])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("amberfork_cli.proxy.recording.tapefile.os.write", half)
    failures = []
    for _ in range(2):
        with pytest.raises(OutputError) as failed:
            tape.append(GET)
        failures.append(failed.value)
        monkeypatch.undo()
    tape.close()

    assert path.read_bytes() == HEADER + LINE
    assert failures == [tape.failure, tape.failure]
    assert (tape.count, str(tape.failure)) == (1, f"cannot write {path}: no space left on device")


def test_a_disk_that_is_full_from_the_beginning_leaves_no_file(tmp_path, monkeypatch):
    """Or the next recording would be refused because of it."""
    path = tmp_path / "full.jsonl"

    def full(*_) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("amberfork_cli.proxy.recording.tapefile.os.write", full)
    with pytest.raises(OutputError) as failed:
        TapeFile(path, header={})

    assert str(failed.value) == f"cannot write {path}: no space left on device"
    assert not path.exists()


def test_a_new_tape_without_an_exchange_goes_again(tmp_path):
    """One that was there stays."""
    new, old = tmp_path / "new.jsonl", tmp_path / "old.jsonl"
    old.write_bytes(LINE)

    TapeFile(new, header={}).close()
    TapeFile(old, existing=Existing.APPEND, header={}).close()

    assert (new.exists(), old.read_bytes()) == (False, LINE)


@pytest.mark.parametrize("existing", [Existing.FORCE, Existing.APPEND])
def test_two_recorders_never_write_to_one_tape(existing, tmp_path):
    """The second is refused, and the first goes on."""
    path = tmp_path / "run.jsonl"
    first = TapeFile(path, header={})
    first.append(GET)

    with pytest.raises(OptionError) as refused:
        TapeFile(path, existing=existing, header={})
    first.append(GET)
    first.close()

    assert str(refused.value) == f"{path}: another recording goes on there"
    assert path.read_bytes() == HEADER + LINE + LINE
