"""The errors a caller may catch: one tree, facts as attributes, the sentence composed once."""


class AmberforkError(Exception):
    """Trouble: what was asked cannot be done. Its text is one line that says what and where."""


class TapeError(AmberforkError):
    """A source that is not the tape or body it claims to be, and the place that shows it.

    `line` and `column` count from 1, columns in characters; `path` is a JSON Pointer into the line's value.
    """

    def __init__(
        self,
        problem: str,
        *,
        source: str,
        line: int | None = None,
        column: int | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem, self.source, self.line, self.column, self.path = problem, source, line, column, path

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.source, self.line, self.column) if part is not None)
        at = f" (at {self.path})" if self.path else ""
        return f"{where}: {self.problem}{at}"


class JsonError(AmberforkError):
    """Text that is not exact JSON, and the place that shows it, counted from the start of the text.

    `line` and `column` count from 1, columns in characters; `path` is a JSON Pointer.
    """

    def __init__(self, problem: str, *, line: int, column: int, path: str = "") -> None:
        super().__init__(problem)
        self.problem, self.line, self.column, self.path = problem, line, column, path

    def __str__(self) -> str:
        at = f" (at {self.path})" if self.path else ""
        return f"{self.line}:{self.column}: {self.problem}{at}"


class OptionError(AmberforkError):
    """An option, or a configuration key, that does not say anything amberfork can do."""
