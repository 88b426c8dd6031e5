"""Calls run at once, on time, are answered in order, and nothing a tool or a model does is raised."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.tools.dispatch import (
    Invocation,
    Outcome,
    PlainFunctions,
    Ready,
    dispatch_all,
    invoke,
    invoke_all,
    invoke_one,
    prepare,
)
from amberfork_cli.core.tools.registry import ToolContext, ToolRegistry

LIMIT = 100  # milliseconds; short enough to wait for
OVER = "timed out: over its limit of 100 ms; it had started, and may have taken effect"
CITY = {"properties": {"city": {"type": "string"}}, "required": ["city"]}


def call(name: str, arguments: object = None, call_id: str = "c1") -> dict[str, Any]:
    """A tool call in OpenAI's form."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def registry_of(execute: Callable[..., Any], *, schema: Any = None) -> ToolRegistry:
    """A registry of one tool, `f`, with more time than any machine needs for it."""
    return ToolRegistry().register("f", "", schema, execute, timeout_ms=30_000)


def hurried(execute: Callable[..., Any]) -> ToolRegistry:
    """The same with hardly any time."""
    return ToolRegistry().register("f", "", None, execute, timeout_ms=LIMIT)


def ended(execute: Callable[..., Any], arguments: object = None, **options: Any) -> Invocation:
    """How one call of one tool ends, with its duration rounded away."""
    invocation = asyncio.run(invoke(registry_of(execute), call("f", arguments), **options))
    return replace(invocation, duration_ms=None, trace="")


def content(message: dict[str, str]) -> dict[str, Any]:
    """What a message says, without how long it took."""
    said = json.loads(message["content"])
    assert isinstance(said.pop("durationMs", 0), int)
    return dict(said)


# envelopes


def test_success_is_told_with_its_data() -> None:
    """A message of role tool, whose content is JSON text with exactly these members."""
    registry = registry_of(lambda arguments, _: {"temp": 21, "city": arguments["city"]})

    message = asyncio.run(registry.invoke_one(call("f", '{"city": "Seoul"}')))

    said = json.loads(message["content"])
    assert message == {"role": "tool", "tool_call_id": "c1", "name": "f", "content": message["content"]}
    assert list(said) == ["ok", "data", "durationMs"]
    assert (said["ok"], said["data"], type(said["durationMs"])) == (True, {"temp": 21, "city": "Seoul"}, int)


def test_an_exception_is_told_with_its_type() -> None:
    """Type and message, and how long it ran; the traceback stays with the facts."""

    def f(*_: Any) -> Any:
        raise ValueError("no such city")

    message = asyncio.run(registry_of(f).invoke_one(call("f")))

    said = json.loads(message["content"])
    assert list(said) == ["ok", "error", "durationMs"]
    assert (said["ok"], said["error"]) == (False, "ValueError: no such city")


def test_an_unknown_tool_is_told_with_close_names() -> None:
    """The call is answered, with a hint and no duration."""
    registry = ToolRegistry()
    registry.tool(name="get_weather")(lambda: 1)
    registry.tool(name="get_stock")(lambda: 1)

    close, far, long = asyncio.run(registry.dispatch_all([call("get_wether"), call("zzz"), call("x" * 100)]))

    assert close == {
        "role": "tool",
        "tool_call_id": "c1",
        "name": "get_wether",
        "content": '{"ok":false,"error":"unknown tool \'get_wether\'; did you mean get_weather?"}',
    }
    assert content(far) == {"ok": False, "error": "unknown tool 'zzz'"}
    assert content(long) == {"ok": False, "error": f"unknown tool '{'x' * 64}…'"}


@pytest.mark.parametrize("tool_call", [{}, {"id": "c9"}, {"function": {}}, None, 3, "f", [], {"name": ["f"]}])
def test_a_call_without_a_name_is_unknown(tool_call: Any) -> None:
    """What names no tool is answered under the name `unknown`."""
    message = asyncio.run(registry_of(lambda *_: 1).invoke_one(tool_call))

    call_id = tool_call.get("id", "") if isinstance(tool_call, dict) else ""
    assert message == {
        "role": "tool",
        "tool_call_id": call_id,
        "name": "unknown",
        "content": '{"ok":false,"error":"the call names no tool"}',
    }


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ('{"city": "Seoul"}{"city": "Busan"}', "(line 1, column 18)"),
        ('{"city": "Seo', "(line 1, column 10)"),
        ('"{\\"city\\": 1}"', "the arguments are a JSON text inside a JSON text, not an object"),
        ("[]", "the arguments are a list, not an object"),
        (["Seoul"], "the arguments are a list, not an object"),
    ],
)
def test_arguments_that_do_not_parse_are_not_run(arguments: object, error: str) -> None:
    """The error says what and where; the tool is not called."""
    called: list[object] = []

    message = asyncio.run(registry_of(lambda a, _: called.append(a)).invoke_one(call("f", arguments)))

    said = json.loads(message["content"])
    assert list(said) == ["ok", "error"]
    assert said["ok"] is False
    assert said["error"].endswith(error)
    assert called == []


def test_arguments_that_do_not_fit_are_told_in_full() -> None:
    """Every fault stands in the details with its path, the first in the error; nothing ran."""
    schema = {**CITY, "properties": {"city": {"type": "string"}, "n": {"type": "integer"}}}
    called: list[object] = []
    registry = registry_of(lambda a, _: called.append(a), schema=schema)

    message = asyncio.run(registry.invoke_one(call("f", '{"n": "3"}')))

    assert json.loads(message["content"]) == {
        "ok": False,
        "error": "the arguments do not fit: 'city' is a required property (and 1 more)",
        "details": [
            {"path": "", "message": "'city' is a required property"},
            {"path": "/n", "message": "'3' is not of type 'integer'"},
        ],
    }
    assert called == []


def test_the_users_own_faults_are_told_as_they_are() -> None:
    """Details are what the user's check gave."""

    class Schema:
        def validate(self, arguments: Any) -> list[Any]:  # noqa: ARG002
            return [{"field": "a"}, "b"]

    message = asyncio.run(registry_of(lambda *_: 1, schema=Schema()).invoke_one(call("f")))

    assert json.loads(message["content"]) == {
        "ok": False,
        "error": 'the arguments do not fit: {"field":"a"} (and 1 more)',
        "details": [{"field": "a"}, "b"],
    }


def test_a_check_that_breaks_is_told() -> None:
    """Pydantic lets most exceptions of a validator through; they are the call's end, not the turn's."""
    registry = ToolRegistry()

    @registry.tool
    def f(n: Annotated[int, pydantic.AfterValidator(lambda n: 1 // n)]) -> int:
        return n

    broken, fine = asyncio.run(registry.dispatch_all([call("f", {"n": 0}), call("f", {"n": 1})]))

    assert content(broken) == {
        "ok": False,
        "error": "the arguments cannot be checked: ZeroDivisionError: integer division or modulo by zero",
    }
    assert content(fine) == {"ok": True, "data": 1}


def test_a_tool_over_its_limit_is_told_so() -> None:
    """The limit is named, and that the call may have taken effect."""
    message = asyncio.run(hurried(lambda *_: time.sleep(0.3)).invoke_one(call("f")))

    said = json.loads(message["content"])
    assert list(said) == ["ok", "error", "durationMs"]
    assert (said["ok"], said["error"]) == (False, OVER)
    assert said["durationMs"] >= LIMIT


@pytest.mark.parametrize(
    ("outcome", "duration", "envelope"),
    [
        (Outcome.SKIPPED, None, {"ok": False, "error": "why"}),
        (Outcome.INTERRUPTED, 12.4, {"ok": False, "error": "why", "durationMs": 12}),
        (Outcome.FAILED, 0.2, {"ok": False, "error": "why", "durationMs": 0}),
    ],
)
def test_every_outcome_has_its_envelope(
    outcome: Outcome, duration: float | None, envelope: dict[str, Any]
) -> None:
    """What never ran has no duration."""
    invocation = Invocation(outcome, "f", "c1", error="why", duration_ms=duration)

    assert invocation.envelope() == envelope
    assert (invocation.ok, invocation.started) == (False, duration is not None)


# arguments and context


@pytest.mark.parametrize("arguments", [None, "", " ", "null", "{}", {}])
def test_a_tool_without_parameters_runs_without_arguments(arguments: object) -> None:
    """Every way to say nothing calls the tool with an empty object."""
    assert ended(lambda a, _: a, arguments) == Invocation(Outcome.OK, "f", "c1", data={})


def test_every_form_of_a_call_is_answered_alike() -> None:
    """OpenAI's nested form and the flat ones of other providers."""
    calls = [
        {"id": "1", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "fc", "call_id": "2", "type": "function_call", "name": "f", "arguments": '{"a": 1}'},
        {"id": "3", "type": "tool_use", "name": "f", "input": {"a": 1}},
        {"id": "4", "name": "f", "args": {"a": 1}},
    ]

    messages = asyncio.run(registry_of(lambda a, _: a).dispatch_all(calls))

    assert [(message["tool_call_id"], content(message)) for message in messages] == [
        (str(number), {"ok": True, "data": {"a": 1}}) for number in (1, 2, 3, 4)
    ]


def test_a_tool_cannot_change_the_call() -> None:
    """It gets arguments of its own."""
    tool_call = call("f", {"list": [1]})

    asyncio.run(registry_of(lambda a, _: a["list"].append(2)).invoke_one(tool_call))

    assert tool_call == call("f", {"list": [1]})


def test_a_typed_function_is_called_by_keywords() -> None:
    """With what its annotations say, its own defaults, and the context where it asks for one."""
    registry = ToolRegistry()

    @registry.tool
    def plain(city: str, *, days: int = 3, here: ToolContext | None = None) -> Any:
        return [city, days, here.call_id if here else None]

    @registry.tool
    async def later(here: ToolContext, **more: Any) -> Any:
        return [here.call_id, more]

    ends = asyncio.run(registry.invoke_all([call("plain", {"city": "Seoul"}), call("later", {"a": 1}, "c2")]))

    assert [end.data for end in ends] == [["Seoul", 3, "c1"], ["c2", {"a": 1}]]


def test_the_context_reaches_the_tool() -> None:
    """Values as the caller gave them, the ID of the call, and what the tape holds."""
    context = ToolContext(values={"user": "u1"}, recorded_result={"temp": 20}, idempotency_key="key")

    data = ended(
        lambda _, c: [c["user"], c.call_id, c.recorded_result, c.idempotency_key], context=context
    ).data

    assert data == ["u1", "c1", {"temp": 20}, "key"]


@pytest.mark.parametrize(
    ("given", "values"), [(None, {}), ({"user": "u1"}, {"user": "u1"}), ("anything", "anything")]
)
def test_any_value_can_be_the_context(given: object, values: object) -> None:
    """What is no context becomes the values of one."""
    assert ended(lambda _, c: c.values, context=given).data == values


def test_each_call_of_a_turn_has_its_own_key() -> None:
    """Calls of one ID are told apart by their position; without a tape there is no key."""
    registry = registry_of(lambda _, c: c.idempotency_key)
    calls = [call("f"), call("f"), call("f", call_id="c2")]

    keys = [end.data for end in asyncio.run(registry.invoke_all(calls, ToolContext(idempotency_key="turn")))]
    again = [end.data for end in asyncio.run(registry.invoke_all(calls, ToolContext(idempotency_key="turn")))]
    none = [end.data for end in asyncio.run(registry.invoke_all(calls))]

    assert keys == again
    assert len(set(keys)) == 3
    assert none == [None, None, None]


def test_coercion_is_for_those_who_ask() -> None:
    """`"3"` is no 3, unless the caller says that it is."""
    registry = ToolRegistry()
    registry.tool(name="f")(_doubled)

    strict = asyncio.run(registry.invoke_one(call("f", {"n": "3"})))
    lax = asyncio.run(registry.invoke_one(call("f", {"n": "3"}), coerce=True))

    assert content(strict)["ok"] is False
    assert content(lax) == {"ok": True, "data": 6}


def _doubled(n: int) -> int:
    return 2 * n


# order and concurrency


@pytest.mark.parametrize("kind", ["coroutine", "plain"])
def test_calls_run_at_once_and_are_answered_in_order(kind: str) -> None:
    """Each call waits for the one after it, so that only all of them together can end."""
    flags = [threading.Event() for _ in range(4)]
    flags[3].set()

    async def waits(arguments: Any, _: Any) -> Any:
        while not flags[arguments["n"]].is_set():
            await asyncio.sleep(0.001)
        flags[arguments["n"] - 1].set()
        return arguments["n"]

    def blocks(arguments: Any, _: Any) -> Any:
        assert flags[arguments["n"]].wait(5)
        flags[arguments["n"] - 1].set()
        return arguments["n"]

    registry = registry_of(waits if kind == "coroutine" else blocks)

    messages = asyncio.run(registry.dispatch_all([call("f", {"n": n}, f"c{n}") for n in range(4)]))

    assert [(message["tool_call_id"], content(message)["data"]) for message in messages] == [
        ("c0", 0),
        ("c1", 1),
        ("c2", 2),
        ("c3", 3),
    ]


def test_one_failure_leaves_its_siblings_alone() -> None:
    """Every call of a turn has its own end."""

    async def f(arguments: Any, _: Any) -> Any:
        if arguments["how"] == "raise":
            raise RuntimeError("boom")
        if arguments["how"] == "exit":
            raise SystemExit(3)
        await asyncio.sleep(0.01)
        return arguments["how"]

    ways = ["answer", "raise", "exit", "answer"]

    registry = registry_of(f).register("hangs", "", None, _sleeps, timeout_ms=LIMIT)
    calls = [*(call("f", {"how": way}) for way in ways), call("hangs"), {}]

    messages = asyncio.run(registry.dispatch_all(calls))

    assert [content(message).get("data", content(message).get("error")) for message in messages] == [
        "answer",
        "RuntimeError: boom",
        "SystemExit: 3",
        "answer",
        OVER,
        "the call names no tool",
    ]


def test_no_calls_are_no_messages() -> None:
    """An answer without tool calls has `None` in their place in some libraries."""
    registry = registry_of(lambda *_: 1)

    assert asyncio.run(registry.dispatch_all([])) == []
    assert asyncio.run(registry.dispatch_all(None)) == []


def test_a_thousand_plain_calls_do_not_wait_for_each_other() -> None:
    """There is no pool to queue in: all of them are inside their tool at the same time."""
    inside = threading.Barrier(1_000)

    registry = registry_of(lambda *_: inside.wait(20) >= 0)

    messages = asyncio.run(registry.dispatch_all([call("f")] * 1_000))

    assert [content(message) for message in messages] == [{"ok": True, "data": True}] * 1_000


def test_plain_functions_see_the_callers_context_variables() -> None:
    """A request ID set by the caller is there, and what a tool sets stays with it."""
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")

    def f(*_: Any) -> str:
        seen = variable.get()
        variable.set("by the tool")
        return seen

    async def turn() -> tuple[Any, str]:
        variable.set("by the caller")
        ends = await invoke_all(registry_of(f), [call("f"), call("f")])
        return [end.data for end in ends], variable.get()

    assert asyncio.run(turn()) == (["by the caller", "by the caller"], "by the caller")


def test_plain_functions_can_run_in_place() -> None:
    """For a module that must stay on one thread: no other is used, and time is still told."""
    threads: list[threading.Thread] = []

    def f(arguments: Any, _: Any) -> Any:
        threads.append(threading.current_thread())
        time.sleep(arguments.get("seconds", 0))
        return asyncio.sleep(0, "awaited") if arguments.get("later") else "at once"

    async def turn() -> list[Invocation]:
        ways: list[dict[str, Any]] = [{}, {"later": True}, {"seconds": 0.15}]
        return [await invoke(hurried(f), call("f", way), plain=PlainFunctions.IN_PLACE) for way in ways]

    ends = asyncio.run(turn())

    assert [(end.outcome, end.data) for end in ends] == [
        (Outcome.OK, "at once"),
        (Outcome.OK, "awaited"),
        (Outcome.TIMED_OUT, None),
    ]
    assert set(threads) == {threading.main_thread()}


def test_the_start_of_a_tool_is_told_where_it_happens() -> None:
    """Once for each call that runs, on the thread that runs it, and never for one that cannot."""
    told: list[tuple[str, bool]] = []

    def on_start() -> None:
        told.append(("start", threading.current_thread() is threading.main_thread()))

    async def coroutine(*_: Any) -> None:
        told.append(("coroutine", True))

    ended(coroutine, on_start=on_start)
    ended(lambda *_: told.append(("plain", False)), on_start=on_start)
    ended(coroutine, arguments="[]", on_start=on_start)

    assert told == [("start", True), ("coroutine", True), ("start", False), ("plain", False)]


# time


async def _sleeps(*_: Any) -> None:
    await asyncio.sleep(9)


async def _swallows(*_: Any) -> None:
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(9)


async def _cleans_up_slowly(*_: Any) -> None:
    try:
        await asyncio.sleep(9)
    finally:
        await asyncio.sleep(9)


async def _blocks_the_loop(*_: Any) -> None:
    time.sleep(0.2)


async def _never_ends(*_: Any) -> AsyncIterator[int]:
    for number in itertools.count():
        yield number
        await asyncio.sleep(0.01)


def _spins(*_: Any) -> None:
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        pass


def _yields_slowly(*_: Any) -> Iterator[int]:
    while True:
        time.sleep(0.01)
        yield 1


@pytest.mark.parametrize(
    "execute",
    [
        _sleeps,
        _swallows,
        _cleans_up_slowly,
        _blocks_the_loop,
        _never_ends,
        _spins,
        _yields_slowly,
        lambda *_: time.sleep(0.5),
        lambda *_: asyncio.sleep(9),
    ],
    ids=lambda execute: execute.__name__,
)
def test_whatever_takes_too_long_is_over_its_limit(execute: Callable[..., Any]) -> None:
    """Coroutines that refuse to end, threads, generators, a blocked loop: none of them hangs the turn.

    Nor does it hang the end of the event loop, which waits for every task that it knows.
    """
    invocation = ended(execute, timeout_ms=LIMIT)

    assert invocation == Invocation(Outcome.TIMED_OUT, "f", "c1", error=OVER)


def test_a_cancelled_coroutine_can_clean_up() -> None:
    """What takes no long time is done before the message is given."""
    cleaned: list[bool] = []

    async def f(*_: Any) -> None:
        try:
            await asyncio.sleep(9)
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    invocation = ended(f, timeout_ms=LIMIT)

    assert invocation.outcome is Outcome.TIMED_OUT
    assert cleaned == [True]


def test_the_limit_can_be_another_than_the_tools_own() -> None:
    """The caller's word counts, in both directions."""
    quick = ended(lambda *_: time.sleep(0.15), timeout_ms=10)
    slow = asyncio.run(invoke(hurried(lambda *_: time.sleep(0.15)), call("f"), timeout_ms=30_000))

    assert slow.outcome is Outcome.OK
    assert quick.error == "timed out: over its limit of 10 ms; it had started, and may have taken effect"


def test_the_clock_starts_with_the_tool() -> None:
    """A call that had to wait for the event loop is not late for it."""

    async def blocks_then_runs() -> Invocation:
        task = asyncio.ensure_future(invoke(hurried(lambda *_: "on time"), call("f")))
        await asyncio.sleep(0)
        time.sleep(0.2)
        return await task

    invocation = asyncio.run(blocks_then_runs())

    assert (invocation.outcome, invocation.data) == (Outcome.OK, "on time")


def test_a_plain_function_left_behind_does_not_keep_the_program() -> None:
    """The process ends while the tool still sleeps, and says nothing about it."""
    code = (
        "import asyncio, time\n"
        "from amberfork_cli.core.tools.registry import ToolRegistry\n"
        "def plain(a, c): time.sleep(60)\n"
        "async def stubborn(a, c):\n"
        "    while True:\n"
        "        try: await asyncio.sleep(60)\n"
        "        except asyncio.CancelledError: pass\n"
        "r = ToolRegistry()\n"
        "for f in (plain, stubborn): r.register(f.__name__, '', {'validate': lambda a: []}, f, 100)\n"
        "for m in asyncio.run(r.dispatch_all([{'name': 'plain'}, {'name': 'stubborn'}])):\n"
        "    print(m['content'][:27])\n"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)

    assert ran.stdout == '{"ok":false,"error":"timed \n' * 2
    assert ran.stderr == ""


# what tools do


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


def _raises(error: BaseException) -> Callable[..., Any]:
    def f(*_: Any) -> Any:
        raise error

    return f


def _raises_later(error: BaseException) -> Callable[..., Any]:
    async def f(*_: Any) -> Any:
        await asyncio.sleep(0)
        raise error

    return f


@pytest.mark.parametrize("raises", [_raises, _raises_later])
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("bad city"), "ValueError: bad city"),
        (ValueError(), "ValueError"),
        (ValueError("  \n"), "ValueError"),
        (KeyError("city"), "KeyError: 'city'"),
        (UnspeakableError(), "UnspeakableError"),
        (SystemExit(2), "SystemExit: 2"),
        (SystemExit(), "SystemExit"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit(), "GeneratorExit"),
        (asyncio.CancelledError(), "CancelledError"),
        (TimeoutError(), "TimeoutError"),
        (ExceptionGroup("two", [ValueError("a"), KeyError("b")]), "ExceptionGroup: two (2 sub-exceptions)"),
        (BaseException("base"), "BaseException: base"),
        (ValueError("\ud83d"), "ValueError: \ud83d"),
    ],
    ids=repr,
)
def test_whatever_a_tool_raises_is_told(
    raises: Callable[[BaseException], Callable[..., Any]], error: BaseException, told: str
) -> None:
    """Type and message, never blank; an attempt to end the program is a failure like any other."""
    invocation = ended(raises(error))

    assert invocation == Invocation(Outcome.FAILED, "f", "c1", error=told)
    assert json.loads(invocation.message()["content"]) == {"ok": False, "error": told}


def test_stop_iteration_is_told() -> None:
    """The exception that neither a future nor a coroutine can carry."""
    assert ended(_raises(StopIteration(1))).error == "StopIteration: 1"
    assert ended(_raises_later(StopIteration(1))).error == "RuntimeError: coroutine raised StopIteration"


def test_endless_recursion_is_told() -> None:
    """It is an exception like others."""

    def f(arguments: Any, context: Any) -> Any:
        return f(arguments, context)

    assert ended(f).error.startswith("RecursionError: maximum recursion depth exceeded")


def test_a_tool_that_cancels_itself_is_told() -> None:
    """Cancelling one's own task is no way out of the turn."""

    async def f(*_: Any) -> Any:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(9)

    assert ended(f) == Invocation(Outcome.FAILED, "f", "c1", error="CancelledError")


def test_an_error_is_not_longer_than_need_be() -> None:
    """A megabyte of message is cut."""
    assert ended(_raises(ValueError("x" * 1_000_000))).error == f"ValueError: {'x' * 9_988}"


def test_the_traceback_begins_in_the_tool() -> None:
    """What is amberfork's own is left out of it, whichever way the tool was called."""
    registry = ToolRegistry().register("plain", "", None, _raises(ValueError("one")))
    registry.register("later", "", None, _raises_later(ValueError("two")))
    registry.tool(name="typed")(_fails)

    ends = asyncio.run(registry.invoke_all([call("plain"), call("later"), call("typed")]))

    for end, error in zip(ends, ["one", "two", "three"], strict=True):
        first, place, *_ = end.trace.splitlines()
        assert first == "Traceback (most recent call last):"
        assert place.startswith(f'  File "{__file__}", line ')
        assert end.trace.endswith(f"ValueError: {error}\n")


def _fails() -> None:
    raise ValueError("three")


class Answers:
    """A tool that is an object."""

    def __call__(self, *_: Any) -> str:
        return "plain object"


class AnswersLater:
    async def __call__(self, *_: Any) -> str:
        return "object with a coroutine"


async def _coroutine(*_: Any) -> str:
    return "coroutine"


async def _yields(*_: Any) -> AsyncIterator[int]:
    for number in range(3):
        yield number


@pytest.mark.parametrize(
    ("execute", "data"),
    [
        (_coroutine, "coroutine"),
        (lambda a, c: _coroutine(a, c), "coroutine"),  # noqa: PLW0108
        (functools.partial(_coroutine), "coroutine"),
        (Answers(), "plain object"),
        (AnswersLater(), "object with a coroutine"),
        (_yields, [0, 1, 2]),
        (lambda *_: (number for number in range(3)), [0, 1, 2]),
        (lambda *_: None, None),
    ],
)
def test_whatever_can_be_called_is_a_tool(execute: Callable[..., Any], data: object) -> None:
    """Coroutine functions, functions that return one, objects, generators of both kinds."""
    assert ended(execute) == Invocation(Outcome.OK, "f", "c1", data=data)


def test_an_endless_async_generator_is_cut() -> None:
    """It is closed, and what was taken of it is marked."""
    closed: list[bool] = []

    async def f(*_: Any) -> AsyncIterator[int]:
        try:
            for number in itertools.count():
                yield number
        finally:
            closed.append(True)

    invocation = ended(f)

    assert invocation.lossy == ("cut after 10,000 items",)
    assert closed == [True]


def test_a_generator_that_raises_is_a_tool_that_raises() -> None:
    """It does not matter that it had begun to answer."""

    def f(*_: Any) -> Iterator[int]:
        yield 1
        raise ValueError("half way")

    assert ended(f) == Invocation(Outcome.FAILED, "f", "c1", error="ValueError: half way")


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_an_exception_that_is_returned_is_a_result(kind: str) -> None:
    """It was not raised; it has no JSON form, and that is marked."""

    async def later(*_: Any) -> Any:
        return ValueError("x")

    invocation = ended((lambda *_: ValueError("x")) if kind == "plain" else later)

    assert (invocation.outcome, invocation.data) == (Outcome.OK, "ValueError('x')")
    assert invocation.lossy == ("a ValueError by its repr",)


def test_what_json_cannot_say_is_marked_and_sent() -> None:
    """The message is valid JSON text, whatever the tool returned."""
    invocation = ended(lambda *_: {"a": float("nan"), "b": {1}, "c": "\ud83d", "d": 10**30})

    assert invocation.lossy == ("/a: no JSON number, so its name stands here",)
    assert json.loads(invocation.message()["content"].encode("utf-8")) == {
        "ok": True,
        "data": {"a": "NaN", "b": [1], "c": "\ud83d", "d": 10**30},
    }


# the caller


def test_cancelling_the_turn_cancels_its_tools() -> None:
    """Real cancellation passes through, and no tool goes on."""
    ends: list[str] = []

    async def f(*_: Any) -> None:
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    async def turn() -> None:
        task = asyncio.ensure_future(dispatch_all(registry_of(f), [call("f")] * 2))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(turn())

    assert ends == ["cancelled", "cancelled"]


def test_a_time_limit_of_the_callers_passes_through() -> None:
    """`asyncio.timeout` around a turn ends the turn."""

    async def turn() -> None:
        async with asyncio.timeout(0.05):
            await dispatch_all(registry_of(lambda *_: time.sleep(0.3)), [call("f")])

    with pytest.raises(TimeoutError):
        asyncio.run(turn())


@pytest.mark.parametrize("runner", ["asyncio.run(turn)", "asyncio.new_event_loop().run_until_complete(turn)"])
@pytest.mark.parametrize(
    "tool", ["async def f(a, c): await asyncio.sleep(60)", "def f(a, c): time.sleep(60)"]
)
def test_ctrl_c_of_the_user_ends_the_program(runner: str, tool: str) -> None:
    """It is no tool's exception, whichever way the event loop treats it."""
    code = (
        "import asyncio, time\n"
        "from amberfork_cli.core.tools.registry import ToolRegistry\n"
        f"{tool}\n"
        "r = ToolRegistry().register('f', '', {'validate': lambda a: []}, f, 50_000)\n"
        "async def main():\n"
        "    asyncio.get_running_loop().call_later(0.05, lambda: print('up', flush=True))\n"
        "    return await r.dispatch_all([{'name': 'f'}])\n"
        "turn = main()\n"
        f"print({runner})\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"

    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)

    assert (out, process.returncode) == ("", -signal.SIGINT)
    assert "KeyboardInterrupt" in err.splitlines()


# the plan


def test_a_call_can_be_prepared_without_running_it() -> None:
    """What would run is told from what cannot, as for a dry run."""
    registry = registry_of(lambda *_: 1 / 0, schema=CITY)

    ready = prepare(registry, call("f", '{"city": "Seoul"}'))
    unfit = prepare(registry, call("f", "{}"))
    unknown = prepare(registry, call("g"))

    tool = registry.get("f")
    assert tool is not None
    assert ready == Ready(tool, {"city": "Seoul"}, "c1")
    assert isinstance(unfit, Invocation)
    assert isinstance(unknown, Invocation)
    assert (unfit.outcome, unknown.outcome) == (Outcome.INVALID, Outcome.UNKNOWN)


def test_the_functions_do_what_the_methods_do() -> None:
    """A registry is only one kind of toolbox."""
    registry = registry_of(lambda *_: "x")

    one = asyncio.run(invoke_one(registry, call("f")))
    many = asyncio.run(dispatch_all(registry, [call("f")]))

    assert [content(one)] == [content(message) for message in many] == [{"ok": True, "data": "x"}]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(
    ["id", "call_id", "type", "function", "name", "arguments", "input", "args", "index", "x"]
)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.dictionaries(
            MEMBERS,
            JSON_VALUES | st.just("f") | st.dictionaries(MEMBERS, JSON_VALUES | st.just("f"), max_size=3),
            max_size=5,
        )
        | JSON_VALUES,
        max_size=4,
    )
)
def test_any_turn_is_answered(tool_calls: list[Any]) -> None:
    """Whatever a model writes, every call gets one message, in order, whose content is a JSON object."""
    messages = asyncio.run(registry_of(lambda a, _: a).dispatch_all(tool_calls))

    assert len(messages) == len(tool_calls)
    for message in messages:
        assert message.keys() == {"role", "tool_call_id", "name", "content"}
        assert all(isinstance(part, str) for part in message.values())
        assert isinstance(json.loads(message["content"].encode("utf-8"))["ok"], bool)
