"""The GitHub Actions recipe of docs/replay.md: what it shows is run, but for what GitHub's own actions do."""

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


def recipe() -> tuple[dict[str, str], list[str], str]:
    """The environment of the job, its commands in their order, and the file that it keeps where one fails."""
    (text,) = re.findall(r"```yaml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    job = yaml.safe_load(text)["jobs"]["check"]
    (kept,) = (step for step in job["steps"] if step.get("if") == "failure()")
    commands = [step["run"] for step in job["steps"] if "run" in step]
    return job["env"], commands, kept["with"]["path"]


def ran(command: str, variables: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command, run as a runner does."""
    scripts = str(Path(sys.executable).parent)
    env = {**os.environ, **variables, "CI": "true", "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    env["PATH"] = os.pathsep.join([scripts, env["PATH"]])
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def test_the_job_passes_where_the_agent_asks_the_same(project: Path) -> None:
    """And leaves its report in the summary."""
    variables, (install, command), _ = recipe()

    check = ran(command, variables, project)

    assert install == "pip install amberfork-cli"
    assert (check.returncode, check.stdout.partition(" ")[0]) == (0, "::notice")
    assert "Same" in (project / "summary.md").read_text(encoding="utf-8")


def test_the_job_fails_where_it_does_not(project: Path) -> None:
    """With an annotation, what changed in the summary, and the report that is kept."""
    variables, (_, command), kept = recipe()
    agent = project / "agent.py"
    agent.write_text(agent.read_text(encoding="utf-8").replace('"small"', '"large"'), encoding="utf-8")

    check = ran(command, variables, project)

    assert check.returncode == 1
    assert check.stdout.startswith("::error ")
    assert "large" in (project / "summary.md").read_text(encoding="utf-8")
    assert "large" in (project / kept).read_text(encoding="utf-8")
