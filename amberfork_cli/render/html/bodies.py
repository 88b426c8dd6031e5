"""Both bodies of an exchange as they stand on the tapes, one click away."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import TypeAlias

from amberfork_cli.core.compare.report import ExchangeDiff
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.tape import Body, BodyKind, Exchange
from amberfork_cli.render.html.markup import NOTHING, Html, multiline, tag, written
from amberfork_cli.render.html.room import LONGEST_BODY, Room

Pair: TypeAlias = "tuple[Exchange | None, Exchange | None]"
Reread: TypeAlias = "Callable[[ExchangeDiff], Pair]"
"""Looks an exchange up on the recorded and the re-issued tape; `None` where a tape has none."""

_SIDES = ("recorded", "re-issued")
_FULL = "This report has no more room for bodies; the tapes have them."


def bodies(exchange: ExchangeDiff, reread: Reread | None, room: Room) -> Html:
    """The bodies behind a fold; nothing where there is no way to look them up."""
    if reread is None:
        return NOTHING
    if room.left <= 0:
        return tag("p", _FULL, class_="note")
    panes = list(_panes(exchange, reread(exchange), room))
    if not panes:
        return NOTHING
    return tag("details", tag("summary", "Bodies as on the tapes"), tag("div", *panes, class_="panes"))


def _panes(exchange: ExchangeDiff, pair: Pair, room: Room) -> Iterator[Html]:
    """The requests, and the responses too where they were compared and differ."""
    for side, found in zip(_SIDES, pair, strict=True):
        if found is not None and found.request.body.kind is not BodyKind.ABSENT:
            yield _pane(f"{side} request", found.request.body, room)
    if not any(spot.label.startswith("response") for spot in exchange.spots):
        return
    for side, found in zip(_SIDES, pair, strict=True):
        if found is not None and found.response and found.response.body.kind is not BodyKind.ABSENT:
            yield _pane(f"{side} response", found.response.body, room)


def _pane(title: str, body: Body, room: Room) -> Html:
    text = _text(body)
    size = f"{len(text):,} characters"
    shown = text[:LONGEST_BODY]
    if not room.takes(shown):
        return tag("div", tag("p", f"{title}, {size}"), tag("p", _FULL, class_="note"))
    if len(shown) < len(text):
        size = f"the first {LONGEST_BODY:,} of {size}"
    inside = multiline(shown) if body.kind is BodyKind.TEXT else written(shown)
    pre = tag("pre", inside, class_="whole", tabindex=0, role="region", aria_label=title)
    room.fill(pre)
    return tag("div", tag("p", f"{title}, {size}"), pre)


def _text(body: Body) -> str:
    if isinstance(body.value, bytes):
        return base64.b64encode(body.value).decode()
    if body.kind is BodyKind.TEXT and isinstance(body.value, str):
        return body.value
    return dumps(body.value, indent=True).decode()
