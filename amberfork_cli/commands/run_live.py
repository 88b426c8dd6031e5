"""The calls of a run as they begin and end, for a person who waits at a terminal."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from amberfork_cli.core.compare.words import call_words
from amberfork_cli.core.tools.run_report import CallReport
from amberfork_cli.render.labels import shown
from amberfork_cli.render.lines import cut
from amberfork_cli.render.run_labels import status_word
from amberfork_cli.worker.session import CallBegun, RunEvent

if TYPE_CHECKING:
    from rich.table import Table

_PATIENCE = 0.5  # seconds; what is done sooner needs no table
_ROWS = 12
_CALL_CELLS = 48


class Watch:
    """A table on stderr of the calls that run and those that ended last, if that is a terminal."""

    def __init__(self, calls: int) -> None:
        self._calls, self._begun = calls, monotonic()
        self._running: dict[tuple[int, int], tuple[CallBegun, float]] = {}
        self._ended: list[CallReport] = []
        self._stack = ExitStack()
        self._live: Any = None

    def __enter__(self) -> Self:
        if sys.stderr is not None and sys.stderr.isatty():
            self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, event: RunEvent) -> None:
        """Take note of a call that begins or has ended."""
        if isinstance(event, CallBegun):
            self._running[_key(event)] = event, monotonic()
        else:
            self._running.pop(_key(event), None)
            self._ended.append(event)

    def _open(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._stack.enter_context(
            Live(
                get_renderable=self._table, console=Console(stderr=True), transient=True, refresh_per_second=8
            )
        )

    def _table(self) -> Table | str:
        """What is to be seen now; drawn by a thread of the display's own."""
        from rich.table import Table
        from rich.text import Text

        if monotonic() - self._begun < _PATIENCE:
            return ""
        running = list(self._running.values())[:_ROWS]
        ended = self._ended[max(len(self._ended) - _ROWS + len(running), 0) :]
        table = Table.grid(padding=(0, 2))
        for report in ended:
            table.add_row(*map(Text, (_number(report), _asked(report), status_word(report), "")))
        for begun, since in running:
            seconds = f"{monotonic() - since:.1f} s"
            table.add_row(*map(Text, (_number(begun), _asked(begun), "running", seconds)))
        table.add_row(Text(""), Text(f"{len(self._ended):,} of {self._calls:,} calls"))
        return table


def _key(event: RunEvent) -> tuple[int, int]:
    return event.exchange, id(event.planned)


def _number(event: RunEvent) -> str:
    return f"#{event.exchange}"


def _asked(event: RunEvent) -> str:
    return cut(shown(call_words(event.planned.recorded.call)), _CALL_CELLS, dots="…")
