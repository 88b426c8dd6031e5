"""How far a tape has been read, for a person who waits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from time import monotonic
from typing import TYPE_CHECKING

from amberfork_cli.core.tape import Exchange, Tape

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE = 1.0  # seconds; what is done sooner needs no bar


def watched(tape: Tape, *, shares_terminal: bool = False) -> Tape:
    """The tape, with a bar on stderr as it is read, if that is a terminal and takes longer than a second.

    `shares_terminal` is for output that comes meanwhile, and would be mixed with the bar on one terminal.
    """
    shown = sys.stderr is not None and sys.stderr.isatty()
    shown = shown and not (shares_terminal and sys.stdout is not None and sys.stdout.isatty())
    return _Watched(tape) if shown else tape


class _Watched(Tape):
    def __init__(self, tape: Tape) -> None:
        self.source, self.form, self.header, self.size = tape.source, tape.form, tape.header, tape.size
        self.left_out = tape.left_out
        self._tape = tape

    def __iter__(self) -> Iterator[Exchange]:
        begun = monotonic()
        with ExitStack() as stack:
            bar: _Bar | None = None
            for exchange in self._tape:
                yield exchange
                if bar is None and monotonic() - begun > _PATIENCE:
                    bar = _Bar(self, stack)
                if bar is not None:
                    bar.move(exchange)
                del exchange  # or it would be held while the next one is read

    def reread(self, number: int) -> Exchange:
        """The exchange of that number once more."""
        return self._tape.reread(number)

    def close(self) -> None:
        """Close the tape that is watched."""
        self._tape.close()


class _Bar:
    """The bar of one tape: its share where the size is known, else how many exchanges there were."""

    def __init__(self, tape: Tape, stack: ExitStack) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        from amberfork_cli.render.visible import escaped

        self._size = tape.size
        self._name = escaped(tape.source)
        known = (BarColumn(), TextColumn("{task.percentage:>3.0f} %")) if tape.size else ()
        columns = (TextColumn("{task.description}", markup=False), *known)
        console = Console(stderr=True)
        self._progress: Progress = stack.enter_context(Progress(*columns, console=console, transient=True))
        self._task: TaskID = self._progress.add_task(self._name, total=tape.size)

    def move(self, exchange: Exchange) -> None:
        """Show that the tape has been read up to that exchange."""
        place = exchange.place
        read = place.offset + place.length if place and self._size else exchange.number + 1
        self._progress.update(
            self._task, completed=read, description=f"{self._name}  {exchange.number + 1:,} exchanges"
        )
