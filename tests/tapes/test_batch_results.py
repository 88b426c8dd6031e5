"""Results of a batch are joined with the requests that they answer."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.core.tape import ABSENT, Body, Exchange, ExchangeList, JsonValue, Request, Response
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape
from amberfork_cli.tapes.batch_results import BatchResults


def request(identity: str) -> dict[str, JsonValue]:
    """A line that was sent."""
    return {"custom_id": identity, "method": "POST", "url": "/v1/responses", "body": {"input": identity}}


def result(identity: str, **changed: JsonValue) -> dict[str, JsonValue]:
    """A line that came back."""
    response: JsonValue = {"status_code": 200, "request_id": f"q-{identity}", "body": {"output": identity}}
    return {"id": f"b-{identity}", "custom_id": identity, "response": response, "error": None, **changed}


def asked(number: int, identity: str) -> Exchange:
    """The exchange of a request that has no result."""
    body = Body.json({"input": identity})
    return Exchange(number, Request("POST", "/v1/responses", body=body), extra={"custom_id": identity})


def answered(number: int, identity: str) -> Exchange:
    """The exchange of a request and its result."""
    response = Response(200, (), Body.json({"output": identity}), {"request_id": f"q-{identity}"})
    extra: dict[str, JsonValue] = {"custom_id": identity, "batch_result": {"id": f"b-{identity}"}}
    return Exchange(number, asked(number, identity).request, response, extra=extra)


def test_results_come_to_their_requests(tmp_path: Path) -> None:
    """In the order in which those were sent, wherever the results stand and in how many files."""
    sent = written(tmp_path / "sent.jsonl", map(request, "abc"))
    results = written(tmp_path / "results.jsonl", map(result, "ca"))
    errors = written(tmp_path / "errors.jsonl", [result("b")])

    exchanges, told = joined([results, sent, errors])

    assert exchanges == [answered(0, "a"), answered(1, "b"), answered(2, "c")]
    assert told == []


def test_what_finds_nothing_is_told(tmp_path: Path) -> None:
    """A request stays without a response; a result without a request is left out."""
    sent = written(tmp_path / "sent.jsonl", map(request, "abc"))
    results = written(tmp_path / "results.jsonl", map(result, "bxy"))

    exchanges, told = joined([sent, results])

    assert exchanges == [asked(0, "a"), answered(1, "b"), asked(2, "c")]
    assert told == [
        f'2 results of a batch have no request here; left out, first custom_id "x" of {results}',
        '2 requests of a batch have no result here, first custom_id "a"',
    ]


@pytest.mark.parametrize(
    ("changed", "response", "kept"),
    [
        (
            {"response": {"status_code": 400, "body": {"error": {"code": "bad"}}}},
            Response(400, body=Body.json({"error": {"code": "bad"}})),
            {"id": "b-a"},
        ),
        (
            {"response": None, "error": {"code": "batch_expired"}},
            None,
            {"id": "b-a", "error": {"code": "batch_expired"}},
        ),
        (
            {"response": {"status_code": 502, "body": "gone"}},
            Response(502, body=Body.text("gone")),
            {"id": "b-a"},
        ),
        ({"response": {"status_code": 500, "body": ""}}, Response(500, body=ABSENT), {"id": "b-a"}),
        ({"response": {"body": []}}, Response(None, body=Body.json([])), {"id": "b-a"}),
    ],
)
def test_errors_are_results_too(
    tmp_path: Path, changed: dict[str, JsonValue], response: Response | None, kept: dict[str, JsonValue]
) -> None:
    """Those of the provider as a response, those of the batch beside it."""
    sent = written(tmp_path / "sent.jsonl", [request("a")])
    errors = written(tmp_path / "errors.jsonl", [result("a", **changed)])

    exchanges, told = joined([sent, errors])

    extra: dict[str, JsonValue] = {"custom_id": "a", "batch_result": kept}
    assert exchanges == [Exchange(0, asked(0, "a").request, response, extra=extra)]
    assert told == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (result("b", response=[]), "the response is no object (at /response)"),
        (
            result("b", response={"status_code": "200"}),
            "the status is no whole number (at /response/status_code)",
        ),
        ({"custom_id": "b", "result": []}, "the result is no object (at /result)"),
        ({"custom_id": 7, "response": {}}, "no ID, or nothing that came back"),
        (request("b"), "no ID, or nothing that came back"),
        ([], "no ID, or nothing that came back"),
    ],
)
def test_a_line_that_is_no_result_is_named(tmp_path: Path, line: JsonValue, problem: str) -> None:
    """With its number; lenient reading leaves it out and says so."""
    sent = written(tmp_path / "sent.jsonl", [request("a")])
    results = written(tmp_path / "results.jsonl", [result("a"), line])
    notices: list[str] = []

    with pytest.raises(TapeError) as caught:
        joined([sent, results])
    with BatchResults(lenient=True, notice=notices.append) as lenient:
        lenient.taken_from([sent, results])

    assert str(caught.value).startswith(f"{results}:2:1: not the result of a batch: ")
    told = f"{results}: 1 bad line left out, first line 2: not the result of a batch: {problem}"
    assert notices == [told]


def test_each_provider_joins_by_its_own_id(tmp_path: Path) -> None:
    """Anthropic's `custom_id` and Gemini's `key` are two names, even where they are the same."""
    claude: JsonValue = {"messages": ["a"]}
    gemini: JsonValue = {"contents": ["a"]}
    sent = written(
        tmp_path / "sent.jsonl", [{"custom_id": "a", "params": claude}, {"key": "a", "request": gemini}]
    )
    messages = written(
        tmp_path / "messages.jsonl",
        [{"custom_id": "a", "result": {"type": "succeeded", "message": {"role": "assistant"}}}],
    )
    candidates = written(tmp_path / "candidates.jsonl", [{"key": "a", "response": {"candidates": []}}])

    exchanges, told = joined([candidates, sent, messages])

    assert exchanges == [
        Exchange(
            0,
            Request("POST", "/v1/messages", body=Body.json({"messages": ["a"]})),
            Response(body=Body.json({"role": "assistant"})),
            extra={"custom_id": "a"},
        ),
        Exchange(
            1,
            Request("POST", "/v1beta/models/:generateContent", body=Body.json({"contents": ["a"]})),
            Response(body=Body.json({"candidates": []})),
            extra={"key": "a"},
        ),
    ]
    assert told == []


def test_an_id_that_joins_more_than_two_is_trouble(tmp_path: Path) -> None:
    """Since nobody knows which of them belong together."""
    once = written(tmp_path / "once.jsonl", [request("a")])
    twice = written(tmp_path / "twice.jsonl", [request("a"), request("a")])
    results = written(tmp_path / "results.jsonl", [result("a")])
    again = written(tmp_path / "again.jsonl", [result("b"), result("a")])

    with pytest.raises(TapeError) as requests:
        joined([twice, results])
    with pytest.raises(TapeError) as answers:
        joined([once, results, again])

    told = '#1: two requests have custom_id "a", and one result: convert each batch by itself'
    assert str(requests.value) == told
    assert str(answers.value) == f'{again}:2: another result has custom_id "a": convert each batch by itself'


def test_requests_of_one_id_are_no_trouble_where_no_result_is_theirs(tmp_path: Path) -> None:
    """They are told as what they are."""
    sent = written(tmp_path / "sent.jsonl", map(request, "aab"))
    results = written(tmp_path / "results.jsonl", [result("b")])

    exchanges, told = joined([sent, results])

    assert exchanges == [asked(0, "a"), asked(1, "a"), answered(2, "b")]
    assert told == ['2 requests of a batch have no result here, first custom_id "a"']


def test_a_response_that_is_there_already_is_kept(tmp_path: Path) -> None:
    """The tape of a batch that was joined before is not joined again; its result is told."""
    results = written(tmp_path / "results.jsonl", [result("a")])
    tape = ExchangeList([answered(0, "a"), Exchange(1, Request("POST", "/"))])

    with BatchResults() as batch:
        batch.taken_from([results, tmp_path / "tape.jsonl"])
        exchanges = list(batch.joined(tape))
        told = list(batch.sentences())

    assert exchanges == list(tape)
    assert told == [f'1 result of a batch has no request here; left out, first custom_id "a" of {results}']


def test_only_files_of_results_are_taken(tmp_path: Path) -> None:
    """Whatever stands before their first line, and however they are packed; the others are left."""
    sent = written(tmp_path / "sent.jsonl", [request("a")])
    marked = tmp_path / "marked.jsonl"
    marked.write_bytes(b"\xef\xbb\xbf\n \n" + json.dumps(result("a")).encode())
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(json.dumps(result("b")).encode()))
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(gzip.compress(json.dumps(result("c")).encode())[:20])
    tape = written(tmp_path / "tape.jsonl", [{"request": {}, "response": {}, "custom_id": "a", "key": "a"}])
    text = tmp_path / "text"
    text.write_text('custom_id: "response"\n')
    empty = written(tmp_path / "empty.jsonl", [])
    others = [Path("-"), sent, damaged, tape, text, empty, tmp_path / "nowhere"]

    with BatchResults() as batch:
        left = batch.taken_from([marked, *others, packed])
        exchanges = list(batch.joined([asked(0, "a"), asked(1, "b")]))

    assert left == others
    assert exchanges == [answered(0, "a"), answered(1, "b")]


def test_results_alone_are_left_to_be_refused(tmp_path: Path) -> None:
    """As is everything where another format was chosen, and a file that is by itself."""
    results = [written(tmp_path / name, [result(name)]) for name in ("a", "b")]
    sent = written(tmp_path / "sent.jsonl", [request("a")])

    with BatchResults() as batch, BatchResults(input_format="jsonl") as others:
        assert batch.taken_from(results) == results
        assert batch.taken_from(results[:1]) == results[:1]
        assert others.taken_from([sent, *results]) == [sent, *results]
        assert list(batch.joined([asked(0, "a")])) == [asked(0, "a")]
        assert list(batch.sentences()) == []


def test_a_result_that_is_torn_is_told(tmp_path: Path) -> None:
    """Its request is left without a result."""
    sent = written(tmp_path / "sent.jsonl", map(request, "ab"))
    results = written(tmp_path / "results.jsonl", map(result, "ab"))
    results.write_bytes(results.read_bytes()[:-20])
    notices: list[str] = []

    with BatchResults(input_format="batch", notice=notices.append) as batch:
        batch.taken_from([sent, results])
        exchanges = list(batch.joined([asked(0, "a"), asked(1, "b")]))

    assert exchanges == [answered(0, "a"), asked(1, "b")]
    assert [notice.startswith(f"{results}: recording stopped in line 2") for notice in notices] == [True]


@given(st.permutations("abcdef"), st.sets(st.sampled_from("abcdef")), st.sets(st.sampled_from("uvw")))
def test_everything_is_joined_or_told(
    tmp_path_factory: pytest.TempPathFactory, order: list[str], lost: set[str], strange: set[str]
) -> None:
    """However results are mixed, every request and every result is accounted for once."""
    folder = tmp_path_factory.mktemp("batch")
    sent = written(folder / "sent.jsonl", map(request, "abcdef"))
    came = [identity for identity in [*order, *sorted(strange)] if identity not in lost]
    results = written(folder / "results.jsonl", map(result, came)) if came else sent

    exchanges, told = joined([sent, results] if came else [sent])

    assert exchanges == [
        asked(number, identity) if identity in lost else answered(number, identity)
        for number, identity in enumerate("abcdef")
    ]
    assert len(told) == bool(strange) + (bool(lost) and bool(came))


def written(path: Path, lines: Iterable[JsonValue]) -> Path:
    """A file with these values, one a line."""
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def joined(sources: Sequence[Path]) -> tuple[list[Exchange], list[str]]:
    """The exchanges of the one file that holds requests, joined, and what is told about it."""
    with BatchResults() as batch:
        (sent,) = batch.taken_from(sources)
        with open_tape(sent) as tape:
            return list(batch.joined(tape)), list(batch.sentences())
