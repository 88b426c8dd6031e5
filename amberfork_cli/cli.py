"""The list of commands."""

import typer

app = typer.Typer()
