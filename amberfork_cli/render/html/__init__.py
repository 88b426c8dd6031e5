"""A diff as one HTML file that needs nothing else.

Nothing of a tape is markup; see `frame` for what a page is made of.
"""

from __future__ import annotations

from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.render.html.bodies import Reread
from amberfork_cli.render.html.exchanges import exchanges
from amberfork_cli.render.html.frame import Page, footer
from amberfork_cli.render.html.header import header
from amberfork_cli.render.html.run_map import run_map
from amberfork_cli.render.labels import command

__all__ = ["Reread", "to_html"]


def to_html(report: DiffReport, *, reread: Reread | None = None, full: bool = False) -> bytes:
    """The report as a UTF-8 page.

    `reread` looks up an exchange on both tapes, so that its bodies can be shown; what is too long for a page
    is left out and said. `full` shows every difference.
    """
    title = f"{report.verdict.value}: {report.recorded.source} and {report.reissued.source}, amberfork"
    page = Page(
        title[:1].upper() + title[1:],
        run_map(report),
        header(report),
        exchanges(report, reread=reread, full=full),
        footer(command(report)),
    )
    return page.to_bytes()
