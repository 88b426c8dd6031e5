"""Which conversations of a run are told, which share a line, which only repeat the change of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff, State
from amberfork_cli.render.labels import Mark, mark

_SAME = 3  # conversations without a change that have a line each; more share one


@dataclass(frozen=True, slots=True)
class Section:
    """Exchanges that are told together.

    `conversation` is the number of the one that they are, `None` where they stand without a heading: the
    only conversation of a run, neighbours of one exchange each, or exchanges of none, whose number is below
    0. `same` where nothing differs in it.
    """

    exchanges: tuple[ExchangeDiff, ...]
    conversation: int | None = None
    same: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run is told.

    `folded` are conversations without a change that share a line. `alike` has, for a fork, the re-issued
    numbers of forks in other conversations whose differences are the same and which are not told again.
    """

    sections: tuple[Section, ...]
    folded: tuple[Section, ...]
    alike: Mapping[int, tuple[int, ...]]

    @property
    def one(self) -> bool:
        """Whether all is told as one conversation, without headings."""
        return len(self.sections) == 1 and self.sections[0].conversation is None and not self.folded


def planned(report: DiffReport) -> Plan:
    """The sections of a run, conversations in the order of their first exchange."""
    conversations: dict[int, list[ExchangeDiff]] = {}
    for exchange in report.exchanges:
        conversations.setdefault(exchange.conversation, []).append(exchange)
    repeats = {number: fork for number, own in conversations.items() if (fork := _repeated(own)) is not None}
    alike: dict[int, list[int]] = {}
    for fork in repeats.values():
        alike.setdefault(fork.alike or 0, []).append(fork.reissued or 0)
    told = {number: own for number, own in conversations.items() if number not in repeats}
    real = [own for number, own in conversations.items() if number >= 0]
    if len(real) < 2 or all(len(own) == 1 for own in real):
        kept = tuple(exchange for exchange in report.exchanges if exchange.conversation in told)
        sections: list[Section] = [Section(kept)]
    else:
        sections = list(_sections(told))
    same = tuple(section for section in sections if section.same)
    folded = same if len(same) > _SAME else ()
    rest = tuple(section for section in sections if not (folded and section.same))
    return Plan(rest, folded, {first: tuple(others) for first, others in alike.items()})


def runs(exchanges: Sequence[ExchangeDiff]) -> Iterator[tuple[Mark, tuple[ExchangeDiff, ...]]]:
    """Neighbours that are told together, with their mark; a change is always told by itself."""
    for (each, _), run in groupby(exchanges, key=_run_key):
        yield each, tuple(run)


def _run_key(exchange: ExchangeDiff) -> tuple[Mark, int]:
    each = mark(exchange)
    return each, id(exchange) if each in (Mark.FORK, Mark.CHANGED) else 0


def _repeated(exchanges: Sequence[ExchangeDiff]) -> ExchangeDiff | None:
    """The first change of a conversation whose changes are all told elsewhere, else nothing."""
    own = {exchange.reissued for exchange in exchanges}
    changes = [exchange for exchange in exchanges if exchange.state in (State.FORK, State.CHANGED)]
    quiet = all(exchange.state not in (State.MISSING, State.EXTRA) for exchange in exchanges)
    elsewhere = all(exchange.alike is not None and exchange.alike not in own for exchange in changes)
    return changes[0] if changes and quiet and elsewhere else None


def _sections(conversations: Mapping[int, list[ExchangeDiff]]) -> Iterator[Section]:
    """One section a conversation; neighbours that need no heading share one."""
    plain = [
        Section(tuple(own), number, same=all(exchange.state is State.MATCH for exchange in own))
        for number, own in conversations.items()
    ]
    for headless, group in groupby(plain, key=_is_headless):
        if headless:
            yield Section(tuple(exchange for section in group for exchange in section.exchanges))
        else:
            yield from group


def _is_headless(section: Section) -> bool:
    """Whether the exchanges speak for themselves: a single one that is not the same, or those of none."""
    unknown = section.conversation is not None and section.conversation < 0
    return unknown or (len(section.exchanges) == 1 and not section.same)
