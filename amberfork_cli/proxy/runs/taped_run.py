"""One run of a test against its tape, as its mode says: the edge for it, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from amberfork_cli.core.compare.diffing import DiffOptions
from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.errors import AmberforkError, OptionError
from amberfork_cli.proxy.edge.stage import Stage
from amberfork_cli.proxy.providers.upstreams import Upstream, agent_environment, agent_variables, upstreams
from amberfork_cli.proxy.replaying.choices import TapeMode
from amberfork_cli.proxy.runs.courses import Answered, Course, Extended, Recording, Tapeless, Verdict


@dataclass(frozen=True, slots=True)
class Ending:
    """How a test, or its run, ended: what was told meanwhile, and what is wrong, if anything is.

    `report` compares what was asked with the tape, where there is something to compare.
    """

    told: tuple[str, ...] = ()
    problem: str | None = None
    report: DiffReport | None = None


class TapedRun:
    """A run that is recorded to, or answered from, the tape at `path`, as `mode` says.

    `name` is what the tape is called wherever it is spoken of. `open` starts the run, `judge` ends the test
    and `finish` all that comes after it. `variables` are the environment to set meanwhile, all of it. With
    `talks`, a test that asks nothing is wrong; `redacted` says how it is recorded.
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
        talks: bool = True,
        redacted: bool = False,
    ) -> None:
        self.path, self.mode, self._name = path, mode, name
        self._talks, self._redacted = talks, redacted
        self._options, self._environment, self._named = options, environment, named
        self._told: list[str] = []
        self._good = False
        self._asked = 0
        self._upstreams: dict[str, Upstream] = {}
        self._stage: Stage
        self._course: Course

    @property
    def recording(self) -> bool:
        """Whether this run is recorded, and not answered from its tape."""
        return isinstance(self._course, Recording)

    @property
    def variables(self) -> dict[str, str]:
        """The environment for the code that runs: its own, pointed to the edge."""
        answered = self._course.base_urls or ()
        return agent_environment(self._environment, self._upstreams, self._stage.url, answered=answered)

    @property
    def base_urls(self) -> dict[str, str]:
        """Those of the variables that name a provider."""
        return agent_variables(self._upstreams, self._stage.url)

    def url(self, provider: str) -> str:
        """The base URL of a provider, for a client that takes it from nowhere but its caller."""
        if provider not in self._upstreams:
            raise OptionError(f'there is no provider "{provider}": choose of {", ".join(self._upstreams)}')
        return self._upstreams[provider].at(self._stage.url)

    def open(self, stage: Stage) -> None:
        """Start it; raises OptionError, OutputError and TapeError."""
        self._stage, self._course = stage, self._chosen()
        try:
            recorded = self._course.base_urls
            self._upstreams = upstreams(self._environment, named=self._named, recorded=recorded)
            stage.begin(self._course.service(), self._upstreams)
        except BaseException:
            self._course.close()
            raise

    def judge(self, *, passed: bool) -> Ending:
        """Say what is wrong with what the test asked, now that it is over.

        What is asked from now on counts when the run finishes.
        """
        self._asked = self._stage.asked
        self._stage.go_on(self._course.service_afterwards())
        ending = self._ended(lambda: self._course.judge(passed=passed, asked=self._asked))
        self._good = passed and ending.problem is None
        return ending

    def finish(self) -> Ending:
        """End it, keep what was recorded if all was well, and say what was wrong after the test."""
        self._stage.end()
        asked = self._stage.asked - self._asked
        try:
            return self._ended(lambda: self._course.settle(passed=self._good, asked=asked))
        finally:
            self._course.close()

    def _chosen(self) -> Course:
        missing = not self.path.exists()
        if self.mode is TapeMode.ALL or (missing and self.mode is not TapeMode.NONE):
            return Recording(
                self.path, name=self._name, talks=self._talks, tell=self._told.append, redacted=self._redacted
            )
        if missing:
            return Tapeless(self.path, name=self._name, talks=self._talks)
        course = Extended if self.mode is TapeMode.NEW else Answered
        told = self._told.append
        return course(self.path, name=self._name, talks=self._talks, tell=told, options=self._options)

    def _ended(self, judge: Callable[[], Verdict]) -> Ending:
        """The verdict, with what was told since the last one; trouble is wrong like anything else."""
        try:
            verdict = judge()
        except AmberforkError as error:
            verdict = Verdict(str(error))
        told = tuple(self._told)
        del self._told[: len(told)]
        return Ending(told, self._stage.fault or verdict.problem, verdict.report)
