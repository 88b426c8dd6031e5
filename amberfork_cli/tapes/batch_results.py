"""Results of a batch joined with the requests that they answer, by the ID that both have.

Requests pass as a stream; of the results only their IDs are held, and each is looked up when its request
comes by. An ID that would join more than one request with one result is trouble, since nobody knows which.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final, Self, TypeAlias

from amberfork_cli.core.tape import Exchange, Tape, TapeForm
from amberfork_cli.errors import CompressionError, JsonError, TapeError
from amberfork_cli.files import Notice, open_source
from amberfork_cli.tapes.batch import BATCH, BATCH_LIST, RESULTS, identity_of, is_result
from amberfork_cli.tapes.batch_forms import IDS
from amberfork_cli.tapes.reading import Reading
from amberfork_cli.tapes.sniffing import BOM, Lines, examine
from amberfork_cli.tapes.streamed import StreamedTape

_Identity: TypeAlias = tuple[str, str]

LONGEST: Final = 1 << 26  # bytes of a first line; results are far shorter, and HARs of one line are not


class BatchResults:
    """The results of a batch on their way to their requests; used in a `with` block.

    With an `input_format` other than that of batches no file is taken for results. `lenient` and `notice` are
    as for `open_tape`.
    """

    def __init__(
        self, *, input_format: str | None = None, lenient: bool = False, notice: Notice | None = None
    ) -> None:
        self._joins = input_format in (None, BATCH.name, BATCH_LIST.name)
        self._lenient, self._notice = lenient, notice
        self._opened = ExitStack()
        self._waiting: dict[_Identity, tuple[Tape, int]] = {}
        self._joined: set[_Identity] = set()
        self._taken = False
        self._unanswered = 0
        self._first_unanswered: _Identity | None = None

    def taken_from(self, sources: Sequence[Path]) -> Sequence[Path]:
        """Take the files of results among these, and give back the others; where all are results, take none.

        Only files can be results, since a pipe cannot be looked into. Raises TapeError, where a file cannot
        be read or two results have one ID.
        """
        if not self._joins or len(sources) == 1:
            return sources
        results = [source for source in sources if self._holds_results(source)]
        if len(results) == len(sources):
            return sources
        for source in results:
            self._take(source)
        return [source for source in sources if source not in results]

    def joined(self, exchanges: Iterable[Exchange]) -> Iterator[Exchange]:
        """The same exchanges, requests of a batch with their responses.

        Raises TapeError where two requests have the ID of one result.
        """
        if not self._taken:
            yield from exchanges
            return
        for exchange in exchanges:
            identity = identity_of(exchange.extra)
            if exchange.response is None and identity is not None:
                exchange = self._answered(exchange, identity)  # noqa: PLW2901 - so that one is held, not two
            yield exchange
            del exchange  # or it would be held while the next one is read

    def sentences(self) -> Iterator[str]:
        """What was not joined, a sentence for each kind."""
        if self._waiting:
            identity, (tape, _) = next(iter(self._waiting.items()))
            results = _counted(len(self._waiting), "result of a batch has", "results of a batch have")
            yield f"{results} no request here; left out, first {_named(identity)} of {tape.source}"
        if self._first_unanswered is not None:
            requests = _counted(self._unanswered, "request of a batch has", "requests of a batch have")
            yield f"{requests} no result here, first {_named(self._first_unanswered)}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def _holds_results(self, source: Path) -> bool:
        if not source.is_file():
            return False
        reading = Reading(str(source), lenient=self._lenient)
        try:
            with open_source(source) as opened, opened.trouble():
                first = opened.stream.readline(LONGEST).removeprefix(BOM)
                while first.isspace():
                    first = opened.stream.readline(LONGEST)
            return any(b'"%s"' % name.encode() in first for name in IDS) and is_result(reading.loads(first))
        except (CompressionError, JsonError):
            return False  # reading it as a tape will say what it is

    def _take(self, source: Path) -> None:
        self._taken = True
        tape = self._opened.enter_context(self._read(source))
        for result in tape:
            identity = identity_of(result.extra)
            assert identity is not None  # noqa: S101 - nothing else is a result
            if identity in self._waiting:
                line = None if result.place is None else result.place.line
                raise TapeError(
                    f"another result has {_named(identity)}: convert each batch by itself",
                    source=tape.source,
                    line=line,
                )
            self._waiting[identity] = (tape, result.number)

    def _read(self, source: Path) -> Tape:
        opened = open_source(source)
        try:
            reading = Reading(opened.name, lenient=self._lenient, notice=self._notice)
            held = examine(opened, reading, chosen=RESULTS)
            assert isinstance(held, Lines)  # noqa: S101 - a format of lines was chosen
            return StreamedTape(opened, held, reading, one_pass=False, form=TapeForm.TAPE, header=held.header)
        except BaseException:
            opened.close()
            raise

    def _answered(self, exchange: Exchange, identity: _Identity) -> Exchange:
        if identity in self._joined:
            raise TapeError(
                f"two requests have {_named(identity)}, and one result: convert each batch by itself",
                source=f"#{exchange.number}",
            )
        if identity not in self._waiting:
            self._unanswered += 1
            self._first_unanswered = self._first_unanswered or identity
            return exchange
        tape, number = self._waiting.pop(identity)
        self._joined.add(identity)
        result = tape.reread(number)
        return replace(exchange, response=result.response, extra={**exchange.extra, **result.extra})


def _named(identity: _Identity) -> str:
    name, value = identity
    return f"{name} {json.dumps(value, ensure_ascii=False)}"


def _counted(count: int, one: str, more: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {more}"
