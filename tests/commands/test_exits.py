"""How the program ends, and what it says then."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
import typer
from command_line import COMMAND, Ended
from run_bodies import lines, run

from amberfork_cli.commands.exits import ExitCode, ended
from amberfork_cli.errors import OptionError, RegistryLoadError

# Each code, on the installed command


def test_tapes_that_agree_exit_0(installed, write):
    """Every ID is fresh, and nothing else differs."""
    write("a.jsonl", lines(run("call_9Ys2kQ81")))
    write("b.jsonl", lines(run("call_mW3xT7b2")))

    assert installed("diff", "a.jsonl", "b.jsonl").code == ExitCode.SAME == 0


def test_tapes_that_differ_exit_1(installed, write):
    """One argument of a call is another."""
    write("a.jsonl", lines(run(city="Seoul")))
    write("b.jsonl", lines(run(city="Busan")))

    assert installed("diff", "a.jsonl", "b.jsonl").code == ExitCode.DIFFERENT == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("diff", "a.jsonl", "gone.jsonl"), "amberfork: gone.jsonl: no such file\n"),
        (
            ("diff", "a.jsonl", "broken.jsonl"),
            "amberfork: broken.jsonl:2:2: a member name in double quotes should stand here\n",
        ),
        (("diff", "a.jsonl", "empty.jsonl"), "amberfork: empty.jsonl: there is no exchange on this tape\n"),
        (("diff", "a.jsonl"), "amberfork: missing argument 'REISSUED' (see amberfork diff --help)\n"),
    ],
    ids=["no file", "bad line", "no exchange", "no argument"],
)
def test_trouble_exits_2_and_is_one_line(installed, write, arguments, said):
    """A tape that cannot be read is trouble, and so is a command that cannot be meant; never a difference."""
    write("a.jsonl", lines(run()))
    write("broken.jsonl", [*lines(run()[:1]), "{oops", *lines(run()[1:])])
    write("empty.jsonl", "")

    trouble = installed(*arguments)

    assert trouble == Ended(ExitCode.TROUBLE, "", said)


def test_ctrl_c_exits_130_and_says_nothing(folder):
    """As the shell says it of a program that the signal ended."""
    os.mkfifo("pipe")
    waiting = subprocess.Popen(
        [COMMAND, "canon", "pipe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    writer = os.open("pipe", os.O_WRONLY)  # waits until the command has opened it for reading

    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=30)
    os.close(writer)

    assert (waiting.returncode, out, err) == (ExitCode.INTERRUPTED, b"", b"")


def test_a_reader_who_leaves_is_no_trouble(folder, write):
    """`amberfork canon big.jsonl | head -1` says nothing, and does not exit as if something differed."""
    write("big.jsonl", lines(run(content="x" * 5_000) * 100))
    pipe = subprocess.run(
        ["bash", "-c", f"{COMMAND} canon big.jsonl | head -c 10; echo ${{PIPESTATUS[0]}}"],
        cwd=folder,
        capture_output=True,
        check=True,
    )

    assert pipe.stdout == b'{"request"' + b"141\n"
    assert pipe.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a Linux device")  # noqa: PTH110
@pytest.mark.parametrize("command", ["--version", "--help", "demo", "canon a.json"])
def test_a_full_disk_is_trouble_in_one_line(folder, write, command):
    """What could not be written does not count as written."""
    write("a.json", '{"messages": []}')
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [COMMAND, *command.split()], stdout=full, stderr=subprocess.PIPE, cwd=folder, check=False
        )

    assert (ran.returncode, ran.stderr) == (2, b"amberfork: no space left on device\n")


def test_a_closed_stdout_is_trouble_unless_nothing_is_to_be_said(folder, write):
    """A daemon may have none, and can ask for the exit code all the same."""
    write("a.json", '{"messages": []}')

    loud = subprocess.run(
        ["bash", "-c", f"{COMMAND} canon a.json >&-"], cwd=folder, capture_output=True, check=False
    )
    quiet = subprocess.run(
        ["bash", "-c", f"{COMMAND} diff -q a.json a.json >&-"], cwd=folder, capture_output=True, check=False
    )

    assert (loud.returncode, loud.stderr) == (2, b"amberfork: cannot write standard output: it is closed\n")
    assert (quiet.returncode, quiet.stderr) == (0, b"")


# The boundary


def raising(error: BaseException):
    """Work that fails in that way."""

    def work() -> None:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OptionError("that cannot be"), 2, "amberfork: that cannot be\n"),
        (OptionError("a \x1b[2J\nb"), 2, "amberfork: a \\u001b[2J\\u000ab\n"),
        (
            RegistryLoadError("it raises", source="tools.py", line=3, code="1 / 0"),
            2,
            "amberfork: tools.py:3: it raises\namberfork:     1 / 0\n",
        ),
        (
            ValueError("no\nreason"),
            2,
            "amberfork: unexpected ValueError: no\\u000areason (set AMBERFORK_DEBUG=1 to see where)\n",
        ),
        (
            RecursionError("deep"),
            2,
            "amberfork: unexpected RecursionError: deep (set AMBERFORK_DEBUG=1 to see where)\n",
        ),
        (PermissionError(13, "Permission denied", "x"), 2, "amberfork: x: permission denied\n"),
        (typer.BadParameter("is wrong."), 2, "amberfork: invalid value: is wrong (see amberfork --help)\n"),
        (KeyboardInterrupt(), 130, ""),
        (typer.Abort(), 130, ""),
        (typer.Exit(7), 7, ""),
        (BrokenPipeError(), 141, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_whatever_is_raised_becomes_a_code_and_at_most_a_sentence(capfd, error, code, said):
    """No fault ends the program with 1, which means that something differs."""
    answer = ended(raising(error))

    assert (answer, capfd.readouterr().err) == (code, said)


@pytest.mark.parametrize(
    ("answer", "code"), [(ExitCode.DIFFERENT, 1), (ExitCode.SAME, 0), (None, 0)], ids=str
)
def test_what_a_command_gives_back_is_the_answer(answer, code):
    """A command that gives nothing back, such as the help, went well."""
    assert ended(lambda: answer) == code


def test_debugging_shows_where_it_happened(capfd, monkeypatch):
    """The traceback stands above the sentence."""
    monkeypatch.setenv("AMBERFORK_DEBUG", "1")

    answer = ended(raising(ValueError("no reason")))

    told = capfd.readouterr().err
    assert answer == 2
    assert told.startswith("Traceback (most recent call last):\n")
    assert told.endswith(
        "ValueError: no reason\n"
        "amberfork: unexpected ValueError: no reason (set AMBERFORK_DEBUG=1 to see where)\n"
    )


def test_a_command_that_crashes_exits_2_under_typer_too(amberfork, write, monkeypatch):
    """Typer's own answer to a crash would be 1."""
    write("a.json", '{"messages": []}')
    monkeypatch.setattr("amberfork_cli.core.compare.diffing.diff_tapes", raising_with_arguments)

    crashed = amberfork("diff", "a.json", "a.json")

    assert crashed.code == 2
    assert (
        crashed.err
        == "amberfork: unexpected ZeroDivisionError: by nothing (set AMBERFORK_DEBUG=1 to see where)\n"
    )


def raising_with_arguments(*_: object) -> None:
    raise ZeroDivisionError("by nothing")
