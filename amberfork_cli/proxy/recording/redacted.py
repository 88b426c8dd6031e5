"""A tape that never holds a credential: what is recorded is redacted before it is written.

Its header says so. Whoever answers from it redacts what is asked in the same way: else no request that
carries a credential would be on it, whatever the agent does. That lets one credential pass for another of its
kind, which is what the placeholders are for, and nothing else: a tape that does not say that it is redacted
is taken at its word. One that does is redacted once more as it is read, for a later amberfork may know more
forms of credentials, and what is asked and what was asked are to be redacted by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Lock

from amberfork_cli.core.redaction.redact import TapeRedactor, taken_out
from amberfork_cli.core.redaction.redacting import Rules
from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.core.tape import Tape as AnyTape
from amberfork_cli.errors import OutputError
from amberfork_cli.proxy.recording.exchange import Tape


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


def as_redacted(tape: AnyTape) -> AnyTape:
    """The tape by the rules of today, if it says that it is redacted; else itself."""
    return _SeenRedacted(tape) if taken_out(tape.header) else tape


def kept_as(header: Mapping[str, JsonValue], tape: Tape) -> Tape:
    """The tape to put beside one with that header: redacted if that is."""
    return RedactedTape(tape) if taken_out(header) else tape


def redactor_of(header: Mapping[str, JsonValue]) -> TapeRedactor | None:
    """What makes a request what it would be on a tape with that header; `None` where that is itself."""
    return TapeRedactor(Rules()) if taken_out(header) else None


class _SeenRedacted(AnyTape):
    """A tape seen through the rules of today."""

    def __init__(self, tape: AnyTape) -> None:
        self.source, self.form, self.header, self.size = tape.source, tape.form, tape.header, tape.size
        self.left_out = tape.left_out
        self._tape, self._redactor = tape, TapeRedactor(Rules())

    def __iter__(self) -> Iterator[Exchange]:
        return map(self._redactor.exchange, self._tape)

    def reread(self, number: int) -> Exchange:
        """The exchange of that number once more."""
        return self._redactor.exchange(self._tape.reread(number))

    def close(self) -> None:
        """Close the tape that this one looks through."""
        self._tape.close()
