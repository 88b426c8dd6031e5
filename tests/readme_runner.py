"""Run the commands that a Markdown document shows, and compare what they print with what it shows.

A fenced `console` block holds commands, on lines that begin with `$ `, each followed by its output. All
commands of a document run in document order in one folder, so a file that one writes is there for the next,
and `$ echo $?` tells how the one before ended. A block right below `<!-- not run: why -->` is only shown.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROMPT, CONTINUED = "$ ", "> "
EXEMPT = re.compile(r"\s*<!-- not run: \S.*-->\s*")
FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w-]*).*")
SHELLS = {"bash", "sh", "shell", "zsh", "text", "console", ""}
LIMIT_S = 60  # a hanging command must not hang the tests


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, and its lines as (start, end) indices without the fences."""

    language: str
    exempt: bool
    indent: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """One command and what the document shows below it; `start` and `end` are the indices of those lines."""

    command: str
    shown: str
    indent: str
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line that the command stands on, counted from 1."""
        return self.start - self.command.count("\n")


def steps(document: str) -> tuple[Step, ...]:
    """Every command of the document that is to be run, in document order."""
    lines = document.split("\n")
    blocks = [block for block in _blocks(lines) if block.language == "console" and not block.exempt]
    return tuple(step for block in blocks for step in _steps_of(block, lines))


def hidden_commands(document: str) -> list[str]:
    """Lines that show an amberfork command where it is neither run nor marked as not run."""
    lines = document.split("\n")
    other = [block for block in _blocks(lines) if block.language in SHELLS - {"console"} and not block.exempt]
    shown = [line.strip() for block in other for line in lines[block.start : block.end]]
    return [line for line in shown if line.removeprefix(PROMPT).startswith("amberfork ")]


def run(found: Sequence[Step], folder: Path) -> list[str]:
    """What each command prints, as a terminal shows it, in that folder with the sample tapes copied there."""
    shutil.copytree(ROOT / "sample_tapes", folder / "sample_tapes")
    printed, status = [], 0
    for step in found:
        ended = subprocess.run(
            ["bash", "-c", f"(exit {status})\n{step.command}"],
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT_S,
            check=False,
        )
        printed.append(ended.stdout.decode("utf-8").removesuffix("\n"))
        status = ended.returncode
    return printed


def differences(name: str, found: Sequence[Step], printed: Sequence[str]) -> list[str]:
    """One text for each command that does not print what the document shows."""
    return [
        f"{name}:{step.line}: $ {step.command}\n--- shown\n{step.shown}\n--- printed\n{output}"
        for step, output in zip(found, printed, strict=True)
        if step.shown != output
    ]


def rewrite(document: str, found: Sequence[Step], printed: Sequence[str]) -> str:
    """The document with what was printed in place of what it shows."""
    lines = document.split("\n")
    for step, output in reversed(list(zip(found, printed, strict=True))):
        fresh = [f"{step.indent}{line}" if line else "" for line in output.split("\n")] if output else []
        lines[step.start : step.end] = fresh
    return "\n".join(lines)


def _blocks(lines: Sequence[str]) -> list[Block]:
    blocks, index = [], 0
    while index < len(lines):
        opening = FENCE.fullmatch(lines[index])
        if opening:
            start, index = index + 1, _closing(lines, index + 1, opening["ticks"])
            exempt = start > 1 and EXEMPT.fullmatch(lines[start - 2]) is not None
            blocks.append(Block(opening["language"], exempt, opening["indent"], start, index))
        index += 1
    return blocks


def _closing(lines: Sequence[str], start: int, ticks: str) -> int:
    return next((i for i in range(start, len(lines)) if lines[i].strip() == ticks), len(lines))


def _steps_of(block: Block, lines: Sequence[str]) -> list[Step]:
    shown = [line.removeprefix(block.indent) for line in lines[block.start : block.end]]
    prompts = [index for index, line in enumerate(shown) if line.startswith(PROMPT)]
    return [
        _step(block, shown, begin, end)
        for begin, end in zip(prompts, [*prompts[1:], len(shown)], strict=True)
    ]


def _step(block: Block, shown: Sequence[str], begin: int, end: int) -> Step:
    output = next((i for i in range(begin + 1, end) if not shown[i].startswith(CONTINUED)), end)
    command = [line.removeprefix(PROMPT).removeprefix(CONTINUED) for line in shown[begin:output]]
    text = "\n".join(shown[output:end])
    return Step("\n".join(command), text, block.indent, block.start + output, block.start + end)


def _environment(folder: Path) -> dict[str, str]:
    """No colour, 80 columns, nothing of the author's own, and streams in the order of their writing."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",
    }
