"""`amberfork run-tools`: the tool calls of a tape, run again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
from tool_run_samples import Asked, write_tape

from amberfork_cli.cli import app
from amberfork_cli.commands.exits import ExitCode, run

TOOLS = """
    import os, time
    from pathlib import Path
    from amberfork_cli.core.tools.registry import ToolContext, ToolRegistry

    registry = ToolRegistry()

    @registry.tool
    def add(a: int, b: int) -> int:
        print("adding")
        return a + b

    @registry.tool
    def whoami(context: ToolContext) -> str:
        return context["user"]

    @registry.tool(read_only=False)
    def refund(order: str) -> str:
        Path("sent").write_text(order)
        return "sent"

    @registry.tool
    def hangs():
        Path("pid").write_text(str(os.getpid()))
        time.sleep(60)

    @registry.tool
    def environment():
        return sorted(os.listdir("."))
"""
ADDS = Asked("add", {"a": 1, "b": 2}, "3")
REFUNDS = Asked("refund", {"order": "A1"}, "sent")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a registry, and no terminal anywhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mytools.py").write_text(dedent(TOOLS))
    return tmp_path


@pytest.fixture
def amberfork(monkeypatch, capfd) -> Callable[..., Ended]:
    """The command line, in this process; the worker is a process of its own all the same."""

    def amberfork(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["amberfork", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run(app)
        return Ended(ended.value.code, *capfd.readouterr())

    return amberfork


@pytest.fixture
def run_tools(amberfork, folder) -> Callable[..., Ended]:
    """`run-tools` on a tape with these turns."""

    def run_tools(turns: list[list[Asked]], *options: object) -> Ended:
        tape = write_tape(folder / "run.jsonl", *turns)
        return amberfork("run-tools", tape.name, "--registry", "mytools.py", *options)

    return run_tools


def test_tools_that_answer_as_they_did_are_no_news(run_tools):
    """Exit 0, and one sentence."""
    ended = run_tools([[ADDS], [ADDS]])

    assert ended.code == ExitCode.SAME
    assert ended.out.splitlines()[-1] == "2 calls: 2 same."
    assert ended.err == ""


def test_a_tool_that_answers_otherwise_is_a_difference(run_tools):
    """Exit 1, and what changed."""
    ended = run_tools([[Asked("add", {"a": 1, "b": 2}, "4")]])

    assert ended.code == ExitCode.DIFFERENT
    assert '┃ result  "4" → "3"' in ended.out.splitlines()
    assert ended.out.splitlines()[-1] == "1 call: 1 changed (add)."


def test_a_report_is_written_in_every_form_at_once(run_tools, folder, monkeypatch):
    """Beside what goes to stdout, or without that; the exit code is the usual one."""
    summary = folder / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    turns = [[Asked("add", {"a": 1, "b": 2}, "4")]]
    names = [f"report{suffix}" for suffix in (".txt", ".json", ".jsonl", ".md", ".html", ".xml")]
    files = [part for name in names for part in ("-o", name)]

    quiet = run_tools(turns, "--quiet", *files)
    annotated = run_tools(turns, "--format", "github")

    assert (quiet.code, quiet.out) == (ExitCode.DIFFERENT, "")
    assert "1 call: 1 changed (add)." in (folder / "report.txt").read_text(encoding="utf-8")
    assert json.loads((folder / "report.json").read_bytes())["summary"]["good"] is False
    assert json.loads((folder / "report.jsonl").read_bytes())["role"] == "tool"
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert '<testsuites name="amberfork run-tools"' in (folder / "report.xml").read_text(encoding="utf-8")
    assert annotated.out.splitlines() == [
        "::error title=amberfork%3A tools answer otherwise::1 call: 1 changed (add).",
        '::error title=amberfork%3A changed at #0::add(a=1, b=2)  changed%0Aresult  "4" → "3"',
    ]
    assert summary.read_text(encoding="utf-8") == f"{(folder / 'report.md').read_text(encoding='utf-8')}\n"


@pytest.mark.parametrize(
    ("option", "name"), [("-o", "nowhere/report.md"), ("--tape-out", "nowhere/run.jsonl")]
)
def test_what_cannot_be_written_is_told_before_any_tool_runs(run_tools, folder, option, name):
    """A side effect that is allowed has not happened for nothing."""
    ended = run_tools([[REFUNDS]], "--allow", "refund", option, name)

    assert ended == Ended(
        ExitCode.TROUBLE, "", f"amberfork: cannot write {name}: there is no folder nowhere\n"
    )
    assert not (folder / "sent").exists()


def test_a_side_effect_is_not_repeated_unless_it_is_allowed(run_tools, folder):
    """The report says what would allow it."""
    skipped = run_tools([[REFUNDS]])
    happened = (folder / "sent").exists()
    allowed = run_tools([[REFUNDS]], "--allow", "refund")

    assert (skipped.code, happened) == (ExitCode.SAME, False)
    assert skipped.out.splitlines()[-2:] == [
        "1 call: 1 skipped (refund: side effect).",
        "To run more of them: --allow refund",
    ]
    assert (allowed.code, (folder / "sent").read_text()) == (ExitCode.SAME, "A1")


def test_a_plan_runs_nothing(run_tools, folder):
    """And exits as the run would for what cannot run."""
    fine = run_tools([[ADDS, REFUNDS]], "--dry-run", "--allow", "refund")
    bad = run_tools([[Asked("add", {"a": "x"}, "3")]], "--dry-run")

    assert (fine.code, bad.code) == (ExitCode.SAME, ExitCode.DIFFERENT)
    assert "would run alone" in fine.out
    assert not (folder / "sent").exists()


def test_messages_are_ready_to_be_sent(run_tools):
    """One for every call, since providers refuse a missing result; what tools print stays out of it."""
    ended = run_tools([[ADDS, REFUNDS]], "--format", "jsonl")

    messages = [json.loads(line) for line in ended.out.splitlines()]
    contents = [json.loads(message.pop("content")) for message in messages]
    assert messages == [
        {"role": "tool", "tool_call_id": "call_0_0", "name": "add"},
        {"role": "tool", "tool_call_id": "call_0_1", "name": "refund"},
    ]
    assert contents[0].pop("durationMs") >= 0
    assert contents == [{"ok": True, "data": 3}, {"ok": False, "error": "not run: side effect"}]


def test_a_report_is_data_too(run_tools, folder):
    """On stdout or in files, in the form that their names tell."""
    ended = run_tools([[ADDS]], "--format", "json", "-o", "report.json", "-o", "report.txt")

    document = json.loads(ended.out)
    (call,) = document["calls"]
    assert (document["amberfork_run"], document["summary"]["sentence"]) == (1, "1 call: 1 same.")
    assert (call["name"], call["status"], call["printed"]) == ("add", "same", "adding\n")
    assert json.loads((folder / "report.json").read_text())["summary"] == document["summary"]
    assert (folder / "report.txt").read_text().splitlines()[-1] == "1 call: 1 same."


def test_the_tape_with_fresh_results_can_be_compared(run_tools, amberfork):
    """What the tools changed shows downstream; where they changed nothing the tape is the same."""
    same = run_tools([[ADDS]], "--tape-out", "fresh.jsonl")
    unchanged = amberfork("diff", "run.jsonl", "fresh.jsonl")
    changed = run_tools([[Asked("add", {"a": 1, "b": 2}, "4")]], "--tape-out", "fresh.jsonl")
    differs = amberfork("diff", "run.jsonl", "fresh.jsonl")

    assert (same.code, unchanged.code) == (ExitCode.SAME, ExitCode.SAME)
    assert (changed.code, differs.code) == (ExitCode.DIFFERENT, ExitCode.DIFFERENT)
    assert "the result of add(a=1, b=2) changed" in differs.out


def test_calls_that_are_not_with_a_model_are_left_out(amberfork, folder):
    """They do not run unless `--all-hosts` is given, and stay on the tape that is written."""
    other = write_tape(folder / "other.jsonl", [Asked("add", {"a": 5, "b": 5}, "0")])
    heard = json.loads(other.read_text().splitlines()[1])
    heard["request"]["to_model"] = False
    marked = json.dumps(heard)
    run = write_tape(folder / "run.jsonl", [Asked("add", {"a": 1, "b": 2}, "4")])
    run.write_text(f"{marked}\n{run.read_text()}{marked}\n")

    ended = amberfork("run-tools", "run.jsonl", "--registry", "mytools.py", "--tape-out", "fresh.jsonl")
    fresh = (folder / "fresh.jsonl").read_text().splitlines()
    whole = amberfork("run-tools", "run.jsonl", "--registry", "mytools.py", "--all-hosts")

    assert ended.out.splitlines()[-1].startswith("1 call: 1 changed")
    assert ended.err == "amberfork: run.jsonl: 2 exchanges are not with a model and left out\n"
    recorded = run.read_text().splitlines()
    assert [json.loads(old) == json.loads(new) for old, new in zip(recorded, fresh, strict=True)] == [
        True,
        True,
        False,
        True,
    ]
    assert json.loads(fresh[2])["request"]["body"]["messages"][-1]["content"] == "3"
    assert whole.out.splitlines()[-1].startswith("2 calls: 2 changed")
    assert whole.err == ""


def test_tools_find_their_context(run_tools, folder):
    """From a file of JSON."""
    (folder / "context.json").write_text('{"user": "ann"}')

    ended = run_tools([[Asked("whoami", {}, "ann")]], "--context", "context.json")

    assert ended.code == ExitCode.SAME


def test_other_names_and_looser_arguments(run_tools):
    """As servers prefix them, and as careless models write them."""
    asked = Asked("mcp__math__add", {"a": "1", "b": 2}, "3")

    ended = run_tools([[asked]], "--alias", "mcp__math__*=*", "--coerce", "--jobs", 1)

    assert ended.code == ExitCode.SAME


def test_some_calls_may_be_left_out(run_tools):
    """By naming those, or the others."""
    turns = [[ADDS, Asked("whoami", {}, "ann")]]

    skipped, only = run_tools(turns, "--skip", "who*"), run_tools(turns, "--only", "add")

    assert [ended.out.splitlines()[-1] for ended in (skipped, only)] == ["2 calls: 1 same, 1 left out."] * 2


def test_a_limit_may_be_set_for_all(run_tools):
    """In milliseconds."""
    ended = run_tools([[Asked("hangs", {}, "x")]], "--timeout", 200)

    assert ended.code == ExitCode.DIFFERENT
    assert "timed out after 200 ms" in ended.out


def test_a_tape_may_be_piped_in(folder):
    """Without a name, or as `-`."""
    tape = write_tape(folder / "run.jsonl", [ADDS])
    command = [sys.executable, "-m", "amberfork_cli", "run-tools", "--registry", "mytools.py"]

    with tape.open() as stdin:
        ended = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout.splitlines()[-1], ended.stderr) == (0, "1 call: 1 same.", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run.jsonl"], "which tools? Name them: --registry mytools.py"),
        (["run.jsonl", "--registry", "none.py"], "none.py: no such file"),
        (["none.jsonl", "--registry", "mytools.py"], "none.jsonl: no such file"),
        (["run.jsonl", "--registry", "mytools.py", "--jobs", "0"], "--jobs must be 1 or more, not 0"),
        (["run.jsonl", "--registry", "mytools.py", "--alias", "x"], "--alias x: not of the form TAPE=LOCAL"),
        (
            ["run.jsonl", "--registry", "mytools.py", "--allow", "rfund"],
            "--allow rfund: no tool of that name; did you mean refund?",
        ),
        (
            ["run.jsonl", "--registry", "mytools.py", "--dry-run", "--tape-out", "x.jsonl"],
            "--dry-run runs nothing, so there is nothing for --tape-out",
        ),
        (
            ["run.jsonl", "--registry", "mytools.py", "--context", "mytools.py"],
            "--context mytools.py:2:1: import is no JSON value",
        ),
    ],
)
def test_trouble_is_one_line_and_exit_2(amberfork, folder, arguments, said):
    """Never 1, and nothing on stdout."""
    write_tape(folder / "run.jsonl", [ADDS])

    ended = amberfork("run-tools", *arguments)

    assert (ended.code, ended.out) == (ExitCode.TROUBLE, "")
    assert ended.err.startswith(f"amberfork: {said}")
    assert ended.err.count("\n") == 1


def test_a_broken_registry_shows_the_users_own_line(amberfork, folder):
    """Where to look."""
    write_tape(folder / "run.jsonl", [ADDS])
    (folder / "mytools.py").write_text("def f(:\n    pass\n")

    ended = amberfork("run-tools", "run.jsonl", "--registry", "mytools.py")

    assert (ended.code, ended.out) == (ExitCode.TROUBLE, "")
    assert ended.err.splitlines() == [
        "amberfork: mytools.py:1: SyntaxError: invalid syntax",
        "amberfork:     def f(:",
    ]


def test_at_a_terminal_without_a_tape_the_tools_are_shown(amberfork, monkeypatch):
    """Since that is what there is to choose from."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)

    ended = amberfork("run-tools", "--registry", "mytools.py")

    assert ended.code == ExitCode.TROUBLE
    assert ended.err == (
        "amberfork: which tape? Name one, or pipe it in. "
        "The registry has add, whoami, refund, hangs, environment\n"
    )


def test_ctrl_c_ends_it_all(folder):
    """Exit 130, and no process is left."""
    write_tape(folder / "run.jsonl", [Asked("hangs", {}, "x")])
    command = [sys.executable, "-m", "amberfork_cli", "run-tools", "run.jsonl", "--registry", "mytools.py"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (folder / "pid").exists() or not (folder / "pid").read_text():
        time.sleep(0.01)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate()

    assert (process.returncode, out, err) == (ExitCode.INTERRUPTED, "", "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)
