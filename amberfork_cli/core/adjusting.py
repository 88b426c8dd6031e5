"""What is left out of the comparison: what a user wants ignored or replaced, and what says nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.multipart import without_boundary
from amberfork_cli.core.paths import PathPattern, Replacement, replaced, without
from amberfork_cli.core.tape import Body, BodyKind, Exchange


@dataclass(frozen=True, slots=True)
class Adjusted:
    """An exchange without what is left out; `ignored` members and `replaced` texts are counted."""

    exchange: Exchange
    ignored: int = 0
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class Adjustments:
    """`--ignore` and `--replace`, for request bodies; a body that is no JSON takes only the replacements."""

    ignore: Sequence[PathPattern] = ()
    replace: Sequence[Replacement] = ()

    def __bool__(self) -> bool:
        return bool(self.ignore or self.replace)

    def of(self, exchange: Exchange) -> Adjusted:
        """The exchange as it is compared."""
        request = without_boundary(exchange.request)
        if not self:
            return Adjusted(exchange if request is exchange.request else replace(exchange, request=request))
        body, ignored, count = self.of_body(request.body)
        return Adjusted(replace(exchange, request=replace(request, body=body)), ignored, count)

    def of_body(self, body: Body) -> tuple[Body, int, int]:
        """The body, how many members were ignored and how many texts replaced."""
        value = json_of(body)
        if not isinstance(value, Absent):
            value, ignored = without(value, self.ignore)
            value, count = replaced(value, self.replace)
            return (Body.json(value), ignored, count) if ignored or count else (body, 0, 0)
        if body.kind is BodyKind.TEXT and isinstance(body.value, str):
            text, count = replaced(body.value, self.replace)
            return (Body.text(str(text)), 0, count) if count else (body, 0, 0)
        return body, 0, 0
