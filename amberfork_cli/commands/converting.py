"""Which recordings become which files, and how they are written there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final

from amberfork_cli.commands.progress import watched
from amberfork_cli.commands.showing import output, tell
from amberfork_cli.core.tape import NOTHING, Exchange, Tape, TapeForm
from amberfork_cli.errors import JsonError, OptionError, TapeError
from amberfork_cli.tapes.batch_results import BatchResults
from amberfork_cli.tapes.exporting import Export, Losses

_SUFFIXES: Final = frozenset({".jsonl", ".json", ".yaml", ".yml", ".har", ".httprr", ".mitm", ".flow"})
_MODEL: Final = frozenset({"model", "prompt", "messages", "input", "contents", "inputText"})
_PACKED: Final = frozenset({".gz", ".zst", ".bz2", ".xz"})

Opener = Callable[[Path], Tape]


@dataclass(frozen=True, slots=True)
class Task:
    """Some recordings, and the one file that they become; stdout where there is none."""

    sources: tuple[Path, ...]
    target: Path | None


def tasks(sources: Sequence[Path], target: Path | None, *, suffix: str) -> list[Task]:
    """What is to be written: one file of all recordings, or, into a folder, one of each.

    A target is a folder if it is one already, is spelled as one, or has no suffix while a source is a folder.
    Raises OptionError for a folder without recordings.
    """
    found = [(source, one) for source in sources for one in _recordings(source)]
    into_folder = target is not None and (
        target.is_dir() or (not target.suffix and any(source.is_dir() for source in sources))
    )
    if target is None or not into_folder:
        return [Task(tuple(one for _, one in found), target)]
    names = [one.relative_to(source) if source.is_dir() else Path(one.name) for source, one in found]
    plain = [_without_suffixes(name) for name in names]
    times = Counter(plain)
    return [
        Task((one,), target / f"{name if times[short] > 1 else short}{suffix}")
        for (_, one), name, short in zip(found, names, plain, strict=True)
    ]


def converted(
    task: Task, opened: Opener, export: Export, results: BatchResults, *, sniffed: bool = True
) -> None:
    """Write one file, whole or not at all, and tell what it has no room for, and what could not be joined.

    Where the format was found out, what no request is made of is trouble, and not the body of one.
    """
    losses = Losses()
    sources = results.taken_from(task.sources)
    first = opened(sources[0])
    header = first.header if len(sources) == 1 else NOTHING
    with first:
        if task.target is not None:
            task.target.parent.mkdir(parents=True, exist_ok=True)
        with output(task.target) as stream:
            tapes = chain([first], map(opened, sources[1:]))
            exchanges = results.joined(_numbered(tapes, sniffed=sniffed))
            export.write(losses.watching(exchanges, export), header, stream)
    for sentence in chain(results.sentences(), losses.sentences()):
        tell(sentence if task.target is None else f"{task.target}: {sentence}")


def _numbered(tapes: Iterable[Tape], *, sniffed: bool) -> Iterator[Exchange]:
    """The exchanges of all tapes, one tape after another, numbered anew."""
    number, source = 0, ""
    for tape in tapes:
        with tape:
            source = source or tape.source
            for exchange in _known(tape) if sniffed else watched(tape):
                yield exchange if exchange.number == number else replace(exchange, number=number)
                del exchange  # or it would be held while the next one is read
                number += 1
    if not number:
        raise TapeError("there is no exchange to convert", source=source)


def _known(tape: Tape) -> Iterator[Exchange]:
    """The exchanges of a tape; raises TapeError where it is nothing that amberfork knows."""
    try:
        for exchange in watched(tape):
            if tape.form is TapeForm.BODY and not _asks(exchange):
                raise TapeError(_what_is_read(), source=tape.source)
            yield exchange
            del exchange  # or it would be held while the next one is read
    except TapeError as error:
        no_json = isinstance(error.__cause__, JsonError) and error.column == 1
        if error.line != 1 or not (no_json or error.problem == 'not an exchange: no "request"'):
            raise
        raise TapeError(_what_is_read(), source=tape.source, line=1) from error


def _asks(exchange: Exchange) -> bool:
    """Whether a JSON document is the body of a request to a model."""
    value = exchange.request.body.value
    return isinstance(value, dict) and not _MODEL.isdisjoint(value)


def _what_is_read() -> str:
    from amberfork_cli.tapes import FORMATS, ForeignFormat

    called = [known.called for known in FORMATS if isinstance(known, ForeignFormat)]
    *others, last = ("a tape", "a request", "a batch", *(name for name in called if "batch" not in name))
    return f"no recording that amberfork knows: neither {', '.join(others)} nor {last}"


def _recordings(source: Path) -> list[Path]:
    """A file, or the files in a folder that are called as recordings are, in order."""
    if not source.is_dir():
        return [source]
    found = sorted(path for path in source.rglob("*") if path.is_file() and _is_called_so(path))
    if not found:
        raise OptionError(
            f"no recording in {source}: none of its files ends in {' '.join(sorted(_SUFFIXES))}"
        )
    return found


def _is_called_so(path: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.parts)
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _PACKED]
    return not hidden and bool(suffixes) and suffixes[-1] in _SUFFIXES


def _without_suffixes(name: Path) -> Path:
    while name.suffix.lower() in _SUFFIXES | _PACKED | {".cassette"}:
        name = name.with_suffix("")
    return name
