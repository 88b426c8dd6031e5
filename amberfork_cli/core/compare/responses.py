"""What differs between the responses to two paired requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from amberfork_cli.core.compare.answers import AS_IT_CAME, Answer, Answering, answer_of, is_thinking, reply_of
from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.message_changes import MessageChanges, difference_of
from amberfork_cli.core.compare.report import (
    MISSING,
    Difference,
    Kind,
    Origin,
    Side,
    Spot,
    Words,
    ours,
    quoted,
)
from amberfork_cli.core.compare.values import Change, changes
from amberfork_cli.core.paths import Path, to_text
from amberfork_cli.core.tape import Body, BodyKind, Exchange, Response


def response_findings(old: Exchange, new: Exchange, how: Answering = AS_IT_CAME) -> list[Finding]:
    """The differences of two responses: whether there is one, their status, their bodies."""
    if old.response is None or new.response is None:
        return (
            [] if old.response is new.response else [_whole(_presence(old.response), _presence(new.response))]
        )
    found = []
    if old.response.status != new.response.status:
        difference = Difference(Kind.STATUS, (), (), (), old.response.status, new.response.status)
        found.append(Finding(Spot("response.status", (), (difference,)), Origin.RESPONSE))
    before, after = answer_of(old, how), answer_of(new, how)
    if before is None or after is None:
        return found + _verbatim(old.response.body, new.response.body)
    return found + _answer_findings(before, after)


def reply_findings(old: Exchange, new: Exchange, label: str, how: Answering = AS_IT_CAME) -> list[Finding]:
    """What the model said otherwise in two responses that requests go on from, told under that label.

    Nothing where a response is not known. How the model came to say it stays with the provider.
    """
    before, after = reply_of(old, how), reply_of(new, how)
    if before is None or after is None:
        return []
    found = [change for change in changes(before.value, after.value) if not _is_thought(change)]
    told = MessageChanges(before, after, after, None).findings(found)
    return [replace(finding, spot=replace(finding.spot, label=label)) for finding in told]


def _presence(response: Response | None) -> Side:
    return MISSING if response is None else response.status


def _answer_findings(old: Answer, new: Answer) -> list[Finding]:
    by_member: dict[str, list[Difference]] = {}
    for change in changes(old.value, new.value):
        label = to_text(("response", *change.path[:1]))
        difference = difference_of(change, (), ())
        by_member.setdefault(label, []).append(replace(difference, path=difference.path[1:]))
    links = [] if by_member else list(_links(old, new))
    if links:
        by_member["response"] = links
    return [
        Finding(Spot(label, (), tuple(differences)), Origin.RESPONSE)
        for label, differences in by_member.items()
    ]


def _links(old: Answer, new: Answer) -> Iterator[Difference]:
    """The IDs of two answers that say the same, but mean other things."""
    there = new.firsts()
    for path, first in old.firsts().items():
        other = there.get(path, first)
        if first != other:
            words = _words(first, path), _words(other, path)
            yield Difference(Kind.LINK, path, path, path, recorded_words=words[0], reissued_words=words[1])


def _words(first: Path, path: Path) -> Words:
    return (ours("a new one"),) if first == path else (ours("the one of "), quoted(to_text(first)))


def _is_thought(change: Change) -> bool:
    """Whether all that a change is about is a thought that only one side had."""
    sides = change.old, change.new
    return MISSING in sides and any(map(is_thinking, sides))


def _verbatim(old: Body, new: Body) -> list[Finding]:
    same = old.kind is new.kind and old.value == new.value
    return [] if same else [_whole(_content(old), _content(new))]


def _content(body: Body) -> Side:
    return MISSING if body.kind is BodyKind.ABSENT else body.value


def _whole(old: Side, new: Side) -> Finding:
    kind = Kind.ADDED if old is MISSING else Kind.REMOVED if new is MISSING else Kind.VALUE
    path = None if old is MISSING else (), None if new is MISSING else ()
    return Finding(Spot("response", (), (Difference(kind, (), *path, old, new),)), Origin.RESPONSE)
