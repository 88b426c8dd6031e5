"""Typer at the cost of Typer: values converted without pydantic, help laid out without Rich.

Since 0.29 Typer builds a pydantic adapter for every parameter that a command has, whether it was given or
not. A program of two commands, one with a file name and a flag, costs 13.1 times `python -c pass` that way,
and 5.8 times by the way below (Typer 0.29.2, Python 3.11; `benchmarks/startup.py` measures amberfork itself).
What amberfork's parameters are, texts, paths, numbers and enums, is converted here, by a stand-in for the
adapter; any other type is left to Typer. Earlier versions have no adapters, and nothing is changed in them.

Two more things that Typer does not do: an option whose metavar names two values takes two
(`--replace REGEX TEXT`), as often as it is given; and options stand in the help by what they are about, at
any width and in the same words under every version.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

# What Typer raises for a command line that it does not understand. It brings its own click, or uses the one
# that is installed, depending on its version: only these are the right ones.
_, UsageError, ClickException = typer.BadParameter.__mro__[:3]

if TYPE_CHECKING:
    _Base = TyperCommand
else:
    _Base = object


class _Light(_Base):
    """What commands and groups have in common."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, each with a light way to its value."""
        params = super().get_params(ctx)
        for param in params:
            _lighten(param)
        return params

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, section by section in the order of their declaration."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if not getattr(param, "hidden", False):
                sections.setdefault(_section(param), []).append((_signature(param), param.help or ""))
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


class LightCommand(_Light, TyperCommand):
    """A command that starts at the cost of Typer alone."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """`[OPTIONS] RECORDED REISSUED`."""
        arguments = (param for param in self.get_params(ctx) if param.param_type_name == "argument")
        return ["[OPTIONS]", *map(_signature, arguments)]


class LightGroup(_Light, TyperGroup):
    """The same for a group of commands."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands before the options: they are what a reader looks for."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command with its first sentence, whole."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(_SENTENCE)) for name, command in commands if command]
            )


_SENTENCE: Final = 200  # characters, more than any first sentence has


class _Conversion:
    """Stands where Typer has its adapter: one value, or each of several, by a plain function."""

    def __init__(self, convert: Callable[[Any], object], expected: str) -> None:
        self._convert, self._expected = convert, expected

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value, or all values, that were given; raises BadParameter."""
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        if not many:
            return self._one(value, param, ctx)
        return tuple(self._one(one, param, ctx) for one in value)

    def _one(self, value: Any, param: Any, ctx: Any) -> object:
        if param.nargs > 1:
            return tuple(value)
        try:
            return self._convert(value)
        except ValueError:
            raise typer.BadParameter(f"{value!r} is not {self._expected}.", ctx=ctx, param=param) from None


_NAMES: Final = {int: "a whole number", float: "a number"}


def _lighten(param: Any) -> None:
    if param.param_type_name == "option" and param.metavar:
        param.nargs = len(param.metavar.split())
    if hasattr(param, "get_runtime_param"):
        conversion = _conversion(param.type_descriptor)
        if conversion is not None:
            param.get_runtime_param = lambda: conversion


def _conversion(descriptor: Any) -> _Conversion | None:
    """How to convert values of that type; `None` where Typer does more than convert."""
    kind, info = descriptor.annotation, descriptor.parameter_info
    asked = (getattr(info, name, None) for name in _ASKED_OF_TYPER)
    if any(wish is not None and wish is not False for wish in asked):
        return None
    if get_origin(kind) is list:
        (kind,) = get_args(kind)
    if kind in (str, bool):
        return _Conversion(_as_it_is, "")
    if kind is Path or kind in _NAMES:
        return _Conversion(kind, _NAMES.get(kind, "a path"))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _Conversion(kind, f"one of {', '.join(repr(each.value) for each in kind)}")
    return None


_ASKED_OF_TYPER: Final = "parser click_type min max formats exists writable resolve_path path_type".split()


def _as_it_is(value: Any) -> object:
    return value


def _section(param: Any) -> str:
    usual = "Arguments" if param.param_type_name == "argument" else "Options"
    return getattr(param, "rich_help_panel", None) or usual


def _signature(param: Any) -> str:
    """`-f, --format FORMAT`; of an argument its metavar."""
    if param.param_type_name == "argument":
        return str(param.metavar or param.name.upper())
    names = ", ".join(sorted(param.opts, key=lambda name: name.startswith("--")))
    return names if param.is_flag or not param.metavar else f"{names} {param.metavar}"
