"""What recording costs on the way, beside no proxy and a raw relay of bytes, in one run.

python benchmarks/proxy.py [--seconds N] [--kilobytes N] [--values many|few] [--mitmdump PATH]

Every case talks to one stub provider, in turns, round by round; each server has a process of its own. Times
depend on the machine and on what else runs there: compare the rows of one table. *processor ms* is what the
proxy itself uses for a request of several clients, which depends on that least. What is written is written to
memory where there is a folder in it: a disk would be measured as well.
"""

import argparse
import asyncio
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from measuring import table
from serving import Server, record, served

CLIENTS = 8
ROUNDS = 5
EVENTS = 100
MEMORY = Path("/dev/shm")  # noqa: S108 - Linux's folder in memory
PATH = "/openai/v1/chat/completions"
SELF = [sys.executable, __file__]


def main() -> None:
    """Measure, and print a table; or be one of the servers."""
    parser = argparse.ArgumentParser(description="Measure the loopback edge.")
    parser.add_argument("--seconds", type=float, default=2.0, help="of load, in each case and round")
    parser.add_argument("--kilobytes", type=int, default=100, help="of each request and answer")
    parser.add_argument("--values", choices=["few", "many"], default="few", help="in the JSON of a request")
    parser.add_argument("--mitmdump", type=Path, help="mitmproxy's program, to be measured as well")
    parser.add_argument("--serve", choices=["provider", "relay"], help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve == "provider":
        asyncio.run(_provide(options.kilobytes))
    elif options.serve == "relay":
        asyncio.run(_relay(options.port))
    else:
        body = BODIES[options.values](options.kilobytes)
        _measure(body, options.seconds, options.kilobytes, options.mitmdump)


def _measure(body: bytes, seconds: float, kilobytes: int, mitmdump: Path | None) -> None:
    with ExitStack() as stack:
        where = MEMORY if MEMORY.is_dir() else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=where)))
        provider = stack.enter_context(served([*SELF, "--serve", "provider", f"--kilobytes={kilobytes}"]))
        relay = [*SELF, "--serve", "relay", f"--port={provider.port}"]
        upstreams = {"openai": f"http://127.0.0.1:{provider.port}"}
        cases = {
            "no proxy": provider,
            "raw relay of bytes": stack.enter_context(served(relay)),
            "amberfork record": stack.enter_context(served(record(folder / "run.jsonl", upstreams))),
        }
        if mitmdump is not None:
            cases["mitmdump"] = stack.enter_context(_mitmdump(mitmdump, folder / "flows", provider.port))
        rows = _rows(cases, body, seconds)
    print(f"{len(body):,} bytes there, {kilobytes} kB back, median of {ROUNDS} rounds\n")
    heads = ["", "p50 ms", "added ms", f"requests/s at {CLIENTS}", "processor ms", f"{EVENTS} events, ms"]
    print(table(heads, rows))


def _rows(cases: dict[str, Server], body: bytes, seconds: float) -> list[list[str]]:
    figures: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for turn in range(ROUNDS + 1):  # the first only warms up
        for name, server in cases.items():
            taken = asyncio.run(_load(server, body, seconds))
            if turn:
                figures[name].append(taken)
    medians = {
        name: [statistics.median(column) for column in zip(*figures[name], strict=True)] for name in cases
    }
    alone = medians["no proxy"][0]
    return [
        [name, f"{p50:.2f}", f"{p50 - alone:.2f}", f"{rate:,.0f}", f"{processor:.2f}", f"{stream:.1f}"]
        for name, (p50, rate, processor, stream) in medians.items()
    ]


async def _load(server: Server, body: bytes, seconds: float) -> tuple[float, float, float, float]:
    """Milliseconds of a request, requests a second and processor milliseconds of each, and of a stream."""
    alone = await _connected(server.port, lambda ask: _times(ask, body, seconds / 2))
    before = server.processor_seconds
    times = await asyncio.gather(
        *(_connected(server.port, lambda ask: _times(ask, body, seconds)) for _ in range(CLIENTS))
    )
    count = sum(map(len, times))
    processor = (server.processor_seconds - before) / count
    streams = await _connected(server.port, lambda ask: _times(ask, b'{"stream": true}', seconds / 4))
    return (
        statistics.median(alone) * 1000,
        count / seconds,
        processor * 1000,
        statistics.median(streams) * 1000,
    )


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
def _mitmdump(program: Path, flows: Path, provider: int) -> Iterator[Server]:
    """A reverse proxy of mitmproxy's that writes what passes to a file."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    where = ["--mode", f"reverse:http://127.0.0.1:{provider}", "--listen-host", "127.0.0.1", "-p", str(port)]
    command = [program, "-q", *where, "-w", str(flows)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, text=True)
    try:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield Server(process, port)
    finally:
        process.terminate()
        process.wait()


def _few_values(kilobytes: int) -> bytes:
    """A body of messages of a thousand letters."""
    texts = [{"role": "user", "content": "word " * 200}] * kilobytes
    return json.dumps({"model": "m", "messages": texts}).encode()


def _many_values(kilobytes: int) -> bytes:
    """A body of tool calls and their short results, as agents send it."""
    messages = [message for number in range(kilobytes * 4) for message in _round(number)]
    return json.dumps({"model": "m", "messages": messages}, separators=(",", ":")).encode()


def _round(number: int) -> tuple[object, object]:
    name = f"call_{number:08}"
    function = {"name": "weather", "arguments": json.dumps({"city": "Seoul", "day": number})}
    call = {"id": name, "type": "function", "function": function}
    result = {"role": "tool", "tool_call_id": name, "content": json.dumps({"celsius": 3.5})}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, result


BODIES = {"few": _few_values, "many": _many_values}


async def _provide(kilobytes: int) -> None:
    """Answer every request with so much JSON, or with events."""
    body = _few_values(kilobytes)
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
