"""`amberfork check`: replay and diff in one, for CI."""

from __future__ import annotations

import json
import os
import re
import sys
from signal import SIGINT
from textwrap import dedent

import pytest
from served_agents import agent, amberfork
from stub_provider import Asked, StubProvider, chat, chat_stream
from tool_run_samples import Asked as Call
from tool_run_samples import write_tape

from amberfork_cli.proxy.replaying.reissue import REPLAYED
from amberfork_cli.tapes import open_tape

ADDS = Call("add", {"a": 1, "b": 2}, "3")
REFUNDS = Call("refund", {"order": "A1"}, "sent")
TOOLS = """
    from pathlib import Path
    from amberfork_cli import ToolRegistry

    registry = ToolRegistry()

    @registry.tool(read_only=True)
    def add(a: int, b: int) -> int:
        return a + b

    @registry.tool(read_only=False)
    def refund(order: str) -> str:
        Path("refunded").touch()
        return "sent"
"""
AS_RECORDED = """
    for line in open("run.jsonl"):
        ask("", messages=json.loads(line)["request"]["body"]["messages"])
"""
KEY = "sk-proj-" + "aB3dE5gH" * 6
OTHER_KEY = "sk-proj-" + "Zz9Yy8Xx" * 5
NOWHERE = "http://127.0.0.1:9/v1"
TALK = "ask('a'); ask('b', stream=True); print('done')"
BRAVE = """
    for text in "axb":
        try:
            ask(text)
        except urllib.error.HTTPError:
            pass
"""


def say(asked: Asked):
    """What the provider says of a request."""
    return chat_stream("H") if b"stream" in asked.body else chat(asked.json["messages"][0]["content"] * 2)


@pytest.fixture
def environment():
    """An environment whose providers cannot be reached."""
    return {**os.environ, "OPENAI_BASE_URL": NOWHERE, "COLUMNS": "80", "NO_COLOR": "1"}


@pytest.fixture
def tape(tmp_path, environment):
    """run.jsonl, recorded from an agent that talks to a provider which is gone by now."""
    with StubProvider(say) as stub:
        env = {**environment, "OPENAI_BASE_URL": f"{stub.url}/v1"}
        ran = amberfork("record", "-o", "run.jsonl", "--", *agent(TALK), cwd=tmp_path, env=env)
    assert ran.returncode == 0
    return tmp_path / "run.jsonl"


@pytest.fixture
def check(tape, environment):
    """`check` of that tape with an agent that runs this code."""

    def check(code, *options):
        return amberfork("check", tape.name, *options, "--", *agent(code), cwd=tape.parent, env=environment)

    return check


@pytest.fixture
def check_tools(tmp_path, environment):
    """`check --tools` of a tape with these tool calls, a turn each."""
    (tmp_path / "mytools.py").write_text(dedent(TOOLS))

    def check_tools(calls, *options, code=AS_RECORDED, tools="mytools.py"):
        tape = write_tape(tmp_path / "run.jsonl", *([call] for call in calls))
        arguments = ["check", tape.name, "--tools", tools, *options, "--", *agent(code)]
        return amberfork(*arguments, cwd=tmp_path, env=environment)

    return check_tools


def texts(path):
    """What was asked on a tape."""
    with open_tape(path) as tape:
        return [exchange.request.body.value["messages"][0]["content"] for exchange in tape]


def test_an_agent_that_asks_the_same_passes(check):
    """Its own output goes to stderr, so that stdout is the report."""
    ran = check(TALK)

    assert (ran.returncode, ran.stderr) == (0, b"done\n")
    assert ran.stdout.decode().splitlines()[-1] == "Same: all 2 exchanges match."


def test_an_agent_that_asks_something_else_fails_with_the_report_of_diff(check):
    """The nearest exchange and the first difference are on stderr as soon as it happens."""
    ran = check("ask('a'); ask('x', stream=True)")

    assert ran.returncode == 1
    report = ran.stdout.decode()
    assert "this run" in report
    assert report.splitlines()[-1].startswith("Forked at #1")
    assert b'"b" on the tape, "x" now' in ran.stderr
    assert ran.stderr.endswith(b"amberfork: the agent ended with exit code 1\n")


def test_recorded_exchanges_that_are_left_over_are_a_difference(check):
    """The agent stopped early."""
    ran = check("ask('a')")

    assert ran.returncode == 1
    assert "1 missing" in ran.stdout.decode()


def test_an_agent_that_fails_is_trouble_even_if_it_asked_the_same(check):
    """A verdict of "same" would hide it."""
    ran = check(f"{TALK}; sys.exit(3)")

    assert (ran.returncode, ran.stderr) == (2, b"done\namberfork: the agent ended with exit code 3\n")


def test_an_agent_that_asks_nothing_is_trouble(check):
    """There is nothing to compare."""
    asked, failed = check("pass"), check("sys.exit(4)")

    assert (asked.returncode, failed.returncode) == (2, 2)
    hint = "does it take its base URL from its environment?"
    assert asked.stderr.decode() == f"amberfork: run.jsonl: the agent asked nothing: {hint}\n"
    assert failed.stderr.decode() == (
        f"amberfork: run.jsonl: the agent asked nothing and ended with exit code 4: {hint}\n"
    )


def test_the_report_has_the_forms_of_diff(check, tape):
    """On stdout and in files."""
    ran = check(BRAVE, "--format", "json", "-o", "report.md", "-o", "report.xml")

    report = json.loads(ran.stdout)
    assert (ran.returncode, report["summary"]["same"]) == (1, False)
    assert report["reissued"] == {"source": "this run", "exchanges": 3}
    assert (tape.parent / "report.md").read_text().startswith("#")
    assert (tape.parent / "report.xml").read_text().startswith("<?xml")


def test_a_report_to_pass_on_names_the_command_that_gives_it_again(check, tape):
    """There is no tape of this run to compare; what follows the program may hold a key, and is left out."""
    check(BRAVE, "-o", "report.md", "-o", "report.html", "-o", "report.xml")

    again = f"amberfork check run.jsonl -- {sys.executable} …"
    told = [(tape.parent / f"report.{form}").read_text() for form in ("md", "html", "xml")]
    assert [again in text for text in told] == [True] * 3
    assert ["amberfork diff" in text for text in told] == [False] * 3


def test_quiet_leaves_the_answer_to_the_exit_code(check):
    """Only what the agent is told is told."""
    ran = check(TALK, "-q")

    assert (ran.returncode, ran.stdout) == (0, b"")


def test_what_is_ignored_does_not_count(check):
    """Neither for the answer nor for the report."""
    changed = "ask('a', user='me'); ask('b', stream=True)"

    assert check(changed).returncode == 1
    assert check(changed, "--ignore", "user").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["run.jsonl"], "check runs an agent: amberfork check TAPE -- CMD..."),
        (["run.jsonl", "-o", "x.doc", "--", "true"], "x.doc: the name does not tell the form of the report"),
        (["run.jsonl", "-o", "no/x.md", "--", "true"], "cannot write no/x.md: there is no folder no"),
        (["run.jsonl", "-o", "./run.jsonl", "--", "true"], "run.jsonl is a tape that is read: the report"),
        (["run.jsonl", "--", "no-such-agent"], "cannot run no-such-agent: no such file or directory"),
        (["no.jsonl", "--", "true"], "no.jsonl: no such file"),
        (["bodies.jsonl", "--update", "--", "true"], "bodies.jsonl: only a tape as amberfork records it can"),
    ],
)
def test_what_cannot_be_meant_is_trouble(arguments, problem, tape, environment):
    """Before the agent runs."""
    (tape.parent / "bodies.jsonl").write_text('{"messages": []}\n')

    ran = amberfork("check", *arguments, cwd=tape.parent, env=environment)

    assert ran.returncode == 2
    assert ran.stderr.decode().startswith(f"amberfork: {problem}")


def test_another_writing_passes_where_the_comparison_is_loose(check):
    """The tape answers it as well, so that the agent gets to its end."""
    written_otherwise = "ask('a', messages=[{'role': 'user', 'content': [{'type': 'text', 'text': 'a'}]}]); "
    written_otherwise += "ask('b', stream=True)"

    strict, loose = check(written_otherwise), check(written_otherwise, "--loose")

    assert strict.returncode == 1
    assert (loose.returncode, loose.stderr) == (0, b"")
    assert loose.stdout.decode().splitlines()[-1] == (
        "Same: all 2 exchanges match (1 form allowed by --loose)."
    )


def test_tools_that_answer_as_they_did_pass(check_tools):
    """Both reports are shown, that of the tools below that of the agent."""
    ran = check_tools([ADDS])

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode().splitlines()[3:] == [
        "Same: all 2 exchanges match.",
        "",
        "tape      run.jsonl   1 call in 1 turn",
        "registry  mytools.py",
        "",
        "· #0  add(a=1, b=2)  same",
        "",
        "1 call: 1 same.",
    ]


def test_a_tool_that_answers_otherwise_fails_although_the_agent_asks_the_same(check_tools):
    """What changed is told as by run-tools; with --quiet the exit code tells it alone."""
    wrong = Call("add", {"a": 1, "b": 2}, "4")

    shown, quiet = check_tools([wrong]), check_tools([wrong], "--quiet")

    assert (shown.returncode, quiet.returncode, quiet.stdout) == (1, 1, b"")
    lines = shown.stdout.decode().splitlines()
    assert "Same: all 2 exchanges match." in lines
    assert '┃ result  "4" → "3"' in lines
    assert lines[-1] == "1 call: 1 changed (add)."


def test_an_agent_that_asks_otherwise_fails_although_the_tools_answer_the_same(check_tools):
    """Either difference counts."""
    ran = check_tools([ADDS], code="ask('x')")

    assert ran.returncode == 1
    assert ran.stdout.decode().splitlines()[-1] == "1 call: 1 same."


def test_a_side_effect_is_skipped_and_nothing_is_advised_that_check_cannot_do(check_tools, tmp_path):
    """It is no difference."""
    ran = check_tools([REFUNDS])

    assert ran.returncode == 0
    assert not (tmp_path / "refunded").exists()
    assert ran.stdout.decode().splitlines()[-1] == "1 call: 1 skipped (refund: side effect)."


def test_with_tools_every_form_tells_of_both(check_tools, tmp_path):
    """One document, one page, one comment, one file for the CI server, one list of annotations."""
    wrong = Call("add", {"a": 1, "b": 2}, "4")
    files = [tmp_path / f"report{suffix}" for suffix in (".json", ".txt", ".md", ".html", ".xml")]

    ran = check_tools([wrong], "--format", "json", *(part for file in files for part in ("-o", file)))
    annotated = check_tools([wrong], "--format", "github")

    document, text, comment, page, junit = (file.read_text(encoding="utf-8") for file in files)
    assert (ran.returncode, ran.stdout.decode()) == (1, document)
    both = json.loads(document)
    assert (both["summary"]["same"], both["tools"]["summary"]["good"]) == (True, False)
    assert "Same: all 2 exchanges match.\n\ntape      run.jsonl" in text
    assert re.findall("^###? .*", comment, re.MULTILINE) == [
        "### amberfork: same",
        "### amberfork: tools answer otherwise",
    ]
    assert 'id="tools"' in page
    assert re.findall('<testsuites? name="amberfork [a-z-]+', junit) == [
        '<testsuites name="amberfork check',
        '<testsuite name="amberfork check',
        '<testsuite name="amberfork run-tools',
    ]
    assert annotated.stdout.decode().splitlines() == [
        "::notice title=amberfork%3A same::Same: all 2 exchanges match.",
        "::error title=amberfork%3A tools answer otherwise::1 call: 1 changed (add).",
        '::error title=amberfork%3A changed at #0::add(a=1, b=2)  changed%0Aresult  "4" → "3"',
    ]


def test_an_agent_that_fails_is_trouble_whatever_the_tools_answer(check_tools):
    """As without them."""
    ran = check_tools([Call("add", {"a": 1, "b": 2}, "4")], code=f"{dedent(AS_RECORDED)}\nsys.exit(3)")

    assert ran.returncode == 2


@pytest.mark.parametrize(
    ("tools", "options", "problem"),
    [
        ("nowhere.py", [], "nowhere.py"),
        ("", [], "which tools? Name them: --tools mytools.py"),
        ("mytools.py", ["--update"], "--tools and --update exclude each other"),
        ("mytools.py", ["--format", "jsonl"], "--tools and --format jsonl exclude each other"),
        ("mytools.py", ["-o", "report.jsonl"], "--tools and report.jsonl exclude each other"),
    ],
)
def test_tools_that_cannot_be_run_are_trouble(check_tools, tools, options, problem):
    """Never a difference, and nothing is claimed on stdout."""
    ran = check_tools([ADDS], *options, tools=tools)

    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode().startswith(f"amberfork: {problem}")


def test_update_asks_for_what_is_new_and_writes_the_tape_anew(check, tape, environment):
    """What changed is shown before; what stayed stands on the tape as it did."""
    before = tape.read_bytes().splitlines()
    with StubProvider(say) as stub:
        environment["OPENAI_BASE_URL"] = f"{stub.url}/v1"
        updated = check("ask('a'); ask('c')", "--update")
        asked = len(stub.asked)
    again = check("ask('a'); ask('c')")

    assert (updated.returncode, asked, again.returncode) == (0, 1, 0)
    assert b"Forked at #1" in updated.stdout
    assert updated.stderr.endswith(b"amberfork: run.jsonl is written anew: 1 of 2 exchanges new\n")
    assert tape.read_bytes().splitlines()[:2] == before[:2]
    assert texts(tape) == ["a", "c"]
    with open_tape(tape) as renewed:
        assert [REPLAYED in exchange.extra for exchange in renewed] == [False, False]


@pytest.fixture
def redacted(tmp_path, environment):
    """secret.jsonl, recorded with --redact from an agent that tells its key."""
    with StubProvider(say) as stub:
        env = {**environment, "OPENAI_BASE_URL": f"{stub.url}/v1"}
        command = ["record", "--redact", "-o", "secret.jsonl", "--", *agent(f"ask('key {KEY}'); ask('b')")]
        assert amberfork(*command, cwd=tmp_path, env=env).returncode == 0
    return tmp_path / "secret.jsonl"


def test_a_redacted_tape_answers_the_agent_that_still_has_its_key(redacted, environment):
    """Or another one of its kind: a placeholder says no more than that."""
    folder = redacted.parent
    ran = [
        amberfork("check", redacted.name, "--", *agent(code), cwd=folder, env=environment)
        for code in (f"ask('key {KEY}'); ask('b')", f"ask('key {OTHER_KEY}'); ask('b')")
    ]

    assert [each.returncode for each in ran] == [0, 0]
    assert all(each.stdout.decode().endswith("Same: all 2 exchanges match.\n") for each in ran)


def test_what_changed_beside_a_key_is_told_without_it(redacted, environment):
    """Neither on stderr, nor in the error that the agent gets, nor in the report."""
    code = f"""
        try:
            ask('my key {KEY}')
        except urllib.error.HTTPError as error:
            print(error.read().decode())
    """

    ran = amberfork("check", redacted.name, "--", *agent(code), cwd=redacted.parent, env=environment)

    assert ran.returncode == 1
    changed = '"key REDACTED_OPENAI_KEY" on the tape, "my key REDACTED_OPENAI_KEY" now'
    assert f"differs at messages[0].content: {changed}" in ran.stderr.decode()
    assert KEY.encode() not in ran.stdout + ran.stderr


def test_a_tape_that_does_not_say_that_it_is_redacted_is_taken_at_its_word(redacted, environment):
    """An agent that had a placeholder, and has a key now, does ask something else."""
    _, *exchanges = redacted.read_bytes().splitlines(keepends=True)
    redacted.write_bytes(b"".join(exchanges))

    code = f"ask('key {KEY}')"
    ran = amberfork("check", redacted.name, "--", *agent(code), cwd=redacted.parent, env=environment)

    assert ran.returncode == 1


def test_a_tape_is_read_by_the_rules_that_what_is_asked_is_redacted_by(redacted, environment):
    """It may have been redacted by fewer, as an earlier amberfork knew them."""
    written = redacted.read_bytes().replace(b"REDACTED_OPENAI_KEY", KEY.encode())
    redacted.write_bytes(written)

    code = f"ask('key {KEY}'); ask('b')"
    ran = amberfork("check", redacted.name, "--", *agent(code), cwd=redacted.parent, env=environment)

    assert ran.returncode == 0
    assert redacted.read_bytes() == written


def test_update_keeps_a_redacted_tape_redacted(redacted, environment):
    """What is new is redacted, too; the provider gets it as it is."""
    code = f"ask('key {KEY}'); ask('new {KEY}')"
    with StubProvider(say) as stub:
        env = {**environment, "OPENAI_BASE_URL": f"{stub.url}/v1"}
        command = ["check", "--update", redacted.name, "--", *agent(code)]
        ran = amberfork(*command, cwd=redacted.parent, env=env)
        (asked,) = stub.asked

    assert ran.returncode == 0
    assert texts(redacted) == ["key REDACTED_OPENAI_KEY", "new REDACTED_OPENAI_KEY"]
    assert asked.json["messages"][0]["content"] == f"new {KEY}"
    assert KEY.encode() not in redacted.read_bytes()


def test_where_patterns_were_taken_out_the_miss_says_how_to_go_on(tape, environment):
    """They are not told by the tape, since they may give away what they took out."""
    folder = tape.parent
    assert (
        amberfork(
            "redact", tape.name, "--pattern", "^a$", "-o", "shared.jsonl", cwd=folder, env=environment
        ).returncode
        == 0
    )
    command = ("check", "shared.jsonl")

    plain = amberfork(*command, "--", *agent(TALK), cwd=folder, env=environment)
    replacing = amberfork(
        *command, "--replace", "^a+$", "REDACTED", "--", *agent(TALK), cwd=folder, env=environment
    )

    assert (plain.returncode, replacing.returncode) == (1, 0)
    hint = "(patterns were taken out of this tape: --replace REGEX REDACTED takes them out of both)"
    assert f'"REDACTED" on the tape, "a" now {hint}\n' in plain.stderr.decode()


def test_update_leaves_a_tape_alone_that_is_still_right(check, tape):
    """To the byte."""
    before = tape.read_bytes()

    assert check(TALK, "--update").returncode == 0
    assert tape.read_bytes() == before


def test_update_does_not_trust_an_agent_that_failed(check, tape, environment):
    """Half a run would replace a whole one."""
    before = tape.read_bytes()
    with StubProvider(say) as stub:
        environment["OPENAI_BASE_URL"] = f"{stub.url}/v1"
        ran = check("ask('c'); sys.exit(1)", "--update")

    assert ran.returncode == 1
    assert ran.stderr.endswith(
        b"amberfork: run.jsonl is left as it is\namberfork: the agent ended with exit code 1\n"
    )
    assert tape.read_bytes() == before


def test_update_does_not_take_a_missing_answer_for_one(check, tape):
    """The error that the agent got in its place would be on the tape, and every later run would be right."""
    before = tape.read_bytes()
    ran = check(BRAVE.replace("HTTPError", "URLError"), "--update")

    assert ran.returncode == 1
    assert ran.stderr.endswith(b"amberfork: run.jsonl is left as it is: its provider owes 2 answers\n")
    assert tape.read_bytes() == before


def test_ctrl_c_is_neither_a_difference_nor_trouble(check):
    """Whether the agent had asked by then or not."""
    interrupted = [check(f"{asks}os.kill(os.getpid(), {int(SIGINT)})") for asks in ("", "ask('a'); ")]

    assert [ran.returncode for ran in interrupted] == [130, 130]
