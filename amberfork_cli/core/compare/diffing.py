"""Compare two tapes: find the forks, tell each change once, and never call different what is the same.

Each tape is read once as a stream; only exchanges whose difference must be explained are looked at again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.compare.answers import Answering
from amberfork_cli.core.compare.balance import Balance
from amberfork_cli.core.compare.bodies import findings
from amberfork_cli.core.compare.causes import MOVED, cause, turn_words
from amberfork_cli.core.compare.conversation import Turn, turns
from amberfork_cli.core.compare.earlier import calls_made, reading_with_calls, unanswered, with_calls
from amberfork_cli.core.compare.endpoints import endpoint_findings, endpoint_text
from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.links import Links
from amberfork_cli.core.compare.matching import pair
from amberfork_cli.core.compare.reading import Reading, read
from amberfork_cli.core.compare.report import (
    MISSING,
    Conversation,
    Difference,
    DiffReport,
    ExchangeDiff,
    Kind,
    Origin,
    Side,
    Spot,
    State,
    TapeFacts,
    Words,
    ours,
    quoted,
)
from amberfork_cli.core.compare.responses import reply_findings, response_findings
from amberfork_cli.core.compare.told import News, Told, digest_of
from amberfork_cli.core.compare.tracing import Tracer
from amberfork_cli.core.compare.words import first_words, last_message
from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.dialects.model import Message, Role, ToolCall, ToolResult
from amberfork_cli.core.ids.fingerprint import Sketch, Sketcher
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.ids.minted import path_ids
from amberfork_cli.core.ids.threads import refer_back
from amberfork_cli.core.tape import (
    Body,
    BodyKind,
    Exchange,
    ExchangeList,
    JsonValue,
    Request,
    Tape,
    TapeForm,
    at_least_one,
)

_NOTHING = range(0), range(0)
_FEW_CONVERSATIONS = 20  # so many can be looked at one by one
_TOLD_IN_A_ROW = 8  # of a long run of missing or extra exchanges, displays name a few and count the rest


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """How to compare. `loose` allows spelling and form; `responses` compares what came back as well."""

    rules: IdRules = IdRules.ALL
    adjustments: Adjustments = field(default_factory=Adjustments)
    loose: bool = False
    responses: bool = False

    @property
    def answering(self) -> Answering:
        """How to read responses."""
        return Answering(self.rules, self.adjustments.replace)


def diff_tapes(recorded: Tape, reissued: Tape, options: DiffOptions = DiffOptions()) -> DiffReport:
    """What comparing two tapes finds.

    Raises TapeError where a tape cannot be read or has no exchange.
    """
    endpoints = not (recorded.endpoints_unknown or reissued.endpoints_unknown)
    old, new = (_Run(tape, options, endpoints=endpoints) for tape in (recorded, reissued))
    exchanges = tuple(_Comparison(old, new, options).exchanges())
    changed = {exchange.conversation for exchange in exchanges if exchange.state is not State.MATCH}
    return DiffReport(
        old.facts(),
        new.facts(),
        exchanges,
        tuple(new.conversations(changed)),
        loose=options.loose,
        ids=options.rules.value,
    )


def diff_bodies(recorded: JsonValue, reissued: JsonValue, options: DiffOptions = DiffOptions()) -> DiffReport:
    """What comparing two request bodies finds: a report of one exchange."""
    old, new = (
        ExchangeList(
            [Exchange(0, Request("POST", "", body=Body.json(body)))], source=name, form=TapeForm.BODY
        )
        for name, body in (("recorded", recorded), ("re-issued", reissued))
    )
    return diff_tapes(old, new, options)


class _Run:
    """One tape, read through once: its turns, and what is needed to look at an exchange again."""

    def __init__(self, tape: Tape, options: DiffOptions, *, endpoints: bool) -> None:
        self.tape, self._options, self.endpoints = tape, options, endpoints
        self._ignored = self._replaced = 0
        sketcher = Sketcher(options.rules, endpoints=endpoints)
        self._minted, self.minted_in_paths = sketcher.minted, sketcher.minted_in_paths
        self._unexplained: set[str] = set()
        self.endpoint_texts: list[str] = []
        self._texts: dict[str, str] = {}
        self.turns = turns(self._sketches(sketcher))

    def _sketches(self, sketcher: Sketcher) -> Iterator[Sketch]:
        for exchange in at_least_one(self.tape):
            adjusted = self._options.adjustments.of(exchange)
            self._ignored += adjusted.ignored
            self._replaced += adjusted.replaced
            sketch = sketcher.sketch(adjusted.exchange)
            self._unexplained |= sketch.unexplained
            text = endpoint_text(exchange.request) if self.endpoints else ""
            self.endpoint_texts.append(self._texts.setdefault(text, text))
            yield sketch

    def conversations(self, changed: Container[int]) -> Iterator[Conversation]:
        """Each conversation with the first words of its user, where displays show them.

        A single one needs no words, and of many that are the same nobody reads them.
        """
        roots = {turn.conversation: turn for turn in reversed(self.turns)}
        for conversation in sorted(roots):
            told = len(roots) > 1 and (conversation in changed or len(roots) <= _FEW_CONVERSATIONS)
            yield Conversation(conversation, self._opening(roots[conversation]) if told else "")

    def _opening(self, root: Turn) -> str:
        users = (message.text for message in self.said(root.number) if message.role is Role.USER)
        return first_words(next(users, ""))

    def facts(self) -> TapeFacts:
        return TapeFacts(
            self.tape.source,
            len(self.turns),
            self.tape.left_out,
            self._ignored,
            self._replaced,
            len(self._unexplained),
        )

    def minter(self, value: str) -> int | None:
        """The exchange whose response gave out an ID that stands in a path."""
        return self._minted.giver(value) if value in self.minted_in_paths else None

    def exchange(self, number: int) -> Exchange:
        return self._options.adjustments.of(self.tape.reread(number)).exchange

    def reading(self, exchange: Exchange, *, skip: range = range(0)) -> Reading | None:
        """The request's body read for comparing but for some messages; `None` where it is no JSON."""
        value = json_of(exchange.request.body)
        if isinstance(value, Absent):
            return None
        rules, minted = self._options.rules, self._minted
        found = read(value, path=exchange.request.path, rules=rules, minted=minted, skip=skip)
        said = [element.said for element in found.elements if element.said]
        calls = self._calls_before(exchange.number, said)
        return reading_with_calls(found, calls) if calls else found

    def said(self, number: int) -> tuple[Message, ...]:
        """The history of an exchange."""
        request = self.tape.reread(number).request
        value = json_of(request.body)
        dialect = None if isinstance(value, Absent) else dialect_of(request.path, value)
        history = dialect.history(value) if dialect and not isinstance(value, Absent) else ()
        calls = self._calls_before(number, history)
        return tuple(with_calls(message, calls) for message in history)

    def results(self, number: int) -> list[ToolResult]:
        """The results in a request."""
        return [result for message in self.said(number) for result in message.results]

    def _calls_before(self, number: int, history: Sequence[Message]) -> Mapping[str, ToolCall]:
        """The calls of the response that a request goes on from by its name, where it answers some."""
        turn = self.turns[number]
        if turn.parent is None or not turn.chained or not unanswered(history):
            return {}
        return calls_made(self.tape.reread(turn.parent))


class _Comparison:
    """What became of every exchange, worked out in the order of the re-issued run."""

    def __init__(self, old: _Run, new: _Run, options: DiffOptions) -> None:
        self._old, self._new, self._options = old, new, options
        self._pairing = pair(old.turns, new.turns)
        self._says_the_same = frozenset(self._pairing.inserted.values())
        self._reissued = {self._pairing.partner(turn.number) for turn in new.turns}
        self._tracer = Tracer()
        self._forked: set[int] = set()
        self._alike: dict[bytes, int] = {}
        self._origin_of: dict[int, int] = {}
        self._told: dict[int, Told] = defaultdict(Told)
        self._asked: set[tuple[int | None, tuple[bytes, ...], int | None, tuple[bytes, ...]]] = set()
        self._replies: set[tuple[int | None, int | None]] = set()
        self._balance: dict[int, Balance] = defaultdict(Balance)
        self._allowed: set[int] = set()

    def exchanges(self) -> Iterator[ExchangeDiff]:
        """One for every exchange of the re-issued tape, and the missing ones where they would have come."""
        missing = self._missing()
        yield from missing.get(-1, ())
        extras_in_a_row = 0
        for turn in self._new.turns:
            partner = self._pairing.partner(turn.number)
            extras_in_a_row = 0 if partner is not None else extras_in_a_row + 1
            if partner is None:
                yield self._extra(turn, told=extras_in_a_row <= _TOLD_IN_A_ROW)
            else:
                yield self._paired(turn, self._old.turns[partner])
            yield from missing.get(turn.number, ())

    def _paired(self, turn: Turn, partner: Turn) -> ExchangeDiff:
        equal = turn.number in self._pairing.equal
        if not self._options.responses:
            if equal and not turn.chained:
                return self._match(turn, partner)
            if not equal and self._is_carried(turn, partner):
                return self._carried(turn, partner, ())
        return self._explained(turn, partner, equal=equal)

    def _match(self, turn: Turn, partner: Turn) -> ExchangeDiff:
        return replace(self._pair(State.MATCH, turn, partner), moved=turn.number in self._pairing.moved)

    def _pair(self, state: State, turn: Turn, partner: Turn) -> ExchangeDiff:
        endpoint = self._new.endpoint_texts[turn.number]
        return ExchangeDiff(state, partner.number, turn.number, turn.conversation, endpoint)

    def _is_carried(self, turn: Turn, partner: Turn) -> bool:
        """Whether all that differs was told at an earlier exchange of the conversation.

        Both turns add the same to histories of which it is known how they differ, and whatever else is in the
        bodies differs as it did there.
        """
        if turn.key != partner.key or turn.hints != partner.hints or turn.mentions or partner.mentions:
            return False
        if turn.parent is None or partner.parent is None:
            return False
        if turn.parent not in self._origin_of or partner.parent != self._beside(turn.parent):
            return False
        renewed = max(turn.renewed, partner.renewed)
        if renewed > 1 or (renewed and turn.head != partner.head):
            return False
        before = self._new.turns[turn.parent], self._old.turns[partner.parent]
        return _outside_differs(turn, partner) in (None, _outside_differs(*before))

    def _beside(self, reissued: int) -> int | None:
        """The recorded exchange that has the history of a re-issued one, as far as was not told."""
        partner = self._pairing.partner(reissued)
        return self._pairing.nearest.get(reissued) if reissued in self._says_the_same else partner

    def _past(self, turn: Turn, partner: Turn) -> tuple[range, range] | None:
        """The messages of either request of which it was told how they differ; `None` where that is unknown.

        Recorded turns that were never re-issued may stand between: what they added is still to be told.
        """
        stretch = self._stretch(turn, partner)
        first, keep = stretch[-1], max(turn.renewed, *(one.renewed for one in stretch))
        beside = None if turn.parent is None else self._beside(turn.parent)
        if beside is None or first.parent != beside or keep >= min(turn.shared, first.shared):
            return None
        return range(keep, first.shared), range(keep, turn.shared)

    def _stretch(self, turn: Turn, partner: Turn) -> list[Turn]:
        """The partner of a turn, and the recorded turns before it that were never re-issued; latest first."""
        beside = None if turn.parent is None else self._beside(turn.parent)
        stretch = [partner]
        while (before := stretch[-1].parent) not in (None, beside) and before not in self._reissued:
            stretch.append(self._old.turns[before])
        return stretch

    def _news(self, turn: Turn, partner: Turn) -> News:
        """What two requests add; nothing where they only ask again what two before them asked."""
        asked = turn.parent, turn.added, partner.parent, partner.added
        if asked in self._asked:
            return News(partner.shared + len(partner.added), turn.shared + len(turn.added))
        self._asked.add(asked)
        return News(self._stretch(turn, partner)[-1].shared, turn.shared)

    def _carried(self, turn: Turn, partner: Turn, told: Sequence[Finding]) -> ExchangeDiff:
        """An exchange whose differences, where it has any of its own, were told already."""
        number = self._told[partner.conversation].exchange_of(told[0]) if told else turn.parent
        assert number is not None  # noqa: S101 - what was not told goes on from what was
        source = self._origin_of[turn.number] = self._origin_of[number]
        if source in self._allowed:
            return self._match(turn, partner)
        return replace(self._pair(State.CARRIED, turn, partner), carried_from=source)

    def _explained(self, turn: Turn, partner: Turn, *, equal: bool) -> ExchangeDiff:
        old, new = self._old.exchange(partner.number), self._new.exchange(turn.number)
        found, told = ([], []) if equal else self._request_findings(turn, partner, old, new)
        if self._options.responses:
            found = found + response_findings(old, new, self._options.answering)
        else:
            found = self._reply_findings(turn, partner) + found
        if not found and equal and turn.parent not in self._origin_of:
            return self._match(turn, partner)
        if not found:
            return self._carried(turn, partner, told)
        self._origin_of[turn.number] = turn.number
        self._balance[turn.conversation].take_in(turn, self._stretch(turn, partner))
        origin, words = self._cause(turn, partner, found)
        spots = tuple(finding.spot for finding in found)
        diff = replace(
            self._pair(State.CHANGED, turn, partner),
            origin=origin,
            cause=words,
            spots=spots,
            trace=self._tracer.trace(turn.number, found),
        )
        if diff.weak and self._options.loose:
            self._allowed.add(turn.number)
            return replace(self._match(turn, partner), spots=spots)
        if not diff.weak and turn.conversation not in self._forked:
            self._forked.add(turn.conversation)
            diff = replace(diff, state=State.FORK)
        first = self._alike.setdefault(digest_of(spots), turn.number)
        return replace(diff, alike=None if first == turn.number else first)

    def _reply_findings(self, turn: Turn, partner: Turn) -> list[Finding]:
        """What the model said otherwise in the responses that two requests go on from by their names.

        Elsewhere that stands in the requests; here it does not, and still it is what was said before.
        """
        before = turn.parent, partner.parent
        if not turn.chained or None in before or before in self._replies:
            return []
        assert before[0] is not None and before[1] is not None  # noqa: S101, PT018 - for the type checker
        self._replies.add(before)
        if self._pairing.partner(before[0]) != before[1]:
            return []
        sides = self._old.exchange(before[1]), self._new.exchange(before[0])
        return reply_findings(*sides, f"response of #{before[0]}", self._options.answering)

    def _request_findings(
        self, turn: Turn, partner: Turn, old: Exchange, new: Exchange
    ) -> tuple[list[Finding], list[Finding]]:
        """What differs between two requests: what is new, and what was told before in their conversation.

        Nothing at all only where they go on from two of which it was told; else at least one difference,
        since their fingerprints differ.
        """
        if self._is_carried(turn, partner):
            return [], []
        known, news = self._told[partner.conversation], self._news(turn, partner)
        found: list[Finding] = []
        for skip in self._looks(turn, partner):
            found = self._all_findings(old, new, skip)
            fresh = known.untold(found, news)
            if fresh and (skip is _NOTHING or not self._stands_elsewhere(turn, partner, found)):
                known.take_in(fresh, turn.number)
                return fresh, []
        goes_on = turn.parent in self._origin_of and self._beside(turn.parent) == partner.parent
        return ([], found) if found or goes_on else (self._unexplained(old, new), [])

    def _stands_elsewhere(self, turn: Turn, partner: Turn, found: Sequence[Finding]) -> bool:
        """Whether a message that seems to be on one side only may be among those that were left out."""
        hunks = any(finding.is_hunk for finding in found)
        return hunks and self._balance[turn.conversation].is_evened(turn, self._stretch(turn, partner))

    def _looks(self, turn: Turn, partner: Turn) -> Iterator[tuple[range, range]]:
        """What to leave out of two requests: first what is known, then nothing.

        The short look does not show where IDs point to that stand in other messages.
        """
        past = self._past(turn, partner)
        same_links = turn.added_links == partner.added_links
        if past is not None and (
            same_links or not any(map(refer_back, (turn.added_links, partner.added_links)))
        ):
            yield past
        yield _NOTHING

    def _all_findings(self, old: Exchange, new: Exchange, skip: tuple[range, range]) -> list[Finding]:
        minted = self._old.minted_in_paths, self._new.minted_in_paths
        found = endpoint_findings(old.request, new.request, minted) if self._new.endpoints else []
        readings = self._old.reading(old, skip=skip[0]), self._new.reading(new, skip=skip[1])
        if readings[0] is None or readings[1] is None:
            return found + _verbatim(old.request.body, new.request.body)
        return found + findings(readings[0], readings[1])

    def _unexplained(self, old: Exchange, new: Exchange) -> list[Finding]:
        """Requests whose values agree, but not what their IDs mean on their tapes."""
        path = tuple(self._path_links(old.request, new.request))
        readings = self._old.reading(old), self._new.reading(new)
        body: tuple[Difference, ...] = ()
        if readings[0] is not None and readings[1] is not None:
            body = tuple(Links(readings[0], readings[1]).of_other_exchanges(self._pairing.partner))
        if not path and not body:
            words = (ours("some IDs"),), (ours("others"),)
            body = (Difference(Kind.LINK, (), (), (), recorded_words=words[0], reissued_words=words[1]),)
        spots = [Spot(label, (), told) for label, told in (("path", path), ("body", body)) if told]
        return [Finding(spot, Origin.BODY) for spot in spots]

    def _path_links(self, old: Request, new: Request) -> Iterator[Difference]:
        """The IDs in two paths that exchanges gave out which are not each other's partners."""
        for one, other in zip(path_ids(old.path), path_ids(new.path), strict=False):
            minters = self._old.minter(one), self._new.minter(other)
            if None not in minters and minters[0] != self._pairing.partner(minters[1] or 0):
                words = (ours(f"the one of recorded #{minters[0]}"),), (ours(f"the one of #{minters[1]}"),)
                yield Difference(Kind.LINK, (), (), (), recorded_words=words[0], reissued_words=words[1])

    def _cause(self, turn: Turn, partner: Turn, found: list[Finding]) -> tuple[Origin, Words]:
        """Where the change came from.

        Of an inserted turn it is told what the turn behind it shows, of a request that holds nothing but its
        own news what happened to the turns before it.
        """
        origin, words = cause(found)
        behind = self._pairing.inserted.get(turn.number)
        if turn.chained:
            between = self._between(turn, partner, behind)
            return (Origin.MODEL_OUTPUT, turn_words(*between)) if between else (origin, words)
        if behind is not None:
            skip = self._past(turn, partner) or _NOTHING
            readings = (
                self._old.reading(self._old.exchange(partner.number), skip=skip[0]),
                self._new.reading(self._new.exchange(behind), skip=skip[1]),
            )
            if readings[0] is not None and readings[1] is not None:
                hunks = [one for one in findings(readings[0], readings[1]) if one.is_hunk and one.new]
                self._told[partner.conversation].take_in(hunks, turn.number)
                calls = any(message.calls for hunk in hunks for message in hunk.new)
                if self._came_earlier(turn, behind, partner):
                    hunks = [replace(hunk, moved=True) for hunk in hunks]
                words = cause(hunks)[1] if calls else words
        return origin, words

    def _came_earlier(self, turn: Turn, behind: int, partner: Turn) -> bool:
        """Whether the turns before the one `behind` them were recorded later, and not re-issued there."""
        numbers = [turn.number, *_since(self._new.turns, behind, turn.number)]
        return {self._new.turns[number].added for number in numbers} <= {
            one.added
            for one in self._old.turns[partner.number :]
            if one.conversation == partner.conversation and one.number not in self._reissued
        }

    def _between(self, turn: Turn, partner: Turn, behind: int | None) -> tuple[str, list[ToolResult]] | None:
        """What was inserted from a turn on up to the one `behind` it, or dropped before its partner."""
        if behind is not None:
            numbers = _since(self._new.turns, behind, turn.parent)
            results = [result for number in numbers for result in self._new.results(number)]
            what = MOVED if self._came_earlier(turn, behind, partner) else "was inserted"
            return (what, results) if results else None
        if turn.parent is None or partner.parent is None:
            return None
        numbers = _since(self._old.turns, partner.number, self._pairing.partner(turn.parent))
        results = [result for number in numbers for result in self._old.results(number)]
        return ("was dropped", results) if numbers else None

    def _extra(self, turn: Turn, *, told: bool) -> ExchangeDiff:
        nearest = self._pairing.nearest.get(turn.number)
        said = self._new.said(turn.number) if told else ()
        self._balance[turn.conversation].take_in(turn, ())
        if turn.parent in self._origin_of and turn.parent is not None:
            self._origin_of[turn.number] = self._origin_of[turn.parent]
        return ExchangeDiff(
            State.EXTRA,
            None,
            turn.number,
            turn.conversation,
            self._new.endpoint_texts[turn.number],
            nearest=nearest,
            nearest_words=self._beside_words(turn.number, nearest) if told and nearest is not None else (),
            words=last_message(said[-1]) if said else (),
        )

    def _beside_words(self, reissued: int, recorded: int) -> Words:
        """How the nearest recorded exchange differs from an extra one, in a few words."""
        readings = (
            self._old.reading(self._old.exchange(recorded)),
            self._new.reading(self._new.exchange(reissued)),
        )
        if readings[0] is None or readings[1] is None:
            return ()
        found = findings(readings[0], readings[1])
        if len(found) == 1 and found[0].is_hunk and found[0].new:
            return (ours(f"without {found[0].spot.label}"),)
        labels = list(dict.fromkeys(finding.spot.label for finding in found))
        count = len(labels) - 2
        more = f" and {count} more place{'' if count == 1 else 's'}" if count > 0 else ""
        return (ours("which differs in "), quoted(", ".join(labels[:2])), ours(more)) if labels else ()

    def _missing(self) -> dict[int, list[ExchangeDiff]]:
        """The recorded exchanges that were never re-issued, by the re-issued one after which they belong."""
        partner_of = {
            self._pairing.partner(turn.number): turn.number
            for turn in self._new.turns
            if turn.number not in self._pairing.moved
        }
        placed: dict[int, list[ExchangeDiff]] = {}
        after, in_a_row = -1, 0
        conversations = self._conversation_partners()
        for turn in self._old.turns:
            if turn.number in self._reissued:
                after, in_a_row = partner_of.get(turn.number, after), 0
                continue
            in_a_row += 1
            said = self._old.said(turn.number) if in_a_row <= _TOLD_IN_A_ROW else ()
            conversation = conversations.get(turn.conversation)
            placed.setdefault(after, []).append(
                ExchangeDiff(
                    State.MISSING,
                    turn.number,
                    None,
                    -1 if conversation is None else conversation,
                    self._old.endpoint_texts[turn.number],
                    words=last_message(said[-1]) if said else (),
                )
            )
        return placed

    def _conversation_partners(self) -> dict[int, int]:
        """For each recorded conversation the re-issued one that shares an exchange with it."""
        partners: dict[int, int] = {}
        for turn in self._new.turns:
            recorded = self._pairing.partner(turn.number)
            if recorded is not None:
                partners.setdefault(self._old.turns[recorded].conversation, turn.conversation)
        return partners


def _since(turns_: Sequence[Turn], last: int, first: int | None) -> list[int]:
    """The exchanges from behind `first` to before `last`, each going on from the one before it."""
    numbers: list[int] = []
    at = turns_[last].parent
    while at is not None and at != first:
        numbers.append(at)
        at = turns_[at].parent
    return numbers[::-1] if at == first else []


def _outside_differs(new: Turn, old: Turn) -> tuple[bytes, ...] | None:
    """How two requests differ outside their messages, or None where they do not."""
    if (new.rest, new.endpoint) == (old.rest, old.endpoint):
        return None
    return new.rest, new.endpoint, old.rest, old.endpoint


def _verbatim(old: Body, new: Body) -> list[Finding]:
    """Two bodies of which at least one is no JSON: different as a whole."""
    if old.kind is new.kind and old.value == new.value:
        return []
    kind = Kind.VALUE if old.kind is new.kind else Kind.TYPE
    difference = Difference(kind, (), (), (), _side(old), _side(new))
    return [Finding(Spot("body", (), (difference,)), Origin.BODY)]


def _side(body: Body) -> Side:
    return MISSING if body.kind is BodyKind.ABSENT else body.value
