"""What `canon` does with one source at a time: write it, map it, digest it, check it.

A tape is a stream: one exchange is held at a time, and what there is to say about it is said at its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Final

from amberfork_cli.commands.progress import watched
from amberfork_cli.commands.showing import output, stdout, tell
from amberfork_cli.comparing import Comparing
from amberfork_cli.core.ids.canonical_exchange import (
    CanonicalExchange,
    WrittenExchanges,
    canonical_exchange,
    carried_exchange,
)
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.tape import BodyKind, Exchange, JsonValue, Tape, TapeForm, at_least_one
from amberfork_cli.errors import JsonError, OptionError, TapeError
from amberfork_cli.files import Notice
from amberfork_cli.tapes import open_tape, save_tape, tape_lines

_NAMED: Final = 5  # places that a check names; the rest are counted
_SHOWN: Final = 40  # characters of an ID, which may be a blob of kilobytes


@dataclass(frozen=True, slots=True)
class Canonizer:
    """How sources are read, what counts in them, and how they are written.

    Every method raises TapeError, and those that write OutputError.
    """

    comparing: Comparing
    _: KW_ONLY
    responses: bool = False
    compact: bool = False
    sort_keys: bool = False
    as_text: bool = False
    lenient: bool = False
    input_format: str | None = None

    def write(self, source: Path, target: Path | None) -> None:
        """Write a body as JSON, a tape as a tape, to a file or stdout."""
        with self._open(source, shares_terminal=target is None) as tape, output(target) as stream:
            tally = Tally(tape)
            if tape.form in (TapeForm.BODY, TapeForm.TEXT):
                stream.writelines(self._body_text(one.exchange) for one in self._canonical(tape, tally))
            elif tape.form is TapeForm.BODIES:
                save_tape(self._written(tape, tally), stream, form=tape.form)
            else:  # what was read is finite, so that nobody has to look
                stream.writelines(tape_lines(self._written(tape, tally), tape.header, finite=True))
        tally.tell(self.comparing)

    def write_back(self, sources: Sequence[Path]) -> None:
        """Write every source in its place, when all of them have been read through."""
        for source in sources:
            self._try(source)
        for source in sources:
            self.write(source, source)

    def write_map(self, source: Path, target: Path | None) -> None:
        """Write which token stands for which ID: JSON, a line an exchange; a table on a terminal."""
        with self._open(source, shares_terminal=target is None) as tape:
            tally = Tally(tape)
            found = self._canonical(tape, tally)
            if target is None and stdout().isatty():
                _show_table(found)
            else:
                with output(target) as stream:
                    stream.writelines(self._map_text(one, tape.form) for one in found)
        tally.tell(self.comparing)

    def write_digests(self, source: Path, target: Path | None) -> None:
        """Write the fingerprint of each request on a line of its own."""
        from amberfork_cli.core.ids.fingerprint import Sketcher

        sketcher = Sketcher(self.comparing.rules)
        with self._open(source, shares_terminal=target is None) as tape, output(target) as stream:
            tally = Tally(tape)
            for exchange in at_least_one(tape):
                adjusted = self.comparing.adjustments.of(exchange)
                tally.ignored += adjusted.ignored
                tally.replaced += adjusted.replaced
                stream.write(f"{sketcher.fingerprint(adjusted.exchange)}\n".encode())
        tally.tell(self.comparing)

    def check(self, source: Path) -> bool:
        """Whether a source is canonical already; the first places that are not are named on stdout."""
        from amberfork_cli.render.visible import escaped

        with self._open(source, shares_terminal=True) as tape, output(None) as stream:
            tally, found = Tally(tape), 0
            for one in self._canonical(tape, tally):
                for use, pointer in one.rewritten:
                    found += 1
                    if found <= _NAMED:
                        place = tally.place(one, pointer)
                        line = f"{tape.source}: {place} holds {_short(use.original)}"
                        stream.write(f"{escaped(line)}\n".encode(errors="backslashreplace"))
            if found > _NAMED:
                stream.write(f"{tape.source}: and {found - _NAMED} more\n".encode())
        tally.tell(self.comparing)
        return not (found or tally.ignored or tally.replaced)

    def _open(self, source: Path, *, shares_terminal: bool, notice: Notice | None = tell) -> Tape:
        tape = open_tape(
            source,
            input_format=self.input_format,
            lenient=self.lenient,
            as_text=self.as_text,
            one_pass=True,
            notice=notice,
        )
        return watched(tape, shares_terminal=shares_terminal)

    def _canonical(self, tape: Tape, tally: Tally) -> Iterator[CanonicalExchange]:
        rules, adjustments = self.comparing.rules, self.comparing.adjustments
        for exchange in at_least_one(tape):
            if tape.form is TapeForm.TEXT:
                made = carried_exchange(exchange, adjustments=adjustments)
            else:
                made = canonical_exchange(
                    exchange, rules=rules, adjustments=adjustments, responses=self.responses
                )
            tally.add(made)
            yield made

    def _written(self, tape: Tape, tally: Tally) -> Iterator[Exchange]:
        """The exchanges of a tape that has a line for each."""
        written = WrittenExchanges(
            rules=self.comparing.rules,
            adjustments=self.comparing.adjustments,
            responses=self.responses,
            sort_keys=self.sort_keys,
        )
        for exchange in at_least_one(tape):
            made = written.of(exchange)
            tally.add(made)
            yield made.exchange

    def _try(self, source: Path) -> None:
        """Read a source through that is to be written back; raises what speaks against it."""
        with self._open(source, shares_terminal=False, notice=None) as tape:
            if tape.size is None and tape.form is not TapeForm.TEXT:
                raise OptionError(f"{tape.source}: only a plain file can be written back: use --output")
            if tape.form is TapeForm.CASSETTE:
                raise OptionError(f"{tape.source}: a cassette is written as a tape: use --output")
            found = self._canonical if tape.form in (TapeForm.BODY, TapeForm.TEXT) else self._written
            for _ in found(tape, Tally(tape)):
                pass

    def _body_text(self, exchange: Exchange) -> bytes:
        body = exchange.request.body
        if isinstance(body.value, bytes):
            return body.value
        if body.kind is BodyKind.TEXT:
            return str(body.value).encode()
        return dumps(body.value, indent=not self.compact, sort_keys=self.sort_keys) + b"\n"

    def _map_text(self, one: CanonicalExchange, form: TapeForm) -> bytes:
        from amberfork_cli.render.id_map import members

        ids = members(one.request.ids if one.request else ())
        if form in (TapeForm.BODY, TapeForm.TEXT):
            return dumps(ids, indent=not self.compact) + b"\n"
        line: dict[str, JsonValue] = {"exchange": one.exchange.number, "ids": ids}
        if self.responses:
            line["response_ids"] = members(one.response.ids if one.response else ())
        return dumps(line) + b"\n"


@contextmanager
def hinting_at_text() -> Iterator[None]:
    """Where a source does not even begin as JSON, say as well what takes it; raises TapeError."""
    try:
        yield
    except TapeError as error:
        if not isinstance(error.__cause__, JsonError) or (error.line, error.column) != (1, 1):
            raise
        raise TapeError(
            f"{error.problem}; --text takes a file as it is", source=error.source, line=1, column=1
        ) from error


class Tally:
    """What was taken out of a source, and what a reader could mistake, counted as it is read."""

    def __init__(self, tape: Tape) -> None:
        self._source, self._form = tape.source, tape.form
        self.ignored = self.replaced = self.lookalikes = 0
        self._first = ""

    def add(self, one: CanonicalExchange) -> None:
        """Count one exchange."""
        self.ignored += one.ignored
        self.replaced += one.replaced
        if one.lookalikes and not self.lookalikes:
            self._first = self.place(one, one.lookalikes[0])
        self.lookalikes += len(one.lookalikes)

    def place(self, one: CanonicalExchange, pointer: str) -> str:
        """A place in the source, as a person looks for it: the only body of a file needs no number."""
        return pointer if self._form is TapeForm.BODY else f"#{one.exchange.number} {pointer}"

    def tell(self, comparing: Comparing) -> None:
        """Say on stderr what was counted, and which settings did it."""
        if comparing.settings or comparing.adjustments:
            taken = f"{_counted(self.ignored, 'member')} ignored, {_counted(self.replaced, 'text')} replaced"
            by = f" ({comparing.settings})" if comparing.settings else ""
            tell(f"{self._source}: {taken}{by}")
        if self.lookalikes:
            texts = _counted(self.lookalikes, "text")
            tell(f"{self._source}: {texts} already held what looks like a token, first at {self._first}")


def _show_table(found: Iterator[CanonicalExchange]) -> None:
    from amberfork_cli.render.id_map import lay_out
    from amberfork_cli.render.lines import Line, Style
    from amberfork_cli.render.terminal import columns, needs_ascii, show

    stream = stdout()
    cells, dots = columns(stream) or 80, "..." if needs_ascii(stream) else "…"
    lines: list[Line] = []
    for one in found:
        ids = [use for each in (one.request, one.response) if each for use in each.ids]
        if ids:
            lines += [((f"#{one.exchange.number}", Style.MUTED),), *lay_out(ids, cells=cells, dots=dots)]
    show(lines or [(("no IDs", Style.MUTED),)], stream)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
