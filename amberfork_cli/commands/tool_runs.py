"""What `run-tools`, and `check --tools`, do between their options and their exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from amberfork_cli.commands.run_live import Watch
from amberfork_cli.commands.showing import tell
from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import Tape
from amberfork_cli.core.tools.plan import Choice, Decision, PlannedTurn
from amberfork_cli.core.tools.run_report import RunReport
from amberfork_cli.errors import JsonError, OptionError
from amberfork_cli.tapes import open_tape, save_tape
from amberfork_cli.tapes.models import among_all, models_only
from amberfork_cli.worker.client import WorkerClient
from amberfork_cli.worker.session import TapePlan, plan_tape, run_plan

STDIN: Final = Path("-")
_MOST_NAMES = 20  # of tools, for somebody who gave no tape


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    tape: Path | None
    registry: str
    context: Path | None
    choice: Choice
    jobs: int | None
    timeout_ms: int | None
    coerce: bool
    check_only: bool
    all_hosts: bool


def choice(
    allow: Sequence[str] | None,
    only: Sequence[str] | None,
    skip: Sequence[str] | None,
    aliases: Sequence[str] | None,
) -> Choice:
    """What is said of tools; raises OptionError for an alias that is none."""
    return Choice(allow or (), only or (), skip or (), tuple(_alias(text) for text in aliases or ()))


def report_of(wanted: Wanted, *, tape_out: Path | None) -> RunReport:
    """What running the calls found, or checking them; writes the tape with fresh results where it is wanted.

    Raises OptionError, TapeError, RegistryLoadError and OutputError.
    """
    _refuse_contradictions(wanted, tape_out)
    values = _values(wanted.context)
    with _client(wanted) as client:
        source = _source(wanted.tape, client)
        with open_tape(source, notice=tell) as tape:
            heard = tape if wanted.all_hosts else models_only(tape, notice=tell)
            plan = plan_tape(heard, client, wanted.choice)
            report = _ran(plan, client, wanted.registry, values=values, check_only=wanted.check_only)
            if tape_out is not None:
                from amberfork_cli.core.tools.refreshing import refreshed

                fresh = refreshed(heard, report)
                whole = fresh if wanted.all_hosts else among_all(tape, fresh)
                save_tape(whole, tape_out, form=tape.form, header=tape.header)
    return report


def report_on(tape: Tape, registry: str) -> RunReport:
    """What running the calls of an open tape found; what has side effects, or may have them, is not run.

    Raises OptionError, TapeError and RegistryLoadError.
    """
    with WorkerClient(registry) as client:
        plan = plan_tape(tape, client, Choice())
        turns = tuple(_with_nothing_to_say(turn) for turn in plan.turns)
        return _ran(replace(plan, turns=turns), client, registry)


def _alias(text: str) -> tuple[str, str]:
    recorded, equals, local = text.partition("=")
    if not (recorded and equals and local):
        raise OptionError(f"--alias {text}: not of the form TAPE=LOCAL")
    if max(recorded.count("*"), local.count("*")) > 1 or local.count("*") > recorded.count("*"):
        raise OptionError(f"--alias {text}: one * on both sides, or only on the left, or none")
    return recorded, local


def _refuse_contradictions(wanted: Wanted, tape_out: Path | None) -> None:
    if not wanted.registry:
        raise OptionError("which tools? Name them: --registry mytools.py")
    for option, number in (("--jobs", wanted.jobs), ("--timeout", wanted.timeout_ms)):
        if number is not None and number < 1:
            raise OptionError(f"{option} must be 1 or more, not {number}")
    if wanted.check_only and tape_out is not None:
        raise OptionError("--dry-run runs nothing, so there is nothing for --tape-out")


def _client(wanted: Wanted) -> WorkerClient:
    return WorkerClient(wanted.registry, jobs=wanted.jobs, coerce=wanted.coerce, timeout_ms=wanted.timeout_ms)


def _source(tape: Path | None, client: WorkerClient) -> Path:
    """The tape, or stdin; raises OptionError, with the tools there are, where nothing comes from there."""
    if tape is not None:
        return tape
    if sys.stdin is None or sys.stdin.isatty():
        names = [tool.name for tool in client.describe()]
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        raise OptionError(
            f"which tape? Name one, or pipe it in. The registry has {', '.join(names[:_MOST_NAMES])}{more}"
        )
    return STDIN


def _values(context: Path | None) -> Any:
    """What tools find in their context; raises OptionError for a file that holds no JSON."""
    if context is None:
        return None
    try:
        return jsontext.loads(context.read_bytes())
    except JsonError as error:
        raise OptionError(f"--context {context}:{error}") from error


def _with_nothing_to_say(turn: PlannedTurn) -> PlannedTurn:
    """The turn for a command that has no `--allow`: its display must not advise to say it."""
    return replace(turn, calls=tuple(replace(call, flag="") for call in turn.calls))


def _ran(
    plan: TapePlan, client: WorkerClient, registry: str, *, values: Any = None, check_only: bool = False
) -> RunReport:
    """What a plan came to, watched by whoever waits at a terminal."""
    _tell_left_out(plan, client, registry)
    with Watch(plan.calls) as watch:
        return run_plan(plan, client, registry=registry, values=values, check_only=check_only, on_event=watch)


def _tell_left_out(plan: TapePlan, client: WorkerClient, registry: str) -> None:
    """Say why a function that the tape calls is no tool."""
    unknown = {call.tool for turn in plan.turns for call in turn.calls if call.decision is Decision.UNKNOWN}
    for name, reason in client.left_out:
        if name in unknown:
            tell(f"{registry}: {name} is no tool: {reason}")
