"""The program as a whole: its commands, its version, its help, its completion."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from command_line import COMMAND, Ended

from amberfork_cli import __version__
from amberfork_cli.cli import COMMANDS


@pytest.mark.parametrize("arguments", [("--version",), ("-V",), ("-V", "canon")], ids=" ".join)
def test_the_version_is_one_line(installed, arguments):
    """Whatever else stands in the command line."""
    assert installed(*arguments) == Ended(0, f"amberfork {__version__}\n")


def test_the_module_is_the_command(folder):
    """`python -m amberfork_cli` answers as `amberfork` does, and by that name."""
    ran = subprocess.run(
        [sys.executable, "-m", "amberfork_cli", "diff"], cwd=folder, capture_output=True, check=False
    )

    assert ran.returncode == 2
    assert ran.stderr == b"amberfork: missing argument 'RECORDED' (see amberfork diff --help)\n"


@pytest.mark.parametrize("arguments", [(), ("--help",)], ids=["nothing", "--help"])
def test_without_a_command_it_shows_its_help(installed, arguments):
    """On stdout, with every command, and 0."""
    shown = installed(*arguments)

    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("Usage: amberfork [OPTIONS] COMMAND [ARGS]...\n\n  Compare tapes")
    assert re.findall(r"^  ([a-z][a-z-]*)  ", shown.out, re.MULTILINE) == [*COMMANDS]


@pytest.mark.parametrize("columns", ["60", "80", "200"])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_its_terminal_and_eighty_columns(amberfork, monkeypatch, command, columns):
    """No line is wider, and every option says what it does."""
    monkeypatch.setenv("COLUMNS", columns)

    shown = amberfork(*command.split(), "--help")

    assert (shown.code, shown.err) == (0, "")
    assert max(map(len, shown.out.splitlines())) <= min(int(columns), 80)
    assert "  --help " in shown.out
    assert "\x1b" not in shown.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("dif", "no such command 'dif'"),
        ("--verbose", "no such option"),
        ("diff --ful a b", "no such option"),
        ("diff a", "missing argument 'REISSUED'"),
        ("diff a b c", "got unexpected extra argument"),
        (
            "diff a b -f pdf",
            "invalid value for '--format' / '-f': 'pdf' is not one of 'text', 'json', 'jsonl'",
        ),
        ("canon --preset vim", "invalid value for '--preset': 'vim' is not one of "),
        ("canon --replace x", "option '--replace' requires 2 arguments"),
    ],
)
def test_a_command_line_that_is_not_understood_is_one_line_and_2(amberfork, arguments, said):
    """It says what, and where to read on."""
    seen = amberfork(*arguments.split())

    assert (seen.code, seen.out) == (2, "")
    assert seen.err.startswith(f"amberfork: {said}")
    assert seen.err.endswith("--help)\n")
    assert seen.err.count("\n") == 1


def test_a_body_becomes_canonical_without_what_comparing_and_running_need(folder):
    """Whoever has one small body waits for no dialect, no report and no deepdiff."""
    code = (
        "import sys\n"
        "from amberfork_cli.__main__ import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    print(*(name for name in sys.modules if name.startswith(tuple(UNUSED))))\n"
    )
    unused = [f"amberfork_cli.core.{part}" for part in ("compare", "dialects", "tools")]
    unused += ["amberfork_cli.render", "amberfork_cli.proxy", "deepdiff", "pydantic", "rich", "aiohttp"]

    ran = subprocess.run(
        [sys.executable, "-c", f"UNUSED = {unused}\n{code}", "canon", "--compact"],
        input='{"messages": []}',
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.splitlines() == ['{"messages":[]}', ""]


def test_a_command_loads_no_other(folder):
    """Each module is imported when its command is asked for."""
    code = (
        "import sys\n"
        "from amberfork_cli.__main__ import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    print(*sorted(name for name in sys.modules if name in sys.argv[3:]))\n"
    )
    modules = COMMANDS.values()

    ran = subprocess.run(
        [sys.executable, "-c", code, "demo", "--help", *modules],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.splitlines()[-1] == COMMANDS["demo"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("amberfork ca", ["canon"]),
        ("amberfork diff --fo", ["--format"]),
        ("amberfork diff --format js", ["json", "jsonl"]),
        ("amberfork canon --preset c", ["claude-code", "codex"]),
    ],
)
def test_a_shell_completes_commands_options_and_choices(folder, typed, offered):
    """As bash asks for it."""
    environment = {
        "_AMBERFORK_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
    }

    completed = subprocess.run(
        [COMMAND], env=environment, cwd=folder, capture_output=True, text=True, check=True
    )

    assert completed.stdout.split() == offered
