"""What comparing two tapes found: facts for every display, decided here and nowhere else.

A display reads a report and never works anything out that could be worked out differently elsewhere. Words
that hold something of a tape are kept as pieces, each ours or the tape's, so that Markdown and HTML can quote
the latter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import TypeAlias

from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue, LeftOut


class Missing(Enum):
    """The side of a difference that has no value; JSON's null is a value."""

    VALUE = "missing"


MISSING = Missing.VALUE
Side: TypeAlias = "JsonValue | bytes | Missing"


@dataclass(frozen=True, slots=True)
class Piece:
    """A few words of a sentence; `quoted` where they stand on a tape, so that they are never markup."""

    text: str
    quoted: bool = False


Words: TypeAlias = tuple[Piece, ...]


class Kind(StrEnum):
    """In what way two values differ. The last two are weak: the same content, written differently."""

    VALUE = "value"
    TYPE = "type"
    ADDED = "added"
    REMOVED = "removed"
    REORDERED = "reordered"
    LINK = "link"
    ORPHAN = "orphan"
    STATUS = "status"
    SPELLING = "spelling"
    FORM = "form"

    @property
    def weak(self) -> bool:
        """Whether the content is the same and only its writing differs; `--loose` allows these."""
        return self in (Kind.SPELLING, Kind.FORM)


class Origin(StrEnum):
    """Where a change came from."""

    MODEL_OUTPUT = "model output"
    TOOL_RESULT = "tool result"
    USER_PROMPT = "user prompt"
    SYSTEM_PROMPT = "system prompt"
    TOOLS = "tools"
    SETTINGS = "settings"
    RESPONSE = "response"
    BODY = "body"


class State(StrEnum):
    """What became of one exchange."""

    MATCH = "match"
    FORK = "fork"
    CHANGED = "changed"
    CARRIED = "carried"
    MISSING = "missing"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that differs.

    `path` leads from the place it is shown under to the value. `recorded_path` and `reissued_path` lead to it
    from the root of each request body (of each response body where the place says so), `None` on the side
    that has no such value. `inner_path` goes on inside a string that holds JSON, such as `arguments`.
    `recorded` and `reissued` are the two values. `summary` says in a few words what a whole message or tool
    is that only one side has; for a link, `recorded_words` and `reissued_words` name what is answered.
    """

    kind: Kind
    path: Path
    recorded_path: Path | None
    reissued_path: Path | None
    recorded: Side = MISSING
    reissued: Side = MISSING
    inner_path: Path | None = None
    summary: Words = ()
    recorded_words: Words = ()
    reissued_words: Words = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of a request and what differs there.

    `label` is the place as people read it (`messages[8]`, `messages[7]–[8]`, `system`, `tools.get_weather`,
    `model`, `response`), `who` what stands there (`assistant calls get_weather`), `note` a remark below it.
    """

    label: str
    who: Words
    differences: tuple[Difference, ...]
    note: Words = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """A value of a later change that first appeared in an earlier tool result: where it came from."""

    token: str
    exchange: int
    words: Words


@dataclass(frozen=True, slots=True)
class ExchangeDiff:
    """What became of one exchange of either tape.

    `recorded` and `reissued` are its numbers on the two tapes, `None` where that tape has none. `moved` marks
    a match at another place of the order. `carried_from` is the re-issued number of the exchange whose change
    this one only repeats; `alike` that of an earlier exchange whose differences are equal to these.
    `nearest`, for an exchange on one tape only, is the closest one on the other. `words` tell it apart from
    its neighbours: its last message. `cause` says in words what changed and completes the sentence
    `Forked at #4: …`.
    """

    state: State
    recorded: int | None
    reissued: int | None
    conversation: int = 0
    endpoint: str = ""
    moved: bool = False
    origin: Origin | None = None
    cause: Words = ()
    spots: tuple[Spot, ...] = ()
    carried_from: int | None = None
    alike: int | None = None
    nearest: int | None = None
    nearest_words: Words = ()
    words: Words = ()
    trace: Trace | None = None

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every difference of the exchange, place by place."""
        return tuple(difference for spot in self.spots for difference in spot.differences)

    @property
    def weak(self) -> bool:
        """Whether all that differs is spelling and form."""
        return bool(self.spots) and all(difference.kind.weak for difference in self.differences)


@dataclass(frozen=True, slots=True)
class TapeFacts:
    """One of the two tapes: what it is called, how much it holds, what was not read or not compared.

    `ignored` and `replaced` count what `--ignore` and `--replace` took out of its bodies; `unexplained` the
    handles and orphan results that no response on the tape explains.
    """

    source: str
    exchanges: int
    left_out: LeftOut = field(default_factory=LeftOut)
    ignored: int = 0
    replaced: int = 0
    unexplained: int = 0


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of the run: its number from 0 and the first words of its user."""

    number: int
    words: str


class Verdict(StrEnum):
    """The answer of a diff, in one word."""

    SAME = "same"
    FORKED = "forked"
    WEAK = "differs in form and spelling only"
    STOPPED = "stopped"
    NOT_FORKED = "not forked, but exchanges are missing or extra"


@dataclass(frozen=True, slots=True)
class DiffReport:
    """What comparing two tapes found.

    `exchanges` stand in the order of the re-issued run, recorded ones that were never re-issued between them
    where they would have come. `loose` allows weak differences: an exchange that differs in nothing else
    counts as a match. `ids` names the ID rules; `notes` are remarks that belong to the whole report. The
    `command` gives the report again, as a shell reads it, where that is not a diff of the two sources.
    """

    recorded: TapeFacts
    reissued: TapeFacts
    exchanges: tuple[ExchangeDiff, ...]
    conversations: tuple[Conversation, ...] = ()
    loose: bool = False
    ids: str = "all"
    settings: str | None = None
    notes: tuple[str, ...] = ()
    command: str = ""

    def counts(self, state: State) -> int:
        """How many exchanges ended in that state; a fork counts as changed in the closing sentence."""
        return Counter(exchange.state for exchange in self.exchanges)[state]

    @property
    def forks(self) -> tuple[ExchangeDiff, ...]:
        """The first change of each conversation that changed, in the order of the run."""
        return tuple(exchange for exchange in self.exchanges if exchange.state is State.FORK)

    @property
    def changes(self) -> tuple[ExchangeDiff, ...]:
        """Forks and later changes: the exchanges whose differences are told."""
        return tuple(exchange for exchange in self.exchanges if exchange.state in (State.FORK, State.CHANGED))

    @property
    def same(self) -> bool:
        """Whether nothing differs that was not allowed to."""
        return all(exchange.state is State.MATCH for exchange in self.exchanges)

    @property
    def verdict(self) -> Verdict:
        """The answer in one word."""
        if self.same:
            return Verdict.SAME
        if self.changes:
            weak = all(exchange.weak for exchange in self.changes) and not self._unpaired
            return Verdict.WEAK if weak else Verdict.FORKED
        return Verdict.STOPPED if self._ends_early else Verdict.NOT_FORKED

    @property
    def _unpaired(self) -> bool:
        return any(exchange.state in (State.MISSING, State.EXTRA) for exchange in self.exchanges)

    @property
    def _ends_early(self) -> bool:
        """Whether all that differs is that the end of the recorded run was never re-issued."""
        states = [exchange.state for exchange in self.exchanges]
        first = states.index(State.MISSING) if State.MISSING in states else len(states)
        return (
            first > 0
            and all(state is State.MISSING for state in states[first:])
            and State.EXTRA not in states
        )


def ours(text: str) -> Piece:
    """Words that amberfork chose."""
    return Piece(text)


def quoted(text: str) -> Piece:
    """Words that stand on a tape."""
    return Piece(text, quoted=True)


def plain(words: Iterable[Piece]) -> str:
    """The words as one string, for displays that need no quoting."""
    return "".join(piece.text for piece in words)
