"""A tape to answer from: which recorded exchange answers a request, and which comes closest to one.

A request is looked up by method, path and canonical body. What a response of the tape gave out, a handle or
the ID of a call, goes by its value where a request points to it: whoever is answered from the tape is given
the IDs that stand on it, so they come back as they are there. IDs that the agent mints itself are set aside,
as everywhere. Equal requests use up their recorded answers in order. Loosely compared, a request that is not
on the tape is answered as the nearest one, if it is the same but for its writing. Nothing takes longer on a
longer tape.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from amberfork_cli.core.compare.diffing import DiffOptions, diff_tapes
from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.ids.fingerprint import Sketch, Sketcher
from amberfork_cli.core.ids.id_rules import sites
from amberfork_cli.core.ids.minted import given_out, given_out_by_stream
from amberfork_cli.core.tape import WEBSOCKET, BodyKind, Exchange, ExchangeList, Response, Tape, at_least_one
from amberfork_cli.errors import TapeError
from amberfork_cli.proxy.recording.socket_turns import connection_of

Key: TypeAlias = tuple[str, tuple[str, ...]]
"""What a request is looked up by: its fingerprint, and the handles in it that the tape gave out."""


@dataclass(frozen=True, slots=True)
class Hit:
    """The request is on the tape, and this exchange answers it."""

    exchange: Exchange


@dataclass(frozen=True, slots=True)
class Miss:
    """The request is not on the tape, or no longer: its `answers` are used up.

    `nearest` is the recorded exchange that comes closest, `None` where none has this method and path.
    """

    answers: int
    nearest: Exchange | None


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """An exchange of the tape that went through a WebSocket.

    `endpoint` is the digest of its path, `opens` whether it opened the WebSocket, `connection` which one it
    was, as far as the tape says so.
    """

    number: int
    endpoint: bytes
    opens: bool
    connection: str | None


class RecordedTape:
    """What a tape answers, by the rules and adjustments of `options`.

    It is read once; `base_urls` are those of the providers it was recorded from, `turns` what went through
    WebSockets, in which the order counts as well.

    Raises TapeError where it cannot be read, or holds no response.
    """

    def __init__(self, tape: Tape, options: DiffOptions) -> None:
        self._tape, self.options = tape, options
        self._sketcher = Sketcher(options.rules)
        self._given_out: set[str] = set()
        self._answers: dict[Key, _Alike] = defaultdict(_Alike)
        self._near = _Near()
        self._keys: dict[int, Key] = {}
        self.base_urls: dict[str, str] = {}
        self.turns: list[RecordedTurn] = []
        answered = [key for exchange in at_least_one(tape) for key in self._learn(exchange)]
        for number, fingerprint, pointed_to in answered:
            key = self._keys[number] = self._key(fingerprint, pointed_to)
            self._answers[key].add(number)
        self._unused = set(self._keys)
        self._unnamed = set(self._keys)
        self._named: dict[str, int | None] = {}
        if not answered:
            raise TapeError("there is no response on this tape to answer with", source=tape.source)

    @property
    def source(self) -> str:
        """What the tape is called."""
        return self._tape.source

    @property
    def unused(self) -> int:
        """How many recorded answers nobody has asked for."""
        return len(self._unused)

    def look_up(self, asked: Exchange) -> Hit | Miss:
        """The exchange that answers a request, used up by it, or what there is to say of a miss."""
        sketch, pointed_to = self._sketch(asked)
        key = self._key(sketch.fingerprint, pointed_to)
        answers = self._answers.get(key, _NONE)
        number = answers.first_of(self._unused)
        if number is not None:
            return self.use(number)
        near = answers.numbers[-1] if answers.numbers else self._nearest(sketch)
        nearest = None if near is None else self._tape.reread(near)
        if nearest is not None and self.is_loosely(nearest, asked, key):
            return self._use(nearest)
        return Miss(len(answers.numbers), nearest)

    def key_of(self, asked: Exchange) -> Key:
        """What a request is looked up by."""
        sketch, pointed_to = self._sketch(asked)
        return self._key(sketch.fingerprint, pointed_to)

    def endpoint_of(self, asked: Exchange) -> bytes:
        """The digest of method and path of a request."""
        return self._sketch(asked)[0].endpoint

    def recorded_key(self, number: int) -> Key:
        """What the request of that exchange is looked up by."""
        return self._keys[number]

    def is_unused(self, number: int) -> bool:
        """Whether nobody has asked for that exchange yet."""
        return number in self._unused

    def use(self, number: int) -> Hit:
        """That exchange, used up."""
        return self._use(self._tape.reread(number))

    def reread(self, number: int) -> Exchange:
        """That exchange, which stays as used or unused as it is."""
        return self._tape.reread(number)

    def is_loosely(self, recorded: Exchange, asked: Exchange, key: Key) -> bool:
        """Whether an unused exchange is for a request that differs in its writing alone, if that may be."""
        if not self.options.loose or not self.is_unused(recorded.number):
            return False
        return self._is_answer(recorded, asked, key)

    def _nearest(self, sketch: Sketch) -> int | None:
        """The exchange that a request comes closest to, the same one each time it is asked again."""
        if sketch.fingerprint not in self._named:
            self._named[sketch.fingerprint] = near = self._near.to(sketch, self._unused, self._unnamed)
            self._unnamed.discard(-1 if near is None else near)
        return self._named[sketch.fingerprint]

    def _use(self, exchange: Exchange) -> Hit:
        self._unused.discard(exchange.number)
        self._unnamed.discard(exchange.number)
        return Hit(exchange)

    def _is_answer(self, nearest: Exchange, asked: Exchange, key: Key) -> bool:
        fingerprint, pointed_to = self._keys[nearest.number]
        if fingerprint == key[0] or pointed_to != key[1]:  # it goes on from another response
            return False
        old, new = (ExchangeList([replace(each, number=0)]) for each in (nearest, asked))
        return diff_tapes(old, new, replace(self.options, responses=False)).same

    def _learn(self, exchange: Exchange) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """Take in an exchange; gives what it is looked up by, if it answers anything."""
        sketch, pointed_to = self._sketch(exchange)
        self._near.add(exchange.number, sketch)
        provider, base = exchange.extra.get("provider"), exchange.extra.get("base_url")
        if isinstance(provider, str) and isinstance(base, str):
            self.base_urls[provider] = base
        socket = exchange.request.method == WEBSOCKET
        if socket:
            opens = exchange.request.body.kind is BodyKind.ABSENT
            turn = RecordedTurn(exchange.number, sketch.endpoint, opens, connection_of(exchange))
            self.turns.append(turn)
        if exchange.response is not None:
            self._given_out.update(_given_out(exchange.response))
        if exchange.response is not None or socket:
            yield exchange.number, sketch.fingerprint, pointed_to

    def _sketch(self, exchange: Exchange) -> tuple[Sketch, tuple[str, ...]]:
        """What a request compares by, and the IDs in it whose origin it does not show itself."""
        adjusted = self.options.adjustments.of(exchange).exchange
        sketch = self._sketcher.sketch(replace(adjusted, response=None))
        if not sketch.unexplained:
            return sketch, ()
        body = json_of(adjusted.request.body)
        found = () if isinstance(body, Absent) else sites(body)
        return sketch, tuple(site.value for site in found if site.value in sketch.unexplained)

    def _key(self, fingerprint: str, pointed_to: tuple[str, ...]) -> Key:
        return fingerprint, tuple(value for value in pointed_to if value in self._given_out)


def _given_out(response: Response) -> Iterator[str]:
    """The IDs that a response gives out."""
    answer = json_of(response.body)
    if not isinstance(answer, Absent):
        yield from (value for _, value in given_out(answer))
    elif isinstance(response.body.value, str):
        yield from (value for _, value in given_out_by_stream(response.body.value))


class _Alike:
    """Exchanges that are alike, in their order."""

    __slots__ = ("_used", "numbers")

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._used = 0  # so many are known to be, and are not looked at again

    def add(self, number: int) -> None:
        """One more."""
        self.numbers.append(number)

    def first_of(self, unused: set[int]) -> int | None:
        """The first that nobody asked for yet."""
        while self._used < len(self.numbers):
            if self.numbers[self._used] in unused:
                return self.numbers[self._used]
            self._used += 1
        return None

    def best_of(self, unused: set[int]) -> int | None:
        """The first that nobody asked for yet, else the first of them all."""
        first = self.first_of(unused)
        return first if first is not None or not self.numbers else self.numbers[0]


_NONE: Final = _Alike()
_Kind: TypeAlias = tuple[bytes, int, bytes]


class _Near:
    """Finds the recorded exchange that a request comes closest to, by what the histories have in common."""

    def __init__(self) -> None:
        self._same: dict[str, _Alike] = defaultdict(_Alike)
        self._first_with: dict[tuple[bytes, bytes], int] = {}
        self._saying: dict[tuple[bytes, bytes], _Alike] = defaultdict(_Alike)
        self._of_kind: dict[_Kind, _Alike] = defaultdict(_Alike)
        self._at: dict[bytes, _Alike] = defaultdict(_Alike)
        self._lengths: dict[int, int] = {}

    def add(self, number: int, sketch: Sketch) -> None:
        for prefix, message in zip(reversed(sketch.prefixes), reversed(sketch.messages), strict=True):
            if self._first_with.setdefault((sketch.endpoint, prefix), number) != number:
                break  # the shorter ones are known from the same exchange
            self._saying[sketch.endpoint, message].add(number)
        self._same[sketch.fingerprint].add(number)
        self._of_kind[_kind(sketch)].add(number)
        self._at[sketch.endpoint].add(number)
        self._lengths[number] = len(sketch.messages)

    def to(self, sketch: Sketch, unused: set[int], unnamed: set[int]) -> int | None:
        """The exchange that is the same but for what it points to; else one where the histories part.

        Else one of the same length and beginning, or one that says what is said last here, or the next of the
        same path. Of these last two, `unnamed` are those that no other request came closest to.
        """
        if sketch.fingerprint in self._same:
            return self._same[sketch.fingerprint].best_of(unused)
        ways = (self._first_with.get((sketch.endpoint, prefix)) for prefix in reversed(sketch.prefixes))
        parting = next((number for number in ways if number is not None), None)
        if parting is not None and parting in unused and self._lengths[parting] == len(sketch.messages):
            return parting
        best = self._of_kind.get(_kind(sketch), _NONE).best_of(unused)
        if best is not None or parting is not None:
            return parting if best is None else best
        said = (self._saying.get((sketch.endpoint, message)) for message in reversed(sketch.messages))
        alike = next((each for each in said if each is not None), self._at.get(sketch.endpoint, _NONE))
        return alike.best_of(unnamed)


def _kind(sketch: Sketch) -> _Kind:
    """Of one path, one length of history and one beginning."""
    return sketch.endpoint, len(sketch.messages), sketch.prefixes[0] if sketch.prefixes else b""
