"""Commands that cost what Typer costs, and say the same under each of its versions."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest
import typer

from amberfork_cli.commands.exits import run
from amberfork_cli.commands.light import ClickException, LightCommand, LightGroup, UsageError

HEAVY = {"pydantic", "pydantic_core", "deepdiff", "rich.console", "rich.markup", "rich.progress"}
SHOW_MODULES = """
import json, sys, typer
bare = set(sys.modules)
from amberfork_cli.__main__ import main
try:
    main()
except SystemExit as ended:
    print(json.dumps([ended.code, *sorted(sys.modules.keys() - bare)]), file=sys.stderr)
"""


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


@pytest.fixture
def answer(monkeypatch, capfd):
    """What a small command makes of its command line: its values, or what is said of it."""

    def answer(command, *arguments: str) -> str:
        app = typer.Typer(rich_markup_mode=None)
        app.command(cls=LightCommand)(command)
        monkeypatch.setattr(sys, "argv", ["amberfork", *arguments])
        with pytest.raises(SystemExit):
            run(app)
        said = capfd.readouterr()
        return said.err or said.out

    return answer


def values(
    names: list[str],
    *,
    path: Path = Path(),
    number: int = 0,
    share: float = 0.0,
    size: Size | None = None,
    sizes: Annotated[list[Size] | None, typer.Option("--sizes")] = None,
    yes: Annotated[bool, typer.Option("--yes")] = False,
    swap: Annotated[list[str] | None, typer.Option("--swap", metavar="A B")] = None,
) -> None:
    """Print every value."""
    sys.stdout.write(repr((names, path, number, share, size, sizes, yes, swap)))


# What is loaded


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("canon", "body.json"),
        ("canon", "--show", "map", "--ids", "calls", "--replace", "a", "b", "body.json"),
        ("diff", "body.json", "body.json", "--format", "json"),
        ("diff", "body.json", "body.json", "-q", "--preset", "codex"),
    ],
    ids=" ".join,
)
def test_no_command_loads_pydantic_or_what_draws_in_rich(write, folder, arguments):
    """Neither is needed to read a command line, nor for what goes into a pipe."""
    write("body.json", '{"messages": []}')

    ran = subprocess.run(
        [sys.executable, "-c", SHOW_MODULES, *arguments], cwd=folder, capture_output=True, check=True
    )

    code, *loaded = json.loads(ran.stderr.splitlines()[-1])
    assert code == 0
    assert set(loaded) & HEAVY == set()


# Values


def test_each_type_of_value_is_converted(answer):
    """Texts, paths, numbers, choices, one or several; the last option is given in twos."""
    given = "a b --path x/y --number 7 --share 0.5 --size large --sizes small --sizes large --yes"

    seen = answer(values, *given.split(), "--swap", "one", "two", "--swap", "", "-")

    assert seen == repr(
        (
            ["a", "b"],
            Path("x/y"),
            7,
            0.5,
            Size.LARGE,
            [Size.SMALL, Size.LARGE],
            True,
            [("one", "two"), ("", "-")],
        )
    )


def test_what_is_not_given_keeps_its_default(answer):
    """Nothing is converted that nobody gave."""
    assert answer(values, "a") == repr((["a"], Path(), 0, 0.0, None, None, False, None))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--number x", "'--number': 'x' is not a"),
        ("--share x", "'--share': 'x' is not a"),
        ("--size medium", "'--size': 'medium' is not one of 'small', 'large'"),
        ("--sizes small --sizes medium", "'--sizes': 'medium' is not one of 'small', 'large'"),
    ],
)
def test_a_value_of_another_type_is_refused_in_one_line(answer, given, said):
    """The option and the value are named."""
    told = answer(values, "a", *given.split())

    assert told.startswith(f"amberfork: invalid value for {said}")
    assert told.endswith("(see amberfork --help)\n")
    assert told.count("\n") == 1


@pytest.mark.parametrize("given", [("--swap",), ("--swap", "one")], ids=["none", "one"])
def test_an_option_of_two_values_wants_two(answer, given):
    """What comes after the last is no value."""
    assert "option '--swap' requires 2 arguments" in answer(values, "a", *given)


def test_a_type_that_is_not_known_here_is_left_to_typer(answer):
    """A date is read as Typer reads it, and refused as it refuses it."""

    def dated(day: datetime, *, number: Annotated[int, typer.Option(min=3)] = 3) -> None:
        sys.stdout.write(repr((day, number)))

    assert answer(dated, "2026-03-01", "--number", "4") == repr((datetime(2026, 3, 1), 4))  # noqa: DTZ001
    assert "invalid value for 'day" in answer(dated, "yesterday").lower()
    assert "invalid value for '--number'" in answer(dated, "2026-03-01", "--number", "2")


# Help


def test_help_shows_options_by_what_they_are_about(answer, monkeypatch):
    """Sections in the order of their declaration, short names first, metavars as they were given."""
    monkeypatch.setenv("COLUMNS", "60")

    def greet(
        name: Annotated[str, typer.Argument(metavar="NAME", help="Who is meant.")],
        *,
        loud: Annotated[
            bool, typer.Option("--loud", "-l", help="Say it so that everybody hears it, next door too.")
        ] = False,
        tongue: Annotated[
            str, typer.Option("--in", metavar="TONGUE", help="How.", rich_help_panel="Manners")
        ] = "",
        secret: Annotated[bool, typer.Option("--secret", hidden=True)] = False,
    ) -> None:
        """Say hello. And [not] markup."""
        raise AssertionError((name, loud, tongue, secret))

    shown = answer(greet, "--help")

    assert shown.startswith(
        "Usage: amberfork [OPTIONS] NAME\n"
        "\n"
        "  Say hello. And [not] markup.\n"
        "\n"
        "Arguments:\n"
        "  NAME  Who is meant.\n"
        "\n"
        "Options:\n"
        "  -l, --loud "
    )
    assert "\n\nManners:\n  --in TONGUE  How.\n" in shown
    assert max(map(len, shown.splitlines())) <= 60
    assert "secret" not in shown


def test_the_help_of_a_group_begins_with_its_commands(monkeypatch, capfd):
    """Each with its first sentence, whole, however long it is."""
    app = typer.Typer(cls=LightGroup, rich_markup_mode=None, add_completion=False)

    @app.callback()
    def program() -> None:
        """Do this or that."""

    @app.command(cls=LightCommand)
    def this() -> None:
        """Do this, which takes a few more words to say than fit on a line of eighty columns. Not this."""

    @app.command(cls=LightCommand)
    def that() -> None:
        """Do that."""

    monkeypatch.setattr(sys, "argv", ["amberfork"])
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        run(app)

    assert ended.value.code == 0
    assert capfd.readouterr().out == (
        "Usage: amberfork [OPTIONS] COMMAND [ARGS]...\n"
        "\n"
        "  Do this or that.\n"
        "\n"
        "Commands:\n"
        "  this  Do this, which takes a few more words to say than fit on a line of\n"
        "        eighty columns.\n"
        "  that  Do that.\n"
        "\n"
        "Options:\n"
        "  --help  Show this message and exit.\n"
    )


def test_typers_own_errors_are_known_without_its_click() -> None:
    """They are found through the one that Typer makes public, whichever click it comes with."""
    assert issubclass(typer.BadParameter, UsageError)
    assert issubclass(UsageError, ClickException)
    assert (UsageError.__name__, ClickException.__name__) == ("UsageError", "ClickException")
