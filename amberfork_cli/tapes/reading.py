"""One reading of one source: what it is called, whether it goes on past trouble, whom it tells."""

from __future__ import annotations

from collections.abc import Callable

from amberfork_cli.core.jsontext import loads
from amberfork_cli.core.repeats import RepeatReader
from amberfork_cli.core.tape import JsonValue, LeftOut
from amberfork_cli.errors import AmberforkError, CompressionError, JsonError, TapeError
from amberfork_cli.files import Notice


class ShapeError(AmberforkError):
    """A JSON value that is not what a tape holds; `path` is a JSON Pointer to the part that shows it."""

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(problem)
        self.problem, self.path = problem, path


class Reading:
    """What the parts of one reading share."""

    def __init__(self, source: str, *, lenient: bool = False, notice: Notice | None = None) -> None:
        self.source, self.lenient, self.left_out = source, lenient, LeftOut()
        self._notice = notice
        self._repeats = RepeatReader()
        self._told: set[str] = set()

    def loads(self, text: bytes) -> JsonValue:
        """The JSON value that a text spells; what lenient reading bends is counted. Raises JsonError.

        It must not be changed: other texts may repeat parts of it.
        """
        return self._loads(text, self._repeats.loads)

    def document(self, text: bytes) -> JsonValue:
        """The same for a text that no other repeats: its value may be taken apart."""
        return self._loads(text, loads)

    def release(self) -> None:
        """Let go of what was read: nothing that follows repeats it."""
        self._repeats = RepeatReader()

    def _loads(self, text: bytes, exactly: Callable[[bytes], JsonValue]) -> JsonValue:
        bent = LeftOut() if self.lenient else None
        try:
            value = loads(text, left_out=bent) if self.lenient else exactly(text)
        except JsonError:
            if not text.endswith(b"\n"):
                raise
            value = loads(
                text.rstrip(), left_out=bent
            )  # so that what is missing at the end is on its own line
        if bent is not None:
            self.left_out.non_finite += bent.non_finite
            self.left_out.duplicate_keys += bent.duplicate_keys
        return value

    def forget(self) -> None:
        """Begin to count anew: what was read ahead will be read again."""
        self.left_out = LeftOut()

    def pass_over(self, error: JsonError | ShapeError, line: int, *, torn: bool) -> None:
        """Note a line that holds no exchange; raises TapeError unless it is torn, or reading is lenient."""
        if not torn and not self.lenient:
            raise self.trouble(error, line=line) from error
        problem = f"{error.problem} (at {error.path})" if error.path else error.problem
        if torn:
            self.left_out.torn_end = (line, problem)
        else:
            self.left_out.bad_lines.append((line, problem))

    def stop(self, error: TapeError) -> None:
        """Note that a recording cannot be read on from here; raises the error unless lenient."""
        if not self.lenient:
            raise error
        self.left_out.torn_end = (error.line or 1, error.problem)

    def break_off(self, error: CompressionError, line: int) -> None:
        """Note that compressed data ends, or is damaged, in this line; raises TapeError unless lenient."""
        if not self.lenient:
            raise TapeError(str(error), source=self.source, line=line) from error
        self.left_out.torn_end = (line, str(error))

    def trouble(self, error: JsonError | ShapeError, *, line: int = 1) -> TapeError:
        """What to raise for a text that begins at `line`."""
        column = 1
        if isinstance(error, JsonError):
            line, column = line + error.line - 1, error.column
        return TapeError(error.problem, source=self.source, line=line, column=column, path=error.path)

    def tell_once(self, sentence: str, *, about: str) -> None:
        """Tell something about this source, unless the like of it has been told."""
        if about not in self._told and self._notice is not None:
            self._notice(f"{self.source}: {sentence}")
        self._told.add(about)

    def tell_left_out(self) -> None:
        """Tell at the end what was not taken as it stands."""
        left_out = self.left_out
        if left_out.bad_lines:
            line, problem = left_out.bad_lines[0]
            lines = _counted(len(left_out.bad_lines), "bad line")
            self.tell_once(f"{lines} left out, first line {line}: {problem}", about="bad lines")
        if left_out.torn_end:
            line, problem = left_out.torn_end
            told = f"recording stopped in line {line}, which is torn and left out: {problem}"
            self.tell_once(told, about="torn end")
        if left_out.non_finite:
            numbers = _counted(left_out.non_finite, "number")
            self.tell_once(f"kept {numbers} that JSON does not have (NaN, Infinity)", about="non-finite")
        if left_out.duplicate_keys:
            members = _counted(left_out.duplicate_keys, "member")
            self.tell_once(f"{members} overridden by a later one of the same name", about="duplicates")


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
