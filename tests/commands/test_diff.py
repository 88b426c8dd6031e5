"""`amberfork diff`: a re-issued run beside the recorded one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Ended
from run_bodies import body, call, exchange, lines, result, run

SAME = (
    "recorded   a.jsonl  3 exchanges  POST /v1/chat/completions\n"
    "re-issued  b.jsonl  3 exchanges\n"
    "\n"
    "Same: all 3 exchanges match.\n"
)
FORKED = (
    "recorded   a.jsonl  3 exchanges  POST /v1/chat/completions\n"
    "re-issued  b.jsonl  3 exchanges\n"
    "           ·◆╎  1 match, 1 changed, 1 carried\n"
    "\n"
    "· #0  match\n"
    "\n"
    "◆ #1  FORK  model output\n"
    "┃ messages[1]  assistant calls get_weather\n"
    '┃   arguments.city  "Seoul" → "Busan"\n'
    "\n"
    "╎ #2  1 carried\n"
    "\n"
    'Forked at #1 (recorded #1): the model called get_weather with city="Busan", not "Seoul". '
    "1 match, 1 changed, 1 carried, 0 missing, 0 extra.\n"
)
NO_FORM = "the name does not tell the form of the report: end it in .txt, .json, .jsonl, .md, .html, .xml"
STYLES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def same(write):
    """Two tapes of one run; every ID is fresh."""
    write("a.jsonl", lines(run("call_9Ys2kQ81")))
    write("b.jsonl", lines(run("call_mW3xT7b2")))


@pytest.fixture
def forked(write):
    """Two tapes that differ in one argument of a call."""
    write("a.jsonl", lines(run("call_9Ys2kQ81", city="Seoul")))
    write("b.jsonl", lines(run("call_mW3xT7b2", city="Busan")))


# What it says


@pytest.mark.usefixtures("same")
def test_tapes_of_one_run_are_the_same(amberfork):
    """One sentence, and 0."""
    assert amberfork("diff", "a.jsonl", "b.jsonl") == Ended(0, SAME)


@pytest.mark.usefixtures("forked")
def test_a_fork_is_shown_and_the_answer_comes_last(amberfork):
    """What follows from the change is counted, not repeated; 1."""
    assert amberfork("diff", "a.jsonl", "b.jsonl") == Ended(1, FORKED)


@pytest.mark.usefixtures("forked")
def test_quiet_says_nothing(amberfork):
    """The exit code answers."""
    assert amberfork("diff", "-q", "a.jsonl", "b.jsonl") == Ended(1, "")


def test_quiet_says_nothing_of_what_was_left_out_either(amberfork, write):
    """But trouble is told."""
    write("a.jsonl", "\n".join([*lines(run()), '{"requ']))
    write("b.jsonl", ["{oops", *lines(run())])

    assert amberfork("diff", "--quiet", "a.jsonl", "a.jsonl") == Ended(0, "")
    assert amberfork("diff", "--quiet", "a.jsonl", "b.jsonl").err.startswith("amberfork: b.jsonl:1:2: ")


@pytest.mark.usefixtures("forked")
def test_as_json_it_is_one_document(amberfork):
    """With its version, the answer, and both values."""
    seen = amberfork("diff", "a.jsonl", "b.jsonl", "-f", "json")

    report = json.loads(seen.out)
    (place,) = report["exchanges"][1]["places"]
    (difference,) = place["differences"]
    assert (seen.code, report["amberfork_report"]) == (1, 1)
    assert report["summary"]["sentence"] in FORKED
    assert (difference["recorded"], difference["reissued"]) == ("Seoul", "Busan")


@pytest.mark.usefixtures("forked")
def test_as_jsonl_it_is_a_difference_a_line(amberfork):
    """And nothing at all where all is the same."""
    seen = amberfork("diff", "a.jsonl", "b.jsonl", "--format", "jsonl")

    (line,) = seen.out.splitlines()
    assert json.loads(line)["kind"] == "value"
    assert amberfork("diff", "a.jsonl", "a.jsonl", "--format", "jsonl") == Ended(0, "")


@pytest.mark.usefixtures("forked")
def test_files_get_the_form_of_their_names(amberfork):
    """As many as are named, beside what is shown."""
    seen = amberfork("diff", "a.jsonl", "b.jsonl", "-o", "d.txt", "-o", "d.json", "--output", "d.jsonl")

    assert seen == Ended(1, FORKED)
    assert Path("d.txt").read_text(encoding="utf-8") == FORKED
    assert Path("d.json").read_text() == amberfork("diff", "a.jsonl", "b.jsonl", "-f", "json").out
    assert Path("d.jsonl").read_text() == amberfork("diff", "a.jsonl", "b.jsonl", "-f", "jsonl").out


@pytest.mark.usefixtures("forked")
def test_the_forms_that_are_passed_on_are_written_too(amberfork):
    """A comment, a page with both bodies of every exchange, and what a CI server reads."""
    files = ("d.md", "d.html", "d.xml")

    seen = amberfork("diff", "-q", "a.jsonl", "b.jsonl", *(part for file in files for part in ("-o", file)))

    markdown, page, junit = (Path(file).read_text(encoding="utf-8") for file in files)
    assert seen == Ended(1, "")
    assert markdown.startswith("### amberfork: forked\n")
    assert "call_mW3xT7b2" in page
    assert 'failures="1"' in junit


def test_full_shows_whole_values(amberfork, write):
    """On stdout and in files."""
    long = " ".join(f"word{number}" for number in range(300))
    write("a.jsonl", lines(run(content=long)))
    write("b.jsonl", lines(run(content=f"{long.replace('word150', 'other')}")))

    cut = amberfork("diff", "a.jsonl", "b.jsonl").out
    full = amberfork("diff", "a.jsonl", "b.jsonl", "--full", "-o", "full.txt").out

    assert "word10 " not in cut
    assert "word10 " in full
    assert Path("full.txt").read_text(encoding="utf-8") == full


# What is compared


def test_bodies_are_compared_as_well(amberfork, write):
    """Two documents, or one of them from stdin."""
    write("a.json", json.dumps(body(temperature=0.1)))

    seen = amberfork("diff", "a.json", "-", stdin=json.dumps(body(temperature=0.2)).encode())

    assert seen.code == 1
    assert "temperature" in seen.out
    assert "re-issued  stdin" in seen.out


def test_a_tape_can_be_held_against_bare_bodies(amberfork, write):
    """Of which nobody knows where they were sent."""
    write("a.jsonl", lines(run()))
    write("b.jsonl", lines(each["request"]["body"] for each in run("call_mW3xT7b2")))

    assert amberfork("diff", "a.jsonl", "b.jsonl").code == 0


def test_responses_are_compared_on_request(amberfork, write):
    """Without, what came back is not looked at."""
    write("a.jsonl", lines([exchange(body(), {"status": 200, "body": {"text": "one"}})]))
    write("b.jsonl", lines([exchange(body(), {"status": 200, "body": {"text": "two"}})]))

    assert amberfork("diff", "a.jsonl", "b.jsonl").code == 0
    assert amberfork("diff", "a.jsonl", "b.jsonl", "--responses").code == 1


def test_spelling_passes_when_loose(amberfork, write):
    """`1` and `1.0` are told, and count, unless they are allowed."""
    write("a.json", '{"messages": [], "temperature": 1}')
    write("b.json", '{"messages": [], "temperature": 1.0}')

    assert amberfork("diff", "a.json", "b.json").code == 1
    assert amberfork("diff", "a.json", "b.json", "--loose").code == 0


def test_the_rules_decide_what_is_an_id(amberfork, write):
    """A blob counts where only tool calls are set aside, and the report says which rules it went by."""
    for name, signature in (("a.json", "c2ln"), ("b.json", "b3RoZXI=")):
        thinking = {"type": "thinking", "thinking": "", "signature": signature}
        write(name, json.dumps({"messages": [{"role": "assistant", "content": [thinking]}]}))

    assert amberfork("diff", "a.json", "b.json").code == 0
    assert amberfork("diff", "a.json", "b.json", "--ids", "calls").code == 1
    assert "ID rules: calls" in amberfork("diff", "a.json", "b.json", "--ids", "calls").out


def test_what_is_left_out_is_counted_in_the_report(amberfork, write):
    """By options and presets."""
    write("a.json", json.dumps(body(user="u-1", metadata={"user_id": "s-1"})))
    write("b.json", json.dumps(body(user="u-2", metadata={"user_id": "s-2"})))

    seen = amberfork("diff", "a.json", "b.json", "--ignore", "user", "--preset", "claude-code")

    assert seen.code == 0
    assert "ignored values: 2 recorded, 2 re-issued" in seen.out
    assert "presets: claude-code" in seen.out


def test_settings_are_named_in_every_form(amberfork, write):
    """Wherever they were found, and whatever they leave out."""
    write("amberfork.toml", 'ignore = ["user"]\nreplace = [["u-[0-9]", "u"]]\n')
    write("a.json", json.dumps(body(user="u-1", owner="u-1")))
    write("b.json", json.dumps(body(user="u-2", owner="u-2")))

    text = amberfork("diff", "a.json", "b.json")
    document = json.loads(amberfork("diff", "a.json", "b.json", "-f", "json").out)

    assert text.code == 0
    assert "settings: amberfork.toml" in text.out
    assert "replaced values: 1 recorded, 1 re-issued" in text.out
    assert document["settings"] == "amberfork.toml"
    assert document["recorded"]["ignored"] == document["reissued"]["ignored"] == 1


@pytest.mark.usefixtures("forked")
def test_settings_may_name_the_usual_form(amberfork, write):
    """An option is still an option."""
    write("amberfork.toml", 'format = "jsonl"\n')

    assert amberfork("diff", "a.jsonl", "b.jsonl").out.startswith('{"exchange":')
    assert amberfork("diff", "a.jsonl", "b.jsonl", "-f", "text").out == FORKED


# Trouble


@pytest.mark.usefixtures("same")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("- -", "only one of the two can come from stdin"),
        (
            "a.jsonl b.jsonl -o d",
            f"d: {NO_FORM}",
        ),
        (
            "a.jsonl b.jsonl -o d.pdf",
            f"d.pdf: {NO_FORM}",
        ),
        ("a.jsonl b.jsonl -o no/d.txt", "cannot write no/d.txt: there is no folder no"),
        ("a.jsonl gone.jsonl", "gone.jsonl: no such file"),
        ("gone.jsonl b.jsonl", "gone.jsonl: no such file"),
        ("a.jsonl .", ".: this is a folder, not a tape"),
    ],
)
def test_trouble_is_one_line_and_2(amberfork, arguments, said):
    """Never 1: nothing was compared."""
    assert amberfork("diff", *arguments.split()) == Ended(2, "", f"amberfork: {said}\n")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('ids = "some"', 'amberfork.toml: "ids" cannot be "some": choose of all, items, calls, seed'),
        ('format = "pdf"', 'amberfork.toml: "format" cannot be "pdf": choose of text, json, jsonl'),
        ('preset = ["emacs"]', 'amberfork.toml: "preset" cannot be "emacs": choose of claude-code, codex, '),
        (
            'colour = "red"',
            'amberfork.toml: unknown key "colour": only ignore, replace, preset, ids, format may stand here',
        ),
        (
            'ignore = ["a["]',
            "amberfork.toml: path 'a[', character 2: brackets hold an index, * or a name in double quotes",
        ),
    ],
)
@pytest.mark.usefixtures("same")
def test_settings_that_cannot_be_meant_are_trouble(amberfork, write, settings, said):
    """They are never passed over."""
    write("amberfork.toml", settings)

    seen = amberfork("diff", "a.jsonl", "b.jsonl")

    assert (seen.code, seen.out) == (2, "")
    assert said in seen.err


def test_a_lenient_diff_goes_on_and_says_what_it_left_out(amberfork, write):
    """On stderr, beside the tape, and in the closing sentence."""
    write("a.jsonl", [*lines(run()), "{oops"])
    write("b.jsonl", lines(run()))

    seen = amberfork("diff", "a.jsonl", "b.jsonl", "--lenient")

    assert seen.code == 0
    assert seen.err.startswith("amberfork: a.jsonl: 1 bad line left out, first line 4: ")
    assert "3 exchanges, 1 bad line left out" in seen.out
    assert seen.out.endswith("1 bad line of the recorded tape left out.\n")


def test_a_tape_cannot_drive_the_terminal(amberfork, write):
    """Whatever its texts and names hold, in the report and in messages about it."""
    write("a.json", json.dumps(body({"role": "user", "content": "\x1b[2J one \x07"}, **{"\x1b]0;x\x07": 1})))
    write(
        "b.json", json.dumps(body({"role": "user", "content": "\x1b[2J two \u202e"}, **{"\x1b]0;x\x07": 2}))
    )
    write("c.json", '{"\\u001b[2J": 1, "\\u001b[2J": 2}')

    seen, trouble = amberfork("diff", "a.json", "b.json", "--full"), amberfork("diff", "a.json", "c.json")

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", seen.out + trouble.err)
    assert "\\u001b[2J" in seen.out
    assert trouble == Ended(2, "", "amberfork: c.json:1:18: duplicate key (at /\\u001b[2J)\n")


# On a terminal


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_on_a_terminal_no_line_is_wider_than_it_is(on_terminal, columns):
    """The same lines as in a pipe, in colour, the answer on as many as it takes."""
    seen = on_terminal("diff", "a.jsonl", "b.jsonl", columns=columns)

    shown = STYLES.sub("", seen.out)
    assert seen.code == 1
    assert "\x1b[1;38;5;166m" in seen.out
    assert max(map(len, shown.splitlines())) <= columns
    assert shown.split() == FORKED.split()


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(("--no-color",), {}), ((), {"NO_COLOR": "1"})],
    ids=["--no-color", "NO_COLOR"],
)
def test_without_colour_there_is_none(on_terminal, arguments, environment):
    """Bold and dim stay: they are no colour."""
    seen = on_terminal("diff", "a.jsonl", "b.jsonl", *arguments, **environment)

    assert {*STYLES.findall(seen.out)} <= {"\x1b[0m", "\x1b[1m", "\x1b[2m"}
    assert STYLES.sub("", seen.out).split() == FORKED.split()


def test_a_long_report_goes_through_the_pager_and_the_answer_stays(on_terminal, write):
    """What the pager did not show last is still in view: the verdict."""
    write("a.jsonl", lines(exchange(body(call(), result(content=str(n)), tag=n)) for n in range(30)))
    write("b.jsonl", lines(exchange(body(call(), result(content=f"{n}!"), tag=n)) for n in range(30)))
    pager = "sed s/^/pager:/"

    seen = on_terminal("diff", "a.jsonl", "b.jsonl", lines=20, AMBERFORK_PAGER=pager, NO_COLOR="1")

    shown = STYLES.sub("", seen.out).splitlines()
    assert seen.code == 1
    assert shown[0].startswith("pager:recorded   a.jsonl")
    assert shown[-1].startswith("0 match, ")
    assert not shown[-2].startswith("pager:")


def test_what_is_not_with_a_model_does_not_count_unless_asked_for(amberfork, write):
    """Telemetry that a recorder marked is left out and told; `--all-hosts` compares it."""
    asked = '{"request": {"method": "POST", "path": "/v1", "body": {"messages": []}}}\n'
    heard = '{"request": {"method": "POST", "path": "/telemetry", "body": {"n": %d}, "to_model": false}}\n'
    write("one.jsonl", asked + heard % 1)
    write("other.jsonl", asked + heard % 2)

    result = amberfork("diff", "one.jsonl", "other.jsonl")
    with_all = amberfork("diff", "--quiet", "--all-hosts", "one.jsonl", "other.jsonl")

    assert result.code == 0
    assert result.err == (
        "amberfork: one.jsonl: 1 exchange is not with a model and left out\n"
        "amberfork: other.jsonl: 1 exchange is not with a model and left out\n"
    )
    assert with_all.code == 1
