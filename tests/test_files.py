"""Sources are read whatever they are; targets are written whole or not at all."""

import gzip
import io
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from amberfork_cli.errors import OutputError, TapeError
from amberfork_cli.files import Spool, atomic_output, open_source, reading

TEXT = b"one\ntwo\r\nthree \xe2\x80\xa8 still three\n\nfive"
LINES = [b"one\n", b"two\r\n", b"three \xe2\x80\xa8 still three\n", b"\n", b"five"]
NOT_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may do anything")


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "data"
    path.write_bytes(data)
    return path


def _fifo(folder: Path, data: bytes) -> Path:
    """A named pipe into which somebody writes."""
    path = folder / "fifo"
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(data,), daemon=True).start()
    return path


def _stream(_: Path, data: bytes) -> BinaryIO:
    return io.BytesIO(data)


class Trickle(io.RawIOBase):
    """A stream that gives one byte at a time, as a slow pipe may."""

    def __init__(self, data: bytes) -> None:
        self._rest = memoryview(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece, self._rest = self._rest[:1], self._rest[1:]
        buffer[: len(piece)] = piece
        return len(piece)


def _trickle(_: Path, data: bytes) -> BinaryIO:
    return io.BufferedReader(Trickle(data))


KINDS = [_file, _fifo, _stream, _trickle]
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


# Reading


@EVERY_KIND
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["as it is", "gzip"])
def test_lines_end_at_line_feeds_only(
    kind: Callable[[Path, bytes], Path | BinaryIO], compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """Carriage returns and Unicode's line separators are text; every byte is given."""
    with open_source(kind(tmp_path, compress(TEXT))) as source:
        assert list(source.lines()) == LINES


@EVERY_KIND
@pytest.mark.parametrize("data", [b"", b"\x1f", b"BZ", b"B", b"\xfd7zXY", b"a"])
def test_what_only_begins_like_compressed_data_is_read_as_it_is(
    kind: Callable[[Path, bytes], Path | BinaryIO], data: bytes, tmp_path: Path
) -> None:
    """No byte is lost in looking for a compression."""
    with open_source(kind(tmp_path, data)) as source:
        assert source.rest() == data


def test_a_plain_file_can_be_looked_at_again_where_it_lies(tmp_path: Path) -> None:
    """Also in the middle of reading it, which goes on where it was."""
    with open_source(_file(tmp_path, TEXT)) as source:
        lines = source.lines()
        first = next(lines)
        again = source.again(4, 5)

        assert (source.plain, source.size) == (True, len(TEXT))
        assert [first, *lines] == LINES
        assert again == b"two\r\n"


def test_an_open_file_is_read_from_where_it_stands(tmp_path: Path) -> None:
    """A caller that has read a part gives the rest, and keeps the file."""
    with _file(tmp_path, TEXT).open("rb") as file:
        file.read(4)

        with open_source(file) as source:
            assert list(source.lines()) == LINES[1:]
            assert source.again(0, 5) == b"two\r\n"
        assert not file.closed


@pytest.mark.parametrize("kind", [_fifo, _stream, _trickle])
def test_what_is_no_regular_file_is_not_plain(
    kind: Callable[[Path, bytes], Path | BinaryIO], tmp_path: Path
) -> None:
    """It needs a spool."""
    with open_source(kind(tmp_path, TEXT)) as source:
        assert (source.plain, source.size) == (False, None)


def test_compressed_data_is_not_plain(tmp_path: Path) -> None:
    """Its offsets are those of the text."""
    with open_source(_file(tmp_path, gzip.compress(TEXT))) as source:
        assert (source.plain, source.size) == (False, None)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing", "no such file"),
        ("folder", "this is a folder, not a tape"),
        ("loop", "too many levels of symbolic links"),
        ("file/inside", "not a directory"),
        ("null\0byte", "this is no file name"),
    ],
)
def test_what_cannot_be_opened_is_one_clear_line(name: str, problem: str, tmp_path: Path) -> None:
    """The file and the reason, and nothing else."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(TapeError) as caught:
        open_source(tmp_path / name)

    assert str(caught.value) == f"{tmp_path / name}: {problem}"


@NOT_ROOT
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    """In the words of the operating system."""
    path = _file(tmp_path, TEXT)
    path.chmod(0)

    with pytest.raises(TapeError, match="permission denied"):
        open_source(path)


def test_a_name_that_is_not_utf8_can_be_shown(tmp_path: Path) -> None:
    """A name may hold any byte, a terminal may not."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    path.write_bytes(TEXT)

    with open_source(path) as source:
        assert source.name == f"{tmp_path}/caf\\xe9"


@pytest.mark.parametrize(
    ("stream", "problem"),
    [
        (io.StringIO("text"), "this stream gives text: open it in binary mode"),
        (io.TextIOWrapper(io.BytesIO()), "this stream gives text: open it in binary mode"),
    ],
)
def test_a_stream_of_text_is_refused(stream: io.TextIOBase, problem: str) -> None:
    """What was decoded already may have lost its line ends."""
    with pytest.raises(TapeError) as caught:
        open_source(stream)  # type: ignore[arg-type]

    assert str(caught.value) == f"stream: {problem}"


def test_a_closed_stream_is_trouble() -> None:
    """Not a ValueError."""
    stream = io.BytesIO(TEXT)
    stream.close()

    with pytest.raises(TapeError, match=r"^stream: I/O|^stream: i/O"):
        open_source(stream)


def test_a_stream_that_does_not_wait_is_trouble() -> None:
    """Nothing to read yet is not the end."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)

    with (
        os.fdopen(reader, "rb", buffering=0) as stream,
        os.fdopen(writer, "wb"),
        pytest.raises(TapeError, match="blocking mode"),
    ):
        open_source(stream)


def test_silence_on_stdin_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who forgot to name a file learns what amberfork waits for."""
    monkeypatch.setattr(reading, "SILENCE", 0.01)
    reader, writer = os.pipe()
    told = threading.Event()
    notices: list[str] = []

    def notice(sentence: str) -> None:
        notices.append(sentence)
        told.set()

    def answer() -> None:
        told.wait(5)
        os.write(writer, b"late\n")
        os.close(writer)

    threading.Thread(target=answer, daemon=True).start()
    with os.fdopen(reader, "rb") as stdin, io.TextIOWrapper(stdin) as text:
        monkeypatch.setattr(sys, "stdin", text)
        with open_source("-", notice=notice) as source:
            assert list(source.lines()) == [b"late\n"]

    assert notices == ["reading from standard input; end it with Ctrl-D, or name a file"]


@pytest.mark.parametrize("source", ["-", Path("-")])
def test_stdin_that_speaks_at_once_is_not_told(
    source: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A redirected file is as plain as one that was named."""
    notices: list[str] = []
    with _file(tmp_path, TEXT).open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with open_source(source, notice=notices.append) as opened:
            assert (opened.name, opened.plain) == ("stdin", True)
            assert list(opened.lines()) == LINES

    assert notices == []


def test_a_closed_stdin_is_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under `amberfork … - <&-`."""
    monkeypatch.setattr(sys, "stdin", None)

    with pytest.raises(TapeError, match=r"^stdin: standard input is closed$"):
        open_source("-")


# The spool


def test_a_spool_gives_again_what_it_was_given() -> None:
    """In any order, while more comes in, at the offsets of the source."""
    spool = Spool("tape", begin=3)
    lines = spool.copying(iter(LINES))

    seen = [next(lines), next(lines)]
    again = spool.again(7, 5)
    seen += lines

    assert seen == LINES
    assert again == b"two\r\n"
    assert spool.again(3, 4) == b"one\n"
    spool.close()


def test_a_spool_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no name to find it by, even while it is in use."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    spool = Spool("tape")
    spool.append(bytes(3 << 20))

    assert list(tmp_path.iterdir()) == []
    spool.close()


def test_no_room_for_a_copy_is_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the source, which is what the user knows."""
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")

    with pytest.raises(TapeError, match=r"^tape: cannot keep a copy of it: no such file or directory"):
        Spool("tape")


# Writing


def test_a_new_file_is_written(tmp_path: Path) -> None:
    """With the mode that any program's new file has, and nothing beside it."""
    target = tmp_path / "out.json"
    mode = _usual_mode(tmp_path)

    with atomic_output(target) as output:
        output.write(b"new")

    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [target]


def test_the_old_file_stands_until_the_new_one_is_whole(tmp_path: Path) -> None:
    """A reader never sees half a file, and a name of any length will do."""
    target = tmp_path / ("o" * 255)
    target.write_bytes(b"old")

    with atomic_output(target) as output:
        output.write(b"new")
        output.flush()
        during = target.read_bytes()

    assert (during, target.read_bytes()) == (b"old", b"new")


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660, 0o755])
def test_the_mode_is_kept(mode: int, tmp_path: Path) -> None:
    """Also where it is stricter than that of a new file."""
    target = tmp_path / "out.json"
    target.touch()
    target.chmod(mode)

    with atomic_output(target) as output:
        beside = next(path for path in tmp_path.iterdir() if path != target)
        during = stat.S_IMODE(beside.stat().st_mode)
        output.write(b"new")

    assert (during, stat.S_IMODE(target.stat().st_mode)) == (0o600, mode)


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt(), SystemExit(3)])
@pytest.mark.parametrize("old", [None, b"old"])
def test_an_exception_leaves_everything_as_it_was(
    error: BaseException, old: bytes | None, tmp_path: Path
) -> None:
    """It comes through as it is; no file is left beside the target."""
    target = tmp_path / "out.json"
    if old is not None:
        target.write_bytes(old)
    before = list(tmp_path.iterdir())

    with pytest.raises(type(error)):
        _write(target, b"half", then=error)

    assert list(tmp_path.iterdir()) == before
    assert old is None or target.read_bytes() == old


@pytest.mark.parametrize("dangling", [False, True])
def test_links_are_followed(dangling: bool, tmp_path: Path) -> None:
    """The link stays a link; the file that it names is written."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if not dangling:
        (folder / "real").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(Path("elsewhere") / "real")

    with atomic_output(link) as output:
        output.write(b"new")

    assert link.is_symlink()
    assert (folder / "real").read_bytes() == b"new"
    assert list(folder.iterdir()) == [folder / "real"]


def test_the_input_can_be_the_output(tmp_path: Path) -> None:
    """What is being read stays whole while it is replaced."""
    path = _file(tmp_path, TEXT)

    with open_source(path) as source, atomic_output(path) as output:
        output.writelines(line.upper() for line in source.lines())

    assert path.read_bytes() == TEXT.upper()


def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    """A pipe cannot be replaced: who reads it has it open."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()

    with atomic_output(path) as output:
        output.write(b"new")
    reader.join(5)

    assert read == [b"new"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_the_null_device_stays_what_it_is() -> None:
    """As for any device."""
    with atomic_output("/dev/null") as output:
        output.write(b"new")

    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_stdout_is_gone_on_with(name: str, tmp_path: Path) -> None:
    """Also where it is a file: what was printed before and after stands around it."""
    script = (
        "import sys; from amberfork_cli.files import atomic_output\n"
        "print('before')\n"
        "with atomic_output(sys.argv[1]) as output: output.write(b'written\\n')\n"
        "print('after')\n"
    )
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", script, name], stdout=out, check=True)

    assert (tmp_path / "out").read_text() == "before\nwritten\nafter\n"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing/out.json", "there is no folder {}/missing"),
        ("folder", "it is a folder"),
        ("file/out.json", "not a directory"),
        ("loop", "too many levels of symbolic links"),
        ("null\0byte", "this is no file name"),
        ("n" * 256, "file name too long"),
    ],
)
def test_what_cannot_be_written_is_one_clear_line(name: str, problem: str, tmp_path: Path) -> None:
    """The target and the reason, before anything was read."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(OutputError) as caught, atomic_output(tmp_path / name):
        pytest.fail("nothing can be written")

    assert str(caught.value) == f"cannot write {tmp_path / name}: {problem.format(tmp_path)}"


@NOT_ROOT
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    """Even where its folder would allow it."""
    target = tmp_path / "out.json"
    target.touch(mode=0o400)

    with pytest.raises(OutputError, match=r"permission denied$"), atomic_output(target):
        pytest.fail("nothing can be written")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Linux device")
def test_a_full_disk_is_named() -> None:
    """Whether it shows while writing or at the end."""
    with pytest.raises(OutputError, match=r"^cannot write /dev/full: no space left on device$"):
        _write("/dev/full", b"new")


def test_a_broken_pipe_comes_through() -> None:
    """The reader has seen enough: that is no trouble, and decided elsewhere."""
    reader, writer = os.pipe()
    os.close(reader)

    with pytest.raises(BrokenPipeError):
        _write(f"/dev/fd/{writer}", b"new")
    os.close(writer)


def _write(target: str | Path, data: bytes, *, then: BaseException | None = None) -> None:
    with atomic_output(target) as output:
        output.write(data)
        if then is not None:
            raise then


def _usual_mode(folder: Path) -> int:
    probe = folder / "probe"
    probe.touch()
    mode = stat.S_IMODE(probe.stat().st_mode)
    probe.unlink()
    return mode
