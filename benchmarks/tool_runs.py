"""What running tools costs: beside the same functions called directly, in one run.

A worker process stands between, so there is a start, something for each call, and for each kill. Times are
wall time, medians of some rounds, each case once a round. The last table is of reading a session log, where
every request carries the whole history: processor time.

    python benchmarks/tool_runs.py
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from measuring import Spread, interleaved, table

from amberfork_cli import open_tape
from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.linting.lint import lint
from amberfork_cli.core.overview import overview
from amberfork_cli.worker.calls import CallRequest
from amberfork_cli.worker.client import WorkerClient
from amberfork_cli.worker.host import Host
from amberfork_cli.worker.protocol import Load

CALLS = 1_000
BOUND = 50
WAIT = 0.01  # seconds
LIMIT_MS = 200
LOGS = (1_250, 5_000)  # requests
TOOLS = """
import asyncio
import time

from amberfork_cli import ToolRegistry

registry = ToolRegistry()


@registry.tool
async def coroutine(n: int) -> int:
    return n


@registry.tool
def function(n: int) -> int:
    return n


@registry.tool
async def waiting_coroutine(n: int) -> int:
    await asyncio.sleep(0.01)
    return n


@registry.tool
def waiting_function(n: int) -> int:
    time.sleep(0.01)
    return n


@registry.tool
def hanging() -> None:
    time.sleep(60)
"""


def main() -> None:
    """Measure, and print three tables."""
    parser = argparse.ArgumentParser(description="Measure the running of tools.")
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        registry = Path(folder) / "mytools.py"
        registry.write_text(TOOLS)
        print(f"Python {sys.version.split()[0]}, wall time, medians of {rounds} rounds\n")
        print(table(["what", "here", "directly", "ratio"], list(_beside(registry, rounds))))
        print(f"\n{table(['a call', 'ms'], list(_calls(registry, rounds)))}")
        print(f"\n{table(['a log of requests', *map(str, LOGS), 'ratio'], list(_logs(Path(folder))))}")


def _beside(registry: Path, rounds: int) -> Iterator[tuple[str, ...]]:
    """What has a counterpart without a worker."""
    with WorkerClient(str(registry), jobs=BOUND) as client:
        found = interleaved(
            {
                "start": lambda: _seconds(lambda: _start(registry)),
                "import": lambda: _seconds(lambda: _import(registry)),
                "coroutines": lambda: _turn(client, "waiting_coroutine"),
                "gather": lambda: _seconds(lambda: asyncio.run(_gathered())),
                "functions": lambda: _turn(client, "waiting_function"),
                "pool": lambda: _seconds(_pooled),
            },
            rounds=rounds,
        )
    calls = f"{CALLS:,} calls of {WAIT * 1000:g} ms, {BOUND} at once"
    yield _row("start until the registry is loaded; a plain import", found["start"], found["import"])
    yield _row(f"{calls}: coroutines; asyncio.gather", found["coroutines"], found["gather"])
    yield _row(f"{calls}: functions; a thread pool", found["functions"], found["pool"])


def _calls(registry: Path, rounds: int) -> Iterator[tuple[str, str]]:
    """What one call costs, and one that has to be stopped."""
    with (
        WorkerClient(str(registry)) as at_once,
        WorkerClient(str(registry), jobs=1) as in_a_row,
        WorkerClient(str(registry), timeout_ms=LIMIT_MS) as limited,
    ):
        found = interleaved(
            {
                "coroutine": lambda: _turn(at_once, "coroutine"),
                "function on a thread": lambda: _turn(at_once, "function"),
                "coroutine, --jobs 1": lambda: _turn(in_a_row, "coroutine"),
                "function, --jobs 1": lambda: _turn(in_a_row, "function"),
                "over": lambda: _over(limited),
                "kill": lambda: _kill(registry),
            },
            rounds=rounds,
        )
    for name in ("coroutine", "function on a thread", "coroutine, --jobs 1", "function, --jobs 1"):
        yield name, f"{found[name].median / CALLS * 1000:.2f}"
    yield f"a tool that sleeps 60 s, limit {LIMIT_MS} ms: answered after", _ms(found["over"])
    yield "killing the worker", _ms(found["kill"])


def _logs(folder: Path) -> Iterator[tuple[str, ...]]:
    """Processor seconds of what reads a log; whoever read all messages again would need 16 times as many."""
    logs = [_log(folder / f"{requests}.jsonl", requests) for requests in LOGS]
    readers: Mapping[str, Callable[[Path], object]] = {
        "finding its calls": lambda log: tool_turns(open_tape(log)),
        "show": lambda log: overview(open_tape(log)),
        "lint": lambda log: lint(open_tape(log)),
    }
    for name, read in readers.items():
        taken = [min(_seconds(partial(read, log), clock=time.process_time) for _ in range(2)) for log in logs]
        yield (name, *(f"{seconds:.2f} s" for seconds in taken), f"{taken[-1] / taken[0]:.1f}")


def _start(registry: Path) -> None:
    with WorkerClient(str(registry)) as client:
        client.describe()


def _import(registry: Path) -> None:
    subprocess.run([sys.executable, registry.name], cwd=registry.parent, check=True)


def _turn(client: WorkerClient, tool: str) -> float:
    """Seconds for one turn of many calls."""
    calls = [CallRequest(tool, {"n": number}) for number in range(CALLS)]
    client.describe()
    return _seconds(lambda: client.run_turn(calls))


async def _gathered() -> None:
    bound = asyncio.Semaphore(BOUND)

    async def wait() -> None:
        async with bound:
            await asyncio.sleep(WAIT)

    await asyncio.gather(*(wait() for _ in range(CALLS)))


def _pooled() -> None:
    with ThreadPoolExecutor(BOUND) as pool:
        list(pool.map(lambda _: time.sleep(WAIT), range(CALLS)))


def _over(client: WorkerClient) -> float:
    client.describe()
    return _seconds(lambda: client.run_turn([CallRequest("hanging", {})]))


def _kill(registry: Path) -> float:
    host = Host(Load(str(registry), one_at_a_time=False, coerce=False))
    host.tools()
    return _seconds(host.kill)


def _log(file: Path, requests: int) -> Path:
    """A session log of so many requests, each with a call and its result."""
    dice = random.Random(1)
    words = [f"word{number}" for number in range(500)]
    lines: list[dict[str, object]] = []

    def say(kind: str, message: dict[str, object]) -> None:
        parent = lines[-1]["uuid"] if lines else None
        uuid = f"{len(lines):08x}-0000-4000-8000-000000000000"
        lines.append({"type": kind, "sessionId": "s", "uuid": uuid, "parentUuid": parent, "message": message})

    say("user", {"role": "user", "content": "Go through all files."})
    for number in range(requests):
        name = f"toolu_{number:012d}"
        call = {"type": "tool_use", "id": name, "name": "Read", "input": {"path": f"/src/{number}.py"}}
        answer = {"id": f"msg_{number}", "role": "assistant", "model": "claude-sonnet-4", "content": [call]}
        say("assistant", answer)
        text = " ".join(dice.choices(words, k=60))
        result = {"type": "tool_result", "tool_use_id": name, "content": text}
        say("user", {"role": "user", "content": [result]})
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


def _row(name: str, here: Spread, directly: Spread) -> tuple[str, str, str, str]:
    return name, _ms(here), _ms(directly), f"{here.median / directly.median:.2f}"


def _ms(spread: Spread) -> str:
    return f"{spread.median * 1000:.0f} ms"


def _seconds(work: Callable[[], object], *, clock: Callable[[], float] = time.perf_counter) -> float:
    begun = clock()
    work()
    return clock() - begun


if __name__ == "__main__":
    main()
