"""What the recorder and the replay cost on the way, beside no proxy and a raw relay of bytes, in one run.

python benchmarks/proxy.py [--seconds N] [--kilobytes N] [--mitmdump PATH]

Every case talks to one stub provider, in turns, round by round; each server has a process of its own. Times
depend on the machine and on what else runs there: compare the rows of one table.
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from measuring import table

CLIENTS = 8
ROUNDS = 5
EVENTS = 100
PATH = "/openai/v1/chat/completions"
SELF = [sys.executable, __file__]


def main() -> None:
    """Measure, and print a table; or be one of the servers."""
    parser = argparse.ArgumentParser(description="Measure the loopback edge.")
    parser.add_argument("--seconds", type=float, default=2.0, help="of load, in each case and round")
    parser.add_argument("--kilobytes", type=int, default=100, help="of each request and answer")
    parser.add_argument("--mitmdump", type=Path, help="mitmproxy's program, to be measured as well")
    parser.add_argument("--serve", choices=["provider", "relay"], help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve == "provider":
        asyncio.run(_provide(options.kilobytes))
    elif options.serve == "relay":
        asyncio.run(_relay(options.port))
    else:
        _measure(options.seconds, options.kilobytes, options.mitmdump)


def _measure(seconds: float, kilobytes: int, mitmdump: Path | None) -> None:
    body = _body(kilobytes)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        provider = stack.enter_context(_server([*SELF, "--serve", "provider", f"--kilobytes={kilobytes}"]))
        relay = stack.enter_context(_server([*SELF, "--serve", "relay", f"--port={provider}"]))
        record = stack.enter_context(_recorder(folder / "run.jsonl", provider))
        cases = {"no proxy": provider, "raw relay of bytes": relay, "amberfork record": record}
        if mitmdump is not None:
            cases["mitmdump"] = stack.enter_context(_mitmdump(mitmdump, folder / "flows", provider))
        rows = _rows(cases, body, seconds)
    print(f"{kilobytes} kB each way, median of {ROUNDS} rounds, Python {sys.version.split()[0]}\n")
    heads = ["", "p50 ms", "added ms", f"requests/s at {CLIENTS}", f"{EVENTS} events, ms"]
    print(table(heads, rows))


def _rows(cases: dict[str, int], body: bytes, seconds: float) -> list[list[str]]:
    latency: dict[str, list[float]] = {name: [] for name in cases}
    rate: dict[str, list[float]] = {name: [] for name in cases}
    stream: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(ROUNDS + 1):  # the first only warms up
        for name, port in cases.items():
            figures = asyncio.run(_load(port, body, seconds))
            if turn:
                for kept, figure in zip((latency, rate, stream), figures, strict=True):
                    kept[name].append(figure)
    alone = statistics.median(latency["no proxy"])
    return [
        [
            name,
            f"{statistics.median(latency[name]):.2f}",
            f"{statistics.median(latency[name]) - alone:.2f}",
            f"{statistics.median(rate[name]):,.0f}",
            f"{statistics.median(stream[name]):.1f}",
        ]
        for name in cases
    ]


async def _load(port: int, body: bytes, seconds: float) -> tuple[float, float, float]:
    """Milliseconds of one request alone, requests a second of several clients, milliseconds of a stream."""
    alone = await _connected(port, lambda ask: _times(ask, body, seconds / 2))
    counts = await asyncio.gather(
        *(_connected(port, lambda ask: _times(ask, body, seconds)) for _ in range(CLIENTS))
    )
    streams = await _connected(port, lambda ask: _times(ask, b'{"stream": true}', seconds / 4))
    rate = sum(map(len, counts)) / seconds
    return statistics.median(alone) * 1000, rate, statistics.median(streams) * 1000


Ask = Callable[[bytes], Awaitable[None]]


async def _connected(port: int, work: Callable[[Ask], Awaitable[list[float]]]) -> list[float]:
    """What some work gives with a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)

    async def ask(body: bytes) -> None:
        head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        if b"200 ok" not in answer.partition(b"\r\n")[0]:
            raise RuntimeError(answer.decode())
        if b"chunked" in answer:
            await reader.readuntil(b"\r\n0\r\n\r\n")
        else:
            await reader.readexactly(int(answer.partition(b"content-length:")[2].partition(b"\r\n")[0]))

    try:
        return await work(ask)
    finally:
        writer.close()


async def _times(ask: Ask, body: bytes, seconds: float) -> list[float]:
    end = time.monotonic() + seconds
    times = []
    while (begun := time.monotonic()) < end:
        await ask(body)
        times.append(time.monotonic() - begun)
    return times


@contextmanager
def _server(command: list[str], environment: dict[str, str] | None = None) -> Iterator[int]:
    """The port of a server in a process of its own, which it tells in its first line."""
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline().rstrip().rpartition(":")[2].partition("/")[0])
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@contextmanager
def _recorder(path: Path, provider: int) -> Iterator[int]:
    """The port of `amberfork record`, whose first line sets the base URL of OpenAI's SDK."""
    environment = {**os.environ, "OPENAI_BASE_URL": f"http://127.0.0.1:{provider}"}
    command = [sys.executable, "-m", "amberfork_cli", "record", "-o", str(path)]
    with _server(command, environment) as port:
        yield port


@contextmanager
def _mitmdump(program: Path, flows: Path, provider: int) -> Iterator[int]:
    """The port of mitmproxy as a reverse proxy that writes what passes to a file."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    where = ["--mode", f"reverse:http://127.0.0.1:{provider}", "--listen-host", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen([program, "-q", *where, "-w", str(flows)], stdout=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


def _body(kilobytes: int) -> bytes:
    texts = [{"role": "user", "content": "word " * 200}] * kilobytes
    return json.dumps({"model": "m", "messages": texts}).encode()


async def _provide(kilobytes: int) -> None:
    """Answer every request with so much JSON, or with events."""
    body = _body(kilobytes)
    whole = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )
    begin = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    event = b'data: {"choices": [{"index": 0, "delta": {"content": "word"}}]}\n\n'

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
                asked = await reader.readexactly(length)
                if b"stream" not in asked[:20]:
                    writer.write(whole)
                    continue
                writer.write(begin)
                for _ in range(EVENTS):
                    writer.write(b"%x\r\n%s\r\n" % (len(event), event))
                    await asyncio.sleep(0)
                writer.write(b"0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    await _serve_forever(serve)


async def _relay(port: int) -> None:
    """Copy bytes both ways, and understand none of them: nothing in Python does less."""

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(1 << 18):
                writer.write(piece)
                await writer.drain()
        except ConnectionError:
            pass
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(copy(reader, back), copy(there, writer))

    await _serve_forever(serve)


async def _serve_forever(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 22)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    main()
