"""One registry in a process apart, from the command's side."""

from __future__ import annotations

import sys

import pytest

from amberfork_cli.core.tools.invocation import Outcome
from amberfork_cli.core.tools.tool import Effect, ToolContext
from amberfork_cli.errors import AmberforkError, RegistryLoadError
from amberfork_cli.worker.calls import (
    CallFinished,
    CallRequest,
    CallStarted,
    ToolInfo,
    WorkerRestarted,
)
from amberfork_cli.worker.client import WorkerClient
from tests.worker.conftest import asks, end_of, only


def test_the_tools_are_described_in_their_order(client):
    """With all that the command needs to know of them."""
    tools = client(
        """
        from amberfork_cli.core.tools.registry import ToolRegistry
        registry = ToolRegistry()
        @registry.tool(read_only=False, timeout_ms=500)
        def refund(order: str):
            "Send the money back."
        registry.register("search", "Look it up.", {"properties": {"q": {"type": "string"}}}, lambda a, c: a)
        """
    )

    assert tools.describe() == (
        ToolInfo(
            "refund",
            "Send the money back.",
            {
                "type": "object",
                "properties": {"order": {"type": "string"}},
                "required": ["order"],
                "additionalProperties": False,
            },
            Effect.SIDE_EFFECT,
            500,
        ),
        ToolInfo(
            "search",
            "Look it up.",
            {"type": "object", "properties": {"q": {"type": "string"}}, "required": []},
            Effect.READ_ONLY,
            10_000,
        ),
    )


def test_a_tool_may_ask_about_its_call(client):
    """The caller's values, the recorded result and a key come as they went."""
    tools = client(
        """
        from amberfork_cli.core.tools.registry import ToolContext
        def tell(context: ToolContext):
            return [context["user"], context.call_id, context.recorded_result, context.idempotency_key]
        """
    )
    context = ToolContext({"user": "ann"}, "call_1", {"temp": 31}, "key")

    (result,) = tools.run_turn([CallRequest("tell", None, context)]).results

    assert result.invocation.data == ["ann", "call_1", {"temp": 31}, "key"]
    assert result.invocation.call_id == "call_1"


def test_what_happens_is_told_while_it_does(client):
    """Each start and each end, and a process that is started anew."""
    tools = client("import os\ndef f(): ...\ndef g():\n    os._exit(1)\n", jobs=1)
    told = []

    results = tools.run_turn([asks("f"), asks("g"), asks("f")], on_event=told.append).results

    assert told == [
        CallStarted(0),
        CallFinished(0, results[0]),
        CallStarted(1),
        CallFinished(1, results[1]),
        WorkerRestarted(),
        CallStarted(2),
        CallFinished(2, results[2]),
    ]


def test_state_lasts_from_turn_to_turn_until_the_process_is_lost(client):
    """And then the results say so."""
    tools = client(
        """
        import os
        seen = []
        def count() -> int:
            seen.append(1)
            return len(seen)
        def crash():
            os._exit(1)
        """
    )

    results = [only(tools, name) for name in ("count", "count", "crash", "count")]

    assert [(result.invocation.data, result.state_lost) for result in results] == [
        (1, False),
        (2, False),
        (None, False),
        (1, True),
    ]


def test_with_one_job_functions_run_on_the_main_thread(resident):
    """So what belongs to one thread works: connections, signals, and an event loop of the tool's own."""
    tools = resident(MAIN_THREAD, jobs=1)

    ends = {name: end_of(tools, name) for name in ("rows", "signals", "variable", "own_loop")}

    assert {name: (end.data, end.error) for name, end in ends.items()} == {
        "rows": ([[1]], ""),
        "signals": ("caught", ""),
        "variable": ("set when loaded", ""),
        "own_loop": ("ran", ""),
    }


MAIN_THREAD = """
    import asyncio, contextvars, signal, sqlite3

    connection = sqlite3.connect(":memory:")
    connection.execute("create table t as select 1 as n")
    kept = contextvars.ContextVar("kept")
    kept.set("set when loaded")

    def rows():
        return connection.execute("select n from t").fetchall()

    def signals() -> str:
        caught = []
        signal.signal(signal.SIGUSR1, lambda *_: caught.append("caught"))
        signal.raise_signal(signal.SIGUSR1)
        return caught[0]

    def variable() -> str:
        return kept.get()

    def own_loop() -> str:
        async def run():
            await asyncio.sleep(0)
            return "ran"
        return asyncio.run(run())
"""


def test_on_threads_context_variables_and_loops_of_their_own_work_too(resident):
    """What a thread can have, it has."""
    tools = resident(MAIN_THREAD)

    ends = [end_of(tools, name).data for name in ("variable", "own_loop")]

    assert ends == ["set when loaded", "ran"]


@pytest.mark.parametrize("jobs", [None, 1])
def test_coroutines_share_one_loop_for_as_long_as_the_process_lives(client, jobs):
    """So a client with open connections works in the next turn."""
    tools = client(
        """
        import asyncio
        loops = set()
        lock = None
        async def loop() -> int:
            global lock
            lock = lock or asyncio.Lock()
            async with lock:
                loops.add(asyncio.get_running_loop())
                await asyncio.sleep(0.001)
            return len(loops)
        """,
        jobs=jobs,
    )

    turns = [tools.run_turn([asks("loop"), asks("loop")]).results for _ in range(2)]

    assert [result.invocation.data for results in turns for result in results] == [1, 1, 1, 1]


@pytest.mark.parametrize(("jobs", "most"), [(None, 6), (2, 2), (1, 1)])
def test_jobs_bound_how_many_calls_run_at_once(client, jobs, most):
    """All of a turn where nothing is said."""
    tools = client(
        """
        import time
        from threading import Lock
        running, most, lock = 0, 0, Lock()
        def work():
            global running, most
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.1)
            with lock:
                running -= 1
        def peak() -> int:
            return most
        """,
        jobs=jobs,
    )

    tools.run_turn([asks("work")] * 6)

    assert end_of(tools, "peak").data == most


def test_coerce_reads_text_where_a_number_is_due(client):
    """Only when asked to."""
    tools = client("def double(n: int) -> int:\n    return 2 * n\n", coerce=True)

    assert end_of(tools, "double", n="21").data == 42


def test_an_unknown_tool_is_a_result(resident):
    """It does not stop its siblings."""
    tools = resident("def get_weather(): ...\n")

    results = [r.invocation for r in tools.run_turn([asks("get_wether"), asks("get_weather")]).results]

    assert [end.outcome for end in results] == [Outcome.UNKNOWN, Outcome.OK]
    assert results[0].error == "unknown tool 'get_wether'; did you mean get_weather?"


def test_the_tool_can_know_that_a_tape_is_run_again(resident):
    """And its sets come in one order in every run."""
    tools = resident(
        """
        import os
        def environment():
            return [os.environ["AMBERFORK_REPLAY"], list({"a", "b", "c", "d"})]
        """
    )
    others = resident("import os\ndef environment():\n    return list({'a', 'b', 'c', 'd'})\n")

    assert end_of(tools, "environment").data == ["1", end_of(others, "environment").data]


def test_functions_that_are_no_tools_are_named(client):
    """With the reason."""
    tools = client("def f(): ...\ndef g(x, /): ...\n")

    tools.describe()

    assert tools.left_out == (("g", "parameter 'x' cannot be given by name; wrap it"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import os\nos._exit(3)\n", "mytools.py: the process exited with code 3 while it was loaded"),
        (
            "import ctypes\nctypes.string_at(0)\n",
            "mytools.py: the process was ended by SIGSEGV (segmentation fault) while it was loaded",
        ),
        ("while True: pass\n", "mytools.py: did not finish loading within 1 s"),
        ("raise ValueError('why')\n", "mytools.py:1: ValueError: why"),
    ],
)
def test_a_registry_that_cannot_be_loaded_is_one_error(client, text, said):
    """However it fails; what it printed last is shown, since often that alone says why."""
    tools = client("print('was here')\n" * ("process" in said) + text, load_limit=1.0)

    with pytest.raises(RegistryLoadError) as raised:
        tools.describe()

    assert str(raised.value).splitlines()[0] == said
    assert ("was here" in str(raised.value)) == ("process" in said)


def test_a_registry_that_cannot_be_loaded_again_ends_the_turn_with_results(client, tmp_path):
    """What ran is not lost, what could not run says why."""
    tools = client("import os\ndef f():\n    os._exit(1)\ndef g(): ...\n", jobs=1)
    tools.describe()
    (tmp_path / "mytools.py").write_text("raise ValueError('changed meanwhile')\n")

    results = [result.invocation for result in tools.run_turn([asks("f"), asks("g")]).results]

    assert [end.error for end in results] == [
        "the process exited with code 1 while the tool ran",
        "never started: the registry could not be loaded again: mytools.py:1: ValueError: changed meanwhile",
    ]


def test_a_module_may_close_what_it_holds_when_all_is_done(client, tmp_path):
    """It has its moment at the end."""
    tools = client("import atexit, pathlib\natexit.register(pathlib.Path('closed').touch)\ndef f(): ...\n")

    with tools:
        end_of(tools, "f")

    assert (tmp_path / "closed").exists()


def test_a_turn_without_calls_is_no_work(resident):
    """And no error."""
    tools = resident("def f(): ...\n")

    assert tools.run_turn([]).results == ()


def test_windows_is_told_that_it_cannot(monkeypatch):
    """In one line."""
    monkeypatch.setattr(sys, "platform", "win32")

    with (
        pytest.raises(AmberforkError, match="running tools needs Linux or macOS"),
        WorkerClient("x.py") as tools,
    ):
        tools.describe()
