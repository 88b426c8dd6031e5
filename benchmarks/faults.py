"""What goes wrong while agents are recorded, and what is left: nothing that an agent had to its end is lost.

python benchmarks/faults.py [--times N] [FAULT ...]

Every fault meets a recorder that has other clients as well, which must not notice. The exit code is 1 if
anything is not as it should be. Linux only; the disk that is full is a small one of its own where this may be
mounted, else a limit to the size of files.
"""

import argparse
import asyncio
import os
import random
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from broken_clients import BROKEN, STRANGE, ask_strangely, break_off_at, slow_clients
from clients import Comparison, Run, asking, compared
from load import told
from marked import providers
from measuring import table
from serving import AMBERFORK, PATIENCE_S, Server, record, served

from amberfork_cli.proxy.recording.exchange import CUT
from amberfork_cli.tapes import open_tape

CLIENTS = 20
DISK_BYTES = 4 << 20
AGENT = """
import http.client, json, os
print(os.getpid(), flush=True)
host, path = os.environ["OPENAI_BASE_URL"].removeprefix("http://").split("/", 1)
connection = http.client.HTTPConnection(host)
for number in range(10**6):
    body = {"mark": f"agent-{number}", "stream": number % 2 == 0, "size": 20_000, "messages": []}
    connection.request("POST", f"/{path}/v1/chat/completions", json.dumps(body))
    connection.getresponse().read()
    print(f"agent-{number}", flush=True)
"""
TOOLS = "def weather(city: str) -> str:\n    return city\n"


@dataclass(slots=True)
class Found:
    """What came of a fault: figures worth a word, and what is not as it should be."""

    figures: Counter[str] = field(default_factory=Counter)
    trouble: list[str] = field(default_factory=list)

    def expect(self, holds: bool, otherwise: str) -> None:
        """Something that must hold."""
        if not holds:
            self.trouble.append(otherwise)

    def hold(self, tape: Path, run: Run) -> None:
        """A tape holds what the clients of a run had to its end; what is on it besides says what cut it."""
        found, torn, cut = _compared(tape, run)
        self.figures.update({"exchanges": found.exchanges, "cut": len(cut), "torn last lines": torn})
        self.trouble += told(replace(found, unseen=tuple(set(found.unseen) - cut)))

    def unnoticed(self, run: Run) -> None:
        """The clients of a run noticed nothing."""
        self.trouble += [f"{times:,} {words}" for words, times in run.wrong.items()]


def main() -> None:
    """Bring about every fault, print what came of each, and end with 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description="Record through faults.")
    parser.add_argument("--times", type=int, default=30, help="of what happens at a random moment")
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=f"of {', '.join(FAULTS)}")
    options = parser.parse_args()
    rows, trouble = [], []
    for name in options.faults or FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            found = FAULTS[name](Path(folder), options.times)
        rows.append([name, _in_words(found.figures)])
        trouble += [f"{name}: {words}" for words in found.trouble]
    print(table(["", "found"], rows))
    print("\n" + "\n".join(trouble or ["Nothing that a client had to its end is lost; nobody else noticed."]))
    raise SystemExit(1 if trouble else 0)


def _in_words(figures: Counter[str]) -> str:
    return ", ".join(f"{number:,} {words}" for words, number in figures.items() if number)


def recorder_killed(folder: Path, times: int) -> Found:
    """Kill -9 of the recorder at random moments, with clients at work; every command then reads the tape."""
    found, chance = Found(), random.Random(1)
    (folder / "tools.py").write_text(TOOLS)
    with providers() as provided:
        for turn in range(times):
            tape = folder / f"{turn}.jsonl"
            with served(record(tape, provided.upstreams)) as server, _at_work(server) as run:
                time.sleep(chance.uniform(0.1, 0.6))
                server.process.kill()
            comparison, torn, _ = _compared(tape, run)
            found.figures.update(kills=1, exchanges=comparison.exchanges, **{"torn last lines": torn})
            found.trouble += told(replace(comparison, unseen=()))
            found.trouble += _unreadable(tape, folder)
            tape.unlink()
    return found


def agent_killed(folder: Path, times: int) -> Found:
    """Kill -9 of the agent that a recorder runs: the recorder says so, and its tape is whole."""
    found, chance = Found(), random.Random(2)
    with providers() as provided:
        for turn in range(times):
            tape = folder / f"{turn}.jsonl"
            command = record(tape, provided.upstreams, "--", sys.executable, "-c", AGENT)
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            agent = int(process.stdout.readline())
            time.sleep(chance.uniform(0.02, 0.3))
            os.kill(agent, signal.SIGKILL)
            had = set(process.communicate(timeout=PATIENCE_S)[0].split())
            comparison, torn, cut = _compared(tape, Run())
            found.figures.update(kills=1, exchanges=comparison.exchanges, cut=len(cut))
            found.expect(process.returncode == 128 + 9, f"exit code {process.returncode}")
            found.expect(had <= set(comparison.unseen), f"lost: {had - set(comparison.unseen)}")
            found.expect(not torn, "the last line is torn")
    return found


def providers_killed(folder: Path, times: int) -> Found:
    """Kill -9 of the providers, again and again: the agents are told, and so is the tape."""
    found, chance, tape = Found(), random.Random(3), folder / "run.jsonl"
    with ExitStack() as stack:
        provided = stack.enter_context(providers())
        server = stack.enter_context(served(record(tape, provided.upstreams)))
        run = stack.enter_context(_at_work(server))
        for _ in range(times):
            time.sleep(chance.uniform(0.05, 0.3))
            provided.server.process.kill()
            provided = stack.enter_context(providers(port=provided.server.port))
        time.sleep(0.3)
    found.hold(tape, run)
    found.figures.update(kills=times, **run.wrong)
    found.expect(set(run.wrong) <= {"answered with 502", "broken off"}, f"the clients saw {run.wrong}")
    return found


def clients_slow(folder: Path, _: int) -> Found:
    """Clients that read a byte a second of a large stream, and then hang up."""
    found, tape, seconds = Found(), folder / "run.jsonl", 5
    with providers() as provided, served(record(tape, provided.upstreams)) as server:
        files = server.open_files + 2 * CLIENTS  # whose connections to the providers are kept a while
        with _at_work(server) as run:
            time.sleep(seconds)
        alone = len(run.times)
        with _at_work(server, run=run, first=CLIENTS) as run, slow_clients(server.port, 50) as read:
            for _ in range(seconds):
                read()
                time.sleep(1)
            found.figures["MB in memory"] = round(server.memory / 1e6)
        found.expect(_settles(server, files), f"{server.open_files} open files, {files} before")
    found.hold(tape, run)
    found.unnoticed(run)
    found.figures.update({"seen without them": alone, "seen beside them": len(run.times) - alone})
    return found


def clients_broken(folder: Path, times: int) -> Found:
    """Clients that send what is no request, or not all of one."""
    found, tape = Found(), folder / "run.jsonl"
    with providers() as provided, served(record(tape, provided.upstreams)) as server:
        files = server.open_files + CLIENTS  # whose connections to the providers are kept a while
        with _at_work(server) as run:
            for content in BROKEN.values():
                for _ in range(times):
                    break_off_at(server.port, content)
            found.figures["broken"] = times * len(BROKEN)
        found.expect(_settles(server, files), f"{server.open_files} open files, {files} before")
        found.figures["MB in memory"] = round(server.memory / 1e6)
    found.hold(tape, run)
    found.unnoticed(run)
    return found


def strangers(folder: Path, _: int) -> Found:
    """Requests that a web page could send: nothing of them reaches a provider, or the tape."""
    found, tape = Found(), folder / "run.jsonl"
    with providers() as provided, served(record(tape, provided.upstreams)) as server, _at_work(server) as run:
        for headers in STRANGE:
            status = ask_strangely(server.port, headers)
            found.figures[f"refused with {status}"] += 1
            found.expect(status == 403, f"{headers} is answered with {status}")
    found.hold(tape, run)
    found.unnoticed(run)
    return found


def disk_full(folder: Path, _: int) -> Found:
    """A disk that fills up: the agents are told, what is on the tape is whole, and the recorder says so."""
    found = Found()
    with providers() as provided, _small_disk(folder) as (disk, limit):
        tape = disk / "run.jsonl"
        command = [*limit, shlex.join(["exec", *record(tape, provided.upstreams)])]
        with served(command) as server:
            with _at_work(server) as run:
                time.sleep(3)
            server.process.send_signal(signal.SIGINT)
            code = server.process.wait(PATIENCE_S)
        found.hold(tape, run)
        found.expect(tape.read_bytes().endswith(b"}\n"), "the last line is torn")
    found.figures.update(run.wrong)
    found.expect(code == 2, f"exit code {code}")
    found.expect("answered with 507" in run.wrong, "no client was told")
    found.expect(set(run.wrong) <= {"answered with 507", "broken off"}, f"the clients saw {run.wrong}")
    return found


def port_taken(folder: Path, _: int) -> Found:
    """A port that another has: that is said, and no file is left."""
    found, tape = Found(), folder / "run.jsonl"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = _ran(record(tape, {}, f"--port={port}"), folder)
    found.figures[f"exit code {ran.returncode}"] = 1
    found.expect(ran.returncode == 2, f"exit code {ran.returncode}")
    found.expect(f"cannot serve at port {port}: address already in use" in ran.stderr, ran.stderr)
    found.expect(not tape.exists(), "an empty tape is left")
    return found


FAULTS: dict[str, Callable[[Path, int], Found]] = {
    "recorder-killed": recorder_killed,
    "agent-killed": agent_killed,
    "providers-killed": providers_killed,
    "clients-slow": clients_slow,
    "clients-broken": clients_broken,
    "strangers": strangers,
    "disk-full": disk_full,
    "port-taken": port_taken,
}


@contextmanager
def _at_work(server: Server, *, run: Run | None = None, first: int = 0) -> Iterator[Run]:
    """Clients that are at work as long as the block, numbered from `first`, and what they saw so far."""
    ended, run = Event(), run or Run()
    with ThreadPoolExecutor(1) as thread:
        work = asking(server.port, CLIENTS, lambda _: not ended.is_set(), run, first=first)
        done = thread.submit(asyncio.run, work)
        try:
            yield run
        finally:
            ended.set()
            done.result(PATIENCE_S)


def _compared(tape: Path, run: Run) -> tuple[Comparison, bool, set[str]]:
    """A tape beside what clients saw, whether its last line is torn, and the marks of what was cut."""
    cut: set[str] = set()

    def noting(exchanges):
        for exchange in exchanges:
            if CUT in exchange.extra:
                cut.add(exchange.request.body.value["mark"])
            yield exchange

    with open_tape(tape) as exchanges:
        return compared(noting(exchanges), run.seen), exchanges.left_out.torn_end is not None, cut


def _unreadable(tape: Path, folder: Path) -> Iterator[str]:
    """What commands have against a tape."""
    agent = ["--", sys.executable, "-c", "pass"]
    name = tape.name
    commands = [
        ["show", name],
        ["lint", name],
        ["canon", name],
        ["redact", name],
        ["convert", name, "-o", f"{name}.har"],
        ["diff", name, name],
        ["run-tools", name, "--registry", "tools.py"],
        ["replay", name, *agent],
        ["record", "--append", "-o", name, *agent],
    ]
    for command in commands:
        ran = _ran([*AMBERFORK, *command], folder)
        if ran.returncode not in (0, 1):
            yield f"{shlex.join(command)} exits {ran.returncode}: {ran.stderr}"


def _ran(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@contextmanager
def _small_disk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """A folder with little room, and the shell in which a command meets that."""
    disk = folder / "disk"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(disk)]
    if subprocess.run(mounting, capture_output=True, check=False).returncode:
        yield disk, ["bash", "-c", f'ulimit -f {DISK_BYTES // 1024}; eval "$0"']
        return
    try:
        yield disk, ["bash", "-c", 'eval "$0"']
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _settles(server: Server, files: int) -> bool:
    """Whether a server comes to hold no more open than that."""
    for _ in range(100):
        if server.open_files <= files:
            return True
        time.sleep(0.05)
    return False


if __name__ == "__main__":
    main()
