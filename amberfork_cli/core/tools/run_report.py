"""What running the tool calls of a tape again found: the facts, for every display."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from amberfork_cli.core.compare.report import TapeFacts
from amberfork_cli.core.tools.comparison import Comparison, Status
from amberfork_cli.core.tools.invocation import Invocation
from amberfork_cli.core.tools.plan import PlannedCall


@dataclass(frozen=True, slots=True)
class CallReport:
    """What became of one call.

    `exchange` is where it stands first on the tape, `turn` the number of its turn there, from 0. `comparison`
    is `None` for a call that the user left out. `printed` is what the tool printed, `printed_more` the
    characters beyond what is kept. `runs` counts how often the tool was started; `state_lost` says that the
    user's module had been loaded anew before.
    """

    exchange: int
    turn: int
    planned: PlannedCall
    invocation: Invocation
    comparison: Comparison | None
    printed: str = ""
    printed_more: int = 0
    runs: int = 0
    state_lost: bool = False

    @property
    def status(self) -> Status | None:
        """What became of the call, in one word."""
        return self.comparison.status if self.comparison else None

    @property
    def good(self) -> bool:
        """Whether it is nothing to worry about."""
        return self.comparison is None or self.comparison.good


@dataclass(frozen=True, slots=True)
class RunReport:
    """What running the calls of a tape found.

    `calls` stand in the order of the tape. `by_provider` counts those that the provider runs itself.
    `restarts` is how often the user's module was loaded anew. `strays` are what was printed by nobody can
    say which call, each with the exchange of its turn.
    """

    tape: TapeFacts
    registry: str
    calls: tuple[CallReport, ...]
    turns: int
    by_provider: int = 0
    restarts: int = 0
    strays: tuple[tuple[int, str], ...] = ()

    @property
    def good(self) -> bool:
        """Whether every tool still answers as it did."""
        return all(call.good for call in self.calls)

    @property
    def compared(self) -> tuple[CallReport, ...]:
        """The calls that the user did not leave out."""
        return tuple(call for call in self.calls if call.comparison)

    def counts(self) -> dict[Status, int]:
        """How many calls ended in each status, in the order of the statuses."""
        counted = Counter(call.status for call in self.calls)
        return {status: counted[status] for status in Status if counted[status]}
