"""One registry in a process apart: started when it is needed, and anew when it is gone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from amberfork_cli.core.tools.tool import Effect
from amberfork_cli.errors import RegistryLoadError
from amberfork_cli.worker.calls import ToolInfo
from amberfork_cli.worker.child import Child, Died, Event, Output
from amberfork_cli.worker.packing import unpack
from amberfork_cli.worker.printing import Prints
from amberfork_cli.worker.protocol import Load, Loaded, LoadFailed

LOAD_LIMIT = 120.0
"""Seconds that a registry may take to load; some import half a machine-learning stack."""

_GRACE = 0.5  # seconds for a worker to close what it holds
_MOST_PRINTED = 1 << 16  # characters kept of what was printed while the registry was loaded
_HERE = f"{Path(__file__).parents[1]}{os.sep}"
_LAST_LINES = 12  # of them, in an error


class Host:
    """The process that holds the registry; `load_limit` is in seconds."""

    def __init__(self, load: Load, *, load_limit: float = LOAD_LIMIT) -> None:
        self._load, self._load_limit = load, load_limit
        self._child: Child | None = None
        self._tools: tuple[ToolInfo, ...] | None = None
        self.left_out: tuple[tuple[str, str], ...] = ()
        self.loads = 0

    @property
    def is_up(self) -> bool:
        """Whether there is a process, with the registry loaded or about to be."""
        return self._child is not None

    def start(self) -> Child:
        """The process, started and told to load the registry, without waiting for that."""
        if self._child is None:
            self._child, self._tools = Child(), None
            self._child.send(self._load)
        return self._child

    def tools(self) -> tuple[ToolInfo, ...]:
        """The tools of the registry, in its order; raises RegistryLoadError where it cannot be loaded."""
        if self._child is None or self._tools is None:
            self._tools = self._wait_until_loaded(self.start())
            self.loads += 1
        return self._tools

    def child(self) -> Child:
        """The process with the registry loaded; raises RegistryLoadError where it cannot be loaded."""
        self.tools()
        return self.start()

    def close(self) -> None:
        """End the process; it has half a second to close what it holds."""
        if self._child is not None:
            for _ in self._child.leave(_GRACE):
                pass
            self._child = None

    def kill(self) -> None:
        """End the process and all that its tools started, now."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def _wait_until_loaded(self, child: Child) -> tuple[ToolInfo, ...]:
        printed = Prints(_MOST_PRINTED)
        try:
            for event in self._heard(child):
                match event:
                    case Output(text):
                        printed.add(text)
                    case Loaded(tools, left_out):
                        self.left_out = tuple((name, reason) for name, reason in left_out)
                        return tuple(map(_tool_info, tools))
                    case LoadFailed():
                        raise RegistryLoadError(
                            event.problem,
                            source=event.source,
                            line=event.line,
                            code=event.code,
                            traceback=event.traceback,
                        )
                    case Died(reason):
                        raise self._lost(f"the process {reason} while it was loaded", printed)
            raise self._lost(f"did not finish loading within {self._load_limit:g} s", printed)
        except BaseException:
            self.kill()
            raise

    def _heard(self, child: Child) -> Iterator[Event]:
        """What the process says, until its time to load is over."""
        end = time.monotonic() + self._load_limit
        while (left := end - time.monotonic()) > 0:
            yield from child.listen(left)

    def _lost(self, problem: str, printed: Prints) -> RegistryLoadError:
        """An error that shows what was printed last: often that alone says why."""
        lines = [line for line in printed.so_far().text.splitlines() if not _is_machinery(line)]
        return RegistryLoadError(
            problem, source=self._load.reference, traceback="\n".join(lines[-_LAST_LINES:])
        )


def _is_machinery(line: str) -> bool:
    """Whether a line of a crash dump is a frame below the user's own."""
    return line.lstrip().startswith(('File "<frozen ', f'File "{_HERE}'))


def _tool_info(text: str) -> ToolInfo:
    said: Any = unpack(text)
    return ToolInfo(**{**said, "effect": Effect(said["effect"])})
