"""`--format github`: annotations for the run, a summary for the job."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Ended
from run_bodies import lines, run

ERROR = (
    "::error title=amberfork%3A forked::Forked at #1 (recorded #1): the model called get_weather "
    'with city="Busan", not "Seoul". 1 match, 1 changed, 1 carried, 0 missing, 0 extra.\n'
)


@pytest.fixture
def forked(write):
    """Two tapes that differ in one argument of a call."""
    write("a.jsonl", lines(run("call_9Ys2kQ81", city="Seoul")))
    write("b.jsonl", lines(run("call_mW3xT7b2", city="Busan")))


@pytest.mark.usefixtures("forked")
def test_a_job_gets_annotations_and_a_summary(amberfork, monkeypatch):
    """What another step wrote into the summary stays; the exit code is the usual one."""
    summary = Path("summary.md")
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))

    seen = amberfork("diff", "a.jsonl", "b.jsonl", "--format", "github", "-o", "report.md")

    assert seen == Ended(1, ERROR)
    assert summary.read_text(encoding="utf-8") == f"before\n{Path('report.md').read_text(encoding='utf-8')}\n"


@pytest.mark.usefixtures("forked")
def test_where_there_is_no_summary_it_is_said(amberfork, monkeypatch):
    """The annotations come all the same."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    seen = amberfork("diff", "a.jsonl", "b.jsonl", "--format", "github")

    assert seen == Ended(1, ERROR, "amberfork: GITHUB_STEP_SUMMARY names no file, so there is no summary\n")


@pytest.mark.usefixtures("forked")
def test_a_summary_that_cannot_be_written_is_trouble(amberfork, monkeypatch):
    """Named, and never taken for a difference."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "nowhere/summary.md")

    seen = amberfork("diff", "a.jsonl", "b.jsonl", "--format", "github")

    assert seen == Ended(2, "", "amberfork: cannot write nowhere/summary.md: no such file or directory\n")


@pytest.mark.usefixtures("forked")
def test_a_project_may_make_it_the_usual_format(amberfork, monkeypatch, write):
    """As any other."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    write("amberfork.toml", 'format = "github"\n')

    assert amberfork("diff", "a.jsonl", "b.jsonl") == Ended(1, ERROR)
