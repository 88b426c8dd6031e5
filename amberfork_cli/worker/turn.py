"""What to do next with the calls of one turn: which to send, when to give up, what a death means.

Nothing here touches a process or a clock, and seconds come from whoever asks. The rules:

- Calls without side effects run at once, `jobs` of them at most. Side effects follow when all of those have
  ended, one at a time, so that stopping another call can never cut one.
- A call has its limit from the moment its tool starts. Only stopping the whole worker ends it on time, and
  that cuts its siblings, which then run again from the start.
- When the worker dies with one call running, that call did it. With several running nobody can tell, so each
  of them runs again alone: the one that does it gives itself away, the others are unharmed. The same where
  calls are late in a worker that no longer answers: one of them may hold up all the others.
- A side effect never runs twice: one that was cut is interrupted, and may have taken effect.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

START_LIMIT = 10.0
"""Seconds for an idle worker to start a call that was sent to it, before it counts as dead."""

_TRIES = 2  # to start a call alone, before it is given up
_STRIKES = 5  # deaths in a row without any call that started, before all of them are given up
_SLACK = 0.05  # seconds, and the share of a limit, by which a time-out may be late to take a sibling's along


class Ending(StrEnum):
    """Why there will be no more of a call."""

    FINISHED = "finished"
    TIMED_OUT = "timed-out"
    DIED = "died"
    INTERRUPTED = "interrupted"
    NEVER_STARTED = "never-started"


@dataclass(frozen=True, slots=True)
class Wanted:
    """One call of the turn, as far as its order and its time go. `limit` is in seconds."""

    side_effect: bool
    limit: float


@dataclass(frozen=True, slots=True)
class End:
    """How a call ended.

    `answer` is what a finished call brought; `reason` says how the worker went, if it did; `took` is how long
    the tool ran, in seconds, where it ran at all.
    """

    ending: Ending
    answer: str | None = None
    reason: str = ""
    took: float | None = None


@dataclass(slots=True)
class _Flight:
    """A call that the worker has; `started` is when its tool began, if it has."""

    sent: float
    started: float | None = None


@dataclass(slots=True)
class Turn:
    """The calls of one turn, numbered from 0 by their position, on their way to an end each."""

    calls: Sequence[Wanted]
    jobs: int
    ends: dict[int, End] = field(default_factory=dict)
    runs: dict[int, int] = field(default_factory=dict)
    _untold: list[int] = field(default_factory=list)
    _flying: dict[int, _Flight] = field(default_factory=dict)
    _waiting: deque[int] = field(default_factory=deque)
    _suspects: deque[int] = field(default_factory=deque)
    _effects: deque[int] = field(default_factory=deque)
    _tries: dict[int, int] = field(default_factory=dict)
    _alone: bool = False
    _strikes: int = 0

    def __post_init__(self) -> None:
        for number, call in enumerate(self.calls):
            (self._effects if call.side_effect else self._waiting).append(number)

    @property
    def done(self) -> bool:
        """Whether every call has ended."""
        return len(self.ends) == len(self.calls)

    @property
    def flying(self) -> tuple[int, ...]:
        """The calls that the worker has now."""
        return tuple(self._flying)

    def take(self, now: float) -> list[int]:
        """The calls to send now; they count as sent."""
        numbers = self._choose()
        for number in numbers:
            self._flying[number] = _Flight(sent=now)
        return numbers

    def started(self, number: int, at: float) -> None:
        """The worker says that the call's tool began at `at`."""
        self._flying[number].started = at
        self.runs[number] = self.runs.get(number, 0) + 1
        self._strikes = 0

    def finished(self, number: int, took: float, answer: str) -> None:
        """The worker says that the call ended, after `took` seconds."""
        del self._flying[number]
        self._alone = False
        if took > self.calls[number].limit:
            self._end(number, End(Ending.TIMED_OUT, took=took))
        else:
            self._end(number, End(Ending.FINISHED, answer, took=took))

    def new_ends(self) -> list[tuple[int, End]]:
        """The calls that have ended since this was last asked, and how."""
        numbers, self._untold = self._untold, []
        return [(number, self.ends[number]) for number in numbers]

    def deadline(self) -> float | None:
        """When the worker is to be stopped, unless it says something before; None while it has no call.

        A little after the first limit if other limits end there too: the calls of a turn start together, so
        those that hang reach their limits together, and one stop is enough for all of them.
        """
        limits = [(started + limit, limit) for started, limit in self._running()]
        if not limits:
            return min((flight.sent + START_LIMIT for flight in self._flying.values()), default=None)
        first, limit = min(limits)
        return max(end for end, _ in limits if end <= first + max(_SLACK, _SLACK * limit))

    def cut(self, now: float, *, responsive: bool = True) -> None:
        """The worker was stopped at the deadline; `responsive` says whether it still answered then."""
        late = [number for number in self._flying if self._is_late(number, now)]
        if not late:
            self.died(f"did not start the call within {START_LIMIT:g} s", now)
        elif len(self._flying) > 1 and not responsive:
            self._suspects.extend(late)
            self._again(number for number in self._flying if number not in late)
        else:
            for number in late:
                self._end(number, End(Ending.TIMED_OUT, took=self._ran(number, now)))
            self._again(number for number in self._flying if number not in late)

    def died(self, reason: str, now: float) -> None:
        """The worker ended by itself; `reason` says how."""
        started = [number for number, flight in self._flying.items() if flight.started is not None]
        if not started:
            self._never_started(reason)
        elif len(started) == 1:
            ending = Ending.INTERRUPTED if self.calls[started[0]].side_effect else Ending.DIED
            self._end(started[0], End(ending, reason=reason, took=self._ran(started[0], now)))
        else:
            self._suspects.extend(started)
        self._again(number for number in self._flying if number not in started)

    def give_up(self, reason: str) -> None:
        """No worker will run what is left."""
        for queue in (self._waiting, self._suspects, self._effects):
            queue.clear()
        for number in range(len(self.calls)):
            if number not in self.ends:
                self._end(number, End(Ending.NEVER_STARTED, reason=reason))

    def _choose(self) -> list[int]:
        if self._alone:
            return []
        if self._suspects:
            return self._choose_alone(self._suspects)
        if self._waiting:
            free = min(self.jobs - len(self._flying), len(self._waiting))
            return [self._waiting.popleft() for _ in range(free)]
        return self._choose_alone(self._effects)

    def _choose_alone(self, calls: deque[int]) -> list[int]:
        if self._flying or not calls:
            return []
        self._alone = True
        return [calls.popleft()]

    def _running(self) -> list[tuple[float, float]]:
        return [
            (flight.started, self.calls[number].limit)
            for number, flight in self._flying.items()
            if flight.started is not None
        ]

    def _is_late(self, number: int, now: float) -> bool:
        started = self._flying[number].started
        return started is not None and started + self.calls[number].limit <= now

    def _never_started(self, reason: str) -> None:
        """No call had begun: one of them cannot be begun, or none of them can."""
        self._strikes += 1
        if self._strikes >= _STRIKES:
            self.give_up(reason)
        elif len(self._flying) > 1:
            self._suspects.extend(self._flying)
        else:
            for number in self._flying:
                self._tries[number] = self._tries.get(number, 0) + 1
                if self._tries[number] >= _TRIES:
                    self._end(number, End(Ending.NEVER_STARTED, reason=reason))

    def _ran(self, number: int, now: float) -> float | None:
        started = self._flying[number].started
        return None if started is None else now - started

    def _end(self, number: int, end: End) -> None:
        self.ends[number] = end
        self._untold.append(number)

    def _again(self, numbers: Iterable[int]) -> None:
        """Put calls that were cut back to where they stood, in front of those that were never sent."""
        cut = [number for number in numbers if number not in self.ends and number not in self._suspects]
        self._flying, self._alone = {}, False
        for number in reversed(cut):
            effect, alone = self.calls[number].side_effect, number in self._tries
            queue = self._effects if effect else self._suspects if alone else self._waiting
            queue.appendleft(number)
