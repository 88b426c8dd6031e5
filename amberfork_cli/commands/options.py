"""The options that several commands share: one spelling, one sentence of help, one section."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.presets import Preset

COMPARED: Final = "What counts"
READ: Final = "Reading"
SHOWN: Final = "What comes out"

Ids: TypeAlias = Annotated[
    IdRules | None,
    typer.Option(
        "--ids",
        metavar="|".join(reversed(IdRules)),
        help="Which IDs are set aside: those of tool calls, handles of stored items too, or opaque blobs as "
        "well (all, the default); seed keeps the rules of amberfork-replay 1.0.",
        rich_help_panel=COMPARED,
    ),
]
Ignore: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="PATH",
        help="Leave members out: names with dots, [0], *, [*] and ** for any, or a JSON Pointer. Repeatable.",
        rich_help_panel=COMPARED,
    ),
]
Replace: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--replace",
        metavar="REGEX TEXT",
        help="Replace matches in every text, before IDs are looked for. Repeatable.",
        rich_help_panel=COMPARED,
    ),
]
Presets: TypeAlias = Annotated[
    list[Preset] | None,
    typer.Option(
        "--preset",
        metavar="NAME",
        help=f"Leave out what a known client puts in afresh: {', '.join(Preset)}. Repeatable.",
        rich_help_panel=COMPARED,
    ),
]
Loose: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--loose",
        help="Let spelling (1 and 1.0) and form (a text, or one text part) pass.",
        rich_help_panel=COMPARED,
    ),
]
Lenient: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--lenient",
        help="Read on past bad lines, NaN and duplicate keys; what was left out is told.",
        rich_help_panel=READ,
    ),
]
InputFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        metavar="FORMAT",
        help="Take the input for this, whatever it looks like: jsonl, bodies, body, cassette and more.",
        rich_help_panel=READ,
    ),
]
NoColor: TypeAlias = Annotated[
    bool, typer.Option("--no-color", help="Use no colour; so does NO_COLOR=1.", rich_help_panel=SHOWN)
]
Output: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to a file, whole or not at all; it may be the input.",
        rich_help_panel=SHOWN,
    ),
]


def pairs(given: Iterable[Sequence[str]] | None) -> tuple[tuple[str, str], ...]:
    """The values of `--replace`, which come in twos although Typer cannot be told so (see `light`)."""
    return tuple((regex, text) for regex, text in given or ())
