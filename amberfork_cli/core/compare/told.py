"""What was told of a conversation already, so that each change is told once and none is taken for another.

A request repeats the conversation so far, and with it what was told. What it adds is always news, however
much it looks like something that was told: a tool may fail in the same words again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.finding import Finding, narrowed
from amberfork_cli.core.compare.report import MISSING, Difference, Spot, plain
from amberfork_cli.core.ids.id_rules import HISTORIES
from amberfork_cli.core.paths import Path


def digest_of(spots: Iterable[Spot]) -> bytes:
    """A digest of some places and what differs there: equal where the same is told."""
    return _digest(*(piece for spot in spots for piece in _told(spot)))


def _told(spot: Spot) -> Iterator[bytes]:
    for words in (spot.label, plain(spot.who), plain(spot.note)):
        yield words.encode(errors="surrogatepass")
    for difference in spot.differences:
        yield from _signature(difference)


@dataclass(frozen=True, slots=True)
class News:
    """How many messages of either request stood in the one before it: what comes behind them is news."""

    recorded: int
    reissued: int

    def holds(self, difference: Difference) -> bool:
        """Whether a difference is of what the requests add."""
        sides = (difference.recorded_path, self.recorded), (difference.reissued_path, self.reissued)
        return any(path is not None and _index(path) >= since for path, since in sides)


class Told:
    """The differences that were told of one conversation, each with the exchange where it was told last."""

    def __init__(self) -> None:
        self._exchange: dict[bytes, int] = {}
        self._times: Counter[bytes] = Counter()

    def untold(self, found: Sequence[Finding], news: News) -> list[Finding]:
        """What of some findings was not told yet; of a finding, only those differences."""
        left = self._times.copy()
        return [fresh for finding in found for fresh in _without(finding, left, news)]

    def take_in(self, found: Iterable[Finding], exchange: int) -> None:
        """Note that those were told at that exchange."""
        for finding in found:
            for difference in finding.spot.differences:
                key = _key(difference)
                self._exchange[key] = exchange
                self._times[key] += 1

    def exchange_of(self, finding: Finding) -> int:
        """Where that was told; raises KeyError where it was not."""
        return self._exchange[_key(finding.spot.differences[0])]


def _without(finding: Finding, left: Counter[bytes], news: News) -> Iterator[Finding]:
    """A finding but for what is known; that is used up, since what was told once does not stand for two."""
    fresh = tuple(one for one in finding.spot.differences if news.holds(one) or not _use_up(one, left))
    if fresh:
        yield finding if len(fresh) == len(finding.spot.differences) else narrowed(finding, fresh)


def _use_up(difference: Difference, left: Counter[bytes]) -> bool:
    key = _key(difference)
    if left[key] > 0:
        left[key] -= 1
        return True
    return False


def _key(difference: Difference) -> bytes:
    """What is told, wherever the message stands that it is told of: histories are cut off and shortened."""
    recorded, reissued = (_in_message(path) for path in (difference.recorded_path, difference.reissued_path))
    return _digest(*_signature(replace(difference, recorded_path=recorded, reissued_path=reissued)))


def _signature(difference: Difference) -> Iterator[bytes]:
    """All of a difference, however deep its values are and however long their numbers."""
    places = difference.path, difference.recorded_path, difference.reissued_path, difference.inner_path
    yield repr((difference.kind.value, places)).encode(errors="surrogatepass")
    for side in (difference.recorded, difference.reissued):
        if side is MISSING:
            yield b"-"
        else:
            yield b"b" + side if isinstance(side, bytes) else b"j" + jsontext.dumps(side, sort_keys=True)
    for words in (difference.summary, difference.recorded_words, difference.reissued_words):
        yield plain(words).encode(errors="surrogatepass")


def _digest(*pieces: bytes) -> bytes:
    hashed = blake2b(digest_size=16)
    for piece in pieces:
        hashed.update(b"%d:" % len(piece))
        hashed.update(piece)
    return hashed.digest()


def _in_message(path: Path | None) -> Path | None:
    return path if path is None or _index(path) < 0 else (path[0], *path[2:])


def _index(path: Path) -> int:
    """Which message a path leads into, -1 where it is none."""
    if len(path) > 1 and path[0] in HISTORIES and isinstance(path[1], int):
        return path[1]
    return -1
