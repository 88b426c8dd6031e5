"""One tool at work in this process: started, timed by its own clock, left behind when it takes too long.

Coroutines share the caller's event loop. Plain functions run on a daemon thread each, never in a pool: a
bounded one makes calls wait for each other and then blames them for it, and a thread that is no daemon keeps
the program alive until the slowest tool ends. Nothing in one process can stop a plain function, though: one
over its limit is left behind, and one that never lets other threads run delays them all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass, replace
from enum import Enum
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final

from amberfork_cli.core.tools.invocation import Invocation, Outcome
from amberfork_cli.core.tools.results import LONGEST_ITERATION, Converted, convert
from amberfork_cli.core.tools.signature import is_coroutine_function
from amberfork_cli.core.tools.tool import Tool, ToolContext

if TYPE_CHECKING:
    import asyncio

GRACE: Final = 0.02  # seconds for a cancelled coroutine to end, before it is left behind
LONGEST_ERROR: Final = 10_000  # characters
LONGEST_TRACE: Final = 20_000


class PlainFunctions(Enum):
    """Where functions run that are no coroutines."""

    ON_THREADS = "each on a daemon thread of its own"
    IN_PLACE = "on the thread of the event loop, one after another, with no way to stop them"


@dataclass(frozen=True, slots=True)
class Ready:
    """A call that can run: its tool, and arguments that fit."""

    tool: Tool
    arguments: Any
    call_id: str


async def run(
    ready: Ready,
    context: ToolContext,
    *,
    timeout_ms: float | None = None,
    plain: PlainFunctions = PlainFunctions.ON_THREADS,
    on_start: Callable[[], None] | None = None,
) -> Invocation:
    """How a call that was ready ended; raises only what the caller's own cancelling and Ctrl-C raise."""
    import asyncio

    clock = _Clock(on_start)
    limit_ms = ready.tool.timeout_ms if timeout_ms is None else timeout_ms
    execute = _bound(ready, replace(context, call_id=ready.call_id))
    task = asyncio.ensure_future(_work(execute, clock, plain))
    try:
        on_time = await _within(task, clock, limit_ms / 1000)
    except BaseException:
        task.cancel()
        raise
    end = Invocation(Outcome.OK, ready.tool.name, ready.call_id, duration_ms=clock.elapsed() * 1000)
    if not on_time:
        await _leave_behind(task)
        return replace(end, outcome=Outcome.TIMED_OUT, error=_over(limit_ms))
    return _ended(end, task)


def sentence(error: BaseException) -> str:
    """An exception in words: type name and message, or the type name where there is no message to be had."""
    try:
        message = str(error)
    except Exception:
        message = ""
    return f"{type(error).__name__}: {message}"[:LONGEST_ERROR] if message.strip() else type(error).__name__


@dataclass(slots=True)
class _Clock:
    """When a tool began and ended, in seconds, told by the thread on which it did."""

    on_start: Callable[[], None] | None
    started: float | None = None
    ended: float | None = None

    def start(self) -> None:
        if self.on_start is not None:
            self.on_start()
        self.started = time.monotonic()

    def stop(self) -> None:
        self.ended = time.monotonic()

    def elapsed(self) -> float:
        """How long it has run; nothing while it has not begun."""
        if self.started is None:
            return 0.0
        return (time.monotonic() if self.ended is None else self.ended) - self.started


@dataclass(frozen=True, slots=True)
class _Execute:
    """A tool with all it needs to run."""

    call: Callable[[], Any]
    is_coroutine: bool
    name: str


@dataclass(frozen=True, slots=True)
class _Raised:
    """A tool raised this; one that merely returns an exception has returned a value."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class _Pending:
    """A plain function returned this for the event loop to wait for."""

    value: Any


def _bound(ready: Ready, context: ToolContext) -> _Execute:
    execute = ready.tool.execute
    return _Execute(
        lambda: execute(ready.arguments, context), is_coroutine_function(execute), ready.tool.name
    )


async def _work(execute: _Execute, clock: _Clock, plain: PlainFunctions) -> Converted | _Raised:
    """What the tool returned or raised, as a value: some exceptions that leave a task end the event loop."""
    import asyncio

    try:
        if execute.is_coroutine:
            clock.start()
            return await _awaited(execute.call(), clock)
        on_thread = plain is PlainFunctions.ON_THREADS
        called = await _on_thread(execute, clock) if on_thread else _called(execute, clock)
        return await _awaited(called.value, clock) if isinstance(called, _Pending) else called
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        return _raised(error, clock)


def _called(execute: _Execute, clock: _Clock) -> Converted | _Raised | _Pending:
    """What a plain function returned, raised, or left to be awaited."""
    try:
        clock.start()
        value = execute.call()
        if isawaitable(value) or hasattr(type(value), "__aiter__"):
            return _Pending(value)
        converted = convert(value)
        clock.stop()
        return converted
    except BaseException as error:
        return _raised(error, clock)


def _on_thread(execute: _Execute, clock: _Clock) -> asyncio.Future[Converted | _Raised | _Pending]:
    """The same, from a thread of its own with the caller's context variables."""
    import asyncio
    from contextvars import copy_context
    from threading import Thread

    loop = asyncio.get_running_loop()
    future: asyncio.Future[Converted | _Raised | _Pending] = loop.create_future()
    variables = copy_context()

    def work() -> None:
        value = variables.run(_called, execute, clock)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, future, value)

    Thread(target=work, daemon=True, name=f"tool {execute.name}").start()
    return future


def _settle(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


async def _awaited(value: Any, clock: _Clock) -> Converted:
    """The result once everything in it that takes time has been waited for."""
    if isawaitable(value):
        value = await value
    if hasattr(type(value), "__aiter__"):
        value = await _collected(value)
    converted = convert(value)
    clock.stop()
    return converted


async def _collected(items: Any) -> Iterator[Any]:
    """What an async generator yields, one more than `convert` takes, so that it can say it was cut."""
    collected: list[Any] = []
    async with aclosing(items) if hasattr(items, "aclose") else nullcontext():
        async for item in items:
            collected.append(item)
            if len(collected) > LONGEST_ITERATION:
                break
    return iter(collected)


def _raised(error: BaseException, clock: _Clock) -> _Raised:
    """The exception as a value, unless it is the user's own Ctrl-C."""
    if isinstance(error, KeyboardInterrupt) and _ctrl_c_raises():
        raise error
    clock.stop()
    return _Raised(error)


def _ctrl_c_raises() -> bool:
    """Whether Ctrl-C raises KeyboardInterrupt here; under asyncio.run it cancels, and a tool raised this."""
    import signal
    from threading import current_thread, main_thread

    on_main = current_thread() is main_thread()
    return on_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


async def _within(task: asyncio.Task[Any], clock: _Clock, limit: float) -> bool:
    """Whether the task ends before the tool has run for so many seconds, by the tool's own clock."""
    import asyncio

    left = limit
    while left > 0:
        await asyncio.wait({task}, timeout=left)
        if task.done():
            return clock.elapsed() <= limit
        left = limit - clock.elapsed()
    return False


async def _leave_behind(task: asyncio.Task[Any]) -> None:
    """Cancel a task, and let go of it when it does not care: asyncio.run would wait for it at its end."""
    import asyncio

    task.cancel()
    await asyncio.wait({task}, timeout=GRACE)
    if not task.done():
        asyncio._unregister_task(task)
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # or it is told when it is collected


def _over(limit_ms: float) -> str:
    return f"timed out: over its limit of {limit_ms:g} ms; it had started, and may have taken effect"


def _ended(end: Invocation, task: asyncio.Task[Converted | _Raised]) -> Invocation:
    if task.cancelled():  # the tool cancelled itself
        return replace(end, outcome=Outcome.FAILED, error="CancelledError")
    result = task.result()
    if isinstance(result, Converted):
        return replace(end, data=result.data, lossy=result.lossy, text=result.text)
    error = result.error
    return replace(end, outcome=Outcome.FAILED, error=sentence(error), trace=_trace(error))


def _trace(error: BaseException) -> str:
    """The traceback from the tool's own frame on, cut in the middle where it is long."""
    from traceback import format_exception

    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_globals.get("__package__") == __package__:
        frames = frames.tb_next
    try:
        text = "".join(format_exception(type(error), error, frames))
    except Exception:  # an exception whose own text cannot be had
        return ""
    half = LONGEST_TRACE // 2
    return text if len(text) <= LONGEST_TRACE else f"{text[:half]}\n…\n{text[-half:]}"
