"""What memory recording and replaying take: over many exchanges, and for one that is very large.

python benchmarks/edge_memory.py [--exchanges N] [--megabytes N]

Linux only, which says of each process what it has in memory and the most that it had.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from clients import Client
from marked import Asked, providers
from measuring import table
from serving import Server, record, replay, served

KILOBYTES = 10  # of each request and of each answer
CLIENTS = 8
POINTS = (0, 0.01, 0.1, 0.5, 1)  # of all exchanges


def main() -> None:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(description="Measure the memory of the loopback edge.")
    parser.add_argument("--exchanges", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=200, help="of the large request and answer")
    options = parser.parse_args()
    points = [round(options.exchanges * share) for share in POINTS]
    with tempfile.TemporaryDirectory() as folder:
        tape = Path(folder) / "run.jsonl"
        with _recorder(tape) as server:
            rows = [["record", *asyncio.run(_memory_at(points, server))]]
        with served(replay(tape)) as server:
            rows.append(["replay", *asyncio.run(_memory_at(points, server))])
        print(f"MB in memory after so many exchanges of {KILOBYTES} kB each way\n")
        print(table(["", *(f"{point:,}" for point in points)], rows))
        size = options.megabytes * 1_000_000
        rows = [[name, *_peak(Path(folder) / f"{name}.jsonl", *sizes)] for name, sizes in _large(size)]
    print(f"\nThe most it had for one exchange of {options.megabytes} MB\n")
    print(table(["", "before, MB", "most, MB", "most more, to its size"], rows))


@contextmanager
def _recorder(tape: Path) -> Iterator[Server]:
    with providers() as provided, served(record(tape, provided.upstreams)) as server:
        yield server


async def _memory_at(points: list[int], server: Server) -> list[str]:
    """Megabytes after so many exchanges."""
    found = [server.memory]
    for done, more in pairwise(points):
        marks = iter(range(done, more))
        await asyncio.gather(*(_ask(server.port, marks) for _ in range(CLIENTS)))
        found.append(server.memory)
    return [f"{memory / 1e6:.0f}" for memory in found]


async def _ask(port: int, marks: Iterator[int]) -> None:
    client = await Client.to(port)
    for mark in marks:
        asked = Asked.sized(f"m-{mark}", KILOBYTES * 1000, answer=KILOBYTES * 1000)
        status, body = await client.ask(asked)
        assert status == 200
        assert asked.is_answered_by(body)
    client.close()


def _large(size: int) -> list[tuple[str, tuple[int, int]]]:
    return [("a large request", (size, 100)), ("a large answer", (100, size))]


def _peak(tape: Path, size: int, answer: int) -> list[str]:
    """Megabytes before a large exchange and at the most, and the difference as a ratio to its size."""
    with _recorder(tape) as server:
        before = server.peak_memory
        asked = Asked.sized("large", size, answer=answer)
        status, body = asyncio.run(_asked_once(server.port, asked))
        assert status == 200
        assert asked.is_answered_by(body)
        most = server.peak_memory
    ratio = (most - before) / (len(asked.body) + len(body))
    return [f"{before / 1e6:.0f}", f"{most / 1e6:,.0f}", f"{ratio:.1f}"]


async def _asked_once(port: int, asked: Asked) -> tuple[int, bytes]:
    client = await Client.to(port)
    try:
        return await client.ask(asked)
    finally:
        client.close()


if __name__ == "__main__":
    main()
