"""Clients that ask what is marked, note what they see, and hold a tape to it."""

import asyncio
import random
import time
from asyncio import IncompleteReadError
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count, takewhile
from typing import Self

from marked import LIMIT, PATHS, Asked, length_of

from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.tape import Body, BodyKind, Exchange

SEED = 7
NOT_KEPT = 507  # the status of an answer that says that nothing more is recorded


@dataclass(frozen=True, slots=True)
class Seen:
    """What a client saw of an exchange to its end: digests of what was asked and answered."""

    provider: str
    asked: bytes
    answered: bytes


@dataclass(slots=True)
class Run:
    """What the clients of one run saw: each exchange to its end, the seconds of each, and what was wrong."""

    seen: dict[str, Seen] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def note(self, asked: Asked, status: int, body: bytes, *, seconds: float) -> None:
        """A client has the whole answer to what it asked: on the tape, unless it says that it is not."""
        self.times.append(seconds)
        if status != 200:
            self.wrong[f"answered with {status}"] += 1
        if status == NOT_KEPT:
            return
        if status == 200 and not asked.is_answered_by(body):
            self.wrong["answered what another asked"] += 1
        self.seen[asked.mark] = Seen(asked.provider, digest(asked.body), digest(body))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A tape beside what the clients saw: marks that are not as they should be."""

    exchanges: int
    lost: tuple[str, ...]
    mixed: tuple[str, ...]
    twice: tuple[str, ...]
    unseen: tuple[str, ...]


def compared(exchanges: Iterable[Exchange], seen: dict[str, Seen]) -> Comparison:
    """What is wrong on a tape, given all that the clients saw.

    *Lost* is what a client had to its end and the tape has not, *mixed* where they differ, *unseen* what no
    client had to its end.
    """
    marks: set[str] = set()
    mixed, twice, unseen, number = [], [], [], 0
    for exchange in exchanges:
        number += 1
        mark = _mark(exchange)
        if mark in marks:
            twice.append(mark)
        elif mark not in seen:
            unseen.append(mark)
        elif _on_tape(exchange) != seen[mark]:
            mixed.append(mark)
        marks.add(mark)
    return Comparison(number, tuple(seen.keys() - marks), tuple(mixed), tuple(twice), tuple(unseen))


def digest(content: bytes) -> bytes:
    """Few bytes that stand for many."""
    return blake2b(content, digest_size=16).digest()


def _mark(exchange: Exchange) -> str:
    value = exchange.request.body.value
    return str(value.get("mark")) if isinstance(value, dict) else "no mark"


def _on_tape(exchange: Exchange) -> Seen:
    """What a client should have seen, by what is on the tape."""
    answer = _content(exchange.response.body) if exchange.response is not None else b""
    return Seen(str(exchange.extra.get("provider")), digest(_content(exchange.request.body)), digest(answer))


def _content(body: Body) -> bytes:
    if isinstance(body.value, bytes):
        return body.value
    return str(body.value).encode() if body.kind is BodyKind.TEXT else dumps(body.value)


async def asking(port: int, clients: int, goes_on: Callable[[str], bool], run: Run, *, first: int = 0) -> Run:
    """What so many clients see, each of which asks until its next mark does not go on.

    They are numbered from `first`; what one asks depends on its number alone. One whose connection breaks
    makes another, if it can.
    """
    begun = time.monotonic()
    names = range(first, first + clients)
    await asyncio.gather(*(_client(port, _requests(name, goes_on), run) for name in names))
    run.seconds = time.monotonic() - begun
    return run


def _requests(name: int, goes_on: Callable[[str], bool]) -> Iterator[Asked]:
    chance = random.Random(SEED + name)
    for mark in takewhile(goes_on, (f"{name}-{turn}" for turn in count())):
        yield Asked.any(mark, chance)


async def _client(port: int, requests: Iterable[Asked], run: Run) -> None:
    try:
        client = await Client.to(port)
        for asked in requests:
            begun = time.monotonic()
            try:
                status, body = await client.ask(asked)
            except (OSError, IncompleteReadError):
                run.wrong["broken off"] += 1
                client = await Client.to(port)
            else:
                run.note(asked, status, body, seconds=time.monotonic() - begun)
        client.close()
    except ConnectionError:
        run.wrong["could not connect"] += 1


class Client:
    """One connection of an agent, kept for one request after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def to(cls, port: int) -> Self:
        """A connection to a port of this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=LIMIT))

    async def ask(self, asked: Asked) -> tuple[int, bytes]:
        """Status and body of the whole answer; raises OSError and IncompleteReadError where it is not."""
        self.send(asked)
        return await self.answer()

    def send(self, asked: Asked) -> None:
        """Send a request."""
        path = f"/{asked.provider}/{asked.provider}{PATHS[asked.provider]}"  # at the edge, then as below
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(asked.body)}\r\n\r\n"
        self.writer.write(head.encode() + asked.body)

    async def answer(self) -> tuple[int, bytes]:
        """Status and body of the answer that comes next."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head.split(maxsplit=2)[1])
        if b"chunked" in head:
            return status, b"".join([piece async for piece in self._chunks()])
        return status, await self.reader.readexactly(length_of(head))

    async def _chunks(self) -> AsyncIterator[bytes]:
        while size := int(await self.reader.readuntil(b"\r\n"), 16):
            yield await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)

    def close(self) -> None:
        """Hang up."""
        self.writer.close()
