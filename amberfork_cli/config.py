"""Defaults of a project: `amberfork.toml`, or `[tool.amberfork]` in `pyproject.toml`.

Only what says how tapes are compared and shown may stand there, so that no checkout can make amberfork run
or write anything. What the values mean is known, and checked, where they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeGuard

from amberfork_cli.errors import OptionError

OWN_FILE: Final = "amberfork.toml"
SHARED_FILE: Final = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """The defaults that a project gives, and the file they came from, if there is one.

    `ignore` are member paths, `replace` pairs of a regular expression and the text to put in its place.
    """

    ignore: tuple[str, ...] = ()
    replace: tuple[tuple[str, str], ...] = ()
    preset: tuple[str, ...] = ()
    ids: str | None = None
    format: str | None = None
    file: Path | None = None


def load_settings(start: Path) -> Settings:
    """The settings of the nearest folder, from `start` upward, that has any; raises OptionError.

    In one folder `amberfork.toml` goes before `pyproject.toml`.
    """
    start = start.absolute()
    for folder in (start, *start.parents):
        for file in (folder / OWN_FILE, folder / SHARED_FILE):
            table = _table(file)
            if table is not None:
                return _settings(table, file)
    return Settings()


def _table(file: Path) -> object:
    """What a file says about amberfork; `None` where there is no such file, or it says nothing."""
    written = _bytes(file)
    shared = file.name == SHARED_FILE
    if written is None or (shared and b"amberfork" not in written):
        return None  # so that most runs do without the parser, 12 ms to import
    document = _parsed(written, file)
    if not shared:
        return document
    tool = document.get("tool")
    return tool.get("amberfork") if isinstance(tool, dict) else None


def _bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise OptionError(f"{file}: cannot be read: {error.strerror}") from error


def _parsed(written: bytes, file: Path) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(written.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise OptionError(f"{file}: not UTF-8: {error.reason} at byte {error.start}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise OptionError(f"{file}: not TOML: {error}") from error


def _settings(table: object, file: Path) -> Settings:
    if not isinstance(table, dict):
        raise OptionError(f"{file}: [tool.amberfork] must be a table")
    known = ("ignore", "replace", "preset", "ids", "format")
    for key in table:
        if key not in known:
            raise OptionError(f'{file}: unknown key "{key}": only {", ".join(known)} may stand here')
    return Settings(
        ignore=_texts(table, "ignore", file),
        replace=_pairs(table, "replace", file),
        preset=_texts(table, "preset", file),
        ids=_text(table, "ids", file),
        format=_text(table, "format", file),
        file=file,
    )


def _text(table: Mapping[str, object], key: str, file: Path) -> str | None:
    value = table.get(key)
    if value is None or isinstance(value, str):
        return value
    raise OptionError(f'{file}: "{key}" must be a string')


def _texts(table: Mapping[str, object], key: str, file: Path) -> tuple[str, ...]:
    value = table.get(key, [])
    if not _are_texts(value):
        raise OptionError(f'{file}: "{key}" must be a list of strings')
    return tuple(value)


def _pairs(table: Mapping[str, object], key: str, file: Path) -> tuple[tuple[str, str], ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(_are_texts(pair) and len(pair) == 2 for pair in value):
        raise OptionError(f'{file}: "{key}" must be a list of [regular expression, text] pairs')
    return tuple((pattern, text) for pattern, text in value)


def _are_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
