"""Whatever a tool does, its call gets a result, its siblings keep theirs, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from amberfork_cli.core.tools.invocation import Outcome
from amberfork_cli.worker.calls import CallRequest
from tests.worker.conftest import asks, effect, end_of, only

LIMIT_MS = 200

NEVER_ENDING = """
    import asyncio, os, re, time
    from pathlib import Path

    def begun():
        Path("pid").write_text(str(os.getpid()))

    def sleeping():
        begun()
        time.sleep(60)

    def computing():
        begun()
        while True:
            pass

    def holding_the_gil():
        begun()
        re.match("(a+)+b", "a" * 60)

    async def awaiting():
        begun()
        await asyncio.sleep(60)

    async def blocking_the_loop():
        begun()
        time.sleep(60)

    async def refusing_to_be_cancelled():
        begun()
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass

    def with_a_child():
        import subprocess
        begun()
        child = subprocess.Popen(["sleep", "60"])
        Path("child").write_text(str(child.pid))
        child.wait()

    def quick() -> str:
        return "quick"
"""


@pytest.mark.parametrize(
    "tool",
    [
        "sleeping",
        "computing",
        "holding_the_gil",
        "awaiting",
        "blocking_the_loop",
        "refusing_to_be_cancelled",
        "with_a_child",
    ],
)
def test_a_tool_over_its_limit_is_reported_and_gone(client, tool):
    """It is told at its limit, not when it pleases; its process and that process's children are no more."""
    tools = client(NEVER_ENDING, timeout_ms=LIMIT_MS)

    end = end_of(tools, tool)

    assert end.outcome is Outcome.TIMED_OUT
    assert end.error == f"timed out after {LIMIT_MS} ms; it had started and may have taken effect"
    assert not any(_is_alive(file) for file in ("pid", "child"))


@pytest.mark.parametrize("jobs", [None, 2])
def test_siblings_of_a_tool_that_stops_them_all_get_their_results(client, jobs):
    """They run in the next process, those that had started once more; the report says that state was lost."""
    tools = client(NEVER_ENDING, timeout_ms=LIMIT_MS, jobs=jobs)
    names = ["quick", "holding_the_gil", "quick", "sleeping", "quick"]

    results = tools.run_turn([asks(name) for name in names]).results

    assert [result.invocation.name for result in results] == names
    assert [result.invocation.outcome.value for result in results] == [
        "ok",
        "timed-out",
        "ok",
        "timed-out",
        "ok",
    ]
    assert results[-1].state_lost
    assert tools.restarts >= 1


ENDINGS = """
    import logging, os, signal, sys

    def exits():
        sys.exit(2)

    def exits_at_once():
        os._exit(3)

    def crashes():
        import ctypes
        ctypes.string_at(0)

    def kills_itself():
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()

    def recurses():
        return recurses()

    def asks_a_question() -> str:
        return input("Really? ")

    def interrupts():
        raise KeyboardInterrupt

    def interrupts_by_signal() -> str:
        signal.raise_signal(signal.SIGINT)
        return "went on"

    async def exits_in_the_loop():
        sys.exit(4)

    async def exits_in_a_task():
        import asyncio
        async def exit(): sys.exit(5)
        task = asyncio.ensure_future(exit())
        await asyncio.sleep(0.01)
        return "went on"

    async def cancels_everything():
        import asyncio
        for task in asyncio.all_tasks():
            task.cancel()
        await asyncio.sleep(0)

    def says_nothing():
        raise ValueError

    def says_blanks():
        raise ValueError("  ")

    def closes_everything():
        os.closerange(3, 256)
        return "closed"

    def becomes_another_program():
        os.execvp("sleep", ["sleep", "60"])

    def forks_and_returns_twice() -> str:
        return "child" if os.fork() == 0 else "parent"

    def leaves_a_child_that_holds_the_pipes():
        if os.fork() == 0:
            import time
            time.sleep(60)
        os._exit(6)

    def writes_nonsense_to_every_descriptor():
        for descriptor in range(3, 20):
            try:
                os.write(descriptor, b"nonsense nonsense")
            except OSError:
                pass
        return "wrote"

    def fine() -> str:
        return "fine"
"""


@pytest.mark.parametrize("jobs", [None, 1])
@pytest.mark.parametrize(
    ("tool", "outcome", "said"),
    [
        ("exits", Outcome.FAILED, "SystemExit: 2"),
        ("recurses", Outcome.FAILED, "RecursionError: maximum recursion depth exceeded"),
        ("asks_a_question", Outcome.FAILED, "EOFError: EOF when reading a line"),
        ("interrupts", Outcome.FAILED, "KeyboardInterrupt"),
        ("interrupts_by_signal", Outcome.OK, ""),
        ("exits_in_the_loop", Outcome.FAILED, "SystemExit: 4"),
        ("exits_in_a_task", Outcome.OK, ""),
        ("cancels_everything", Outcome.FAILED, "CancelledError"),
        ("says_nothing", Outcome.FAILED, "ValueError"),
        ("says_blanks", Outcome.FAILED, "ValueError"),
        ("forks_and_returns_twice", Outcome.OK, ""),
    ],
)
def test_a_tool_that_ends_in_an_unusual_way_is_a_result(resident, tool, outcome, said, jobs):
    """On a thread and on the main thread alike; and the next call answers in the same process."""
    tools = resident(ENDINGS, jobs=jobs)

    end = end_of(tools, tool)

    assert (end.outcome, end.error) == (outcome, said)
    assert end_of(tools, "fine").data == "fine"
    assert tools.restarts == 0


FATAL_ENDINGS = [
    ("exits_at_once", "exited with code 3"),
    ("crashes", "was ended by SIGSEGV (segmentation fault)"),
    ("kills_itself", "was ended by SIGTERM (terminated)"),
    ("closes_everything", "exited with code 1"),
    ("becomes_another_program", "closed its connection"),
    ("leaves_a_child_that_holds_the_pipes", "exited with code 6"),
    ("writes_nonsense_to_every_descriptor", "closed its connection"),
]


@pytest.mark.parametrize(("tool", "said"), FATAL_ENDINGS)
def test_a_tool_that_takes_its_process_along_is_a_result(resident, tool, said):
    """Of several calls that ran, the one that did it is found; the others answer in the next process."""
    tools = resident(ENDINGS, timeout_ms=20_000)

    first, last = (result.invocation for result in tools.run_turn([asks(tool), asks("fine")]).results)

    assert (first.outcome, first.error) == (Outcome.FAILED, f"the process {said} while the tool ran")
    assert last.data == "fine"


def test_a_row_of_such_tools_is_a_row_of_results(resident):
    """One call at a time, on the main thread."""
    tools = resident(ENDINGS, jobs=1)

    results = tools.run_turn([asks(tool) for tool, _ in FATAL_ENDINGS]).results

    assert [result.invocation.error for result in results] == [
        f"the process {said} while the tool ran" for _, said in FATAL_ENDINGS
    ]


PRINTING = """
    import logging, os, subprocess, sys

    def prints() -> str:
        print("by print")
        print("to stderr", file=sys.stderr)
        logging.warning("by logging")
        sys.__stdout__.write("past sys.stdout\\n")
        os.write(1, b"to descriptor 1\\n")
        os.write(2, b"to descriptor 2\\n")
        subprocess.run(["echo", "by a child"])
        sys.stdout.buffer.write(b"as bytes \\xff\\n")
        return "printed"

    def tells(name: str) -> str:
        print("I am", name)
        return name

    def chatters() -> str:
        print("x" * 100_000)
        return "done"
"""


@pytest.mark.parametrize("jobs", [None, 1])
def test_all_that_a_tool_prints_is_its_own(resident, capfd, jobs):
    """Whichever way it prints; nothing of it reaches the command's own output."""
    tools = resident(PRINTING, jobs=jobs)

    result = only(tools, "prints")

    texts = [
        "by print",
        "to stderr",
        "WARNING:root:by logging",
        "past sys.stdout",
        "to descriptor 1",
        "to descriptor 2",
        "by a child",
        "as bytes \\xff",
    ]  # they take several ways, so a line end of one may come behind the text of another
    assert [text for text in texts if text not in result.printed.text] == []
    assert sorted(result.printed.text) == sorted("\n".join([*texts, ""]))
    assert result.invocation.data == "printed"
    assert capfd.readouterr() == ("", "")


def test_prints_of_calls_that_run_at_once_are_told_apart(resident):
    """Each call has its own."""
    tools = resident(PRINTING)
    names = [f"call {number}" for number in range(20)]

    results = tools.run_turn([asks("tells", name=name) for name in names]).results

    assert [result.printed.text for result in results] == [f"I am {name}\n" for name in names]


def test_endless_printing_is_cut_and_counted(resident):
    """The beginning is kept."""
    tools = resident(PRINTING)

    printed = only(tools, "chatters").printed

    assert (len(printed.text), printed.more) == (65_536, 100_001 - 65_536)


RESULTS = """
    class Odd:
        def __repr__(self): return "<odd>"

    def large() -> str:
        return "x" * 20_000_000

    def odd():
        return Odd()

    def half() -> str:
        return "half \\ud83d"

    def long() -> int:
        return 10**3000

    def never_ends():
        n = 0
        while True:
            yield n
            n += 1
"""


def test_a_result_of_20_megabytes_arrives(resident):
    """Whole."""
    tools = resident(RESULTS)

    assert end_of(tools, "large").data == "x" * 20_000_000


def test_arguments_of_20_megabytes_arrive(client):
    """In a process that is slow to read them, too."""
    tools = client("def length(text: str) -> int:\n    return len(text)\n")

    assert end_of(tools, "length", text="y" * 20_000_000).data == 20_000_000


def test_results_that_are_no_json_are_results_and_said_to_be_lossy(resident):
    """Each with what was lost; what only looks difficult is kept as it is."""
    tools = resident(RESULTS)

    odd, half, long, endless = (
        result.invocation
        for result in tools.run_turn([asks(name) for name in ("odd", "half", "long", "never_ends")]).results
    )

    assert (odd.data, odd.lossy) == ("<odd>", ("a Odd by its repr",))
    assert (half.data, half.lossy) == ("half \ud83d", ())
    assert (long.data, long.lossy) == (10**3000, ())
    assert (endless.data, endless.lossy) == ([*range(10_000), "<cut here>"], ("cut after 10,000 items",))


@pytest.mark.parametrize(
    ("arguments", "outcome", "error"),
    [
        ("", Outcome.OK, ""),
        ("  ", Outcome.OK, ""),
        ("null", Outcome.OK, ""),
        (None, Outcome.OK, ""),
        ({}, Outcome.OK, ""),
        ('{"a": 1}{"a": 2}', Outcome.INVALID, "the arguments are not JSON"),
        ('{"a": 1', Outcome.INVALID, "the arguments are not JSON"),
        ('{"a": 1} and so on', Outcome.INVALID, "the arguments are not JSON"),
        ('"{\\"a\\": 1}"', Outcome.INVALID, "the arguments are a JSON text inside a JSON text"),
        ("[1]", Outcome.INVALID, "the arguments are a list, not an object"),
        ({"b": 1}, Outcome.INVALID, "the arguments do not fit: /b:"),
        ({"a": "1"}, Outcome.INVALID, "the arguments do not fit: /a:"),
        ({"a": True}, Outcome.INVALID, "the arguments do not fit: /a:"),
    ],
)
def test_arguments_of_every_kind_run_or_are_told(resident, arguments, outcome, error):
    """Nothing is repaired in silence, and what does not run never started."""
    tools = resident("def takes(a: int = 0) -> int:\n    return a\n")

    (result,) = tools.run_turn([CallRequest("takes", arguments)]).results

    assert result.invocation.outcome is outcome
    assert result.invocation.error.startswith(error)
    assert result.runs == (1 if outcome is Outcome.OK else 0)


def test_a_thousand_calls_of_one_turn_are_answered_in_their_order(client):
    """Whichever ends first."""
    tools = client(
        """
        import asyncio, random, time
        async def soon(n: int) -> int:
            await asyncio.sleep(random.random() / 50)
            return n
        def later(n: int) -> int:
            time.sleep(random.random() / 50)
            return n
        """
    )
    calls = [asks("soon" if number % 2 else "later", n=number) for number in range(1000)]

    results = tools.run_turn(calls).results

    assert [result.invocation.data for result in results] == list(range(1000))


EFFECTS = """
    import os, time
    from pathlib import Path

    def note(word: str, seconds: float = 0.0) -> str:
        with Path("log").open("a") as log:
            log.write(f"{word} begins\\n")
        time.sleep(seconds)
        with Path("log").open("a") as log:
            log.write(f"{word} ends\\n")
        return word

    def note_and_go(word: str):
        note(word)
        os._exit(1)
"""


def test_side_effects_run_alone_after_the_others(client, tmp_path):
    """Wherever they stand in the turn."""
    tools = client(EFFECTS)

    tools.run_turn(
        [
            effect("note", word="first effect"),
            asks("note", word="read", seconds=0.1),
            effect("note", word="second effect"),
        ]
    )

    assert (tmp_path / "log").read_text().splitlines() == [
        "read begins",
        "read ends",
        "first effect begins",
        "first effect ends",
        "second effect begins",
        "second effect ends",
    ]


def test_a_side_effect_that_is_cut_is_interrupted_and_not_repeated(client, tmp_path):
    """It may have taken effect; nobody knows, so nobody tries again."""
    tools = client(EFFECTS)

    results = tools.run_turn([effect("note_and_go", word="refund"), effect("note", word="mail")]).results

    assert [result.invocation.outcome for result in results] == [Outcome.INTERRUPTED, Outcome.OK]
    assert results[0].invocation.error == (
        "interrupted, may have taken effect: the process exited with code 1 while the tool ran"
    )
    assert (tmp_path / "log").read_text().count("refund begins") == 1


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
@pytest.mark.parametrize("tool", ["with_a_child", "holding_the_gil"])
def test_nothing_outlives_a_command_that_is_stopped(client, tmp_path, tool, how, code):
    """Ctrl-C and kill -9, while a child of the tool runs and while nothing else in the process can run."""
    client(NEVER_ENDING)
    command = subprocess.Popen([sys.executable, "-c", COMMAND, tool], cwd=tmp_path)
    _wait_for(tmp_path / ("child" if tool == "with_a_child" else "pid"))

    command.send_signal(how)

    assert command.wait() == code
    assert not any(_is_alive(file) for file in ("pid", "child"))


COMMAND = """
import sys
from amberfork_cli.worker.calls import CallRequest
from amberfork_cli.worker.client import WorkerClient
try:
    with WorkerClient("mytools.py") as tools:
        tools.run_turn([CallRequest(sys.argv[1], {})])
except KeyboardInterrupt:
    raise SystemExit(130)
"""


def _wait_for(file: Path) -> None:
    while not file.exists() or not file.read_text():
        time.sleep(0.01)


def _is_alive(file: str) -> bool:
    """Whether the process whose number stands in the file is still there, a moment later."""
    if not Path(file).exists():
        return False
    number = int(Path(file).read_text())
    with suppress(ProcessLookupError):
        for _ in range(50):
            os.kill(number, 0)
            if Path(f"/proc/{number}/stat").exists() and _is_zombie(number):
                return False
            time.sleep(0.01)
        return True
    return False


def _is_zombie(number: int) -> bool:
    return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
