"""What counts when bodies are compared: the project's settings, and what a command or a test adds to them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from amberfork_cli.config import Settings, load_settings
from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.paths import PathPattern, Replacement
from amberfork_cli.core.presets import Preset, adjustments_of
from amberfork_cli.errors import OptionError

Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Comparing:
    """What is set aside: IDs by `rules`, and what the user named.

    `presets` are the names in use, `settings` the file that gave some of it, as a person would name it.
    """

    rules: IdRules
    adjustments: Adjustments
    presets: tuple[Preset, ...] = ()
    settings: str | None = None


def comparing(
    settings: Settings,
    *,
    ids: IdRules | None = None,
    ignore: Sequence[str] | None = None,
    replace: Sequence[tuple[str, str]] = (),
    preset: Sequence[Preset] | None = None,
) -> Comparing:
    """What counts, by settings and options together; raises OptionError for what neither can mean.

    Options add to what the settings leave out; of ID rules, the option's count.
    """
    presets = (*(chosen(settings, "preset", name, Preset) for name in settings.preset), *(preset or ()))
    known = adjustments_of(presets)
    usual = _adjustments_in(settings)
    own = _adjustments(ignore or (), replace)
    rules = ids or (chosen(settings, "ids", settings.ids, IdRules) if settings.ids else IdRules.ALL)
    return Comparing(
        rules,
        Adjustments(
            (*known.ignore, *usual.ignore, *own.ignore), (*known.replace, *usual.replace, *own.replace)
        ),
        tuple(dict.fromkeys(presets)),
        _in_use(settings),
    )


def project_settings() -> Settings:
    """The settings that hold in the working directory."""
    return load_settings(Path())


def chosen(settings: Settings, key: str, value: str, choices: type[Choice]) -> Choice:
    """The choice that a settings file names; raises OptionError."""
    try:
        return choices(value)
    except ValueError:
        known = ", ".join(choices)
        raise OptionError(f'{_name(settings)}: "{key}" cannot be "{value}": choose of {known}') from None


def _adjustments_in(settings: Settings) -> Adjustments:
    """What the settings leave out; raises OptionError that names the file."""
    try:
        return _adjustments(settings.ignore, settings.replace)
    except OptionError as error:
        raise OptionError(f"{_name(settings)}: {error}") from error


def _adjustments(ignore: Sequence[str], replace: Sequence[tuple[str, str]]) -> Adjustments:
    return Adjustments(
        tuple(map(PathPattern.parse, ignore)), tuple(Replacement.parse(*pair) for pair in replace)
    )


def _in_use(settings: Settings) -> str | None:
    """The name of the settings file; `None` where there is none that says what counts."""
    said = settings.ignore or settings.replace or settings.preset or settings.ids
    return _name(settings) if said else None


def _name(settings: Settings) -> str:
    """The settings file as it is found from the working directory."""
    return "" if settings.file is None else os.path.relpath(settings.file)
