"""One exchange of a tape as it is written without its IDs.

Each body is canonical by itself, so that a reader sees tokens that count from 0; which exchange minted a
handle is for fingerprints to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.ids.canonical import Canonical, IdUse, canonicalize
from amberfork_cli.core.ids.canonical_texts import CanonicalTexts
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.jsonwriter import dumps, spelled
from amberfork_cli.core.paths import replaced
from amberfork_cli.core.tape import Body, BodyKind, Exchange, Response


@dataclass(frozen=True, slots=True)
class CanonicalExchange:
    """An exchange with its IDs set aside.

    `request` and `response` say what was rewritten in which body; `None` where it is no JSON, and then it
    stands as it was recorded, or where it was not asked for. `ignored` members and `replaced` texts are
    counted.
    """

    exchange: Exchange
    request: Canonical | None
    response: Canonical | None = None
    ignored: int = 0
    replaced: int = 0

    @property
    def rewritten(self) -> Iterator[tuple[IdUse, str]]:
        """Each place that held something else than its token: what it held, and its JSON Pointer."""
        for canonical in (self.request, self.response):
            for use in canonical.ids if canonical else ():
                if use.original != use.token:
                    for pointer in (*use.declared, *use.references, *use.mentions):
                        yield use, pointer

    @property
    def lookalikes(self) -> tuple[str, ...]:
        """The JSON Pointers of texts that a reader could take for a token, and that are none."""
        return tuple(pointer for each in (self.request, self.response) if each for pointer in each.lookalikes)


def canonical_exchange(
    exchange: Exchange,
    *,
    rules: IdRules,
    adjustments: Adjustments,
    responses: bool = False,
) -> CanonicalExchange:
    """The exchange with its request body in canonical form, its response body too if that is wanted.

    A body of text that spells a JSON value counts as that value; any other that is no JSON stays as it is.
    """
    adjusted = adjustments.of(exchange)
    request = adjusted.exchange.request
    canonical = _canonical(request.body, rules)
    made = replace(adjusted.exchange, request=replace(request, body=_body(canonical, request.body)))
    answered = None
    if responses and exchange.response is not None:
        answered = _canonical(exchange.response.body, rules, answering=canonical or _NO_REQUEST)
        made = replace(made, response=_with_body(exchange.response, answered))
    return CanonicalExchange(made, canonical, answered, adjusted.ignored, adjusted.replaced)


class WrittenExchanges:
    """The exchanges of a tape in canonical form, in their order, as they are written and no more.

    A JSON body may be there as its text (`jsonwriter.spelled`); with `sort_keys`, names are sorted in it.
    Messages are known again by their objects: one that was given must not be changed before the next is.
    """

    def __init__(
        self, *, rules: IdRules, adjustments: Adjustments, responses: bool = False, sort_keys: bool = False
    ) -> None:
        self._rules, self._adjustments = rules, adjustments
        self._responses, self._sort_keys = responses, sort_keys
        self._texts = CanonicalTexts(rules, sort_keys=sort_keys)

    def of(self, exchange: Exchange) -> CanonicalExchange:
        """The next exchange; what was rewritten in it is told where all of it had to be looked at."""
        adjusted = self._adjustments.of(exchange)
        made = self._as_texts(adjusted.exchange)
        if made is not None:
            return CanonicalExchange(made, None, None, adjusted.ignored, adjusted.replaced)
        one = canonical_exchange(
            exchange, rules=self._rules, adjustments=self._adjustments, responses=self._responses
        )
        return replace(one, exchange=self._sorted(one.exchange)) if self._sort_keys else one

    def _as_texts(self, exchange: Exchange) -> Exchange | None:
        """The exchange with its bodies as texts; `None` where one of them takes a look at the whole."""
        request, response = exchange.request, exchange.response
        if request.body.kind is not BodyKind.JSON or isinstance(request.body.value, bytes):
            return None
        text = self._texts.of(request.body.value)
        if text is None:
            return None
        made = replace(exchange, request=replace(request, body=Body.json(spelled(text))))
        answer = json_of(response.body) if self._responses and response else Absent.VALUE
        if response is None or isinstance(answer, Absent):
            return made
        text = self._texts.of_answer(answer)
        if text is None:
            return None
        return replace(made, response=replace(response, body=Body.json(spelled(text))))

    def _sorted(self, exchange: Exchange) -> Exchange:
        made = replace(exchange, request=replace(exchange.request, body=_sorted(exchange.request.body)))
        if not self._responses or exchange.response is None:
            return made
        return replace(made, response=replace(exchange.response, body=_sorted(exchange.response.body)))


def carried_exchange(exchange: Exchange, *, adjustments: Adjustments) -> CanonicalExchange:
    """The exchange with its body as it is but for replaced texts, whatever JSON it may spell."""
    body = exchange.request.body
    if not isinstance(body.value, str):
        return CanonicalExchange(exchange, None)
    text, count = replaced(body.value, adjustments.replace)
    request = replace(exchange.request, body=Body.text(str(text)))
    return CanonicalExchange(replace(exchange, request=request), None, replaced=count)


_NO_REQUEST = canonicalize(None)


def _canonical(body: Body, rules: IdRules, answering: Canonical | None = None) -> Canonical | None:
    value = json_of(body)
    return None if isinstance(value, Absent) else canonicalize(value, rules=rules, answering=answering)


def _with_body(response: Response, canonical: Canonical | None) -> Response:
    return replace(response, body=_body(canonical, response.body))


def _sorted(body: Body) -> Body:
    """A JSON body as its text, with the members of every object by name."""
    if body.kind is not BodyKind.JSON or isinstance(body.value, bytes):
        return body
    return Body.json(spelled(dumps(body.value, sort_keys=True)))


def _body(canonical: Canonical | None, recorded: Body) -> Body:
    return recorded if canonical is None else Body.json(canonical.value)
