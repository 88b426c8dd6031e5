"""`amberfork tools`: the tools of a registry, to look at, to paste into a request, to hold against a tape."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import READ, SHOWN, NoColor

if TYPE_CHECKING:
    from amberfork_cli.core.tools.registry import ToolRegistry
    from amberfork_cli.core.tools.registry_check import RegistryCheck
    from amberfork_cli.worker.client import WorkerClient


Registry: TypeAlias = Annotated[
    str,
    typer.Option(
        "--registry",
        metavar="REF",
        help="The tools: mytools.py, mytools.py:attr, pkg.mod or pkg.mod:attr.",
        rich_help_panel=READ,
    ),
]


class Form(StrEnum):
    """How a registry is shown: as a table, or as JSON in the form of a provider's requests."""

    TEXT = "text"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"


def tools(
    *,
    registry: Registry,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check",
            metavar="TAPE",
            help="Compare with the tools that the requests on a tape offer, and check that its calls fit. "
            "Exits 1 if a tool is missing in the registry or described otherwise, or a call does not fit.",
            rich_help_panel=READ,
        ),
    ] = None,
    format: Annotated[
        Form,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(Form),
            help="A table, or JSON as it stands in a request.",
            rich_help_panel=SHOWN,
        ),
    ] = Form.TEXT,
    no_color: NoColor = False,
) -> ExitCode:
    """Show the tools of a registry, and what is known of their side effects."""
    from amberfork_cli.commands import showing
    from amberfork_cli.errors import OptionError
    from amberfork_cli.worker.client import WorkerClient

    if not registry:
        raise OptionError("which tools? Name them: --registry mytools.py")
    if check is not None and format is not Form.TEXT:
        raise OptionError("--check and --format exclude each other")
    if no_color:
        showing.forbid_colour()
    with WorkerClient(registry) as client:
        found = client.registry()
        for name, reason in client.left_out:
            showing.tell(f"{registry}: {name} is no tool: {reason}")
        if check is not None:
            return _checked(client, registry, check)
    if format is Form.TEXT:
        _show(found)
    else:
        _write(found, format)
    return ExitCode.SAME


def _show(registry: ToolRegistry) -> None:
    from amberfork_cli.render import terminal
    from amberfork_cli.render.registry_text import lay_out

    width, plain = terminal.columns(sys.stdout), terminal.needs_ascii(sys.stdout)
    terminal.show(lay_out(list(registry), width=width, ascii=plain), sys.stdout)


def _write(registry: ToolRegistry, form: Form) -> None:
    from amberfork_cli.commands.showing import output
    from amberfork_cli.core import jsontext

    forms = {
        Form.OPENAI: registry.to_openai_tools,
        Form.ANTHROPIC: registry.to_anthropic_tools,
        Form.GEMINI: registry.to_gemini_tools,
    }
    with output(None) as stream:
        stream.write(jsontext.dumps(forms[form](), indent=True) + b"\n")


def _checked(client: WorkerClient, registry: str, tape: Path) -> ExitCode:
    from amberfork_cli.render import terminal
    from amberfork_cli.render.registry_text import lay_out_check

    check = _check(client, registry, tape)
    width, plain = terminal.columns(sys.stdout), terminal.needs_ascii(sys.stdout)
    terminal.show(lay_out_check(check, width=width, ascii=plain), sys.stdout)
    return ExitCode.SAME if check.same else ExitCode.DIFFERENT


def _check(client: WorkerClient, registry: str, tape: Path) -> RegistryCheck:
    """The registry beside the tape; nothing runs, so whatever a tool does to the world is no matter."""
    from amberfork_cli.commands.showing import tell
    from amberfork_cli.core.tools.plan import Choice
    from amberfork_cli.core.tools.registry_check import RegistryCheck, check_tools
    from amberfork_cli.tapes import open_tape
    from amberfork_cli.tapes.models import models_only
    from amberfork_cli.worker.session import plan_tape, run_plan

    tools = list(client.registry())
    with open_tape(tape, notice=tell) as opened:
        heard = models_only(opened, notice=tell)
        checks = check_tools(heard, tools)
        plan = plan_tape(heard, client, Choice(allow=[tool.name for tool in tools]))
        return RegistryCheck(checks, run_plan(plan, client, registry=registry, check_only=True))
