"""Load is measured by something that would notice: a tape that is not right is told of."""

import json
import shutil

import pytest
from load import recorded_under_load, replayed_under_load, wrong_on

CLIENTS = 6


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A tape of a little load, and what its clients saw."""
    tape = tmp_path_factory.mktemp("load") / "run.jsonl"
    run, _ = recorded_under_load(tape, clients=CLIENTS, seconds=0.3)
    return tape, run


@pytest.fixture
def wrong_after(recorded, tmp_path):
    """What is wrong on the tape when its lines have been changed so; the header is left alone."""

    def wrong_after(change):
        tape, run = recorded
        header, *lines = tape.read_bytes().splitlines(keepends=True)
        changed = tmp_path / "changed.jsonl"
        changed.write_bytes(header + b"".join(change(lines)))
        return [words.partition(":")[0] for words in wrong_on(changed, run)]

    return wrong_after


def test_a_little_load_loses_and_mixes_nothing(recorded, tmp_path):
    """Recorded, and then answered from the tape."""
    tape, run = recorded
    copy = shutil.copy(tape, tmp_path / "copy.jsonl")

    replayed, _ = replayed_under_load(copy, run, clients=CLIENTS)

    assert len(run.seen) > CLIENTS
    assert list(wrong_on(tape, run)) == []
    assert (+run.wrong, +replayed.wrong) == ({}, {})
    assert replayed.seen == run.seen


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines[1:], ["1 lost"]),
        (lambda lines: [*lines, lines[0]], ["1 doubled"]),
        (
            lambda lines: [lines[0].replace(b'"mark":"', b'"mark":"x', 1), *lines[1:]],
            ["1 lost", "1 on the tape"],
        ),
        (lambda lines: [_with_response_of(lines[0], lines[1]), *lines[1:]], ["1 mixed"]),
        (lambda lines: [_with(lines[0], provider="another"), *lines[1:]], ["1 mixed"]),
        (lambda lines: [*lines[:-1], lines[-1][:-2]], ["1 lost", "the last line of the tape is torn"]),
    ],
)
def test_a_tape_that_is_not_right_is_told_of(change, words, wrong_after):
    """Lost, doubled, from nowhere, mixed, torn."""
    found = wrong_after(change)

    assert [name.partition(",")[0] for name in found] == words


def test_other_answers_than_the_recorded_ones_are_told_of(recorded, tmp_path):
    """A tape whose answers have changed places."""
    tape, run = recorded
    header, first, second, *others = tape.read_bytes().splitlines(keepends=True)
    changed = tmp_path / "changed.jsonl"
    mixed = [_with_response_of(first, second), _with_response_of(second, first)]
    changed.write_bytes(b"".join([header, *mixed, *others]))

    replayed, _ = replayed_under_load(changed, run, clients=CLIENTS)

    assert replayed.wrong["another answer than the recorded one"] == 2
    assert replayed.wrong["answered what another asked"] == 2


def _with(line: bytes, **members: object) -> bytes:
    return json.dumps(json.loads(line) | members).encode() + b"\n"


def _with_response_of(line: bytes, other: bytes) -> bytes:
    return _with(line, response=json.loads(other)["response"])
