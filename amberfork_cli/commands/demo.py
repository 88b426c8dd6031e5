"""`amberfork demo`: a diff to look at before one has tapes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import NoColor

_RECORDED: Final = "weather-stock.jsonl"
_REISSUED: Final = "weather-stock-changed.jsonl"
_INVITATION: Final = "Your own tapes: amberfork diff RECORDED REISSUED"


def demo(no_color: NoColor = False) -> ExitCode:
    """Show what a diff looks like, with two sample tapes.

    An agent asks for weather and stock prices; on the second tape it asks about another city.
    """
    from dataclasses import replace

    from amberfork_cli.commands import reporting, showing
    from amberfork_cli.core.compare.diffing import diff_tapes
    from amberfork_cli.tapes import open_tape

    if no_color:
        showing.forbid_colour()
    folder = sample_folder()
    with open_tape(folder / _RECORDED) as recorded, open_tape(folder / _REISSUED) as reissued:
        report = diff_tapes(recorded, reissued)
    report = replace(
        report,  # by names that do not depend on where it is installed
        recorded=replace(report.recorded, source=_RECORDED),
        reissued=replace(report.reissued, source=_REISSUED),
    )
    reporting.show(reporting.DiffTold(report), reporting.Format.TEXT)
    showing.stdout().write(f"\n{_INVITATION}\n")
    return ExitCode.SAME


def sample_folder() -> Path:
    """Where the sample tapes are: in the package when it was installed, beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "sample_tapes"
    return installed if installed.is_dir() else package.parent / "sample_tapes"
