"""Which tool calls of a tape are run, and why the others are not.

A tool that changes something in the world is not run unless the user names it: running a tape again must not
send the refund again. The same holds for a function of which nobody said that it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from amberfork_cli.core.dialects.calls import RecordedCall, Turn
from amberfork_cli.core.tools.tool import Effect
from amberfork_cli.errors import OptionError


class Decision(StrEnum):
    """What is done with a call."""

    RUN = "run"
    RUN_ALONE = "run-alone"
    SIDE_EFFECT = "side-effect"
    LEFT_OUT = "left-out"
    UNKNOWN = "unknown-tool"
    INCOMPLETE = "incomplete"
    BY_PROVIDER = "by-provider"

    @property
    def runs(self) -> bool:
        """Whether the call is run."""
        return self in (Decision.RUN, Decision.RUN_ALONE)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user says of tools: names, in which `*` stands for anything, as recorded or as registered.

    `allow` names tools that may have their side effect. Where `only` names any, no others run; `skip` names
    some that do not. `aliases` are pairs of a recorded and a registered name, both with one `*` or none.
    """

    allow: Sequence[str] = ()
    only: Sequence[str] = ()
    skip: Sequence[str] = ()
    aliases: Sequence[tuple[str, str]] = ()

    def local_name(self, recorded: str) -> str:
        """The name in the registry of a tool with that name on the tape."""
        found = (_renamed(recorded, old, new) for old, new in self.aliases)
        return next((name for name in found if name is not None), recorded)


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call of a turn and what is done with it.

    `position` counts from 0 among all calls of the turn. `tool` is the name in the registry. `flag` is what
    the user would have to say for it to run, where there is such a thing.
    """

    recorded: RecordedCall
    position: int
    tool: str
    decision: Decision
    effect: Effect | None = None
    flag: str = ""

    @property
    def name(self) -> str:
        """The name that stands on the tape."""
        return self.recorded.call.name


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """The calls that a model made at once; `exchange` is where they stand first."""

    exchange: int
    calls: tuple[PlannedCall, ...]


def plan_run(turns: Iterable[Turn], tools: Mapping[str, Effect], choice: Choice) -> tuple[PlannedTurn, ...]:
    """What is done with each call of the turns; `tools` are those of the registry.

    Raises OptionError for a name in the choice that is no tool's, neither on the tape nor in the registry.
    """
    planned = tuple(PlannedTurn(turn.exchange, tuple(_planned(turn.calls, tools, choice))) for turn in turns)
    _refuse_idle_names(choice, planned, tools)
    return planned


def _renamed(name: str, old: str, new: str) -> str | None:
    """What the name becomes by the alias; None where that is not for it."""
    head, star, tail = old.partition("*")
    if not star:
        return new if name == old else None
    if len(name) < len(head) + len(tail) or not (name.startswith(head) and name.endswith(tail)):
        return None
    return new.replace("*", name[len(head) : len(name) - len(tail)])


def _planned(
    calls: Iterable[RecordedCall], tools: Mapping[str, Effect], choice: Choice
) -> Iterator[PlannedCall]:
    for position, recorded in enumerate(calls):
        tool = choice.local_name(recorded.call.name)
        decision = _decision(recorded, tool, tools, choice)
        flag = _flag(decision, recorded.call.name, tool, tools)
        yield PlannedCall(recorded, position, tool, decision, tools.get(tool), flag)


def _decision(recorded: RecordedCall, tool: str, tools: Mapping[str, Effect], choice: Choice) -> Decision:
    names = (recorded.call.name, tool)
    if recorded.call.by_provider and tool not in tools:
        return Decision.BY_PROVIDER
    if (choice.only and not _any(names, choice.only)) or _any(names, choice.skip):
        return Decision.LEFT_OUT
    if tool not in tools:
        return Decision.UNKNOWN
    if not recorded.call.complete:
        return Decision.INCOMPLETE
    if tools[tool] is Effect.READ_ONLY:
        return Decision.RUN
    return Decision.RUN_ALONE if _any(names, choice.allow) else Decision.SIDE_EFFECT


def _any(names: Iterable[str], patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


def _flag(decision: Decision, name: str, tool: str, tools: Mapping[str, Effect]) -> str:
    if decision is Decision.SIDE_EFFECT:
        return f"--allow {tool}"
    if decision is Decision.UNKNOWN and (meant := _meant(name, tools)):
        return f"--alias {name}={meant}"
    return ""


def _meant(name: str, tools: Iterable[str]) -> str | None:
    """The tool that a recorded name ends with, as `mcp__weather__get` does with `get`; the longest such."""
    ends = [tool for tool in tools if name.endswith((f"__{tool}", f".{tool}", f"/{tool}", f"-{tool}"))]
    return max(ends, key=len, default=None)


def _refuse_idle_names(choice: Choice, planned: Iterable[PlannedTurn], tools: Iterable[str]) -> None:
    calls = [call for turn in planned for call in turn.calls]
    names = {*tools, *(call.name for call in calls), *(call.tool for call in calls)}
    for option, patterns in (("--allow", choice.allow), ("--only", choice.only), ("--skip", choice.skip)):
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in names):
                raise OptionError(f"{option} {pattern}: no tool of that name{_close(pattern, names)}")
    for old, new in choice.aliases:
        if all(_renamed(call.name, old, new) is None for call in calls):
            raise OptionError(f"--alias {old}={new}: no call on the tape has that name")


def _close(pattern: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(pattern, sorted(names))
    return f"; did you mean {' or '.join(close)}?" if close else ""
