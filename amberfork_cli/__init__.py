"""Tapes of LLM agent runs: compare them, set their IDs aside, run their tools again.

The public API: what can be imported from here stays. Each name is loaded when it is first used, so that
importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from amberfork_cli.core.adjusting import Adjustments
    from amberfork_cli.core.compare.diffing import DiffOptions, diff_bodies, diff_tapes
    from amberfork_cli.core.compare.report import DiffReport
    from amberfork_cli.core.dialects.calls import tool_turns
    from amberfork_cli.core.ids.canonical import Canonical, IdUse, canonicalize
    from amberfork_cli.core.ids.fingerprint import fingerprint, fingerprints
    from amberfork_cli.core.ids.id_rules import IdClass, IdRules
    from amberfork_cli.core.paths import PathPattern, Replacement
    from amberfork_cli.core.tape import Body, BodyKind, Exchange, Request, Response, Tape, TapeForm
    from amberfork_cli.core.tools.registry import ToolRegistry
    from amberfork_cli.core.tools.run_report import RunReport
    from amberfork_cli.core.tools.tool import Tool, ToolContext
    from amberfork_cli.errors import (
        AmberforkError,
        CompressionError,
        JsonError,
        OptionError,
        OutputError,
        RegistryError,
        RegistryLoadError,
        TapeError,
    )
    from amberfork_cli.tapes import open_tape, save_tape

__version__ = "0.1.0"

__all__ = [
    "Adjustments",
    "AmberforkError",
    "Body",
    "BodyKind",
    "Canonical",
    "CompressionError",
    "DiffOptions",
    "DiffReport",
    "Exchange",
    "IdClass",
    "IdRules",
    "IdUse",
    "JsonError",
    "OptionError",
    "OutputError",
    "PathPattern",
    "RegistryError",
    "RegistryLoadError",
    "Replacement",
    "Request",
    "Response",
    "RunReport",
    "Tape",
    "TapeError",
    "TapeForm",
    "Tool",
    "ToolContext",
    "ToolRegistry",
    "canonicalize",
    "diff_bodies",
    "diff_tapes",
    "fingerprint",
    "fingerprints",
    "open_tape",
    "save_tape",
    "tool_turns",
]

_HOMES: Final = {
    "core.adjusting": "Adjustments",
    "core.dialects.calls": "tool_turns",
    "core.paths": "PathPattern Replacement",
    "core.ids.canonical": "Canonical IdUse canonicalize",
    "core.compare.diffing": "DiffOptions diff_bodies diff_tapes",
    "core.ids.fingerprint": "fingerprint fingerprints",
    "core.ids.id_rules": "IdClass IdRules",
    "core.tools.registry": "ToolRegistry",
    "core.tools.run_report": "RunReport",
    "core.compare.report": "DiffReport",
    "core.tape": "Body BodyKind Exchange Request Response Tape TapeForm",
    "core.tools.tool": "Tool ToolContext",
    "errors": (
        "AmberforkError CompressionError JsonError OptionError OutputError "
        "RegistryError RegistryLoadError TapeError"
    ),
    "tapes": "open_tape save_tape",
}


def __getattr__(name: str) -> object:
    """The public name, loaded; raises AttributeError for any other."""
    for home, names in _HOMES.items():
        if name in names.split():
            found: object = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
