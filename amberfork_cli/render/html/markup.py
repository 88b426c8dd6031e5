"""Markup that can be trusted: whatever is not markup yet is escaped on its way into some.

There is one way from text to markup, `esc`. It makes visible what would be unseen or would turn the text
around, then escapes what HTML would read.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from amberfork_cli.render.visible import escaped, visible

Attribute = str | int | bool | None

VOID = frozenset({"br", "hr", "input", "link", "meta"})


class Html(str):
    """Finished markup; every other text is escaped when it becomes part of some."""

    __slots__ = ()


NOTHING = Html("")
LINE = Html("\n")  # where a reader of the source would have one


def esc(text: str) -> Html:
    """A text as markup that shows it, on one line and with nothing in it unseen."""
    return Html(html.escape(escaped(text)))


def multiline(text: str) -> Html:
    """A text of the tape as markup for `pre`, its line breaks and tabs kept."""
    lines = (line.split("\t") for line in text.split("\n"))
    return Html("\n".join("\t".join(esc(visible(part)) for part in line) for line in lines))


def written(text: str) -> Html:
    """The same for JSON, whose backslashes are doubled already."""
    return Html("\n".join(map(esc, text.split("\n"))))


def joined(parts: Iterable[str], *, by: str = NOTHING) -> Html:
    """The parts one behind the other, `by` between them."""
    return Html(_markup(by).join(map(_markup, parts)))


def tag(name: str, /, *content: str, **attributes: Attribute) -> Html:
    """An element. Attributes are written as `class_`, `data_side`; what is `None` or `False` is left out."""
    opening = f"<{name}{_written(attributes)}>" if attributes else f"<{name}>"
    if name in VOID:
        return Html(opening)
    return Html(f"{opening}{''.join(map(_markup, content))}</{name}>")


def _markup(text: str) -> str:
    return text if isinstance(text, Html) else esc(text)


def _written(attributes: dict[str, Attribute]) -> str:
    return "".join(
        f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{esc(str(value))}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
