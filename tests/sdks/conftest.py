"""Real SDKs: each test file runs in an environment of its own, which `tests/sdks/run` makes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
from sdk_answers import say as say_hi
from stub_provider import Asked, StubProvider

from amberfork_cli.core.tape import Exchange
from amberfork_cli.tapes import open_tape

HERE = Path(__file__).parent
LIMIT_S = 90
NOWHERE = "http://127.0.0.1:9"
SECRET = "SECRET"  # noqa: S105 - and nobody's
KEYS = tuple(
    f"{name}_API_KEY"
    for name in """
    OPENAI AZURE_OPENAI AZURE AZURE_AI ANTHROPIC ANTHROPIC_FOUNDRY GEMINI MISTRAL CO COHERE GROQ OPENROUTER
    XAI DEEPSEEK TOGETHER TOGETHERAI FIREWORKS FIREWORKS_AI CEREBRAS PERPLEXITY PERPLEXITYAI MOONSHOT
    MOONSHOTAI
    """.split()
)


def pytest_collection_modifyitems(items):
    """Only where the SDKs are, in the environment that the runner names."""
    if "AMBERFORK_SDKS" in os.environ:
        return
    skip = pytest.mark.skip(reason="needs an SDK: tests/sdks/run sets AMBERFORK_SDKS")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(skip)


@dataclass
class Runs:
    """An agent that was recorded before a stub, and replayed without it: both processes, and the tape.

    `asked` is what the stub was asked.
    """

    recorded: subprocess.CompletedProcess
    replayed: subprocess.CompletedProcess
    exchanges: list[Exchange]
    asked: list[Asked]
    tape: str

    @property
    def same(self) -> bool:
        """Whether both ended well and printed the same, and no credential is on the tape.

        What an agent prints, `check` puts on stderr.
        """
        well = self.recorded.returncode == self.replayed.returncode == 0
        return well and "" != self.recorded.stdout in self.replayed.stderr and SECRET not in self.tape

    @property
    def said(self) -> list[tuple[str, str, int]]:
        """Provider, path and status of each exchange."""
        return [
            (exchange.extra["provider"], exchange.request.path, exchange.response.status)
            for exchange in self.exchanges
        ]

    @property
    def streamed(self) -> list[bool]:
        """Whether the answer of each exchange came in pieces."""
        return [len(exchange.response.extra.get("chunks", ())) > 1 for exchange in self.exchanges]

    @property
    def story(self) -> str:
        """What both runs said, for a test that fails."""
        return f"{self.recorded.stdout}\n{self.recorded.stderr}\n---\n{self.replayed.stderr}"


@pytest.fixture
def runs(tmp_path):
    """Records an agent before a stub, then checks it, or other code, without the stub.

    `variables` are those that point to the stub, with a path; in `options` of the commands, `{url}` stands
    for where it is. `command` is an agent that is not in Python. `replayed_with` is the environment of the
    replay, where that is another one.
    """

    def runs(
        say: Callable[..., object] = say_hi,
        code: str = "",
        *,
        variables: Sequence[tuple[str, str]] = (),
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        other: str | None = None,
        command: Sequence[object] | None = None,
        replayed_with: Mapping[str, str] | None = None,
    ) -> Runs:
        agent = [*(command or (sys.executable, "-c", dedent(code)))]
        again = [sys.executable, "-c", dedent(other)] if other else agent

        def amberfork(name, url, agent, environment):
            there = {variable: f"{url}{path}" for variable, path in variables}
            chosen = [option.format(url=url) for option in options]
            arguments = [name, *(["-o"] if name == "record" else []), "run.jsonl", *chosen, "--", *agent]
            return _amberfork(tmp_path, {**(environment or {}), **there}, *arguments)

        again_with = environment if replayed_with is None else replayed_with

        with StubProvider(say) as stub:
            recorded = amberfork("record", stub.url, agent, environment)
        replayed = amberfork("check", NOWHERE, again, again_with)
        tape = tmp_path / "run.jsonl"
        if not tape.exists():
            return Runs(recorded, replayed, [], stub.asked, "")
        with open_tape(tape) as exchanges:
            return Runs(recorded, replayed, list(exchanges), stub.asked, tape.read_text())

    return runs


def _amberfork(folder: Path, variables: Mapping[str, str], *arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "amberfork_cli", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **dict.fromkeys(KEYS, SECRET), **variables},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
