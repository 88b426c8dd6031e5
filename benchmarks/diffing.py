"""What comparing costs: two tapes and two bodies, beside what general diff tools make of the same bodies.

    python benchmarks/diffing.py [--peers] [--turns 10,30,100,300,1000]

The tapes are two issues of one run, every ID minted anew. Loading is reading both tapes exactly and nothing
else. A peer is given the parsed bodies that differ, one pair after another, as a reader of the fingerprints
would hand them over; it counts what it reports. Each runs in a process of its own, and is given two minutes.
jsondiff is optional: `pip install jsondiff`.
"""

import argparse
import difflib
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent_runs import Run, dropped, run, with_argument
from generate import exchanges, write
from measuring import interleaved, process_seconds, table

from amberfork_cli.core.compare.diffing import diff_tapes
from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.tapes import open_tape

Json = Any
PATIENCE = 120  # seconds that a peer is given
SMALL_ROUND = 300  # bytes that a round adds where there are a thousand
CALL_BYTES = 800  # a round of one call and one result, as in an agent that works through a list


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tapes to compare."""

    name: str
    recorded: Path
    reissued: Path

    @property
    def megabytes(self) -> float:
        """The size of both."""
        return (self.recorded.stat().st_size + self.reissued.stat().st_size) / 1e6


def main() -> None:
    """Measure, and print the tables."""
    asked = _parser().parse_args()
    if asked.child:
        print(json.dumps(_CHILDREN[asked.child](*map(Path, asked.files))))
        return
    with tempfile.TemporaryDirectory() as folder:
        _print_pairs(Path(folder), asked)
        _print_growth(Path(folder), [int(turns) for turns in asked.turns.split(",")])


def _print_pairs(folder: Path, asked: argparse.Namespace) -> None:
    """The two comparisons that have a target, each beside its peers."""
    misses = _pair(
        folder, "100 turns, 49 misses", run(1, turns=100), lambda issued: with_argument(issued, 50)
    )
    _compare(misses, rounds=asked.rounds, peers=asked.peers)
    many = _single_calls(run(1, turns=1_001, round_bytes=CALL_BYTES))
    _compare(_bodies(folder, many), rounds=asked.rounds, peers=asked.peers)


def _compare(pair: Pair, *, rounds: int, peers: bool) -> None:
    loading, whole = "load", "load and diff"
    cases = {loading: lambda: _seconds(lambda: _load(pair)), whole: lambda: _seconds(lambda: _diff(pair))}
    command = [
        str(Path(sys.executable).parent / "amberfork"),
        "diff",
        "--quiet",
        str(pair.recorded),
        str(pair.reissued),
    ]
    measured = interleaved({**cases, "whole process": lambda: _process(command)}, rounds=rounds)
    report = _diff(pair)
    told = [difference for change in report.changes for difference in change.differences]
    places = sum(len(change.spots) for change in report.changes)
    beyond = measured[whole].median - measured[loading].median
    rows = [
        [
            f"amberfork, beyond loading ({_count(places, 'place')}, {_count(len(told), 'difference')})",
            _ms(beyond),
            "1",
        ],
        ["amberfork, loading", _ms(measured[loading].median), _ratio(measured[loading].median, beyond)],
        [
            "amberfork diff, whole process",
            _ms(measured["whole process"].median),
            _ratio(measured["whole process"].median, beyond),
        ],
    ]
    rows += [_peer_row(name, pair, beyond) for name in _PEERS if peers]
    print(f"\n{pair.name}, {pair.megabytes:.1f} MB, median of {rounds} rounds, peers once\n")
    print(table(["", "CPU ms", "ratio"], rows))


def _peer_row(name: str, pair: Pair, beyond: float) -> list[str]:
    if name == "jsondiff" and importlib.util.find_spec("jsondiff") is None:
        return [name, "not installed", ""]
    found = _child(name, pair)
    if found is None:
        return [name, f"> {PATIENCE * 1000:,}", f"> {PATIENCE / beyond:,.0f}"]
    return [f"{name} ({found['reports']:,} reports)", _ms(found["seconds"]), _ratio(found["seconds"], beyond)]


def _print_growth(folder: Path, sizes: list[int]) -> None:
    """Time and memory from a few turns to many, one argument changed in the middle."""
    rows = []
    for turns in sizes:
        issued = run(1, turns=turns, round_bytes=SMALL_ROUND)
        for name, edit in _edits(turns).items():
            pair = _pair(folder, name, issued, edit)
            found = _child("growth", pair)
            assert found is not None
            rows.append(
                [
                    f"{turns:,} turns, {name}",
                    f"{pair.megabytes:.1f}",
                    _ms(found["load"]),
                    _ms(found["diff"]),
                    _ratio(found["diff"], found["load"]),
                    f"{(found['diff'] - found['load']) / turns * 1000:.2f}",
                    f"{found['told']:,}",
                    f"{found['peak']:.0f}",
                ]
            )
            pair.recorded.unlink()
            pair.reissued.unlink()
    heads = ["", "MB", "load ms", "load and diff ms", "ratio", "diff ms a turn", "differences", "peak MiB"]
    print(f"\nGrowth, rounds of {SMALL_ROUND} bytes, a process each\n")
    print(table(heads, rows))


def _edits(turns: int) -> Mapping[str, Callable[[Run], Run]]:
    return {
        "same": lambda issued: issued,
        "one argument": lambda issued: with_argument(issued, turns // 2),
        "one round dropped": lambda issued: dropped(issued, turns // 2),
        "all other from a tenth on": lambda issued: _otherwise(issued, turns // 10),
    }


def _otherwise(issued: Run, turn: int) -> Run:
    """The run as it would be if everything went otherwise from a round on."""
    other = run(2, turns=len(issued.rounds) + 1, round_bytes=SMALL_ROUND)
    return replace(issued, rounds=(*issued.rounds[:turn], *other.rounds[turn:]))


def _pair(folder: Path, name: str, issued: Run, edit: Callable[[Run], Run]) -> Pair:
    paths = folder / "recorded.jsonl", folder / "reissued.jsonl"
    for ids, path, one in zip((1, 2), paths, (issued, edit(issued)), strict=True):
        with path.open("wb") as file:
            write(file, exchanges(one, "openai-chat", ids=ids))
    return Pair(name, *paths)


def _single_calls(issued: Run) -> Run:
    return replace(issued, rounds=tuple(replace(one, calls=one.calls[:1]) for one in issued.rounds))


def _bodies(folder: Path, issued: Run) -> Pair:
    """The last requests of two issues, one of which lacks a round, each a file."""
    paths = folder / "recorded.json", folder / "reissued.json"
    for ids, path, one in zip((1, 2), paths, (issued, dropped(issued, 500)), strict=True):
        (last,) = deque(exchanges(one, "openai-chat", ids=ids), maxlen=1)
        path.write_text(json.dumps(json.loads(last)["request"]["body"]))
    return Pair("1,000 rounds in one body, one dropped", *paths)


def _load(pair: Pair) -> None:
    for path in (pair.recorded, pair.reissued):
        with open_tape(path) as tape:
            for _ in tape:
                pass


def _diff(pair: Pair) -> DiffReport:
    with open_tape(pair.recorded) as recorded, open_tape(pair.reissued) as reissued:
        return diff_tapes(recorded, reissued)


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _process(command: list[str]) -> float:
    """Processor seconds of a diff that finds differences, which is no failure."""
    shell = ["/bin/sh", "-c", '"$@"; [ $? -le 1 ]', "sh", *command]
    return process_seconds(shell)


def _child(name: str, pair: Pair) -> dict[str, float] | None:
    command = [sys.executable, __file__, "--child", name, str(pair.recorded), str(pair.reissued)]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE + 30)
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _misses(recorded: Path, reissued: Path) -> list[tuple[Json, Json]]:
    """The pairs of bodies that differ, parsed."""
    with open_tape(recorded) as old, open_tape(reissued) as new:
        report = diff_tapes(old, new)
        return [
            (old.reread(one.recorded).request.body.value, new.reread(one.reissued).request.body.value)
            for one in report.exchanges
            if one.recorded is not None and one.reissued is not None and one.state != "match"
        ]


def _by_deepdiff(old: Json, new: Json) -> int:
    from deepdiff import DeepDiff

    return sum(len(found) for found in DeepDiff(old, new, view="tree").values())


def _by_jsondiff(old: Json, new: Json) -> int:
    import jsondiff

    return _leaves(jsondiff.diff(old, new))


def _by_difflib(old: Json, new: Json) -> int:
    sides = (json.dumps(body, indent=1, sort_keys=True).splitlines() for body in (old, new))
    return sum(line[0] in "+-" for line in difflib.unified_diff(*sides, n=0))


def _leaves(value: Json) -> int:
    if isinstance(value, (dict, list)):
        return sum(map(_leaves, value.values() if isinstance(value, dict) else value))
    return 1


_PEERS = {"DeepDiff": _by_deepdiff, "jsondiff": _by_jsondiff, "difflib on lines of JSON": _by_difflib}


def _measured_peer(name: str) -> Callable[[Path, Path], dict[str, float]]:
    def measure(recorded: Path, reissued: Path) -> dict[str, float]:
        compare, pairs = _PEERS[name], _misses(recorded, reissued)
        compare({}, {})  # so that imports do not count
        begun = time.process_time()
        reports = sum(compare(old, new) for old, new in pairs)
        return {"seconds": time.process_time() - begun, "reports": reports}

    return measure


def _growth(recorded: Path, reissued: Path) -> dict[str, float]:
    """Seconds to load and to compare two tapes, and the most memory that either took."""
    pair = Pair("", recorded, reissued)
    load = _seconds(lambda: _load(pair))
    begun = time.process_time()
    report = _diff(pair)
    diff = time.process_time() - begun
    told = sum(len(change.differences) for change in report.changes)
    return {"load": load, "diff": diff, "told": told, "peak": _peak()}


def _peak() -> float:
    """The most memory this process has had, in MiB; what `getrusage` gives counts its parent's too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


_CHILDREN = {"growth": _growth, **{name: _measured_peer(name) for name in _PEERS}}


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.1f}"


def _ratio(seconds: float, floor: float) -> str:
    return f"{seconds / floor:,.2f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure comparing.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--peers", action="store_true", help="measure DeepDiff, jsondiff and difflib too")
    parser.add_argument("--turns", default="10,30,100,300,1000", help="sizes to show growth at")
    parser.add_argument("--child", choices=_CHILDREN, help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    main()
