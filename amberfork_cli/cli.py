"""The list of commands. A command's module is loaded when the command is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from amberfork_cli.commands.exits import ended, print_version
from amberfork_cli.commands.light import LightCommand, LightGroup

COMMANDS: Final = {
    "canon": "amberfork_cli.commands.canon",
    "diff": "amberfork_cli.commands.diff",
    "run-tools": "amberfork_cli.commands.run_tools",
    "tools": "amberfork_cli.commands.tools",
    "show": "amberfork_cli.commands.show",
    "convert": "amberfork_cli.commands.convert",
    "lint": "amberfork_cli.commands.lint",
    "redact": "amberfork_cli.commands.redact",
    "record": "amberfork_cli.commands.record",
    "replay": "amberfork_cli.commands.replay",
    "check": "amberfork_cli.commands.check",
    "demo": "amberfork_cli.commands.demo",
}
"""The module of each command, in the order of the help; its function bears the command's name."""


class _Commands(Mapping[str, Any]):
    """The commands as Typer has them, each made when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        module = import_module(COMMANDS[name])
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name, cls=LightCommand)(getattr(module, name.replace("-", "_")))
        return typer.main.get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Amberfork(LightGroup):
    """The program: `exits` says how a command ends, not Typer."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = _Commands()

    def list_commands(self, _: Any) -> list[str]:
        """The names, none of them loaded for it."""
        return [*self.commands]

    def invoke(self, ctx: Any) -> int:
        """Run the command that was asked for; gives back the exit code."""
        return ended(lambda: super(_Amberfork, self).invoke(ctx))


app = typer.Typer(cls=_Amberfork, rich_markup_mode=None)


@app.callback()
def amberfork(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Compare tapes of LLM agent runs: find where a re-issued run leaves the recorded one, and why."""
