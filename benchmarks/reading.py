"""What reading and fingerprinting a tape costs: ratios to `orjson.loads` on the same bytes, and memory.

    python benchmarks/reading.py [--corpus ../shared/corpus] [--memory 1G]

Beside each stands what it cannot cost less than as it is built: jiter alone for exact parsing; for
fingerprints reading the tape and, for each new message, a walk for IDs, two sorted texts and one digest.
"""

import argparse
import gzip
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path

import agent_runs
import generate
import jiter
import orjson
from measuring import interleaved, table
from wires import APIS

from amberfork_cli import fingerprints, open_tape
from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.id_rules import HISTORIES, sites
from amberfork_cli.core.repeats import RepeatReader
from amberfork_cli.core.tape import JsonValue

TURNS = {12: 20, 100: 2, 400: 1}  # so many conversations of each length
HABITS = [("anthropic", "hints", "cache hints move on"), ("openai-chat", "clock", "a prompt tells the time")]
TARGETS = {12: "≤ 3.5", 100: "≤ 2.5", 400: ""}


def main() -> None:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(description="Measure reading and fingerprinting.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--corpus", type=Path, default=Path("../shared/corpus"))
    parser.add_argument(
        "--memory", default="1G", help="size of the tape that memory is measured on; 0 for none"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            _row(name, target, tape, asked.rounds)
            for name, target, tape in _tapes(Path(folder), asked.corpus)
        ]
        heads = ["tape", "MB", "jiter", "exact parse", "repeats known", "floor", "fingerprints", "target"]
        print(f"Python {sys.version.split()[0]}, ratios to orjson.loads, medians of {asked.rounds} rounds\n")
        print(table(heads, rows))
        if asked.memory != "0":
            heads = ["process", "peak MiB", "CPU seconds"]
            print(f"\n{table(heads, list(_memory(Path(folder), asked.memory)))}")


def _tapes(folder: Path, corpus: Path) -> Iterator[tuple[str, str, Path]]:
    """Each tape to measure, with its name and the target for its fingerprints."""
    for api in APIS:
        for turns, conversations in TURNS.items():
            tape = folder / f"{api}-{turns}.jsonl"
            count = conversations if api == "openai-chat" or turns < 400 else 0
            runs = (agent_runs.run(seed, turns=turns) for seed in range(count))
            issued = (
                line for ids, run in enumerate(runs, 1) for line in generate.exchanges(run, api, ids=ids)
            )
            with tape.open("wb") as file:
                generate.write(file, issued)
            if count:
                yield f"{api}, {turns} turns", TARGETS[turns], tape
    for api, habit, name in HABITS:
        tape = folder / f"{api}-{habit}.jsonl"
        with tape.open("wb") as file:
            generate.write(file, generate.exchanges(agent_runs.run(0, turns=100), api, habit=habit))
        yield f"{api}, 100 turns, {name}", "", tape
    for recorded in sorted(corpus.glob("*.jsonl.gz")) if corpus.is_dir() else ():
        tape = folder / recorded.stem
        tape.write_bytes(gzip.decompress(recorded.read_bytes()))
        if tape.stat().st_size > 1 << 20:
            yield f"corpus, {recorded.name.removesuffix('.jsonl.gz')}", "", tape


def _row(name: str, target: str, tape: Path, rounds: int) -> list[str]:
    lines = [line for line in tape.read_bytes().split(b"\n") if line]
    cases: Mapping[str, Callable[[], float]] = {
        "orjson": _timed(lambda: _each(orjson.loads, lines)),
        "jiter": _timed(lambda: _each(_by_jiter, lines)),
        "exact": _timed(lambda: _each(jsontext.loads, lines)),
        "repeats": _timed(lambda: _each(RepeatReader().loads, lines)),
        "floor": _timed(lambda: _floor(tape)),
        "fingerprints": _timed(lambda: _fingerprints(tape)),
    }
    measured = interleaved(cases, rounds=rounds)
    base = measured["orjson"].median
    ratios = [f"{measured[case].median / base:.2f}" for case in cases if case != "orjson"]
    return [name, f"{tape.stat().st_size / 1e6:.1f}", *ratios, target]


def _timed(work: Callable[[], None]) -> Callable[[], float]:
    def case() -> float:
        begun = time.process_time()
        work()
        return time.process_time() - begun

    return case


def _each(read: Callable[[bytes], object], lines: Sequence[bytes]) -> None:
    for line in lines:
        read(line)


def _by_jiter(line: bytes) -> object:
    return jiter.from_json(line, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")


def _floor(path: Path) -> None:
    """Read a tape, and do with each message that is new what any way to its fingerprints has to do."""
    before: list[JsonValue] = []
    with open_tape(path) as tape:
        for exchange in tape:
            body = exchange.request.body.value
            lists = (body.get(name) for name in HISTORIES) if isinstance(body, dict) else ()
            history = next((found for found in lists if isinstance(found, list)), [])
            known = zip_longest(before[: len(history)], history, fillvalue=object())
            for message in (new for old, new in known if new is not old):
                sites(message, at=("messages", 0))
                jsontext.dumps(message, sort_keys=True)
                blake2b(jsontext.dumps(message, sort_keys=True), digest_size=16).digest()
            before = history


def _fingerprints(path: Path) -> None:
    with open_tape(path) as tape:
        for _ in fingerprints(tape):
            pass


def _memory(folder: Path, size: str) -> Iterator[list[str]]:
    """Whole processes on a large tape and on the same run with fresh IDs and one argument changed."""
    one, other = folder / "large.jsonl", folder / "again.jsonl"
    made = [sys.executable, generate.__file__, "--turns", "100", "--size", size]
    subprocess.run([*made, "-o", str(one)], check=True, capture_output=True)
    subprocess.run(
        [*made, "--ids", "7", "--argument", "60", "-o", str(other)], check=True, capture_output=True
    )
    command = [sys.executable, "-m", "amberfork_cli"]
    for name, arguments in {
        f"canon --show digest, {size}": ["canon", "--show", "digest", str(one)],
        f"canon, {size}": ["canon", str(one), "-o", str(folder / "canonical.jsonl")],
        f"diff, 2 × {size}": ["diff", "--quiet", str(one), str(other)],
    }.items():
        peak, seconds = _peak([*command, *arguments])
        yield [name, f"{peak:.0f}", f"{seconds:.1f}"]


def _peak(command: Sequence[str]) -> tuple[float, float]:
    """The peak memory in MiB and the processor time of a process, measured by one that waits for it alone."""
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(used.ru_maxrss, used.ru_utime + used.ru_stime)"
    )
    output = subprocess.run(
        [sys.executable, "-c", script, *command], check=True, capture_output=True, text=True
    )
    kilobytes, seconds = output.stdout.split()
    return int(kilobytes) / 1024, float(seconds)


if __name__ == "__main__":
    main()
