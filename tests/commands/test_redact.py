"""`amberfork redact`: a tape that can be shared."""

from __future__ import annotations

import gzip
import json

import pytest
from run_bodies import body, call, exchange, lines, result

from amberfork_cli.commands.exits import ExitCode

KEY = "sk-ant-api03-aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6iJ9l"
GONE = "REDACTED_ANTHROPIC_KEY"
RUN = [
    exchange(body(), {"status": 200, "body": {"choices": [{"message": call(city="Seoul", key=KEY)}]}}),
    exchange(body(call(city="Seoul", key=KEY), result())),
]


@pytest.fixture
def tape(write):
    """A run in which a key was used."""
    return write("run.jsonl", lines(RUN))


def test_a_tape_without_its_secrets_is_written(amberfork, tape, folder):
    """The same in requests and responses; what was taken out is told."""
    ended = amberfork("redact", tape, "-o", "out.jsonl")

    assert (ended.code, ended.out) == (ExitCode.SAME, "")
    assert ended.err == "amberfork: run.jsonl: 2 places redacted: 2 anthropic-key\n"
    header, *made = map(json.loads, (folder / "out.jsonl").read_text().splitlines())
    assert header == {"tape_version": "1", "redacted": ["credentials"]}
    assert made == json.loads(json.dumps(RUN).replace(KEY, GONE))
    assert amberfork("lint", "out.jsonl", "-q").code == ExitCode.SAME


def test_without_a_file_it_comes_out_on_stdout(amberfork, tape):
    """As other commands do it."""
    assert GONE in amberfork("redact", tape).out


def test_patterns_take_out_more(amberfork, tape):
    """Each is a regular expression; the diff under the same rules is the same."""
    amberfork("redact", tape, "--pattern", "Seoul", "--pattern", "ra[a-z]+", "-o", "out.jsonl")

    rules = ("--replace", "Seoul", "REDACTED", "--replace", "ra[a-z]+", "REDACTED", "--replace", KEY, GONE)

    assert amberfork("diff", tape, "out.jsonl", *rules).code == ExitCode.SAME
    assert amberfork("diff", tape, "out.jsonl").code == ExitCode.DIFFERENT


def test_what_is_left_alone_is_told(amberfork, tape):
    """Matches in IDs and in names."""
    ended = amberfork("redact", tape, "--pattern", "call_9Ys2kQ81|role", "-o", "out.jsonl")

    assert ended.code == ExitCode.SAME
    assert "left alone, in the names of members\n" in ended.err


def test_a_tape_can_be_written_in_its_place(amberfork, tape):
    """It is read before it is replaced."""
    assert amberfork("redact", tape, "-o", tape).code == ExitCode.SAME

    assert amberfork("lint", tape, "-q").code == ExitCode.SAME


def test_nothing_is_written_where_reading_fails(amberfork, write, folder):
    """The file that was there is there, and no other."""
    write("run.jsonl", [*lines(RUN), "oops", *lines(RUN)])
    write("out.jsonl", "before")

    ended = amberfork("redact", "run.jsonl", "-o", "out.jsonl")

    assert (ended.code, ended.out) == (ExitCode.TROUBLE, "")
    assert ended.err.startswith("amberfork: run.jsonl:3:1: ")
    assert (folder / "out.jsonl").read_text() == "before"
    assert sorted(each.name for each in folder.iterdir()) == ["out.jsonl", "run.jsonl"]


@pytest.mark.parametrize("pattern", ["(", "x*"])
def test_a_pattern_that_means_nothing_is_trouble(amberfork, tape, pattern):
    """In one line."""
    ended = amberfork("redact", tape, "--pattern", pattern)

    assert (ended.code, ended.out, ended.err.count("\n")) == (ExitCode.TROUBLE, "", 1)


def test_a_compressed_tape_from_a_pipe_is_redacted(amberfork, tape):
    """It is read once."""
    ended = amberfork("redact", "-", stdin=gzip.compress(tape.read_bytes()))

    assert ended.out.count(GONE) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("one.json", json.dumps(body(note=KEY), indent=1)),
        ("many.jsonl", f"{json.dumps(body(note=KEY))}\n" * 2),
    ],
)
def test_bare_bodies_stay_bare(amberfork, write, name, text):
    """One alone, or one a line."""
    ended = amberfork("redact", write(name, text))

    assert [json.loads(each) for each in ([ended.out] if name == "one.json" else ended.out.splitlines())] == [
        body(note=GONE)
    ] * (1 if name == "one.json" else 2)
