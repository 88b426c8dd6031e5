"""What a linter found on a tape: each thing that is wrong once, however often later turns repeat it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from enum import StrEnum

from amberfork_cli.core.paths import Path, to_pointer
from amberfork_cli.core.redaction.secrets import hidden


class Rule(StrEnum):
    """What can be wrong or risky."""

    BAD_LINE = "bad-line"
    TORN_END = "torn-end"
    DUPLICATE_MEMBER = "duplicate-member"
    NON_FINITE = "non-finite-number"
    UNSAFE_INTEGER = "unsafe-integer"
    HALF_CHARACTER = "half-character"
    DEEP_NESTING = "deep-nesting"
    UNDECODED_BODY = "undecoded-body"
    ORPHAN_RESULT = "orphan-result"
    CALL_WITHOUT_RESULT = "call-without-result"
    DUPLICATE_ID = "duplicate-id"
    EMPTY_ID = "empty-id"
    ID_LENGTH = "id-length"
    ARGUMENTS = "arguments-not-json"
    SECRET = "secret"  # noqa: S105 - the name of a rule
    CUT_STREAM = "cut-stream"


MEANINGS = {
    Rule.BAD_LINE: "A line holds no exchange, and most readers stop there.",
    Rule.TORN_END: "The recording stops in the middle of a line: the recorder was killed, or the disk full.",
    Rule.DUPLICATE_MEMBER: "An object has two members of one name, and readers disagree on which counts.",
    Rule.NON_FINITE: "NaN and infinities are no JSON, and most readers refuse them.",
    Rule.UNSAFE_INTEGER: "An integer beyond 2^53 is rounded by readers that know doubles only.",
    Rule.HALF_CHARACTER: "Half of a surrogate pair is no text, and many readers refuse or replace it.",
    Rule.DEEP_NESTING: "Many readers refuse values that nest more than 200 levels.",
    Rule.UNDECODED_BODY: "A compressed body could not be decoded, and is compared as bytes.",
    Rule.ORPHAN_RESULT: "A result answers a call that its request does not hold; most providers refuse that.",
    Rule.CALL_WITHOUT_RESULT: "Nothing on the tape answers a tool call.",
    Rule.DUPLICATE_ID: "Two calls of one conversation have the same ID, so that a result may answer either.",
    Rule.EMPTY_ID: "A call or a result has an empty ID.",
    Rule.ID_LENGTH: "A provider refuses a tool-call ID of that length.",
    Rule.ARGUMENTS: "The arguments of a call are no JSON object, so that it cannot be run.",
    Rule.SECRET: "A credential stands on the tape.",
    Rule.CUT_STREAM: "An answer that came as a stream is not there whole: replayed, it breaks off again.",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands.

    `exchange` is the number of the exchange, `line` that of its line in the file, from 1; either is `None`
    where it is not known. `pointer` is a JSON Pointer into what stands on that line.
    """

    exchange: int | None = None
    line: int | None = None
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Where:
    """What is looked at: the body, or another part, at `base` of the line of an exchange.

    `spelled` marks a body that only a stream spells: paths into it lead nowhere on the tape.
    """

    exchange: int
    line: int | None
    base: Path
    spelled: bool = False

    def at(self, path: Path = ()) -> Place:
        """The place at a path of the part; credentials in member names are cut short."""
        steps = self.base if self.spelled else (*self.base, *path)
        return Place(self.exchange, self.line, hidden(to_pointer(steps)))

    def below(self, *steps: str | int) -> Where:
        """A part of this part."""
        return replace(self, base=(*self.base, *steps))


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, in words without the credentials that it is about; `more` places repeat it."""

    rule: Rule
    message: str
    place: Place
    more: int = 0


@dataclass(frozen=True, slots=True)
class LintReport:
    """What a linter found on one tape, in the order of the tape."""

    source: str
    exchanges: int
    findings: tuple[Finding, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


class Findings:
    """Findings as they are made, each kept once."""

    def __init__(self) -> None:
        self._found: dict[Hashable, Finding] = {}

    def add(self, rule: Rule, message: str, place: Place, *, about: Hashable) -> None:
        """Note a finding; those of one rule that are about the same are one, at its first place."""
        known = self._found.get((rule, about))
        if known is None:
            self._found[rule, about] = Finding(rule, message, place)
        else:
            self._found[rule, about] = replace(known, more=known.more + 1)

    def sorted(self) -> tuple[Finding, ...]:
        """All of them in the order of their places; what is said of the whole tape stands first."""
        return tuple(sorted(self._found.values(), key=_order))


def _order(finding: Finding) -> tuple[int, int]:
    place = finding.place
    return (
        place.line or 0 if place.exchange is None else 0,
        -1 if place.exchange is None else place.exchange,
    )
