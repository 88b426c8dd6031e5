"""`amberfork canon`: bodies and tapes with their IDs set aside, for any other tool to compare."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import (
    COMPARED,
    READ,
    SHOWN,
    Ids,
    Ignore,
    InputFormat,
    Lenient,
    NoColor,
    Output,
    Presets,
    Replace,
    pairs,
)
from amberfork_cli.errors import OptionError

if TYPE_CHECKING:
    from amberfork_cli.commands.canonizing import Canonizer

STDIN: Final = Path("-")
_EXCLUSIVE: Final = (
    ("--in-place", "--check"),
    ("--in-place", "--output"),
    ("--in-place", "--show"),
    ("--check", "--output"),
    ("--check", "--show"),
    ("--check", "--compact"),
    ("--check", "--sort-keys"),
    ("--text", "--input-format"),
)


class Show(StrEnum):
    """What is written of a body or a tape."""

    BODY = "body"
    MAP = "map"
    DIGEST = "digest"


def canon(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="A request body or a tape; stdin without one, or for -."),
    ] = None,
    *,
    show: Annotated[
        Show,
        typer.Option(
            metavar="|".join(Show),
            help="What to write: the body or tape itself, the map of its IDs, or a fingerprint a request.",
            rich_help_panel=SHOWN,
        ),
    ] = Show.BODY,
    output: Output = None,
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place",
            help="Write each file back. All are read before the first is written.",
            rich_help_panel=SHOWN,
        ),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Write nothing: exit 1 and name the first places if anything is not canonical.",
            rich_help_panel=SHOWN,
        ),
    ] = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="Write a body on one line.", rich_help_panel=SHOWN)
    ] = False,
    sort_keys: Annotated[
        bool,
        typer.Option("--sort-keys", help="Write the members of a body by name.", rich_help_panel=SHOWN),
    ] = False,
    no_color: NoColor = False,
    ids: Ids = None,
    responses: Annotated[
        bool,
        typer.Option("--responses", help="Response bodies of a tape too.", rich_help_panel=COMPARED),
    ] = False,
    ignore: Ignore = None,
    replace: Replace = None,
    preset: Presets = None,
    text: Annotated[
        bool,
        typer.Option(
            "--text", help="Take the whole file as text, and carry it as it is.", rich_help_panel=READ
        ),
    ] = False,
    lenient: Lenient = False,
    input_format: InputFormat = None,
) -> ExitCode:
    """Write a request body, or a tape, with its IDs replaced by tokens.

    Every run mints new tool-call IDs. Here each becomes a token by its position, and which result answers
    which call stays as it was, so that two runs of one conversation come out equal.
    """
    from amberfork_cli.commands import canonizing, showing
    from amberfork_cli.comparing import comparing, project_settings

    sources = files or [STDIN]
    given = {
        "--show": show is not Show.BODY,
        "--output": output,
        "--in-place": in_place,
        "--check": check,
        "--compact": compact,
        "--sort-keys": sort_keys,
        "--text": text,
        "--input-format": input_format,
    }
    _refuse_contradictions(given, len(sources), stdin=STDIN in sources)
    if no_color:
        showing.forbid_colour()
    counts = comparing(project_settings(), ids=ids, ignore=ignore, replace=pairs(replace), preset=preset)
    canonizer = canonizing.Canonizer(
        counts,
        responses=responses,
        compact=compact,
        sort_keys=sort_keys,
        as_text=text,
        lenient=lenient,
        input_format=input_format,
    )
    with canonizing.hinting_at_text():
        if check:
            canonical = [canonizer.check(source) for source in sources]
            return ExitCode.SAME if all(canonical) else ExitCode.DIFFERENT
        if in_place:
            canonizer.write_back(sources)
        else:
            _write(canonizer, show, sources[0], output)
    return ExitCode.SAME


def _write(canonizer: Canonizer, show: Show, source: Path, output: Path | None) -> None:
    if show is Show.BODY:
        canonizer.write(source, output)
    elif show is Show.MAP:
        canonizer.write_map(source, output)
    else:
        canonizer.write_digests(source, output)


def _refuse_contradictions(given: Mapping[str, object], sources: int, *, stdin: bool) -> None:
    """Refuse what asks for two things at once, before anything is read; raises OptionError."""
    if sources > 1 and not (given["--in-place"] or given["--check"]):
        raise OptionError("several files can only be checked (--check) or written back (--in-place)")
    for one, other in _EXCLUSIVE:
        if given[one] and given[other]:
            raise OptionError(f"{one} and {other} exclude each other")
    if given["--in-place"] and stdin:
        raise OptionError("--in-place needs files: stdin cannot be written back")
