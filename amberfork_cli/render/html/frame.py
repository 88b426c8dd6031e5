"""The frame of a page: head, style and script, what stands above and below whatever a report tells.

A page needs nothing else: no network, no font, no framework. It can be read without its style and without its
script, and a policy in it lets the browser run and draw what amberfork wrote and nothing else.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pkgutil import get_data

from amberfork_cli import __version__
from amberfork_cli.core.compare.report import TapeFacts
from amberfork_cli.render.html.markup import LINE, NOTHING, Html, joined, tag
from amberfork_cli.render.html.phrases import icon
from amberfork_cli.render.html.strip import RunMap
from amberfork_cli.render.labels import Mark

_DOCTYPE = Html("<!doctype html>\n")
_BAD_LINES = 20  # of a tape; then a count
_THEMES = (("auto", "as the system"), ("light", "light"), ("dark", "dark"))


@dataclass(frozen=True, slots=True)
class Page:
    """A page before it is put together: its title and its parts."""

    title: str
    map: RunMap
    header: Html
    main: Html
    footer: Html

    def to_bytes(self) -> bytes:
        """The page as UTF-8 text."""
        style, script = Html(_asset("report.css") + self.map.rules), Html(_asset("report.js"))
        main = tag("main", LINE, self.main, LINE, id="main", tabindex=-1)
        body = tag(
            "body",
            tag("a", "Skip the map", class_="skip", href="#main"),
            self.map.markup,
            tag("div", self.header, LINE, main, self.footer, class_="page"),
            tag("script", script),
        )
        page = tag("html", _head(self.title, style, script), LINE, body, lang="en")
        return joined([_DOCTYPE, page, LINE]).encode()


def header(title: Html, parts: Iterable[Html]) -> Html:
    """What the page begins with: the answer, what else is known of the whole, and the controls."""
    return tag("header", tag("h1", title), *parts, _controls())


def counts(counted: Iterable[tuple[Mark, int, str]], *, label: str) -> Html:
    """How many things became what, with the marks of the map, which that explains."""
    items = (
        tag("li", icon(each), tag("b", str(count)), f" {word}", class_=None if count else "zero")
        for each, count, word in counted
    )
    return tag("ul", *items, class_="counts", aria_label=label)


def fact(name: str, value: str, size: str = "", behind: Html = NOTHING) -> Html:
    """A row of the list of facts: a tape, a registry, an endpoint."""
    more = [" ", tag("small", size)] if size else []
    return joined([tag("dt", name), tag("dd", tag("code", value), *more, *([behind] if behind else []))])


def bad_lines(tape: TapeFacts) -> Html:
    """What was left out of a tape, line by line."""
    lines = list(tape.left_out.bad_lines)
    lines += [tape.left_out.torn_end] if tape.left_out.torn_end else []
    if not lines:
        return NOTHING
    told = [tag("li", f"line {number}: {problem}") for number, problem in lines[:_BAD_LINES]]
    told += [tag("li", f"{len(lines) - _BAD_LINES} more")] if len(lines) > _BAD_LINES else []
    return tag("details", tag("summary", "which"), tag("ul", *told))


def footer(command: str) -> Html:
    """The keys, which need the script, and the command that made the report."""
    made = tag("p", f"amberfork {__version__}: ", tag("code", command))
    return tag("footer", tag("p", *_keys(), class_="script", hidden=True), made)


def _keys() -> Iterator[str]:
    for key, does in (
        ("j", "next change"),
        ("k", "previous change"),
        ("o", "open all"),
        ("c", "close all"),
        ("/", "search"),
    ):
        yield tag("kbd", key)
        yield f" {does}  "


def _controls() -> Html:
    """Search and folding, which need the script; the colours, which do not."""
    search = tag(
        "div",
        tag(
            "label",
            "Search ",
            tag("input", type="search", id="search", autocomplete="off", spellcheck="false"),
        ),
        tag("button", "Open all", type="button", id="open"),
        tag("button", "Close all", type="button", id="close"),
        tag("output", id="found", for_="search", aria_live="polite"),
        class_="script",
        hidden=True,
    )
    return tag("div", search, _themes(), class_="controls")


def _themes() -> Html:
    choices = (
        tag(
            "label",
            tag(
                "input", type="radio", name="theme", value=value, checked=value == "auto", id=f"theme-{value}"
            ),
            tag("span", name),
        )
        for value, name in _THEMES
    )
    return tag("fieldset", tag("legend", "Colours"), *choices, class_="themes")


def _head(title: str, style: Html, script: Html) -> Html:
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
        tag("title", title),
        tag("style", style),
    )


def _hash(text: str) -> str:
    """What the policy calls a script or a style that it lets through."""
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    data = get_data(__name__, name)
    assert data is not None  # noqa: S101 - the package is made of files
    return data.decode()
