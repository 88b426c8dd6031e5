"""`amberfork convert`: recordings become tapes, and tapes recordings."""

import gzip
import io
import json

import pytest
from command_line import Ended

from amberfork_cli.commands.convert import To
from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.core.ids.fingerprint import fingerprints
from amberfork_cli.tapes import open_tape
from amberfork_cli.tapes.exporting import EXPORTS

VCR = """\
interactions:
- request: {method: POST, uri: 'https://api.openai.com/v1/responses?key=SECRET', body: '{"input":"a"}'}
  response: {status: {code: 200}, headers: {}, body: {string: '{"output": []}'}}
version: 1
"""
HAR = json.dumps(
    {
        "log": {
            "entries": [
                {
                    "request": {"method": "GET", "url": "https://api.openai.com/v1/models"},
                    "response": {"status": 200, "content": {"text": "{}"}},
                }
            ]
        }
    }
)
ENDINGS = (".flow", ".har", ".httprr", ".json", ".jsonl", ".mitm", ".yaml", ".yml")
BODIES = '{"input":"b"}\n{"input":"c"}\n'
FIRST = {
    "request": {
        "method": "POST",
        "path": "/v1/responses?key=REDACTED",
        "body": {"input": "a"},
        "upstream": "https://api.openai.com",
    },
    "response": {"status": 200, "body": {"output": []}},
}
SECOND = {
    "request": {"method": "GET", "path": "/v1/models", "upstream": "https://api.openai.com"},
    "response": {"status": 200, "body": {}},
}


@pytest.fixture
def recordings(folder):
    """A folder of recordings, and of what is none."""
    inner = folder / "all" / "inner"
    inner.mkdir(parents=True)
    (folder / "all" / "a.yaml").write_text(VCR)
    (inner / "b.har").write_text(HAR)
    (inner / "c.jsonl.gz").write_bytes(gzip.compress(BODIES.encode()))
    (folder / "all" / "README.md").write_text("no recording")
    (folder / "all" / ".hidden.json").write_text("no recording")
    return folder / "all"


def test_a_recording_becomes_a_tape_on_stdout(amberfork, recordings):
    """Without credentials."""
    ended = amberfork("convert", recordings / "a.yaml")

    assert (ended.code, ended.err) == (ExitCode.SAME, "")
    assert [json.loads(line) for line in ended.out.splitlines()] == [FIRST]


def test_stdin_is_a_recording_too(amberfork):
    """As everywhere."""
    assert amberfork("convert", "-", stdin=HAR.encode()).out.count('"/v1/models"') == 1


def test_several_recordings_become_one_tape(amberfork, recordings, folder):
    """In their order; a folder stands for the recordings in it."""
    ended = amberfork("convert", recordings / "inner" / "b.har", recordings, "-o", "out.jsonl")

    assert ended == Ended(ExitCode.SAME, "")
    lines = (folder / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["request"]["method"] for line in lines] == ["GET", "POST", "GET", "POST", "POST"]


def test_into_a_folder_each_recording_becomes_a_tape(amberfork, recordings, folder):
    """Under its own name, without what said how it was written."""
    ended = amberfork("convert", recordings, "-o", "out")

    assert ended == Ended(ExitCode.SAME, "")
    made = sorted(path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*.*"))
    assert made == ["a.jsonl", "inner/b.jsonl", "inner/c.jsonl"]
    assert json.loads((folder / "out" / "inner" / "b.jsonl").read_text()) == SECOND


def test_recordings_of_one_name_are_kept_apart(amberfork, recordings):
    """By the ends of their names."""
    (recordings / "a.har").write_text(HAR)

    amberfork("convert", recordings / "a.yaml", recordings / "a.har", "-o", f"{recordings}/inner")

    assert sorted(path.name for path in (recordings / "inner").glob("a*")) == ["a.har.jsonl", "a.yaml.jsonl"]


@pytest.mark.parametrize("to", To)
def test_a_tape_comes_back_from_every_format(amberfork, recordings, folder, to):
    """With the same fingerprints, and nothing told."""
    amberfork("convert", recordings / "a.yaml", recordings / "inner" / "b.har", "-o", "tape.jsonl")

    there = amberfork("convert", "tape.jsonl", "--to", to, "-o", "there")
    back = amberfork("convert", "there", "-o", "back.jsonl")

    assert there == back == Ended(ExitCode.SAME, "")
    with open_tape(folder / "tape.jsonl") as tape, open_tape(folder / "back.jsonl") as again:
        assert list(fingerprints(again)) == list(fingerprints(tape))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("run.har", "har"),
        ("run.YAML", "vcr"),
        ("run.yml", "vcr"),
        ("run.cassette.json", "cassette"),
        ("run.jsonl", "tape"),
        ("run.json", "tape"),
        ("run", "tape"),
    ],
)
def test_the_name_of_the_output_tells_what_to_write(amberfork, recordings, folder, name, written):
    """As it does for reports: who asks for run.har wants an archive in it."""
    asked = amberfork("convert", recordings / "a.yaml", "--to", written)

    ended = amberfork("convert", recordings / "a.yaml", "-o", name)

    assert ended.code == ExitCode.SAME
    assert (folder / name).read_text() == asked.out


def test_the_header_of_a_tape_goes_where_there_is_room(amberfork, folder):
    """Into a tape, or a cassette."""
    (folder / "run.jsonl").write_text('{"tape_version":"1","id":"r"}\n' + json.dumps(FIRST))

    tape = amberfork("convert", "run.jsonl").out.splitlines()[0]
    cassette = json.loads(amberfork("convert", "run.jsonl", "--to", "cassette").out)

    assert json.loads(tape) == {"tape_version": "1", "id": "r"}
    assert (cassette["cassette_version"], cassette["id"]) == ("0.1", "r")
    assert cassette["exchanges"] == [FIRST]


def test_what_is_lost_is_told(amberfork, folder):
    """On stderr, with the file."""
    (folder / "bodies.jsonl").write_text(BODIES)

    ended = amberfork("convert", "bodies.jsonl", "--to", "har", "-o", "out.har")

    told = (
        "amberfork: out.har: lost in 2 exchanges, first in #0: what was asked does not come back the same\n"
    )
    assert ended == Ended(ExitCode.SAME, "", told)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("nowhere.yaml", "nowhere.yaml: no such file"),
        ("empty.jsonl", "empty.jsonl: there is no exchange to convert"),
        ("broken.har", "broken.har:1:21: not a HAR: the text ends where a value should stand"),
        (
            "nothing",
            f"no recording in nothing: none of its files ends in {' '.join(ENDINGS)}",
        ),
    ],
)
def test_trouble_writes_nothing(amberfork, folder, source, problem):
    """And exits 2."""
    (folder / "empty.jsonl").write_text("")
    (folder / "broken.har").write_text('{"log": {"entries": ')
    (folder / "nothing").mkdir()

    ended = amberfork("convert", source, "-o", "out.jsonl")

    assert (ended.code, ended.out) == (ExitCode.TROUBLE, "")
    assert ended.err.startswith(f"amberfork: {problem}")
    assert not (folder / "out.jsonl").exists()


def test_a_recording_can_be_converted_onto_itself(amberfork, recordings):
    """It is read to its end before it is replaced."""
    amberfork("convert", recordings / "a.yaml", "-o", recordings / "a.yaml")

    with open_tape(io.BytesIO((recordings / "a.yaml").read_bytes())) as tape:
        assert len(list(tape)) == 1


@pytest.mark.parametrize(
    "source", ['{"name": "x"}', '{"name": "x"}\n{"name": "y"}\n', "[1, 2]", "just words\n"]
)
def test_what_is_no_recording_is_told_with_what_would_be_one(amberfork, folder, source):
    """It is not taken for the body of a request, unless that is what was asked for."""
    (folder / "x.json").write_text(source)

    ended = amberfork("convert", "x.json")

    read = (
        "a tape, a request, a batch, a VCR cassette, a HAR, an httprr trace, a nock fixture, "
        "a flow file of mitmproxy, a Claude Code session, a Codex rollout, a trace in OTLP's JSON "
        "nor a log of LiteLLM"
    )
    assert (ended.code, ended.out) == (ExitCode.TROUBLE, "")
    assert ended.err.endswith(f": no recording that amberfork knows: neither {read}\n")


@pytest.mark.parametrize("source", ['{"prompt": "x"}', '{"messages": []}', '{"model": "m"}'])
def test_one_body_of_a_request_is_a_recording(amberfork, folder, source):
    """And any other JSON if it is said to be one."""
    (folder / "x.json").write_text(source)
    (folder / "y.json").write_text("[1]")

    made = amberfork("convert", "x.json")
    said = amberfork("convert", "y.json", "--input-format", "body")

    line = {"request": {"method": "POST", "path": ""}}
    assert [json.loads(ended.out) for ended in (made, said)] == [
        {"request": {**line["request"], "body": json.loads(source)}},
        {"request": {**line["request"], "body": [1]}},
    ]


def test_the_files_of_a_batch_become_one_tape(amberfork, folder):
    """With what found no counterpart told on stderr."""
    (folder / "sent.jsonl").write_text(_sent("a") + _sent("b"))
    (folder / "results.jsonl").write_text(_result("b") + _result("x"))

    ended = amberfork("convert", "sent.jsonl", "results.jsonl", "-o", "tape.jsonl")

    left = '1 result of a batch has no request here; left out, first custom_id "x" of results.jsonl'
    unanswered = '1 request of a batch has no result here, first custom_id "a"'
    told = "".join(f"amberfork: tape.jsonl: {sentence}\n" for sentence in (left, unanswered))
    assert ended == Ended(ExitCode.SAME, "", told)
    request = {"method": "POST", "path": "/v1/responses", "body": {"input": 1}}
    assert [json.loads(line) for line in (folder / "tape.jsonl").read_text().splitlines()] == [
        {"request": request, "custom_id": "a"},
        {
            "request": request,
            "response": {"status": 200, "body": {"output": 2}, "request_id": "q"},
            "custom_id": "b",
            "batch_result": {"id": "r"},
        },
    ]


def test_the_requests_of_a_batch_may_come_from_stdin(amberfork, folder):
    """The results are a file."""
    (folder / "results.jsonl").write_text(_result("a"))

    ended = amberfork("convert", "results.jsonl", "-", stdin=_sent("a").encode())

    assert (ended.code, ended.err) == (ExitCode.SAME, "")
    assert json.loads(ended.out)["response"]["body"] == {"output": 2}


@pytest.mark.parametrize("sources", [["a.jsonl"], ["a.jsonl", "b.jsonl"]])
def test_results_of_a_batch_alone_are_refused(amberfork, folder, sources):
    """With the word that says how to join them."""
    (folder / "a.jsonl").write_text(_result("a"))
    (folder / "b.jsonl").write_text(_result("b"))

    ended = amberfork("convert", *sources, "-o", "tape.jsonl")

    told = (
        "amberfork: a.jsonl:1:1: the result of a batch, not a request: join it with the file that was sent, "
        "as in amberfork convert SENT.jsonl RESULTS.jsonl -o tape.jsonl\n"
    )
    assert ended == Ended(ExitCode.TROUBLE, "", told)
    assert not (folder / "tape.jsonl").exists()


def test_every_format_that_is_written_can_be_chosen():
    """By its name."""
    assert [export.name for export in EXPORTS] == [*To]


def _sent(identity):
    line = {"custom_id": identity, "method": "POST", "url": "/v1/responses", "body": {"input": 1}}
    return json.dumps(line) + "\n"


def _result(identity):
    response = {"status_code": 200, "request_id": "q", "body": {"output": 2}}
    return json.dumps({"id": "r", "custom_id": identity, "response": response, "error": None}) + "\n"
