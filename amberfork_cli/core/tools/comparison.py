"""A fresh tool result against the recorded one: whether the tool still answers as it did.

Nothing is called the same that is not: every way in which two results were found equal can be told, and what
counts for nothing is shown. Where the two cannot be told apart in the form that was recorded, such as `5` and
`"5"` in a plain text, they are the same to the model too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum, StrEnum
from typing import Final

from amberfork_cli.core import jsontext
from amberfork_cli.core.paths import Path, to_pointer
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.invocation import Invocation, Outcome
from amberfork_cli.core.tools.likeness import Likeness, likeness
from amberfork_cli.core.tools.recorded import (
    Reading,
    Recorded,
    Via,
    container_in,
    read_recorded,
    words_of,
)
from amberfork_cli.core.tools.results import convert
from amberfork_cli.core.tools.volatile import Freshness, Moments, Part, volatile_text


class NotRecorded(Enum):
    """In the place of a recorded result where there is none; JSON's null is one."""

    RESULT = "not recorded"


NOT_RECORDED = NotRecorded.RESULT

_QUOTED: Final = r"""(?:^|: |["'(\[]){}(?=\s*$|["')\]])"""  # whole, behind a colon or in quotes or brackets
_TELLING: Final = 12  # characters from which a message can be told from words that stand there by chance


class Status(StrEnum):
    """What became of one call when it was run again."""

    SAME = "same"
    SAME_EXCEPT_VOLATILE = "same-except-volatile"
    CHANGED = "changed"
    ERROR_NOW = "error-now"
    ERROR_THEN = "error-then"
    SAME_ERROR = "same-error"
    INVALID_ARGUMENTS = "invalid-arguments"
    TIMED_OUT = "timed-out"
    INTERRUPTED = "interrupted"
    UNKNOWN_TOOL = "unknown-tool"
    SKIPPED_SIDE_EFFECT = "skipped-side-effect"
    NO_RECORDED_RESULT = "no-recorded-result"
    NOT_COMPARABLE = "not-comparable"

    @property
    def good(self) -> bool:
        """Whether it is nothing to worry about; a comparison knows the one case that hangs on more."""
        return self in _GOOD


_GOOD = {
    Status.SAME,
    Status.SAME_EXCEPT_VOLATILE,
    Status.SAME_ERROR,
    Status.NO_RECORDED_RESULT,
    Status.SKIPPED_SIDE_EFFECT,
}
_NEVER_ANSWERED = {
    Outcome.INVALID: Status.INVALID_ARGUMENTS,
    Outcome.TIMED_OUT: Status.TIMED_OUT,
    Outcome.INTERRUPTED: Status.INTERRUPTED,
    Outcome.UNKNOWN: Status.UNKNOWN_TOOL,
    Outcome.SKIPPED: Status.SKIPPED_SIDE_EFFECT,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A fresh result against the recorded one.

    `then` and `now` are the two in the forms that are most alike, to be shown. `via` is the way on which they
    were found equal. `volatile` are the parts that count for nothing, `respelled` numbers and JSON texts of
    one value in two spellings, `changes` what else differs, each with its path and both values.
    `error_then` says that the recorded result was an error. `note` says what stood in the way of comparing.
    """

    status: Status
    then: JsonValue = None
    now: JsonValue = None
    via: tuple[Via, ...] = ()
    volatile: tuple[Part, ...] = ()
    respelled: tuple[Part, ...] = ()
    changes: tuple[Part, ...] = ()
    error_then: bool = False
    note: str = ""

    @property
    def good(self) -> bool:
        """Whether it is nothing to worry about: invalid arguments are not, if they were an error then too."""
        return self.status.good or (self.status is Status.INVALID_ARGUMENTS and self.error_then)


def compare(
    recorded: JsonValue | NotRecorded,
    fresh: object,
    *,
    failed: bool = False,
    recorded_at: datetime | None = None,
    fresh_at: datetime | None = None,
) -> Comparison:
    """What became of a call whose result was recorded, `fresh` being an Invocation or what a tool returned.

    `recorded` is the content of the result as it stands on the tape; `failed` says that its status was an
    error. The times are those of the two calls; without both, a time stamp that differs is a change.
    """
    now = fresh if isinstance(fresh, Invocation) else _answered(fresh)
    moments = Moments(_aware(recorded_at), _aware(fresh_at))
    content = None if isinstance(recorded, NotRecorded) else recorded
    then = Recorded(()) if isinstance(recorded, NotRecorded) else read_recorded(recorded)
    error = words_of(content) if failed else then.error
    told = Comparison(Status.NOT_COMPARABLE, content, now.data if now.ok else now.error)
    told = replace(told, error_then=error is not None)
    if now.outcome in _NEVER_ANSWERED:
        return replace(told, status=_NEVER_ANSWERED[now.outcome])
    if now.outcome is Outcome.FAILED:
        return replace(told, status=_failed_now(then, error, now, moments))
    if isinstance(recorded, NotRecorded):
        return replace(told, status=Status.NO_RECORDED_RESULT)
    if failed and not _is_error_object(recorded):
        return replace(told, status=Status.ERROR_THEN)
    return _answers(told, then, now, moments)


def _is_error_object(recorded: JsonValue) -> bool:
    """Gemini's way to say failure, by convention only: a tool may return such an object as its answer."""
    return isinstance(recorded, dict) and recorded.keys() == {"error"}


def _answered(value: object) -> Invocation:
    converted = convert(value)
    return Invocation(Outcome.OK, "", data=converted.data, lossy=converted.lossy, text=converted.text)


def _aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def _failed_now(recorded: Recorded, error: str | None, now: Invocation, moments: Moments) -> Status:
    if error is None:
        said = now.message_of_error
        same = len(said) >= _TELLING and said in recorded.texts
        return Status.SAME_ERROR if same else Status.ERROR_NOW
    return Status.SAME_ERROR if _is_said(now, error, moments) else Status.CHANGED


def _is_said(now: Invocation, then: str, moments: Moments) -> bool:
    """Whether an error of then says what the fresh one says, with whatever a framework put around it."""
    if volatile_text((), then, now.error, moments, Freshness.of(then, now.error)) is not None:
        return True
    kind, _, said = now.error.partition(": ")
    forms = (now.error, f"{kind}({said!r})", said or kind)
    return any(re.search(_QUOTED.format(re.escape(form)), then, re.MULTILINE) for form in forms)


_NO_DIFFERENCE = Likeness()


@dataclass(frozen=True, slots=True)
class _Pair:
    """Both results in one form each, and how they differ in it."""

    then: JsonValue
    now: JsonValue
    via: tuple[Via, ...]
    likeness: Likeness = _NO_DIFFERENCE

    @property
    def alike(self) -> bool:
        """Whether both are objects, or both arrays, so that a difference has a place."""
        return isinstance(self.then, (dict, list)) and type(self.then) is type(self.now)


def _answers(told: Comparison, recorded: Recorded, now: Invocation, moments: Moments) -> Comparison:
    """What two answers come to; one that says of itself that it failed is data if it is returned again."""
    pairs = (*_pairs(recorded, now), _Pair(told.then, now.data, (Via.VALUE,)))
    best = _best(pairs, moments)
    told = replace(
        told,
        then=best.then,
        now=best.now,
        volatile=best.likeness.volatile,
        respelled=best.likeness.respelled,
        changes=best.likeness.changes,
        note=f"the fresh result is not faithful as JSON: {now.lossy[0]}" if now.lossy else "",
    )
    if best.likeness.changes:
        return _differs(told, best, recorded, now)
    status = Status.SAME_EXCEPT_VOLATILE if told.volatile else Status.SAME
    return replace(told, status=status, via=best.via, error_then=False)


def _differs(told: Comparison, best: _Pair, recorded: Recorded, now: Invocation) -> Comparison:
    if told.error_then:
        return replace(told, status=Status.ERROR_THEN)
    if recorded.opaque:
        return replace(told, note="the recorded result holds parts that are no text")
    if now.lossy and (not best.alike or all(_is_lossy(part.path, now.lossy) for part in told.changes)):
        return told
    return replace(told, status=Status.CHANGED)


def _is_lossy(path: Path, notes: Iterable[str]) -> bool:
    """Whether what stands there is part of a value that JSON could not hold."""
    above = tuple(f"{to_pointer(path[:length])}: " for length in range(1, len(path) + 1))
    return any(note.startswith(above) or not note.startswith("/") for note in notes)


def _best(pairs: Iterable[_Pair], moments: Moments) -> _Pair:
    """The first pair that is equal; else one that is but for volatile parts; else the one most alike."""
    seen = []
    for pair in pairs:
        found = likeness(pair.then, pair.now, moments)
        seen.append(replace(pair, likeness=found))
        if found == _NO_DIFFERENCE:
            return seen[-1]
    return min(seen, key=_rank)


def _rank(pair: _Pair) -> tuple[int, ...]:
    found = pair.likeness
    differs = bool(found.changes), bool(found.volatile), bool(found.respelled)
    return (*differs, not pair.alike, len(found.changes))


def _pairs(recorded: Recorded, now: Invocation) -> Iterator[_Pair]:
    """Every form of the recorded result beside the forms of the fresh one that it can be compared with."""
    for reading in recorded.readings:
        if reading.items:
            yield from _item_pairs(reading, now)
        elif reading.is_text:
            yield from (_Pair(reading.value, text, (*reading.via, via)) for via, text in _texts_of(now))
        else:
            yield _Pair(reading.value, now.data, reading.via)
            if (inside := container_in(now.data)) is not None:
                yield _Pair(reading.value, inside, (*reading.via, Via.JSON))


def _item_pairs(reading: Reading, now: Invocation) -> Iterator[_Pair]:
    """The parts of a result beside the items of a list, where each part is some form of its item."""
    if not isinstance(now.data, list) or len(now.data) != len(reading.items):
        return
    for text, item in zip(reading.items, now.data, strict=True):
        pairs = _pairs(read_recorded(text), Invocation(Outcome.OK, "", data=item))
        if not any(jsontext.same(pair.then, pair.now) for pair in pairs):
            return
    yield _Pair(now.data, now.data, reading.via)


def _texts_of(now: Invocation) -> Iterator[tuple[Via, str]]:
    """The texts that a framework makes of the fresh result; JSON text is read back instead."""
    if isinstance(now.data, str):
        yield Via.TEXT, now.data
    elif not isinstance(now.data, (dict, list)):
        yield Via.STR, str(now.data)
    if now.text is not None:
        yield Via.STR, now.text
