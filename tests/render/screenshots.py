"""Takes the pictures of the documents anew, from sample tapes: `python tests/render/screenshots.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from chromium import running

from amberfork_cli.commands.diff import looking_up
from amberfork_cli.core.compare.diffing import diff_tapes
from amberfork_cli.render.html import to_html
from amberfork_cli.tapes import open_tape

ROOT = Path(__file__).parents[2]
PICTURES = {
    "report-light.png": {"width": 1100, "height": 540, "dark": False},
    "report-dark.png": {"width": 440, "height": 560, "dark": True},
}


def page(recorded: str, reissued: str) -> bytes:
    """The page of two sample tapes, by names without their folder."""
    tapes = ROOT / "sample_tapes"
    with open_tape(tapes / recorded) as old, open_tape(tapes / reissued) as new:
        report = diff_tapes(old, new)
        names = {"recorded": recorded, "reissued": reissued}
        named = replace(
            report, **{side: replace(getattr(report, side), source=name) for side, name in names.items()}
        )
        return to_html(named, reread=looking_up(old, new))


def main() -> None:
    """Write each picture into docs/."""
    with TemporaryDirectory() as folder, running(Path(folder)) as browser:
        file = Path(folder) / "report.html"
        file.write_bytes(page("refund-recorded.jsonl", "refund-reissued.jsonl"))
        for name, how in PICTURES.items():
            browser.open(file.as_uri(), **how)
            browser.screenshot(ROOT / "docs" / name)


if __name__ == "__main__":
    main()
