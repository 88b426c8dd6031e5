"""The GitHub Actions recipe of docs/replay.md: what it shows is run, but for what sets the machine up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from readme_runner import ROOT, run, steps

DOCUMENT = ROOT / "docs" / "replay.md"
LIMIT_S = 60


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout that holds the agent and the tape which the document writes."""
    written = [
        step for step in steps(DOCUMENT.read_text(encoding="utf-8")) if step.command.startswith("cat >")
    ]
    run(written, tmp_path)
    return tmp_path


def recipe() -> tuple[dict[str, str], list[str]]:
    """The environment of the job, and its commands in their order."""
    (text,) = re.findall(r"```yaml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    job = yaml.safe_load(text)["jobs"]["check"]
    return job["env"], [step["run"] for step in job["steps"] if "run" in step]


def ran(commands: list[str], variables: dict[str, str], folder: Path) -> list[int]:
    """The exit code of each command, run as a runner does."""
    scripts = str(Path(sys.executable).parent)
    env = {**os.environ, **variables, "CI": "true", "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    env["PATH"] = os.pathsep.join([scripts, env["PATH"]])
    return [
        subprocess.run(
            ["bash", "-e", "-c", command],
            cwd=folder,
            env=env,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        ).returncode
        for command in commands
    ]


def test_the_job_passes_where_the_agent_asks_the_same(project: Path) -> None:
    """And leaves its report in the summary."""
    variables, (install, *commands) = recipe()

    codes = ran(commands, variables, project)

    assert install == "pip install amberfork-cli"
    assert codes == [0, 0]
    assert "Same" in (project / "summary.md").read_text(encoding="utf-8")


def test_the_job_fails_where_it_does_not(project: Path) -> None:
    """With the same report of what changed."""
    variables, (_, *commands) = recipe()
    agent = project / "agent.py"
    agent.write_text(agent.read_text(encoding="utf-8").replace('"small"', '"large"'), encoding="utf-8")

    codes = ran(commands, variables, project)

    assert codes == [1, 0]
    assert "model" in (project / "summary.md").read_text(encoding="utf-8")
