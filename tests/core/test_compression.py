"""Compressed bytes come out whole, bounded and in order, or are trouble."""

import bz2
import gzip
import lzma
import random
import sys
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.compression import ExpandedStream, coding_of, expand
from amberfork_cli.errors import CompressionError


def _raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


def _stored_deflate(data: bytes) -> bytes:
    """Raw deflate that begins with a null byte, as stored blocks that are not the last do."""
    stream = zlib.compressobj(level=0, wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


def _zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


FILES = {"gzip": gzip.compress, "zstd": _zstd, "bz2": bz2.compress, "xz": lzma.compress}
CODINGS = [*FILES.items(), ("br", brotli.compress), ("deflate", zlib.compress), ("deflate", _raw_deflate)]
EVERY_CODING = pytest.mark.parametrize(("coding", "compress"), CODINGS)
EVERY_FILE = pytest.mark.parametrize(("coding", "compress"), FILES.items())
NOISE = random.Random(2).randbytes(300_000)


@EVERY_CODING
@pytest.mark.parametrize(
    "data", [b"", b"a", b"text " * 50_000, NOISE], ids=["nothing", "byte", "text", "noise"]
)
def test_what_was_compressed_comes_out(coding: str, compress: Callable[[bytes], bytes], data: bytes) -> None:
    """Every coding gives back exactly what went in, up to the limit itself."""
    assert expand(compress(data), coding, limit=len(data)) == data


def test_deflate_may_begin_with_a_null_byte() -> None:
    """Padding is left aside between members only, never at the start."""
    assert expand(_stored_deflate(NOISE), "deflate", limit=len(NOISE)) == NOISE


@EVERY_CODING
def test_more_than_the_limit_is_trouble(coding: str, compress: Callable[[bytes], bytes]) -> None:
    """A small body that expands without end is given up, not held."""
    bomb = compress(bytes(3_000_000))

    with pytest.raises(CompressionError, match=r"^it expands to more than 1,000 bytes$"):
        expand(bomb, coding, limit=1000)


@EVERY_CODING
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.999])
def test_an_end_in_the_middle_is_trouble(
    coding: str, compress: Callable[[bytes], bytes], kept: float
) -> None:
    """What was cut off is never taken for the whole."""
    whole = compress(NOISE)

    with pytest.raises(CompressionError, match="ends in the middle"):
        expand(whole[: int(len(whole) * kept)], coding, limit=1 << 20)


@EVERY_FILE
def test_damage_is_trouble(coding: str, compress: Callable[[bytes], bytes]) -> None:
    """Bytes that are not what the coding says are named as damaged."""
    whole = compress(NOISE)
    damaged = whole[:1000] + bytes(100) + whole[1100:-100] + bytes(100)

    with pytest.raises(CompressionError, match=f"^the {coding} data (is damaged|ends in the middle)"):
        expand(damaged, coding, limit=1 << 20)


@EVERY_FILE
@pytest.mark.parametrize("padding", [b"", bytes(8), bytes(70_000)])
def test_members_in_a_row_are_one_text(
    coding: str, compress: Callable[[bytes], bytes], padding: bytes
) -> None:
    """Recorders append a member for each write; null bytes between and after them are padding."""
    members = compress(b"one ") + padding + compress(b"two ") + compress(NOISE) + padding

    assert expand(members, coding, limit=1 << 20) == b"one two " + NOISE


@EVERY_FILE
def test_other_bytes_after_the_end_are_trouble(coding: str, compress: Callable[[bytes], bytes]) -> None:
    """Text that was appended to compressed data is not dropped in silence."""
    with pytest.raises(CompressionError):
        expand(compress(b"one") + b'{"request": {}}\n', coding, limit=1000)


def test_an_unknown_coding_is_named() -> None:
    """The decoder that is missing is what a user has to know."""
    with pytest.raises(CompressionError, match=r'^no decoder for "compress"$'):
        expand(b"", "compress", limit=1)


@pytest.mark.parametrize(("coding", "module"), [("br", "brotli"), ("zstd", "zstandard"), ("xz", "lzma")])
def test_a_decoder_that_is_not_installed_is_named(
    coding: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python can be built, and amberfork installed, without some of them."""
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(CompressionError, match=f'^no decoder for "{coding}" is installed$'):
        expand(b"anything", coding, limit=100)


@EVERY_FILE
def test_a_file_is_known_by_its_first_bytes(coding: str, compress: Callable[[bytes], bytes]) -> None:
    """Whatever its name is."""
    assert coding_of(compress(b"text")) == coding
    assert coding_of(b'{"request"') is None


@EVERY_CODING
@pytest.mark.parametrize("step", [1 << 11, 1 << 16, 100_001])
def test_a_stream_comes_in_pieces(coding: str, compress: Callable[[bytes], bytes], step: int) -> None:
    """A piece that gives nothing yet is not the end."""
    text = NOISE.hex().encode()  # compresses by half, into blocks that are given when they are whole
    whole = compress(text)
    pieces = iter([whole[start : start + step] for start in range(0, len(whole), step)])
    stream = ExpandedStream(lambda: next(pieces, b""), coding)

    assert b"".join(iter(lambda: stream.read(1 << 20), b"")) == text


@EVERY_CODING
@given(data=st.data())
@settings(deadline=None)
def test_the_sizes_of_pieces_do_not_matter(
    coding: str, compress: Callable[[bytes], bytes], data: st.DataObject
) -> None:
    """A stream gives the same text however it is cut on its way in and out, and no piece is too large."""
    text = data.draw(st.binary(max_size=300)) * data.draw(st.integers(1, 50))
    step, size = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 100))
    whole = compress(text)
    pieces = iter([whole[start : start + step] for start in range(0, len(whole), step)])
    stream = ExpandedStream(lambda: next(pieces, b""), coding)

    given_out = list(iter(lambda: stream.read(size), b""))

    assert b"".join(given_out) == text
    assert all(len(piece) <= size for piece in given_out)
