"""How one tool call ended, and the message that tells the model so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import JsonValue

SIDE_EFFECT: Final = "not run: side effect"

Message: TypeAlias = dict[str, str]


class Outcome(StrEnum):
    """How one tool call ended."""

    OK = "ok"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown-tool"
    INVALID = "invalid-arguments"
    SKIPPED = "skipped-side-effect"


@dataclass(frozen=True, slots=True)
class Invocation:
    """How one tool call ended.

    `data` is what the tool returned, as JSON; `lossy` what of it is not faithful, with paths; `text` is
    `str()` of it where that says something else. `error` is one sentence, and `details` every fault of
    arguments that do not fit. `duration_ms` is in milliseconds, `None` where the tool never started. `trace`
    is the traceback of an exception, from the tool's own frame on.
    """

    outcome: Outcome
    name: str
    call_id: str = ""
    data: JsonValue = None
    error: str = ""
    details: tuple[JsonValue, ...] = ()
    duration_ms: float | None = None
    lossy: tuple[str, ...] = ()
    text: str | None = None
    trace: str = ""

    @property
    def ok(self) -> bool:
        """Whether the tool answered."""
        return self.outcome is Outcome.OK

    @property
    def started(self) -> bool:
        """Whether the tool began to run, so that it may have taken effect."""
        return self.duration_ms is not None

    @property
    def message_of_error(self) -> str:
        """What the exception said, without its type; its type where it said nothing."""
        return self.error.partition(": ")[2] or self.error

    def envelope(self) -> dict[str, JsonValue]:
        """What the content of the message says: `ok`, then what this outcome has to say and nothing else."""
        said: dict[str, JsonValue] = {"ok": True, "data": self.data}
        if not self.ok:
            said = {"ok": False, "error": self.error}
        if self.details:
            said["details"] = list(self.details)
        if self.duration_ms is not None:
            said["durationMs"] = round(self.duration_ms)
        return said

    def message(self) -> Message:
        """The message that answers the call; its content is JSON text."""
        content = jsontext.dumps(self.envelope()).decode("utf-8")
        return {"role": "tool", "tool_call_id": self.call_id, "name": self.name, "content": content}
