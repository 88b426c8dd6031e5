"""What a look-up on a tape takes, by how long the tape is: of what is on it, and of what is not.

python benchmarks/lookups.py [--kilobytes N]

Every request has a text of its own, so that none can be told from another by anything less than all of it. A
look-up includes reading the recorded exchange from the tape; of a miss, finding the nearest one as well.
"""

import argparse
import random
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from marked import Asked
from measuring import table

from amberfork_cli.core.compare.diffing import DiffOptions
from amberfork_cli.core.jsontext import loads
from amberfork_cli.core.tape import Body, Exchange, Request, Response
from amberfork_cli.proxy.replaying.recorded import Hit, RecordedTape
from amberfork_cli.tapes import exchange_line, header_line, open_tape

LENGTHS = (100, 1_000, 10_000)
LOOK_UPS = 50  # of each kind and at each third of the tape's being used up


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Measure looking requests up on tapes.")
    parser.add_argument("--kilobytes", type=int, default=10, help="of each request")
    size = parser.parse_args().kilobytes * 1000
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(Path(folder) / f"{length}.jsonl", length, size) for length in LENGTHS]
    print(
        table(
            ["exchanges on the tape", "reading it, s", "hit, ms", "miss, ms", "miss when used up, ms"], rows
        )
    )


def _row(path: Path, length: int, size: int) -> list[str]:
    _write(path, length, size)
    with open_tape(path) as tape:
        begun = perf_counter()
        recorded = RecordedTape(tape, DiffOptions())
        reading = perf_counter() - begun
        order = random.Random(length).sample(range(length), length)
        hits = _seconds(recorded, order[:LOOK_UPS], size)
        fresh = range(length, length + LOOK_UPS)
        misses = _seconds(recorded, fresh, size)
        _seconds(recorded, order[LOOK_UPS:-1], size)
        late = _seconds(recorded, fresh, size)
    times = (f"{statistics.median(seconds) * 1000:.2f}" for seconds in (hits, misses, late))
    return [f"{length:,}", f"{reading:.2f}", *times]


def _seconds(recorded: RecordedTape, numbers: range | list[int], size: int) -> list[float]:
    """Seconds of looking each request up, all of which are on the tape, or none is."""
    taken, found = [], []
    for number in numbers:
        asked = replace(_exchange(number, size), response=None)
        begun = perf_counter()
        found.append(isinstance(recorded.look_up(asked), Hit))
        taken.append(perf_counter() - begun)
    assert len(set(found)) <= 1
    return taken


def _write(path: Path, length: int, size: int) -> None:
    with path.open("wb") as file:
        file.write(header_line({}))
        file.writelines(_lines(length, size))


def _lines(length: int, size: int) -> Iterator[bytes]:
    return (exchange_line(_exchange(number, size)) for number in range(length))


def _exchange(number: int, size: int) -> Exchange:
    body = Body.json(loads(Asked.sized(f"request {number}", size, answer=0).body))
    response = Response(200, body=Body.json({"number": number}))
    return Exchange(number, Request("POST", "/v1/chat/completions", body=body), response)


if __name__ == "__main__":
    main()
