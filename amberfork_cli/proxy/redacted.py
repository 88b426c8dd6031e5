"""A tape that never holds a credential: what is recorded is redacted before it is written."""

from __future__ import annotations

from threading import Lock

from amberfork_cli.core.redaction.redact import TapeRedactor
from amberfork_cli.core.redaction.redacting import Rules
from amberfork_cli.core.tape import Exchange
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
