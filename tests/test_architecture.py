"""What the import contracts of pyproject.toml cannot say about the package."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "amberfork_cli"
HEAVY = {"typer", "click", "rich", "deepdiff", "pydantic", "jsonschema", "asyncio", "orjson", "jiter"}
ENDS_THE_PROGRAM = {"__main__.py", "commands/exits.py"}


def test_deepdiff_has_one_importer_in_the_core() -> None:
    """One module explains differences; the others ask it."""
    importers = _importers(PACKAGE, "deepdiff")

    assert [name for name in importers if not name.startswith("core/")] == []
    assert len(importers) <= 1


@pytest.mark.parametrize("library", ["jsonschema", "pydantic"])
def test_argument_checks_have_one_importer(library: str) -> None:
    """Schemas are checked in core/tools/schema.py alone."""
    assert [name for name in _importers(PACKAGE, library) if name != "core/tools/schema.py"] == []


def test_click_is_never_imported() -> None:
    """Recent Typer carries its own copy, so what is imported here would be another library."""
    assert _importers(PACKAGE, "click") == []


def test_nothing_prints() -> None:
    """Output goes through the streams and consoles that the commands were given."""
    assert _callers(PACKAGE, "print") == []


def test_the_program_ends_in_one_place() -> None:
    """Exit codes are decided where the documentation of exit codes says so; a worker leaves on its own."""
    ways = ("sys.exit", "exit", "quit", "SystemExit", "typer.Exit")
    enders = {name for way in ways for name in _callers(PACKAGE, way)}

    assert enders - ENDS_THE_PROGRAM == set()
    assert [name for name in _callers(PACKAGE, "os._exit") if not name.startswith("worker/")] == []


def test_every_module_says_what_it_owns() -> None:
    """A module, the package's folders included, opens with a docstring."""
    silent = [name for name, tree in _modules(PACKAGE) if not ast.get_docstring(tree)]

    assert silent == []


@pytest.mark.parametrize("module", ["amberfork_cli", "amberfork_cli.__main__"])
def test_the_import_alone_loads_nothing_heavy(module: str) -> None:
    """`import amberfork_cli` and `amberfork --version` cost no more than Python does."""
    assert _loaded_by(f"import {module}") & HEAVY == set()


def test_the_list_of_commands_loads_what_typer_loads_and_json() -> None:
    """Comparing, checking and showing are loaded by the command that does so, not by every command."""
    beyond_typer = _loaded_by("import amberfork_cli.cli") - _loaded_by("import typer")

    assert beyond_typer & HEAVY - {"jiter", "orjson"} == set()


def test_the_readings_above_find_what_they_look_for(tmp_path: Path) -> None:
    """Imports inside functions, aliases, calls and missing docstrings are all seen."""
    (tmp_path / "core" / "compare").mkdir(parents=True)
    (tmp_path / "core" / "compare" / "diffing.py").write_text(
        '"""Differ."""\n\ndef f():\n    from deepdiff.diff import X as Y\n'
    )
    (tmp_path / "other.py").write_text(
        "import os, click.core as c\nprint(1)\nos._exit(3)\nraise SystemExit(2)\n"
    )

    assert _importers(tmp_path, "deepdiff") == ["core/compare/diffing.py"]
    assert _importers(tmp_path, "click") == ["other.py"]
    assert [_callers(tmp_path, way) for way in ("print", "os._exit", "SystemExit", "sys.exit")] == [
        ["other.py"],
        ["other.py"],
        ["other.py"],
        [],
    ]
    assert [name for name, tree in _modules(tmp_path) if not ast.get_docstring(tree)] == ["other.py"]
    assert _loaded_by("import asyncio") & HEAVY == {"asyncio"}


def _modules(package: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(package.rglob("*.py")):
        yield path.relative_to(package).as_posix(), ast.parse(path.read_bytes(), filename=str(path))


def _importers(package: Path, library: str) -> list[str]:
    return [name for name, tree in _modules(package) if library in _imported(tree)]


def _imported(tree: ast.Module) -> set[str]:
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[0] for name in names}


def _callers(package: Path, function: str) -> list[str]:
    return [name for name, tree in _modules(package) if function in _called(tree)]


def _called(tree: ast.Module) -> set[str]:
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def _loaded_by(code: str) -> set[str]:
    show = "import json, sys; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\n{show}"],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(ran.stdout))
