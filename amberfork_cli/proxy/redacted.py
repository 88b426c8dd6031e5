"""A tape that never holds a credential: what is recorded is redacted before it is written.

Its header says so. Whoever answers from it redacts what is asked in the same way: else no request that
carries a credential would be on it, whatever the agent does. That lets one credential pass for another of its
kind, which is what the placeholders are for, and nothing else: a tape that does not say that it is redacted
is taken at its word.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from amberfork_cli.core.redaction.redact import TapeRedactor, taken_out
from amberfork_cli.core.redaction.redacting import Rules
from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.recording import Tape


class RedactedTape:
    """Passes exchanges on to a tape, without the credentials in their bodies."""

    def __init__(self, tape: Tape) -> None:
        self._tape, self._redactor, self._lock = tape, TapeRedactor(Rules()), Lock()

    @property
    def failure(self) -> OutputError | None:
        """Why nothing more is kept."""
        return self._tape.failure

    def append(self, exchange: Exchange) -> None:
        """Keep an exchange, redacted; raises OutputError."""
        with self._lock:
            self._tape.append(self._redactor.exchange(exchange))


def kept_as(header: Mapping[str, JsonValue], tape: Tape) -> Tape:
    """The tape to put beside one with that header: redacted if that is."""
    return RedactedTape(tape) if taken_out(header) else tape


def redactor_of(header: Mapping[str, JsonValue]) -> TapeRedactor | None:
    """What makes a request what it would be on a tape with that header; `None` where that is itself."""
    return TapeRedactor(Rules()) if taken_out(header) else None
