"""The courses that a run of a test can take: it is recorded, answered from its tape, both, or neither.

A run has two parts, told apart on the tape by a mark: what the test asks, judged when the test is over, and
what is asked after that, by the end of its fixtures, judged when they are through.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from os import getpid
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from amberfork_cli.core.compare.diffing import DiffOptions, diff_tapes
from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.core.redaction.redact import taken_out
from amberfork_cli.core.tape import Exchange, ExchangeList, Tape
from amberfork_cli.errors import OutputError
from amberfork_cli.files.naming import printable, reason
from amberfork_cli.proxy.edge.answering import answer_whole
from amberfork_cli.proxy.edge.calls import FINAL_ERROR_HEADERS, Call
from amberfork_cli.proxy.edge.server import Service
from amberfork_cli.proxy.recording.exchange import Tape as Kept
from amberfork_cli.proxy.recording.exchange import unanswered
from amberfork_cli.proxy.recording.redacted import RedactedTape, as_redacted, kept_as
from amberfork_cli.proxy.recording.relay import Relay
from amberfork_cli.proxy.recording.tapefile import Existing, TapeFile, recorder
from amberfork_cli.proxy.replaying.choices import OnMiss
from amberfork_cli.proxy.replaying.recorded import RecordedTape
from amberfork_cli.proxy.replaying.reissue import THIS_RUN, replayed
from amberfork_cli.proxy.replaying.replay import Replay
from amberfork_cli.tapes import open_tape

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

AFTER_THE_TEST: Final = "after_the_test"
"""Member of an exchange that was not asked by the test itself, but when its fixtures ended."""

_NOT_THERE: Final = 404
_UPDATES: Final = "--tape-mode=all records it anew"
_ELSEWHERE: Final = (
    "a client that is made before the test begins has another base URL, and can be given "
    "amberfork_tape.url(NAME)"
)
_ASKED_NOTHING: Final = f"the test asked nothing by way of amberfork: {_ELSEWHERE}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong, if anything is, and the comparison that shows it, where there is one."""

    problem: str | None = None
    report: DiffReport | None = None


GOOD: Final = Verdict()


class Course(ABC):
    """One course; `path` is that of the tape, and `name` what it is called. Open until `close`.

    With `talks`, a test that asks nothing is wrong.
    """

    def __init__(self, path: Path, *, name: str, talks: bool) -> None:
        self.path, self.name, self.talks = path, name, talks
        self.stack = ExitStack()

    @property
    def base_urls(self) -> Mapping[str, str] | None:
        """The base URLs of the tape that answers, if one does."""
        return None

    @abstractmethod
    def service(self) -> Service:
        """What answers the test."""

    @abstractmethod
    def service_afterwards(self) -> Service:
        """What answers after the test."""

    @abstractmethod
    def judge(self, *, passed: bool, asked: int) -> Verdict:
        """The verdict on a test that asked so many times; raises OutputError and TapeError."""

    @abstractmethod
    def settle(self, *, passed: bool, asked: int) -> Verdict:
        """Keep what is to be kept, and say what is wrong with what was asked after the test, all in all."""

    def close(self) -> None:
        """Give up what it holds."""
        self.stack.close()


class Tapeless(Course):
    """There is no tape, and none may be recorded: whoever asks is told so."""

    def service(self) -> Service:
        """The same answer for all."""
        return _Nothing(self._problem)

    service_afterwards = service

    def judge(self, *, passed: bool, asked: int) -> Verdict:
        """It must not have asked."""
        if asked:
            return Verdict(self._problem)
        return Verdict(_ASKED_NOTHING) if passed and self.talks else GOOD

    def settle(self, *, passed: bool, asked: int) -> Verdict:
        """Its fixtures must not have asked either."""
        return Verdict(self._problem) if passed and asked else GOOD

    @property
    def _problem(self) -> str:
        return f"there is no tape {self.name}: record it with --tape-mode=once"


class Recording(Course):
    """The provider answers, and the tape, redacted or not, takes its place when the test has passed."""

    def __init__(
        self, path: Path, *, name: str, talks: bool, tell: Callable[[str], None], redacted: bool
    ) -> None:
        super().__init__(path, name=name, talks=talks)
        self._tell = tell
        with _trouble_of(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        self._beside = path.with_name(f".{path.name}.{getpid()}")  # so that no other run reads half of it
        self._tape = _new_tape(self._beside, self.stack, redacted=redacted)
        self._kept: Kept = RedactedTape(self._tape) if redacted else self._tape

    def service(self) -> Service:
        """The provider, by way of the tape."""
        return Relay(self._kept)

    def service_afterwards(self) -> Service:
        """The same, marked."""
        return Relay(_AfterTheTest(self._kept))

    def judge(self, *, passed: bool, asked: int) -> Verdict:
        """It must have asked, where it is to, and the tape be whole."""
        if self._tape.failure is not None:
            return Verdict(str(self._tape.failure))
        if not passed:
            self._tell("nothing is kept of a recording that failed")
        return Verdict(_ASKED_NOTHING) if passed and self.talks and not asked else GOOD

    def settle(self, *, passed: bool, asked: int) -> Verdict:  # noqa: ARG002 - those of a course
        """Put the tape in its place, if all was well."""
        if passed and self._tape.failure is not None:
            return Verdict(str(self._tape.failure))
        self.stack.close()  # before it is moved, for Windows moves no file that is open
        if passed and self._tape.count:
            with _trouble_of(self.path):
                self._beside.replace(self.path)
        return GOOD

    def close(self) -> None:
        """Leave nothing of a recording that is not kept."""
        super().close()
        self._beside.unlink(missing_ok=True)


class Answered(Course):
    """The tape answers, and what was asked is to be what is on it."""

    on_miss = OnMiss.FAIL

    def __init__(
        self, path: Path, *, name: str, talks: bool, tell: Callable[[str], None], options: DiffOptions
    ) -> None:
        super().__init__(path, name=name, talks=talks)
        self._tell, self._options = tell, options
        self._recorded = as_redacted(self.stack.enter_context(open_tape(path, notice=tell)))
        self._recorded.source = name
        self._answers = RecordedTape(self._recorded, options)
        self._of_the_test = _of_the_test(self._recorded)
        folder = self.stack.enter_context(TemporaryDirectory(prefix="amberfork-"))
        self._redacted = bool(taken_out(self._recorded.header))
        self.reissued = _new_tape(Path(folder) / "reissued.jsonl", self.stack, redacted=self._redacted)
        self._kept = kept_as(self._recorded.header, self.reissued)

    @property
    def base_urls(self) -> Mapping[str, str] | None:
        """Where the providers of the tape are."""
        return self._answers.base_urls

    def service(self) -> Service:
        """The tape."""
        return self._replay(self._kept)

    def service_afterwards(self) -> Service:
        """The tape, too; what is asked is marked."""
        return self._replay(_AfterTheTest(self._kept))

    def judge(self, *, passed: bool, asked: int) -> Verdict:  # noqa: ARG002 - those of a course
        """What it asked, beside what it asked when it was recorded."""
        return self._compared_with(self._of_the_test)

    def settle(self, *, passed: bool, asked: int) -> Verdict:
        """The whole run beside the whole tape, where anything is asked after the test."""
        expected = self._of_the_test is not self._recorded
        return self._compared_with(self._recorded) if passed and (asked or expected) else GOOD

    def _replay(self, tape: Kept) -> Service:
        return Replay(
            self._answers,
            reissued=tape,
            relay=Relay(tape),
            tell=self._tell,
            on_miss=self.on_miss,
            header=self._recorded.header,
        )

    def _compared_with(self, expected: Tape) -> Verdict:
        """What was asked so far, beside what is to be asked so far."""
        if self.reissued.failure is not None:
            return Verdict(str(self.reissued.failure))
        if not self.reissued.count:
            nothing = f"nothing that is on the tape {self.name} was asked ({_UPDATES}): {_ELSEWHERE}"
            return Verdict(nothing) if any(True for _ in expected) else GOOD
        with open_tape(self.reissued.path) as asked:
            asked.source = THIS_RUN
            report = diff_tapes(expected, asked, self._options)
        problem = f"what was asked is not what is on the tape {self.name} ({_UPDATES})"
        return Verdict(None if report.same else problem, report)


class Extended(Answered):
    """The tape answers what is on it, the provider the rest, which is put on the tape."""

    on_miss = OnMiss.RELAY

    def judge(self, *, passed: bool, asked: int) -> Verdict:
        """It must have asked, where it is to; what it asked may be new."""
        if self.reissued.failure is not None:
            return Verdict(str(self.reissued.failure))
        return Verdict(_ASKED_NOTHING) if passed and self.talks and not asked else GOOD

    def settle(self, *, passed: bool, asked: int) -> Verdict:  # noqa: ARG002 - those of a course
        """Put on the tape what was not on it, if all was well."""
        if passed and self.reissued.failure is not None:
            return Verdict(str(self.reissued.failure))
        if passed and self.reissued.count:
            with open_tape(self.reissued.path) as reissued:
                new = [exchange for exchange in reissued if replayed(exchange) is None]
            if any(map(unanswered, new)):
                return Verdict(f"nothing is put on the tape {self.name}: its provider owes an answer")
            if new:
                self._append(new)
        return GOOD

    def _append(self, new: list[Exchange]) -> None:
        tape = TapeFile(self.path, existing=Existing.APPEND, header=recorder(redacted=self._redacted))
        try:
            for exchange in new:
                tape.append(exchange)
        finally:
            tape.close()


class _AfterTheTest:
    """A tape, and a mark on what is put on it."""

    def __init__(self, tape: Kept) -> None:
        self._tape = tape

    @property
    def failure(self) -> OutputError | None:
        """Why nothing more is kept."""
        return self._tape.failure

    def append(self, exchange: Exchange) -> None:
        """Keep an exchange, marked; raises OutputError."""
        self._tape.append(replace(exchange, extra={**exchange.extra, AFTER_THE_TEST: True}))


class _Nothing(Service):
    """Answers every call with the reason why there is nothing to answer it with."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def answer(self, call: Call) -> StreamResponse:
        """Tell the agent."""
        body = call.error(_NOT_THERE, "not_found_error", self._reason)
        return await answer_whole(call, _NOT_THERE, FINAL_ERROR_HEADERS, body)


@contextmanager
def _trouble_of(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(reason(error), target=printable(path)) from error


def _new_tape(path: Path, stack: ExitStack, *, redacted: bool) -> TapeFile:
    tape = TapeFile(path, existing=Existing.FORCE, header=recorder(redacted=redacted))
    stack.callback(tape.close)
    return tape


def _of_the_test(recorded: Tape) -> Tape:
    """The tape without what was asked after the test; itself where nothing was."""
    if not any(AFTER_THE_TEST in exchange.extra for exchange in recorded):
        return recorded
    asked = (exchange for exchange in recorded if AFTER_THE_TEST not in exchange.extra)
    numbered = [replace(exchange, number=number) for number, exchange in enumerate(asked)]
    return ExchangeList(numbered, source=recorded.source, header=recorded.header)
