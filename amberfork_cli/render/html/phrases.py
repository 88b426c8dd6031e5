"""Words, marks and links inside a report: what stands on a tape is `code`, ours is text."""

from __future__ import annotations

from collections.abc import Sequence

from amberfork_cli.core.compare.report import Piece, Words
from amberfork_cli.render.html.markup import Html, joined, tag
from amberfork_cli.render.labels import Mark, whole_calls


def phrase(words: Words) -> Html:
    """Words with what is quoted in them set apart."""
    return joined(_piece(piece) for piece in whole_calls(words))


def icon(each: Mark) -> Html:
    """The mark of the map, beside words that say the same."""
    return tag("i", class_=f"icon {each.name.lower()}", aria_hidden="true")


def fold(each: Mark, title: Sequence[str], inside: Html, *, identifier: str | None = None) -> Html:
    """What need not be looked at, behind its mark and its title."""
    summary = tag("summary", icon(each), *title, tag("span", class_="show", aria_hidden="true"))
    return tag("details", summary, inside, class_=f"run {each.name.lower()}", id=identifier)


def link_to(identifier: str, name: str) -> Html:
    """A link to a part of the report, to be copied; it shows when it is pointed at or has the focus."""
    return tag("a", "#", class_="link", href=f"#{identifier}", aria_label=f"Link to {name}")


def _piece(piece: Piece) -> str:
    return tag("code", piece.text) if piece.quoted else piece.text
