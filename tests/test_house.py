"""The house rules that tools can check, run with the tests so that neither passes without the other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
CHECKS = {
    "ruff check": ["-m", "ruff", "check"],
    "ruff format": ["-m", "ruff", "format", "--check"],
    "mypy": ["-m", "mypy"],
    "lint-imports": ["-c", LINT_IMPORTS],
}


@pytest.mark.parametrize("check", CHECKS)
def test_the_house_is_in_order(check: str) -> None:
    """Each tool, as pyproject.toml sets it, finds nothing; what it finds is the message."""
    env = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}

    result = subprocess.run(
        [sys.executable, *CHECKS[check]], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )

    if result.returncode != 0:
        pytest.fail(f"{check} exits {result.returncode}\n{result.stdout}{result.stderr}", pytrace=False)
