"""What the text of every sample report must be, kept as files to be read: one a layout.

Run this file to write them anew, then read what changed before you commit it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diff_samples import SITUATIONS

from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.render.lines import plain_text
from amberfork_cli.render.text import lay_out

LAYOUTS: dict[str, dict[str, Any]] = {
    "60-columns": {"width": 60},
    "100-columns": {"width": 100},
    "140-columns": {"width": 140},
    "piped": {"width": None},
    "100-columns-full": {"width": 100, "full": True},
    "60-columns-ascii": {"width": 60, "ascii": True},
}

_FOLDER = Path(__file__).parent / "expected"
_HEADING = "\n######## "


def text_of(report: DiffReport, layout: str) -> str:
    """The text of a report in that layout."""
    return "".join(f"{plain_text(line)}\n" for line in lay_out(report, **LAYOUTS[layout]))


def expected(layout: str) -> dict[str, str]:
    """For each situation, the text that its report must have."""
    parts = (_FOLDER / f"{layout}.txt").read_bytes().decode().split(_HEADING)[1:]
    return dict(part.split("\n", 1) for part in parts)


def _write() -> None:
    for layout in LAYOUTS:
        parts = [f"{_HEADING}{make.__name__}\n{text_of(make(), layout)}" for make in SITUATIONS]
        (_FOLDER / f"{layout}.txt").write_bytes("".join(parts).encode())


if __name__ == "__main__":
    _write()
