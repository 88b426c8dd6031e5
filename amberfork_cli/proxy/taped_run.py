"""One run of some code against its tape: recorded where there is none, else answered from it and compared."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from os import getpid
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from amberfork_cli.core.compare.diffing import DiffOptions, diff_tapes
from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.core.tape import Tape
from amberfork_cli.errors import OptionError
from amberfork_cli.proxy.choices import OnMiss, TapeMode
from amberfork_cli.proxy.providers import Upstream, agent_environment, upstreams
from amberfork_cli.proxy.recorded import RecordedTape
from amberfork_cli.proxy.relay import Relay
from amberfork_cli.proxy.replay import Replay, replayed
from amberfork_cli.proxy.server import Edge, Service
from amberfork_cli.proxy.tapefile import Existing, TapeFile, recorder
from amberfork_cli.tapes import open_tape

_THIS_RUN: Final = "this run"
_UPDATES: Final = "--tape-mode=all records it anew"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: what was told on the way, and what is wrong, if anything is.

    `report` compares what was asked with the tape, where there is something to compare.
    """

    told: tuple[str, ...] = ()
    problem: str | None = None
    report: DiffReport | None = None


class TapedRun:
    """A run that is recorded to, or answered from, the tape at `path`, as `mode` says.

    `name` is what the tape is called wherever it is spoken of. `open` starts the run and `finish` ends it.
    `variables` are the environment to set meanwhile, all of it.
    """

    def __init__(
        self,
        path: Path,
        mode: TapeMode,
        options: DiffOptions,
        *,
        name: str,
        environment: Mapping[str, str],
        named: tuple[str, ...] = (),
    ) -> None:
        self.path, self.mode, self._name = path, mode, name
        self._options, self._environment, self._named = options, environment, named
        self._told: list[str] = []
        self._stack = ExitStack()
        self._upstreams: dict[str, Upstream] = {}
        self._recorded: Tape | None = None
        self._edge: Edge
        self._tape: TapeFile

    @property
    def recording(self) -> bool:
        """Whether this run is recorded, and not answered from its tape."""
        return self._recorded is None

    @property
    def variables(self) -> dict[str, str]:
        """The environment for the code that runs: its own, pointed to the edge."""
        return agent_environment(self._environment, self._upstreams, self._edge.url)

    def url(self, provider: str) -> str:
        """The base URL of a provider, for a client that takes it from nowhere but its caller."""
        if provider not in self._upstreams:
            raise OptionError(f'there is no provider "{provider}": choose of {", ".join(self._upstreams)}')
        return f"{self._edge.url}/{provider}{self._upstreams[provider].path}"

    def open(self) -> None:
        """Start it; raises OptionError, OutputError and TapeError."""
        try:
            service = self._service()
            self._edge = Edge(service, self._upstreams, tell=self._told.append)
            self._edge.__enter__()
        except BaseException:
            self._stack.close()
            raise

    def finish(self, *, passed: bool) -> Ending:
        """End it: keep what was recorded if it passed, else compare. Raises OutputError and TapeError."""
        self._edge.__exit__()
        with self._stack:
            if self._tape.failure is not None:
                return Ending(tuple(self._told), str(self._tape.failure))
            if self._recorded is None:
                return self._keep() if passed else self._drop()
            if self.mode is TapeMode.NEW:
                return self._extend() if passed else Ending(tuple(self._told))
            return self._compare(self._recorded)

    def _service(self) -> Service:
        missing = not self.path.exists()
        if missing and self.mode is TapeMode.NONE:
            raise OptionError(f"there is no tape {self._name}: record it with --tape-mode=once")
        if missing or self.mode is TapeMode.ALL:
            self._upstreams = upstreams(self._environment, named=self._named)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return Relay(self._opened(self._beside))
        self._recorded = self._stack.enter_context(open_tape(self.path, notice=self._told.append))
        self._recorded.source = self._name
        tape = RecordedTape(self._recorded, self._options)
        self._upstreams = upstreams(self._environment, named=self._named, recorded=tape.base_urls)
        reissued = self._opened(Path(self._stack.enter_context(TemporaryDirectory())) / "reissued.jsonl")
        on_miss = OnMiss.RELAY if self.mode is TapeMode.NEW else OnMiss.FAIL
        tell = self._told.append
        return Replay(tape, reissued=reissued, relay=Relay(reissued), tell=tell, on_miss=on_miss)

    def _opened(self, path: Path) -> TapeFile:
        self._tape = TapeFile(path, existing=Existing.FORCE, header=recorder())
        self._stack.callback(self._tape.close)
        return self._tape

    @property
    def _beside(self) -> Path:
        """Where a tape is recorded before it takes its place: no other run reads half of it."""
        return self.path.with_name(f".{self.path.name}.{getpid()}")

    def _keep(self) -> Ending:
        if self._tape.count:
            self._beside.replace(self.path)
        return Ending(tuple(self._told))

    def _drop(self) -> Ending:
        self._beside.unlink(missing_ok=True)
        return Ending((*self._told, "nothing is kept of a recording that failed"))

    def _extend(self) -> Ending:
        """Put on the tape what was not on it."""
        with open_tape(self._tape.path) as reissued:
            new = [] if not self._tape.count else [each for each in reissued if replayed(each) is None]
        if new:
            tape = TapeFile(self.path, existing=Existing.APPEND, header={})
            for exchange in new:
                tape.append(exchange)
            tape.close()
        return Ending(tuple(self._told))

    def _compare(self, recorded: Tape) -> Ending:
        if not self._tape.count:
            return Ending(
                tuple(self._told), f"nothing that is on the tape {self._name} was asked ({_UPDATES})"
            )
        with open_tape(self._tape.path) as reissued:
            reissued.source = _THIS_RUN
            report = diff_tapes(recorded, reissued, self._options)
        problem = (
            None if report.same else f"what was asked is not what is on the tape {self._name} ({_UPDATES})"
        )
        return Ending(tuple(self._told), problem, report)
