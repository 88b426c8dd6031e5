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


class CompressionError(AmberforkError):
    """Compressed bytes that are damaged, end early, hold more than was allowed, or have no known decoder."""


class OutputError(AmberforkError):
    """A file, or another target, that cannot be written."""

    def __init__(self, problem: str, *, target: str) -> None:
        super().__init__(problem)
        self.problem, self.target = problem, target

    def __str__(self) -> str:
        return f"cannot write {self.target}: {self.problem}"


class RegistryLoadError(AmberforkError):
    """A registry that cannot be loaded, and the user's own line that shows it.

    `source` is the registry as it was named; `line` counts from 1 and `code` is what stands there;
    `traceback` holds the calls from the user's first line on, where there is more than that one.
    """

    def __init__(
        self, problem: str, *, source: str, line: int | None = None, code: str = "", traceback: str = ""
    ) -> None:
        super().__init__(problem)
        self.problem, self.source, self.line = problem, source, line
        self.code, self.traceback = code, traceback

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        code = f"\n    {self.code}" if self.code else ""
        calls = f"\n{self.traceback.rstrip()}" if self.traceback else ""
        return f"{where}: {self.problem}{code}{calls}"


class RegistryError(AmberforkError):
    """A tool that cannot be registered. `tool` is the name it was to have."""

    def __init__(self, problem: str, *, tool: object = None) -> None:
        super().__init__(problem)
        self.problem, self.tool = problem, tool

    def __str__(self) -> str:
        return self.problem if self.tool is None else f"tool {self.tool!r}: {self.problem}"
