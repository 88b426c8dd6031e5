"""A diff as one HTML file that needs nothing else: no network, no font, no framework.

It can be read without its style and without its script. Nothing of a tape is markup, and a policy in the file
lets the browser run and draw what amberfork wrote and nothing else.
"""

from __future__ import annotations

import base64
from hashlib import sha256
from pkgutil import get_data

from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.render.html.bodies import Reread
from amberfork_cli.render.html.exchanges import exchanges
from amberfork_cli.render.html.header import footer, header
from amberfork_cli.render.html.markup import LINE, Html, joined, tag
from amberfork_cli.render.html.run_map import run_map

__all__ = ["Reread", "to_html"]

_DOCTYPE = Html("<!doctype html>\n")


def to_html(report: DiffReport, *, reread: Reread | None = None, full: bool = False) -> bytes:
    """The report as a UTF-8 page.

    `reread` looks up an exchange on both tapes, so that its bodies can be shown; what is too long for a page
    is left out and said. `full` shows every difference.
    """
    of_run = run_map(report)
    style, script = Html(_asset("report.css") + of_run.rules), Html(_asset("report.js"))
    body = tag(
        "body",
        tag("a", "Skip the map", class_="skip", href="#main"),
        of_run.markup,
        tag(
            "div",
            header(report),
            LINE,
            tag(
                "main",
                LINE,
                exchanges(report, reread=reread, full=full),
                LINE,
                id="main",
                tabindex=-1,
            ),
            footer(report),
            class_="page",
        ),
        tag("script", script),
    )
    page = tag("html", _head(report, style, script), LINE, body, lang="en")
    return joined([_DOCTYPE, page, LINE]).encode()


def _head(report: DiffReport, style: Html, script: Html) -> Html:
    title = f"{report.verdict.value}: {report.recorded.source} and {report.reissued.source}, amberfork"
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title[:1].upper() + title[1:]),
        tag("style", style),
    )


def _hash(text: str) -> str:
    """What the policy calls a script or a style that it lets through."""
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    data = get_data(__name__, name)
    assert data is not None  # noqa: S101 - the package is made of files
    return data.decode()
