"""`amberfork lint`: what is wrong on tapes, and how that is told."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest
from rich.cells import cell_len
from run_bodies import body, call, exchange, lines, result

from amberfork_cli.commands.exits import ExitCode

KEY = "sk-ant-api03-aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6iJ9l"
SOUND = [exchange(body()), exchange(body(call(city="Seoul"), result()))]
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
EVIL = "\x1b[2J\x07\u202e" + "w" * 200

# What SARIF 2.1.0 requires of the parts that are written here (OASIS, sections 3.13 to 3.33).
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {"type": "array", "items": {"$ref": "#/$defs/rule"}},
                                },
                            }
                        },
                    },
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
    "$defs": {
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": {
            "type": "object",
            "required": ["text"],
            "additionalProperties": False,
            "properties": {"text": {"type": "string"}},
        },
        "rule": {
            "type": "object",
            "required": ["id"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/message"},
                "defaultConfiguration": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"level": {"$ref": "#/$defs/level"}},
                },
            },
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": -1},
                "level": {"$ref": "#/$defs/level"},
                "message": {"$ref": "#/$defs/message"},
                "occurrenceCount": {"type": "integer", "minimum": 1},
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
            },
        },
        "location": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "physicalLocation": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["artifactLocation"],
                    "properties": {
                        "artifactLocation": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {"uri": {"type": "string", "pattern": "^[!-~]*$"}},
                        },
                        "region": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {"startLine": {"type": "integer", "minimum": 1}},
                        },
                    },
                },
                "logicalLocations": {
                    "type": "array",
                    "uniqueItems": True,
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {"fullyQualifiedName": {"type": "string"}},
                    },
                },
            },
        },
    },
}  # fmt: skip


def test_a_sound_tape_exits_0(amberfork, write):
    """And says how much was looked at."""
    ended = amberfork("lint", write("run.jsonl", lines(SOUND)))

    assert (ended.code, ended.out, ended.err) == (
        ExitCode.SAME,
        "run.jsonl: nothing found in 2 exchanges.\n",
        "",
    )


def test_findings_exit_1_and_say_where(amberfork, write):
    """Tape, line, exchange, rule, JSON Pointer; a secret is not printed whole."""
    bad = exchange(body(result("call_x"), note=KEY))
    tape = write("run.jsonl", [*lines([bad, *SOUND]), '{"request": oops}', '{"request": {"met'])

    ended = amberfork("lint", tape)

    assert (ended.code, ended.err) == (ExitCode.DIFFERENT, "")
    assert (
        ended.out
        == """\
run.jsonl:1: #0 orphan-result  a result answers a call that nobody made, call_x
    /request/body/messages/1
run.jsonl:1: #0 secret  an Anthropic API key (sk-ant-…, 53 characters)
    /request/body/note
run.jsonl:4: bad-line  oops is no JSON value (at /request)
run.jsonl:5: bad-line  the string that begins here has no end (at /request)

run.jsonl: 4 findings in 3 exchanges: 2 bad-line, 1 orphan-result, 1 secret.
"""
    )


def test_a_torn_end_is_no_bad_line(amberfork, write):
    """The recorder was killed there."""
    text = "".join(f"{line}\n" for line in lines(SOUND)) + '{"request": {"met'

    ended = amberfork("lint", write("run.jsonl", text))

    assert ended.out.startswith("run.jsonl:3: torn-end  ")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"request":{"method":"POST","path":"/x","body":{"a":NaN}}}', "non-finite-number"),
        ('{"request":{"method":"POST","path":"/x","body":{"a":1,"a":2}}}', "duplicate-member"),
        ('{"request":{"method":"POST","path":"/x","body":{"a":9007199254740993}}}', "unsafe-integer"),
        ('{"request":{"method":"POST","path":"/x","body":{"a":"\\ud83d"}}}', "half-character"),
        ('{"request":{"method":"POST","path":"","body":"H4sI","body_encoding":"base64"}}', "undecoded-body"),
    ],
)  # fmt: skip
def test_what_is_lost_in_other_readers_is_found(amberfork, write, text, rule):
    """Each with the exchange."""
    ended = amberfork("lint", write("run.jsonl", f"{text}\n"), "-f", "json")

    (found,) = json.loads(ended.out)["tapes"][0]["findings"]

    assert (found["rule"], found["exchange"], found["line"]) == (rule, 0, 1)


def test_several_tapes_are_looked_through_at_once(amberfork, write):
    """One bad tape among them is enough."""
    write("a.jsonl", lines(SOUND))
    write("b.jsonl", lines([exchange(body(result("x")))]))

    ended = amberfork("lint", "a.jsonl", "b.jsonl", "-f", "json")

    shown = json.loads(ended.out)
    assert ended.code == ExitCode.DIFFERENT
    assert [(each["tape"], len(each["findings"])) for each in shown["tapes"]] == [
        ("a.jsonl", 0),
        ("b.jsonl", 1),
    ]
    assert shown["tapes"][1]["findings"][0] == {
        "rule": "orphan-result",
        "level": "error",
        "message": "a result answers a call that nobody made, x",
        "exchange": 0,
        "line": 1,
        "pointer": "/request/body/messages/1",
        "more": 0,
    }


def test_sarif_is_as_the_standard_wants_it(amberfork, write):
    """Every part that is written has what it must have, and nothing that the standard does not know."""
    write("a b.jsonl", [*lines([exchange(body(result("x"), **{KEY: 2**60}))]), "oops"])

    ended = amberfork("lint", "a b.jsonl", "--format", "sarif")

    log = json.loads(ended.out)
    jsonschema.Draft202012Validator(SARIF).validate(log)
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[each["ruleIndex"]] for each in run["results"]] == [
        each["ruleId"] for each in run["results"]
    ]
    assert {each["ruleId"] for each in run["results"]} == {
        "orphan-result",
        "secret",
        "unsafe-integer",
        "bad-line",
    }
    assert run["results"][-1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.jsonl"
    assert KEY not in ended.out


def test_quiet_answers_by_its_exit_code(amberfork, write):
    """Nothing is said."""
    ended = amberfork("lint", "-q", write("run.jsonl", lines([exchange(body(result("x")))])))

    assert (ended.code, ended.out, ended.err) == (ExitCode.DIFFERENT, "", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("gone.jsonl",), "gone.jsonl: no such file"), (("empty.jsonl",), "empty.jsonl: ")],
)
def test_what_is_no_tape_is_trouble(amberfork, write, arguments, said):
    """Exit 2, which is no finding."""
    write("empty.jsonl", "")

    ended = amberfork("lint", *arguments)

    assert (ended.code, ended.out) == (ExitCode.TROUBLE, "")
    assert ended.err.startswith(f"amberfork: {said}")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_hostile_tape_is_told_within_the_width(on_terminal, write, columns):
    """What it holds cannot drive the terminal."""
    hostile = exchange(body(call(EVIL), call(EVIL), result("\x1b[31m"), **{EVIL: f"{EVIL} {KEY}"}))
    write("run.jsonl", [*lines([hostile]), EVIL])

    ended = on_terminal("lint", "run.jsonl", columns=columns, PAGER="cat")

    shown = ESCAPES.sub("", ended.out)
    assert ended.code == ExitCode.DIFFERENT
    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown) is None
    assert max(map(cell_len, shown.splitlines())) <= columns
    assert KEY not in shown
