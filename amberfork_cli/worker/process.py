"""The worker process: `python -m amberfork_cli.worker.process`, spoken to over its standard input and output.

Its main thread loads the user's module and runs the one event loop, which lives as long as the process: what
the module made when it was loaded, such as a client with its connections, works in every call. Plain
functions run on a thread each or, one call at a time, on the main thread, where module state that belongs to
a thread works too. Nothing here keeps time: whoever is over a limit is killed with the process.
"""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from typing import Any

from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.arguments import AskedCall
from amberfork_cli.core.tools.dispatch import PlainFunctions, Ready, prepare, run
from amberfork_cli.core.tools.invocation import Invocation, Outcome
from amberfork_cli.core.tools.registry import ToolRegistry
from amberfork_cli.core.tools.signature import is_coroutine_function
from amberfork_cli.core.tools.tool import Tool, ToolContext
from amberfork_cli.errors import RegistryLoadError
from amberfork_cli.worker.channel import CURRENT_CALL, Channel, leave_guard, route_streams, take_descriptors
from amberfork_cli.worker.discovery import Offer, load_registry
from amberfork_cli.worker.packing import pack, unpack, unpack_context
from amberfork_cli.worker.protocol import (
    Call,
    Finished,
    Leave,
    Load,
    Loaded,
    LoadFailed,
    Message,
    Ping,
    Pong,
    Started,
)

_NO_LIMIT = float("inf")


def main() -> None:
    """Serve one command until it is done, or gone."""
    channel = take_descriptors()
    signal.signal(signal.SIGINT, _ignore)  # not SIG_IGN, which whatever a tool starts would inherit
    leave_guard(channel.incoming)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)  # for a module that asks for one while it is loaded
    with suppress(EOFError):
        load = _first_message(channel)
        if isinstance(load, Load) and (offer := _offer(load, channel, loop)):
            _Calls(offer.registry, load, channel, loop).serve()


def _ignore(*_: object) -> None:
    """Ctrl-C is the command's business."""


def _first_message(channel: Channel) -> Message:
    """What to load; nothing else comes before the answer to it."""
    while not (messages := channel.receive()):
        pass
    return messages[0]


def _offer(load: Load, channel: Channel, loop: asyncio.AbstractEventLoop) -> Offer | None:
    """The tools of the registry, told to the command; None where it cannot be loaded."""
    try:
        offer = load_registry(load.reference, loop.run_until_complete)
        tools = [pack(_described(tool)) for tool in offer.registry]
    except RegistryLoadError as error:
        channel.send(LoadFailed(error.problem, error.source, error.line, error.code, error.traceback))
        return None
    channel.send(Loaded(tools, [list(left) for left in offer.left_out]))
    return offer


def _described(tool: Tool) -> dict[str, JsonValue]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema.parameters,
        "effect": tool.effect,
        "timeout_ms": tool.timeout_ms,
    }


class _Calls:
    """The calls of one command, run as they come."""

    def __init__(
        self, registry: ToolRegistry, load: Load, channel: Channel, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._registry, self._load, self._channel, self._loop = registry, load, channel, loop
        self._tasks: set[asyncio.Task[None]] = set()
        self._prints = None if load.one_at_a_time else route_streams(channel)
        self._leaving = False

    def serve(self) -> None:
        """Run calls until the command has no more."""
        self._loop.add_reader(self._channel.incoming, self._take_in)
        while not self._leaving:
            with suppress(KeyboardInterrupt, SystemExit):  # of a task that a tool made
                self._loop.run_forever()

    def _take_in(self) -> None:
        try:
            messages = self._channel.receive()
        except EOFError:
            messages = [Leave()]
        for message in messages:
            match message:
                case Call():
                    self._begin(message)
                case Ping():
                    self._channel.send(Pong())
                case _:
                    self._leaving = True
                    self._loop.stop()

    def _begin(self, call: Call) -> None:
        variables = copy_context()
        variables.run(CURRENT_CALL.set, call.number)
        task = self._loop.create_task(self._run(call), context=variables)
        self._tasks.add(task)  # the loop itself holds tasks weakly
        task.add_done_callback(self._tasks.discard)

    async def _run(self, call: Call) -> None:
        try:
            end = await self._end(call)
            answer = pack(end)
        except BaseException as error:
            end = Invocation(
                Outcome.FAILED, call.tool, error=f"{type(error).__name__}: {error}".removesuffix(": ")
            )
            answer = pack(end)
        if self._prints is not None:
            self._prints.end(call.number)
        self._channel.send(Finished(call.number, (end.duration_ms or 0.0) / 1000, answer))

    async def _end(self, call: Call) -> Invocation:
        context = unpack_context(call.context)
        asked = AskedCall(context.call_id, call.tool, unpack(call.arguments))
        ready = prepare(self._registry, asked, coerce=self._load.coerce)
        if isinstance(ready, Invocation):
            return ready
        if call.check_only:
            return Invocation(Outcome.SKIPPED, call.tool, context.call_id)
        return await run(
            self._in_place(ready) if self._load.one_at_a_time else ready,
            context,
            timeout_ms=_NO_LIMIT,
            plain=PlainFunctions.IN_PLACE if self._load.one_at_a_time else PlainFunctions.ON_THREADS,
            on_start=lambda: self._channel.send(Started(call.number, time.monotonic())),
        )

    def _in_place(self, ready: Ready) -> Ready:
        """The call, its function run as if no event loop were there: many call `asyncio.run` themselves."""
        execute = ready.tool.execute
        if is_coroutine_function(execute):
            return ready

        def outside(arguments: Any, context: ToolContext) -> Any:
            asyncio._set_running_loop(None)
            try:
                return execute(arguments, context)
            finally:
                asyncio._set_running_loop(self._loop)

        return replace(ready, tool=replace(ready.tool, execute=outside))


if __name__ == "__main__":
    main()
