"""What goes into a turn and what comes out of it, for whoever runs one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.invocation import Invocation
from amberfork_cli.core.tools.tool import Effect, ToolContext
from amberfork_cli.worker.printing import Print


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """One tool of the registry, as the command knows it. `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: dict[str, JsonValue]
    effect: Effect
    timeout_ms: float


@dataclass(frozen=True, slots=True)
class CallRequest:
    """One call to run: the tool's name in the registry, the arguments as recorded, what the tool may ask.

    `side_effect` has it run alone, after the others of its turn, and never twice. With `check_only` it does
    not run: if it could, its outcome is skipped.
    """

    tool: str
    arguments: JsonValue
    context: ToolContext = field(default_factory=ToolContext)
    side_effect: bool = False
    check_only: bool = False


@dataclass(frozen=True, slots=True)
class CallResult:
    """How one call ended, and what it printed.

    `runs` is how often the tool was started: more than once where another call's end cut it. `state_lost`
    says that the process had been started anew before, so that what the module held in memory was gone.
    """

    invocation: Invocation
    printed: Print
    runs: int
    state_lost: bool


@dataclass(frozen=True, slots=True)
class TurnResults:
    """The results of one turn in the order of its calls, and what was printed by nobody can say which."""

    results: tuple[CallResult, ...]
    printed: Print


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The tool of the call at that position in the turn begins to run, perhaps once more."""

    position: int


@dataclass(frozen=True, slots=True)
class CallFinished:
    """The call at that position in the turn has ended."""

    position: int
    result: CallResult


@dataclass(frozen=True, slots=True)
class WorkerRestarted:
    """The process is started anew: what the user's module held in memory is lost."""


TurnEvent: TypeAlias = CallStarted | CallFinished | WorkerRestarted
