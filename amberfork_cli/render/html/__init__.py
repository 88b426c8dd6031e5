"""A diff as one HTML file that needs nothing else.

Nothing of a tape is markup; see `frame` for what a page is made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.render.html.bodies import Reread
from amberfork_cli.render.html.exchanges import exchanges
from amberfork_cli.render.html.frame import Page, footer
from amberfork_cli.render.html.header import header
from amberfork_cli.render.html.markup import LINE, Html, joined
from amberfork_cli.render.html.run_map import run_map
from amberfork_cli.render.labels import command

if TYPE_CHECKING:
    from amberfork_cli.core.tools.run_report import RunReport

__all__ = ["Reread", "to_html"]


def to_html(
    report: DiffReport,
    *,
    reread: Reread | None = None,
    full: bool = False,
    tools: RunReport | None = None,
) -> bytes:
    """The report as a UTF-8 page.

    `reread` looks up an exchange on both tapes, so that its bodies can be shown; what is too long for a page
    is left out and said. `full` shows every difference. The run of tools beside it, if there was one, comes
    behind the exchanges.
    """
    parts = [exchanges(report, reread=reread, full=full)]
    parts += [_tools(tools, full=full)] if tools else []
    title = f"{report.verdict.value}: {report.recorded.source} and {report.reissued.source}, amberfork"
    page = Page(
        title[:1].upper() + title[1:],
        run_map(report),
        header(report, tools),
        joined(parts, by=LINE),
        footer(command(report)),
    )
    return page.to_bytes()


def _tools(tools: RunReport, *, full: bool) -> Html:
    from amberfork_cli.render.html import (
        run_page,
    )  # and what running tools needs, which a diff alone does not

    return run_page.section(tools, full=full)
