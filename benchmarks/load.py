"""Many agents at once, recorded and then answered from that tape: nothing lost, mixed, doubled or torn.

python benchmarks/load.py [--clients N] [--seconds N]

Streams and whole answers of three providers, of 1, 20 and 200 kB each way, each with a mark of its own. The
exit code is 1 if anything is not as it should be. Times are those of clients, providers and amberfork on the
same processors.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from clients import Comparison, Run, asking, compared
from marked import providers
from measuring import table
from serving import record, replay, served

from amberfork_cli.tapes import open_tape

HEADS = ("", "exchanges", "per second", "p50 ms", "p99 ms", "memory, MB")
SHOWN = 5  # marks of each kind of trouble


def main() -> None:
    """Record and replay under load, print what came of it, and end with 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description="Record and replay many agents at once.")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0, help="of recording")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tape = Path(folder) / "run.jsonl"
        recorded, memory = recorded_under_load(tape, clients=options.clients, seconds=options.seconds)
        rows = [_row("record", recorded, memory)]
        replayed, memory = replayed_under_load(tape, recorded, clients=options.clients)
        rows.append(_row("replay", replayed, memory))
        trouble = [*wrong_on(tape, recorded), *_wrong("recording", recorded), *_wrong("replaying", replayed)]
        print(f"{options.clients} clients, a tape of {tape.stat().st_size / 1e6:,.0f} MB\n")
    print(table(HEADS, rows))
    print(
        "\n" + "\n".join(trouble or ["Nothing lost, mixed, doubled or torn; all answers are those recorded."])
    )
    raise SystemExit(1 if trouble else 0)


def recorded_under_load(tape: Path, *, clients: int, seconds: float) -> tuple[Run, int]:
    """What clients saw that are recorded for so long, and the bytes in the recorder's memory then."""
    with providers() as provided, served(record(tape, provided.upstreams)) as server:
        end = time.monotonic() + seconds
        run = asyncio.run(asking(server.port, clients, lambda _: time.monotonic() < end, Run()))
        return run, server.memory


def replayed_under_load(tape: Path, recorded: Run, *, clients: int) -> tuple[Run, int]:
    """What they see who ask the same once more, of the tape; whatever is not the same is wrong."""
    with served(replay(tape)) as server:
        run = asyncio.run(asking(server.port, clients, lambda mark: mark in recorded.seen, Run()))
        memory = server.memory
    run.wrong["not asked again"] += len(recorded.seen.keys() - run.seen.keys())
    for mark, seen in run.seen.items():
        run.wrong["another answer than the recorded one"] += seen != recorded.seen[mark]
    return run, memory


def wrong_on(tape: Path, recorded: Run) -> Iterator[str]:
    """What is wrong on a tape, given what the clients saw."""
    with open_tape(tape) as exchanges:
        yield from told(compared(exchanges, recorded.seen))
        if exchanges.left_out.torn_end is not None:
            yield "the last line of the tape is torn"


def told(found: Comparison) -> Iterator[str]:
    """A line for each kind of trouble that there is."""
    for name, marks in (
        ("lost", found.lost),
        ("mixed", found.mixed),
        ("doubled", found.twice),
        ("on the tape, but not seen by a client", found.unseen),
    ):
        if marks:
            yield f"{len(marks):,} {name}: {', '.join(sorted(marks)[:SHOWN])} …"


def _wrong(doing: str, run: Run) -> Iterator[str]:
    yield from (f"{doing}: {times:,} {words}" for words, times in run.wrong.items() if times)


def _row(name: str, run: Run, memory: int) -> list[str]:
    late = sorted(run.times)[int(len(run.times) * 0.99)]
    times = (f"{seconds * 1000:.0f}" for seconds in (statistics.median(run.times), late))
    return [
        name,
        f"{len(run.times):,}",
        f"{len(run.times) / run.seconds:,.0f}",
        *times,
        f"{memory / 1e6:,.0f}",
    ]


if __name__ == "__main__":
    main()
