"""Real SDKs: each test file runs in an environment of its own, which `tests/sdks/run` makes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
from stub_provider import StubProvider

from amberfork_cli.core.tape import Exchange
from amberfork_cli.tapes import open_tape

HERE = Path(__file__).parent
LIMIT_S = 90
NOWHERE = "http://127.0.0.1:9"
KEYS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "MISTRAL_API_KEY",
    "CO_API_KEY",
    "GROQ_API_KEY",
)


def pytest_collection_modifyitems(items):
    """Only where the SDKs are."""
    if os.environ.get("AMBERFORK_SDKS") == "1":
        return
    skip = pytest.mark.skip(reason="needs an SDK: tests/sdks/run sets AMBERFORK_SDKS=1")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(skip)


@dataclass
class Runs:
    """An agent that was recorded before a stub, and replayed without it: both processes, and the tape."""

    recorded: subprocess.CompletedProcess
    replayed: subprocess.CompletedProcess
    exchanges: list[Exchange]

    @property
    def same(self) -> bool:
        """Whether both ended well, and printed the same."""
        ran = self.recorded, self.replayed
        return ran[0].stdout == ran[1].stdout != "" and ran[0].returncode == ran[1].returncode == 0


@pytest.fixture
def runs(tmp_path):
    """Records an agent whose `variables` point to a stub, then checks it, or other code, without the stub."""

    def runs(say, code, *, variables=(), other=None):
        agent = [sys.executable, "-c", dedent(code)]
        with StubProvider(say) as stub:
            there = {name: f"{stub.url}{path}" for name, path in variables}
            recorded = _amberfork(tmp_path, there, "record", "-o", "run.jsonl", "--", *agent)
        gone = {name: f"{NOWHERE}{path}" for name, path in variables}
        again = [sys.executable, "-c", dedent(other)] if other else agent
        replayed = _amberfork(tmp_path, gone, "check", "run.jsonl", "--", *again)
        replayed.stdout = replayed.stderr  # where `check` puts what the agent prints
        with open_tape(tmp_path / "run.jsonl") as tape:
            return Runs(recorded, replayed, list(tape))

    return runs


def _amberfork(folder: Path, variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "amberfork_cli", *arguments],
        cwd=folder,
        env={**os.environ, **dict.fromkeys(KEYS, "SECRET"), **variables},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
