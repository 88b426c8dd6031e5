"""Servers that benchmarks talk to, each in a process of its own, and what the system says of each."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

AMBERFORK = [sys.executable, "-m", "amberfork_cli"]
PATIENCE_S = 30


@dataclass(frozen=True, slots=True)
class Server:
    """A server at a port of the loopback interface."""

    process: subprocess.Popen[str]
    port: int

    @property
    def memory(self) -> int:
        """Bytes that it has in memory."""
        return self._status("VmRSS")

    @property
    def peak_memory(self) -> int:
        """The most that it ever had."""
        return self._status("VmHWM")

    @property
    def processor_seconds(self) -> float:
        """Seconds of a processor that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def open_files(self) -> int:
        """Files and sockets that it holds open."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def _status(self, name: str) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError(f"no {name} of process {self.process.pid}")


@contextmanager
def served(
    command: Sequence[str], environment: Mapping[str, str] | None = None, *, stderr: IO[bytes] | None = None
) -> Iterator[Server]:
    """A server that tells its URL in the first line it prints; it is asked to end, and waited for."""
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=stderr or subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield Server(process, _port(process.stdout.readline()))
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()


def record(tape: Path, upstreams: Mapping[str, str], *options: str) -> list[str]:
    """The command that records to a tape, with providers at these URLs."""
    named = [f"--upstream={name}={url}" for name, url in upstreams.items()]
    return [*AMBERFORK, "record", "-o", str(tape), *named, *options]


def replay(tape: Path, *options: str) -> list[str]:
    """The command that answers from a tape."""
    return [*AMBERFORK, "replay", str(tape), *options]


def _port(line: str) -> int:
    """The port in `http://127.0.0.1:PORT/…`."""
    return int(line.rstrip().rpartition(":")[2].partition("/")[0])
