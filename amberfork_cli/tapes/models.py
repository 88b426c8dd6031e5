"""The exchanges of a tape that are with a model, without what else a recorder heard."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace

from amberfork_cli.core.tape import Exchange, Tape
from amberfork_cli.files import Notice
from amberfork_cli.tapes.imports import TO_MODEL


def to_model(exchange: Exchange) -> bool:
    """Whether a request went to a model, which all do that are not marked."""
    return exchange.request.extra.get(TO_MODEL) is not False


def models_only(tape: Tape, *, notice: Notice | None = None) -> Tape:
    """The same tape without the exchanges that are marked as not to a model; closing it closes that tape.

    Exchanges are numbered anew, by their position among those that are left. `notice` is told at the end of
    the first pass how many were left out.
    """
    return _ModelsOnly(tape, notice)


def among_all(tape: Tape, exchanges: Iterable[Exchange]) -> Iterator[Exchange]:
    """Every exchange of the tape, those to a model as they are given: one for each, in their order."""
    given = iter(exchanges)
    for exchange in tape:
        yield replace(next(given), number=exchange.number) if to_model(exchange) else exchange


class _ModelsOnly(Tape):
    """A tape seen through the mark."""

    def __init__(self, tape: Tape, notice: Notice | None) -> None:
        self.source, self.form, self.header, self.size = tape.source, tape.form, tape.header, tape.size
        self.left_out = tape.left_out
        self._tape, self._notice = tape, notice
        self._numbers = array("Q")

    def __iter__(self) -> Iterator[Exchange]:
        number = left_out = 0
        for exchange in self._tape:
            if not to_model(exchange):
                left_out += 1
                continue
            if number == len(self._numbers):
                self._numbers.append(exchange.number)
            yield exchange if exchange.number == number else replace(exchange, number=number)
            del exchange  # or it would be held while the next one is read
            number += 1
        self._tell(left_out)

    def reread(self, number: int) -> Exchange:
        """The exchange of that number once more; raises IndexError where the pass has not given it yet."""
        if not 0 <= number < len(self._numbers):
            raise IndexError(number)
        return replace(self._tape.reread(self._numbers[number]), number=number)

    def close(self) -> None:
        """Close the tape that this one looks through."""
        self._tape.close()

    def _tell(self, left_out: int) -> None:
        if left_out and self._notice is not None:
            exchanges = "1 exchange is" if left_out == 1 else f"{left_out:,} exchanges are"
            self._notice(f"{self.source}: {exchanges} not with a model and left out")
            self._notice = None
