"""Requests, and providers whose answers carry the mark of each: none can be lost, mixed or doubled unseen.

As a program, the providers that answer so: python benchmarks/marked.py [--port N]
"""

import argparse
import asyncio
import random
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import orjson
from serving import Server, served

PATHS = {
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
}
SIZES = (1_000, 20_000, 200_000)  # bytes of a request, and of its answer
SHARES = (90, 9, 1)  # percent of each
EVENTS = 10
LIMIT = 1 << 24


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: where it goes, and its bytes, which hold its mark."""

    mark: str
    provider: str
    body: bytes

    @classmethod
    def any(cls, mark: str, chance: random.Random) -> Self:
        """One to any provider, of any size, for as large an answer in one piece or in many."""
        size = chance.choices(SIZES, SHARES)[0]
        stream, provider = chance.random() < 0.5, chance.choice(list(PATHS))
        return cls.sized(mark, size, answer=size, stream=stream, provider=provider)

    @classmethod
    def sized(
        cls, mark: str, size: int, *, answer: int, stream: bool = False, provider: str = "openai"
    ) -> Self:
        """One of about so many bytes, for an answer of so many."""
        text = f"{mark} " * (size // (len(mark) + 1))
        messages = [{"role": "user", "content": text}]
        body = {"model": "m", "mark": mark, "stream": stream, "size": answer, "messages": messages}
        return cls(mark, provider, orjson.dumps(body))

    def is_answered_by(self, body: bytes) -> bool:
        """Whether an answer is all to this request: by its provider, and with its mark, in every part."""
        marks = re.findall(rb'"provider":"(.*?)","mark":"(.*?)"', body)
        return marks == [(self.provider.encode(), self.mark.encode())] * (1 if len(marks) == 1 else EVENTS)


def length_of(head: bytes) -> int:
    """The length of the body behind a head in small letters."""
    return int(head.partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)


@dataclass(frozen=True, slots=True)
class Providers:
    """The providers that run, and the URL of each."""

    server: Server
    upstreams: dict[str, str]


@contextmanager
def providers(*, port: int = 0) -> Iterator[Providers]:
    """Providers that answer what is marked, in one process, told apart by the first segment of the path."""
    with served([sys.executable, str(Path(__file__)), f"--port={port}"]) as server:
        yield Providers(server, {name: f"http://127.0.0.1:{server.port}/{name}" for name in PATHS})


def main() -> None:
    """Be the providers."""
    parser = argparse.ArgumentParser(description="Answer marked requests.")
    parser.add_argument("--port", type=int, default=0)
    asyncio.run(_provide(parser.parse_args().port))


async def _provide(port: int) -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", port, limit=LIMIT, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", flush=True)
    await server.serve_forever()


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            provider = head.split(b"/", 2)[1].decode()
            asked = orjson.loads(await reader.readexactly(length_of(head.lower())))
            answer = _in_events if asked["stream"] else _at_once
            await answer(writer, provider, asked)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _at_once(writer: asyncio.StreamWriter, provider: str, asked: dict[str, Any]) -> None:
    body = _said(provider, asked, parts=1)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()


async def _in_events(writer: asyncio.StreamWriter, provider: str, asked: dict[str, Any]) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for number in range(EVENTS):
        event = b"data: " + _said(provider, {**asked, "number": number}, parts=EVENTS) + b"\n\n"
        writer.write(b"%x\r\n%s\r\n" % (len(event), event))
        await writer.drain()
        await asyncio.sleep(random.random() / 500)
    writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
    await writer.drain()


def _said(provider: str, asked: dict[str, Any], *, parts: int) -> bytes:
    """JSON that repeats the mark, and is as large as it is asked to be."""
    text = f"{asked['mark']} " * (asked["size"] // parts // (len(asked["mark"]) + 1))
    said = {"provider": provider, "mark": asked["mark"], "number": asked.get("number"), "text": text}
    return orjson.dumps(said)


if __name__ == "__main__":
    main()
