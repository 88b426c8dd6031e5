"""What `record`, `replay` and `check` have in common: an agent that runs beside the loopback edge."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from amberfork_cli.commands.showing import stdout, tell
from amberfork_cli.errors import OptionError
from amberfork_cli.proxy.replaying.choices import OnMiss, Pace

if TYPE_CHECKING:
    from amberfork_cli.core.tape import JsonValue
    from amberfork_cli.proxy.edge.server import Service
    from amberfork_cli.proxy.providers.upstreams import Upstream
    from amberfork_cli.proxy.replaying.recorded import RecordedTape
    from amberfork_cli.proxy.replaying.reissue import Tally

SERVED: Final = "The providers"

Command: TypeAlias = Annotated[
    list[str] | None, typer.Argument(metavar="[-- CMD...]", help="The agent, and its arguments.")
]
Upstreams: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--upstream",
        metavar="NAME=URL",
        help="The base URL of a provider that amberfork does not know, or another one. Repeatable.",
        rich_help_panel=SERVED,
    ),
]
Env: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="VAR=NAME",
        help="A further variable by which the agent learns the base URL of a provider. Repeatable.",
        rich_help_panel=SERVED,
    ),
]
Port: TypeAlias = Annotated[
    int,
    typer.Option(
        "--port", metavar="N", help="The port to serve at, a free one if not given.", rich_help_panel=SERVED
    ),
]


def run_served(
    service: Service,
    command: Sequence[str] | None,
    *,
    named: Sequence[str] | None,
    variables: Sequence[str] | None,
    port: int,
    recorded: Mapping[str, str] | None = None,
    stopping: Callable[[], None],
    quiet: bool = False,
) -> int:
    """Run a command beside the edge, or serve until Ctrl-C; gives back the exit code of the command.

    `recorded` are base URLs that the tape was recorded with; `stopping` is called when Ctrl-C ends it.
    Raises OptionError, also where the port is taken, and whatever went wrong while calls were answered.
    """
    from amberfork_cli.proxy.edge.server import Edge
    from amberfork_cli.proxy.providers.upstreams import agent_environment, agent_variables, upstreams
    from amberfork_cli.proxy.runs.child import awaiting_the_end, run_agent

    found = upstreams(os.environ, named=named or (), variables=variables or (), recorded=recorded)
    code = 0
    with Edge(service, found, port=port, tell=tell) as edge:
        if recorded is None:
            _check_that_none_is(edge.url, found)
        agent = agent_environment(os.environ, found, edge.url, answered=recorded or ())
        if command:
            code = run_agent(command, agent, quiet=quiet)
        else:
            with awaiting_the_end() as wait:  # before anyone knows that we serve
                _show_variables(agent, agent_variables(found, edge.url))
                tell(f"serving at {edge.url} until Ctrl-C")
                wait()
                stopping()
    if edge.fault is not None:  # an exchange is missing, so whatever follows from the rest would be wrong
        raise edge.fault
    return code


def run_replay(
    recorded: RecordedTape,
    command: Sequence[str] | None,
    *,
    header: Mapping[str, JsonValue],
    output: Path | None,
    force: bool,
    on_miss: OnMiss,
    pace: Pace = Pace.NONE,
    named: Sequence[str] | None,
    variables: Sequence[str] | None,
    port: int,
    quiet: bool = False,
) -> tuple[int, Tally]:
    """Run a command that is answered from a tape; gives back its exit code, and what was asked.

    `header` is that of the tape; what was asked is recorded to `output`, redacted where the tape is. With
    `quiet`, stdout is left to what is to be shown afterwards: that of the command goes to stderr. Raises
    OptionError, and OutputError.
    """
    from amberfork_cli.core.redaction.redact import taken_out
    from amberfork_cli.proxy.recording.redacted import kept_as
    from amberfork_cli.proxy.recording.relay import Relay
    from amberfork_cli.proxy.recording.tapefile import Existing, TapeFile, recorder
    from amberfork_cli.proxy.replaying.reissue import Nowhere
    from amberfork_cli.proxy.replaying.replay import Replay

    existing = Existing.FORCE if force else Existing.REFUSE
    says = recorder(redacted=bool(taken_out(header)))
    reissued = Nowhere() if output is None else TapeFile(output, existing=existing, header=says)
    kept = kept_as(header, reissued)
    relay = Relay(kept)
    service = Replay(
        recorded, reissued=kept, relay=relay, tell=tell, on_miss=on_miss, pace=pace, header=header
    )
    try:
        code = run_served(
            service,
            command,
            named=named,
            variables=variables,
            port=port,
            recorded=recorded.base_urls,
            stopping=relay.stop,
            quiet=quiet,
        )
        if reissued.failure is not None:
            raise reissued.failure
        return code, service.tally
    finally:
        reissued.close()


def _check_that_none_is(edge: str, found: Mapping[str, Upstream]) -> None:
    """Refuse an environment that was pointed to this edge before: it no longer says where providers are."""
    for each in found.values():
        if each.host == edge:
            name = each.variables[0].name if each.variables else f"--upstream {each.name}"
            raise OptionError(f"{name} points to amberfork itself: unset what an earlier recording had set")


def _show_variables(agent: Mapping[str, str], variables: Iterable[str]) -> None:
    """Write, for a shell, what makes this environment the agent's: those variables, and what differs."""
    from shlex import quote

    stream = stdout()
    more = (name for name, value in agent.items() if os.environ.get(name) != value)
    stream.writelines(f"export {name}={quote(agent[name])}\n" for name in dict.fromkeys((*variables, *more)))
    stream.writelines(f"unset {name}\n" for name in os.environ if name not in agent)
    stream.flush()
