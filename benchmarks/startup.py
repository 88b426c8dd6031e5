"""What starting amberfork costs, whole processes, beside Python alone and a bare Typer program.

python benchmarks/startup.py
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path

from measuring import Spread, interleaved, process_seconds, table

BARE = """\
import typer

app = typer.Typer()


@app.command()
def canon(file: str, compact: bool = False) -> None:
    print(file)


@app.command()
def diff() -> None:
    print("same")


app()
"""
BODY = """\
{"model": "gpt-4.1-mini", "messages": [
  {"role": "user", "content": "Weather in Seoul?"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "getWeather", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": "light rain"}]}
"""
PYTHON, TYPER = "python -c pass", "bare Typer program"
TARGETS = {"amberfork --version": (PYTHON, 3.0), "amberfork canon": (TYPER, 1.35)}


def main() -> None:
    """Measure, and print a table of medians and ratios."""
    parser = argparse.ArgumentParser(description="Measure start-up.")
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        measured = interleaved(_cases(Path(folder)), rounds=rounds)
    heads = ["whole process", "CPU ms", f"to {PYTHON}", f"to {TYPER}", "target"]
    print(f"Python {sys.version.split()[0]}, Typer {version('typer')}, median of {rounds} rounds\n")
    print(table(heads, [_row(name, measured) for name in measured]))


def _cases(folder: Path) -> Mapping[str, Callable[[], float]]:
    bare, body = folder / "bare.py", folder / "body.json"
    bare.write_text(BARE)
    body.write_text(BODY)
    amberfork = str(Path(sys.executable).parent / "amberfork")
    commands = {
        PYTHON: [sys.executable, "-c", "pass"],
        "import typer": [sys.executable, "-c", "import typer"],
        TYPER: [sys.executable, str(bare), "canon", "x"],
        "import amberfork_cli": [sys.executable, "-c", "import amberfork_cli"],
        "amberfork --version": [amberfork, "--version"],
        "amberfork --help": [amberfork, "--help"],
        "amberfork canon": [amberfork, "canon", str(body)],
    }
    return {name: partial(process_seconds, command) for name, command in commands.items()}


def _row(name: str, measured: Mapping[str, Spread]) -> list[str]:
    median = measured[name].median
    to_python, to_typer = (median / measured[floor].median for floor in (PYTHON, TYPER))
    floor, limit = TARGETS.get(name, ("", 0.0))
    target = f"<= {limit} to {floor}" if floor else ""
    return [name, f"{median * 1000:.1f}", f"{to_python:.2f}", f"{to_typer:.2f}", target]


if __name__ == "__main__":
    main()
