"""The command's side of the worker: a registry's tools, and turns of calls run in a process apart.

The process is stopped when a call is over its limit, and started anew when it is gone; `turn` has the rules.
Results come in the order of the calls, whatever happens to the process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.invocation import Invocation, Outcome
from amberfork_cli.core.tools.registry import ToolRegistry
from amberfork_cli.core.tools.tool import DEFAULT_TIMEOUT_MS, Checked, Tool, ToolContext
from amberfork_cli.errors import RegistryError, RegistryLoadError
from amberfork_cli.worker.calls import (
    CallFinished,
    CallRequest,
    CallResult,
    CallStarted,
    ToolInfo,
    TurnEvent,
    TurnResults,
    WorkerRestarted,
)
from amberfork_cli.worker.child import Child, Died, Event, Output
from amberfork_cli.worker.host import LOAD_LIMIT, Host
from amberfork_cli.worker.packing import pack, unpack_invocation
from amberfork_cli.worker.printing import MOST_PRINTED, Prints
from amberfork_cli.worker.protocol import Call, Finished, Load, Ping, Pong, Printed, Started
from amberfork_cli.worker.turn import End, Ending, Turn, Wanted

_ANSWER_LIMIT = 0.1  # seconds for a process that is not held up to answer


class WorkerClient:
    """One registry in a process apart. Use it in a `with`: leaving that ends the process.

    `jobs` bounds the calls of a turn that run at once; with 1, plain functions run on the process's main
    thread. `timeout_ms`, in milliseconds, stands for the limits of all tools. `coerce` reads `"3"` as 3 where
    a tool wants a number. `load_limit` is in seconds.
    """

    def __init__(
        self,
        reference: str,
        *,
        jobs: int | None = None,
        coerce: bool = False,
        timeout_ms: float | None = None,
        load_limit: float = LOAD_LIMIT,
    ) -> None:
        self._host = Host(Load(reference, one_at_a_time=jobs == 1, coerce=coerce), load_limit=load_limit)
        self._jobs, self._timeout_ms = jobs, timeout_ms

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._host.close()
        else:
            self._host.kill()

    def start(self) -> None:
        """Have the registry loaded in the background, while there is something else to do."""
        self._host.start()

    def describe(self) -> tuple[ToolInfo, ...]:
        """The tools of the registry, in its order; raises RegistryLoadError where it cannot be loaded."""
        return self._host.tools()

    def registry(self) -> ToolRegistry:
        """The tools as a registry of their own, to look at: none of them can run here."""
        return ToolRegistry(map(_shown, self.describe()))

    def run_turn(
        self, calls: Sequence[CallRequest], *, on_event: Callable[[TurnEvent], None] | None = None
    ) -> TurnResults:
        """Run the calls of one turn at once; what a tool, or the process, does is a result and never raised.

        `on_event` is told what happens while it does. Raises RegistryLoadError where the registry cannot be
        loaded for the first time.
        """
        limits = {tool.name: tool.timeout_ms for tool in self._host.tools()}
        limited = [self._timeout_ms or limits.get(call.tool, DEFAULT_TIMEOUT_MS) for call in calls]
        return _TurnRun(self._host, calls, limited, jobs=self._jobs, on_event=on_event).through()

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """The public functions of the module that cannot be tools: the name and the reason of each."""
        return self._host.left_out

    @property
    def restarts(self) -> int:
        """How often the process was started anew, so that what the user's module held in memory was lost."""
        return max(self._host.loads - 1, 0)


@dataclass(frozen=True, slots=True)
class _ShownSchema:
    """A schema that is only looked at."""

    parameters: dict[str, JsonValue]

    def validate(self, _: Mapping[str, Any]) -> list[JsonValue]:
        """No fault: nothing is checked on this side."""
        return []

    def check(self, arguments: Mapping[str, Any], *, coerce: bool = False) -> Checked:  # noqa: ARG002
        """The arguments as they are."""
        return Checked(arguments)


def _shown(tool: ToolInfo) -> Tool:
    def execute(_arguments: Any, _context: ToolContext) -> None:
        raise RegistryError("runs in the worker process only", tool=tool.name)

    return Tool(
        tool.name, tool.description, _ShownSchema(tool.parameters), execute, tool.timeout_ms, tool.effect
    )


class _TurnRun:
    """One turn on its way: what `Turn` wants is sent, what the process says is told to `Turn`."""

    def __init__(
        self,
        host: Host,
        calls: Sequence[CallRequest],
        limits: Sequence[float],
        *,
        jobs: int | None,
        on_event: Callable[[TurnEvent], None] | None,
    ) -> None:
        wanted = [Wanted(call.side_effect, ms / 1000) for call, ms in zip(calls, limits, strict=True)]
        self._turn = Turn(wanted, jobs=jobs or max(len(calls), 1))
        self._host, self._calls, self._limits = host, calls, limits
        self._tell = on_event or (lambda _: None)
        self._prints = {number: Prints(MOST_PRINTED) for number in range(len(calls))}
        self._shared_prints = Prints(MOST_PRINTED)
        self._state_lost: dict[int, bool] = {}
        self._results: dict[int, CallResult] = {}
        self._answered = False

    def through(self) -> TurnResults:
        """Everything, until each call has ended."""
        while not self._turn.done:
            try:
                self._step(self._child())
            except RegistryLoadError as error:
                self._turn.give_up(f"the registry could not be loaded again: {str(error).splitlines()[0]}")
            self._conclude()
        return TurnResults(
            tuple(self._results[number] for number in range(len(self._calls))), self._shared_prints.so_far()
        )

    def _child(self) -> Child:
        if not self._host.is_up:
            self._tell(WorkerRestarted())
        return self._host.child()

    def _step(self, child: Child) -> None:
        for number in self._turn.take(time.monotonic()):
            self._send(child, number)
        for event in child.listen(self._seconds_left()):
            self._hear(event)
        if self._is_overdue():
            responsive = self._still_answers(child)
            if self._is_overdue():
                self._host.kill()
                self._turn.cut(time.monotonic(), responsive=responsive)

    def _is_overdue(self) -> bool:
        deadline = self._turn.deadline()
        return self._host.is_up and deadline is not None and time.monotonic() >= deadline

    def _still_answers(self, child: Child) -> bool:
        """Whether the process can do anything beside the call that is late; told what else it says, too."""
        self._answered = False
        child.send(Ping())
        end = time.monotonic() + _ANSWER_LIMIT
        while len(self._turn.flying) > 1 and not self._answered and (left := end - time.monotonic()) > 0:
            for event in child.listen(left):
                self._hear(event)
        return self._answered

    def _seconds_left(self) -> float:
        deadline = self._turn.deadline()
        return 0.0 if deadline is None else max(deadline - time.monotonic(), 0.0)

    def _send(self, child: Child, number: int) -> None:
        call = self._calls[number]
        self._prints[number] = Prints(MOST_PRINTED)  # what a run that was cut had printed is printed again
        self._state_lost[number] = self._host.loads > 1
        child.send(Call(number, call.tool, pack(call.arguments), pack(call.context), call.check_only))

    def _hear(self, event: Event) -> None:
        match event:
            case Started(number, at):
                self._turn.started(number, at)
                self._tell(CallStarted(number))
            case Printed(number, text, more):
                self._prints[number].add(text, more=more)
            case Output(text):
                self._whose_output().add(text)
            case Pong():
                self._answered = True
            case Finished(number, took, invocation):
                self._turn.finished(number, took, invocation)
            case Died(reason):
                self._host.kill()
                self._turn.died(reason, time.monotonic())

    def _whose_output(self) -> Prints:
        """The only call that the process has, if it is the only one."""
        flying = self._turn.flying
        return self._prints[flying[0]] if len(flying) == 1 else self._shared_prints

    def _conclude(self) -> None:
        """Make a result of every call that has ended since."""
        for number, end in self._turn.new_ends():
            self._results[number] = self._result(number, end)
            self._tell(CallFinished(number, self._results[number]))

    def _result(self, number: int, end: End) -> CallResult:
        return CallResult(
            self._invocation(number, end),
            printed=self._prints[number].so_far(),
            runs=self._turn.runs.get(number, 0),
            state_lost=self._state_lost.get(number, True),
        )

    def _invocation(self, number: int, end: End) -> Invocation:
        if end.ending is Ending.FINISHED and end.answer is not None:
            return unpack_invocation(end.answer)
        outcome, error = _in_words(end, self._limits[number])
        call = self._calls[number]
        ms = None if end.took is None else end.took * 1000
        return Invocation(outcome, call.tool, call.context.call_id, error=error, duration_ms=ms)


def _in_words(end: End, limit_ms: float) -> tuple[Outcome, str]:
    """What is said of a call that brought no answer."""
    gone = f"the process {end.reason} while the tool ran"
    match end.ending:
        case Ending.TIMED_OUT:
            error = f"timed out after {limit_ms:g} ms; it had started and may have taken effect"
            return Outcome.TIMED_OUT, error
        case Ending.INTERRUPTED:
            return Outcome.INTERRUPTED, f"interrupted, may have taken effect: {gone}"
        case Ending.DIED:
            return Outcome.FAILED, gone
    return Outcome.FAILED, f"never started: {end.reason}"
