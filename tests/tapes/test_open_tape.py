"""What reads as a tape, in which form, and what is said of anything else."""

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import zstandard

from amberfork_cli.core.jsontext import loads
from amberfork_cli.core.tape import (
    Body,
    Exchange,
    LeftOut,
    Request,
    Response,
    Tape,
    TapeForm,
    at_least_one,
)
from amberfork_cli.errors import JsonError, OptionError, TapeError
from amberfork_cli.tapes import FORMATS, open_tape

ONE = b'{"idx":7,"request":{"method":"POST","path":"/v1/messages?beta=1","body":{"n":1}}}'
TWO = b'{"request":{"method":"GET","path":"/v1/models"},"response":{"status":200,"body":null}}'
FIRST = Exchange(0, Request("POST", "/v1/messages?beta=1", body=Body.json({"n": 1})), idx=7)
SECOND = Exchange(1, Request("GET", "/v1/models"), Response(200, body=Body.json(None)))
HEADER = b'{"tape_version":"1","id":"run-1","agent":{"name":"refunds"}}'
BODY = b'{"model":"m","messages":[]}'
CASSETTE = b'{"cassette_version":"0.1","id":"run-1","exchanges":[' + ONE + b"," + TWO + b"]}"
HAR = b'{"log":{"version":"1.2","entries":[]}}'

COMPRESSIONS = [bytes, gzip.compress, zstandard.compress, bz2.compress, lzma.compress]


def body(number: int, value: object) -> Exchange:
    """An exchange as bare bodies give it."""
    return Exchange(number, Request("POST", "", body=Body.json(value)))  # type: ignore[arg-type]


# Forms


@pytest.mark.parametrize("compress", COMPRESSIONS, ids=["plain", "gzip", "zstd", "bz2", "xz"])
@pytest.mark.parametrize(
    ("source", "form", "exchanges"),
    [
        (ONE + b"\n" + TWO + b"\n", TapeForm.TAPE, [FIRST, SECOND]),
        (ONE + b"\n" + TWO, TapeForm.TAPE, [FIRST, SECOND]),
        (ONE, TapeForm.TAPE, [FIRST]),
        (json.dumps(json.loads(ONE), indent=2).encode(), TapeForm.TAPE, [FIRST]),
        (HEADER + b"\n" + ONE + b"\n", TapeForm.TAPE, [FIRST]),
        (HEADER, TapeForm.TAPE, []),
        (b"", TapeForm.TAPE, []),
        (b"\n \r\n\n", TapeForm.TAPE, []),
        (b"\xef\xbb\xbf", TapeForm.TAPE, []),
        (CASSETTE, TapeForm.CASSETTE, [FIRST, SECOND]),
        (json.dumps(json.loads(CASSETTE), indent=4).encode(), TapeForm.CASSETTE, [FIRST, SECOND]),
        (CASSETTE.replace(b"[", b"[\n").replace(b"]", b"\n]"), TapeForm.CASSETTE, [FIRST, SECOND]),
        (b'{"cassette_version":"0.1","exchanges":[]}', TapeForm.CASSETTE, []),
        (BODY + b"\n" + BODY, TapeForm.BODIES, [body(0, json.loads(BODY)), body(1, json.loads(BODY))]),
        (
            b'{"input":"a"}\n{"contents":[]}',
            TapeForm.BODIES,
            [body(0, {"input": "a"}), body(1, {"contents": []})],
        ),
        (
            b'{"input":"a"}\n{"prompt":"b"}',
            TapeForm.BODIES,
            [body(0, {"input": "a"}), body(1, {"prompt": "b"})],
        ),
        (BODY, TapeForm.BODY, [body(0, json.loads(BODY))]),
        (BODY + b"\n\n", TapeForm.BODY, [body(0, json.loads(BODY))]),
        (json.dumps(json.loads(BODY), indent=1).encode(), TapeForm.BODY, [body(0, json.loads(BODY))]),
        (b'{"any": "thing"}', TapeForm.BODY, [body(0, {"any": "thing"})]),
        (b'{ "messages": []\n, "model": "m"\n}', TapeForm.BODY, [body(0, {"messages": [], "model": "m"})]),
        (b'[\n{"input": "a"}\n]', TapeForm.BODY, [body(0, [{"input": "a"}])]),
        (b'{"a": [\n{"messages": []}\n]}', TapeForm.BODY, [body(0, {"a": [{"messages": []}]})]),
        (b"[1, 2]", TapeForm.BODY, [body(0, [1, 2])]),
        (b'"text"', TapeForm.BODY, [body(0, "text")]),
        (b"null", TapeForm.BODY, [body(0, None)]),
    ],
)
def test_the_form_is_found_by_the_content(
    source: bytes, form: TapeForm, exchanges: list[Exchange], compress: Callable[[bytes], bytes]
) -> None:
    """One document is a body, a cassette or a tape of one; two or more lines are a tape."""
    with tape(compress(source)) as found:
        assert (found.form, list(found)) == (form, exchanges)


@pytest.mark.parametrize(
    ("input_format", "source", "form", "exchanges"),
    [
        ("body", b'{"request":{"contents":[]}}', TapeForm.BODY, [body(0, {"request": {"contents": []}})]),
        ("body", HAR, TapeForm.BODY, [body(0, json.loads(HAR))]),
        (
            "bodies",
            b'{"prompt":"a"}\n{"prompt":"b"}',
            TapeForm.BODIES,
            [body(0, {"prompt": "a"}), body(1, {"prompt": "b"})],
        ),
        ("bodies", BODY, TapeForm.BODIES, [body(0, json.loads(BODY))]),
        ("jsonl", ONE, TapeForm.TAPE, [FIRST]),
        ("jsonl", HEADER + b"\n" + ONE, TapeForm.TAPE, [FIRST]),
        ("exchange", ONE, TapeForm.TAPE, [FIRST]),
        ("cassette", b'{"exchanges":[' + ONE + b"]}", TapeForm.CASSETTE, [FIRST]),
    ],
)
def test_the_form_can_be_forced(
    input_format: str, source: bytes, form: TapeForm, exchanges: list[Exchange]
) -> None:
    """What looks like one thing may be meant as another."""
    with tape(source, input_format=input_format) as found:
        assert (found.form, list(found)) == (form, exchanges)


@pytest.mark.parametrize("form", TapeForm)
def test_bodies_have_no_endpoints(form: TapeForm) -> None:
    """Whoever shows or matches exchanges must know that their method and path say nothing."""
    assert form.endpoints_unknown == (form in {TapeForm.BODIES, TapeForm.BODY, TapeForm.TEXT})


@pytest.mark.parametrize(
    ("source", "carried"),
    [
        (b"plain text", Body.text("plain text")),
        (b"data: {}\r\n\r\n", Body.text("data: {}\r\n\r\n")),
        (b"\xef\xbb\xbf{}", Body.text("\ufeff{}")),
        (b"", Body.text("")),
        (b"\xff\x00", Body.bytes(b"\xff\x00")),
    ],
)
def test_text_is_carried_verbatim(source: bytes, carried: Body) -> None:
    """No byte of it is looked at, but for whether it is UTF-8."""
    with tape(source, as_text=True) as found:
        assert (found.form, list(found)) == (TapeForm.TEXT, [Exchange(0, Request("POST", "", body=carried))])


@pytest.mark.parametrize(
    ("source", "header"),
    [
        (HEADER + b"\n" + ONE, {"tape_version": "1", "id": "run-1", "agent": {"name": "refunds"}}),
        (b"\n" + HEADER + b"\r\n" + ONE, {"tape_version": "1", "id": "run-1", "agent": {"name": "refunds"}}),
        (ONE, {}),
        (CASSETTE, {"id": "run-1"}),
        (BODY, {}),
    ],
)
def test_what_a_tape_says_about_itself_is_kept(source: bytes, header: dict[str, object]) -> None:
    """The first line of a tape, or what a cassette holds beside its exchanges."""
    with tape(source) as found:
        assert found.header == header


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            b'{"tape_version":"2"}\n' + ONE,
            '1:1: unsupported tape version: amberfork reads "1" (at /tape_version)',
        ),
        (
            b'{"tape_version":1}\n' + ONE,
            '1:1: unsupported tape version: amberfork reads "1" (at /tape_version)',
        ),
        (
            b'{"cassette_version":"1.0","exchanges":[]}',
            '1:1: unsupported cassette version: amberfork reads "0.1" (at /cassette_version)',
        ),
        (ONE + b"\n" + HEADER, "2:1: not an exchange: the header of a tape, which must be its first line"),
        (b'{"cassette_version":"0.1"}', '1:1: not a cassette: no list of "exchanges"'),
        (b'{"cassette_version":"0.1","exchanges":{}}', '1:1: not a cassette: no list of "exchanges"'),
        (
            b'{"cassette_version":"0.1","exchanges":[' + ONE + b',{"request":{"method":"GET"}}]}',
            '1:1: not an exchange: no "path" (at /exchanges/1/request)',
        ),
    ],
)
def test_what_a_tape_must_say_about_itself(source: bytes, problem: str) -> None:
    """A version of another kind is not guessed at."""
    assert trouble(source) == f"stream:{problem}"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (b"---\nmessages: []\n", "YAML"),
        (b"[" + ONE + b"]", "a JSON list of exchanges"),
        (b"event: message_start\ndata: {}\n\n", "an event stream"),
        (b"data: {}\n\n", "an event stream"),
        (b"<!DOCTYPE html>\n<html>", "a web page"),
        (b"PK\x03\x04\x14\x00", "a zip archive"),
        (b"SQLite format 3\x00", "a SQLite database"),
        ('{"messages": []}'.encode("utf-16"), "UTF-16 text"),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_what_amberfork_cannot_read_is_named(source: bytes, name: str, lenient: bool) -> None:
    """A user learns that the file is fine and amberfork is not ready for it."""
    assert trouble(source, lenient=lenient) == f"stream: this looks like {name}: amberfork cannot read it yet"


_LOG = ", but its session log, in ~/.claude/projects"
_OTLP = ", but the same as OTLP"
_UNREAD = [
    ({"type": "system", "subtype": "init", "session_id": "s", "cwd": "/"}, "the output of Claude Code", _LOG),
    ({"version": 2, "status": "success", "eval": {}, "plan": {}}, "a log of Inspect AI", ""),
    ({"run_type": "llm", "inputs": {"messages": []}, "outputs": {}}, "an export of LangSmith", ""),
    ({"traceId": "t", "type": "GENERATION", "input": [], "output": {}}, "an export of Langfuse", ""),
    ({"root_span_id": "r", "span_attributes": {}, "input": []}, "an export of Braintrust", ""),
    ({"request_body": {}, "response_body": {}}, "an export of Helicone", ""),
    ({"object": "trace.span", "trace_id": "t", "span_data": {}}, "a trace of the OpenAI Agents SDK", _OTLP),
    ({"data": [{"traceID": "t", "spans": []}]}, "a trace of Jaeger", _OTLP),
    ({"name": "chat", "context": {}, "attributes": {}}, "a span as a console shows it", _OTLP),
    ({"info": {"name": "x"}, "item": []}, "a collection of Postman", ""),
]


@pytest.mark.parametrize(("value", "name", "instead"), _UNREAD, ids=[name for _, name, _ in _UNREAD])
@pytest.mark.parametrize("form", ["alone", "indented", "lines"])
def test_a_recording_of_a_known_tool_is_named_with_what_is_read_of_it(
    value: dict[str, Any], name: str, instead: str, form: str
) -> None:
    """Even where it has members that the body of a request has."""
    text = json.dumps(value, indent=1 if form == "indented" else None)
    source = f"{text}\n{text}\n" if form == "lines" else text

    said = f"stream: this looks like {name}: amberfork cannot read it yet{instead}"
    assert trouble(source.encode()) == said


def test_an_unknown_format_is_an_error_that_names_the_known_ones() -> None:
    """As for any option."""
    with pytest.raises(OptionError) as caught:
        tape(ONE, input_format="pcap")

    names = """jsonl bodies exchange cassette body batch vcr har httprr nock mitmproxy batch-list claude codex
    otlp litellm""".split()
    assert str(caught.value) == f'there is no input format "pcap": choose one of {", ".join(names)}'
    assert [known.name for known in FORMATS] == names


def test_a_tape_without_exchanges_is_trouble_where_one_is_needed() -> None:
    """It would compare equal to any other such tape."""
    with tape(HEADER) as found, pytest.raises(TapeError) as caught:
        next(at_least_one(found))

    assert str(caught.value) == "stream: there is no exchange on this tape"


def test_a_tape_with_exchanges_gives_them_all_where_one_is_needed() -> None:
    """The check costs nothing."""
    with tape(ONE + b"\n" + TWO) as found:
        assert list(at_least_one(found)) == [FIRST, SECOND]


# Line ends, marks and blank lines


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["no mark", "mark"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n", b" \r\n\t\n"])
@pytest.mark.parametrize("last", [b"", b"\n"])
def test_marks_ends_and_blank_lines_change_nothing(mark: bytes, end: bytes, last: bytes) -> None:
    """Editors and shells add them, and nobody sees them."""
    with tape(mark + HEADER + end + ONE + end + TWO + last) as found:
        assert (found.form, found.header["id"], list(found)) == (TapeForm.TAPE, "run-1", [FIRST, SECOND])


@pytest.mark.parametrize("inside", ["\u2028", "\u2029", "\x85", "\x1c", "\x0b", "\x0c", "\r"])
def test_lines_end_at_line_feeds_only(inside: str) -> None:
    """What other readers take for the end of a line is text."""
    text = json.dumps(inside, ensure_ascii=ord(inside) < 0x20)
    line = b'{"messages":[' + text.encode() + b"]}\n"

    with tape(line + line) as found:
        assert list(found) == [body(0, {"messages": [inside]}), body(1, {"messages": [inside]})]


# Bad lines

NO_JSON = [
    b"{oops",
    ONE[:30],
    bytes(16),
    bytes(16) + ONE,
    ONE + bytes(4),
    ONE + TWO,
    ONE + b" trailing",
    ONE.replace(b"POST", b"\xff"),
    ONE.replace(b"1}", b"NaN}"),
    ONE.replace(b"1}", b"1e400}"),
    ONE.replace(b"1}", b"-Infinity}"),
    ONE.replace(b'"n":1', b'"n":1,"n":1'),
    ONE.replace(b"1}", b"1" * 10_001 + b"}"),
]
NO_EXCHANGE = [
    (b'{"foo":1}', 'no "request"'),
    (b'{"request":null}', 'no "request"'),
    (b"[]", "a list"),
    (b"17", "a number"),
    (b'"text"', "text"),
    (b"null", "null"),
    (b"true", "true or false"),
]
BAD = [*NO_JSON, *(line for line, _ in NO_EXCHANGE)]
LEFT_OUT_IN_LENIENT = [
    line for line in BAD if b"NaN" not in line and b"Inf" not in line and b'"n":1,' not in line
]


@pytest.mark.parametrize("bad", NO_JSON)
@pytest.mark.parametrize("before", [1, 3])
def test_a_line_that_is_no_json_is_named(bad: bytes, before: int) -> None:
    """With line and column, in the words of the JSON reader; what stands before it has been given."""
    with pytest.raises(JsonError) as expected:
        loads(bad)

    given, error = until_trouble((ONE + b"\n") * before + bad + b"\n" + TWO + b"\n")

    assert (len(given), error.source, error.line) == (before, "stream", before + 1)
    assert (error.column, error.problem, error.path) == (
        expected.value.column,
        expected.value.problem,
        expected.value.path,
    )


@pytest.mark.parametrize(("bad", "problem"), NO_EXCHANGE)
def test_a_line_that_is_no_exchange_is_named(bad: bytes, problem: str) -> None:
    """JSON it is, but nothing that was sent."""
    given, error = until_trouble(ONE + b"\n" + bad + b"\n" + TWO + b"\n")

    assert (len(given), str(error)) == (1, f"stream:2:1: not an exchange: {problem}")


@pytest.mark.parametrize(
    "source", [b"{oops", ONE[:-1], b"plain text\nof two lines", bytes(100), b"[1,\n2\n", b"\xff\xfe{"]
)
@pytest.mark.parametrize("input_format", [None, "jsonl", "body", "cassette", "bodies"])
def test_what_is_no_json_at_all_is_trouble(source: bytes, input_format: str | None) -> None:
    """Whatever it is taken for, the place is named."""
    _, error = until_trouble(source, input_format=input_format)

    assert (error.source, error.column is None) == ("stream", error.line is None)


@pytest.mark.parametrize(
    "first", [b"{oops", bytes(8) + ONE, ONE + TWO, ONE[:-1], b'{"request": {"method": "POST",']
)
@pytest.mark.parametrize("second", [ONE, BODY])
def test_a_bad_first_line_does_not_hide_what_the_source_is(first: bytes, second: bytes) -> None:
    """The lines after it tell, so that the trouble is at line 1, and lenient reading finds the rest."""
    source = first + b"\n" + (second + b"\n") * 2

    _, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        exchanges = list(found)

    assert error.line == 1
    assert [line for line, _ in found.left_out.bad_lines] == [1]
    assert [exchange.number for exchange in exchanges] == [0, 1]
    assert found.form is (TapeForm.TAPE if second is ONE else TapeForm.BODIES)


def test_a_line_break_inside_a_string_makes_two_bad_lines() -> None:
    """Nobody joins them again by guessing."""
    source = ONE + b"\n" + ONE.replace(b"POST", b"PO\nST") + b"\n" + TWO

    with tape(source, lenient=True) as found:
        assert list(found) == [FIRST, SECOND]
    assert [line for line, _ in found.left_out.bad_lines] == [2, 3]


@pytest.mark.parametrize("bad", LEFT_OUT_IN_LENIENT)
def test_lenient_reading_leaves_bad_lines_out_and_says_so(bad: bytes) -> None:
    """Exchanges are numbered without them; the report can tell which they were, and stderr how many."""
    notices: list[str] = []
    source = ONE + b"\n" + bad + b"\n\n" + bad + b"\n" + TWO + b"\n"

    with tape(source, lenient=True, notice=notices.append) as found:
        exchanges = list(found)

    (first, problem), second = found.left_out.bad_lines
    assert exchanges == [FIRST, SECOND]
    assert (first, second) == (2, (4, problem))
    assert notices == [f"stream: 2 bad lines left out, first line 2: {problem}"]


def test_lenient_reading_of_a_document_leaves_bad_exchanges_out() -> None:
    """A cassette has no lines, so the path names them."""
    bad = CASSETTE.replace(b"[" + ONE, b'[{"request":{}},' + ONE)

    with tape(bad, lenient=True) as found:
        assert list(found) == [FIRST, SECOND]
    assert found.left_out.bad_lines == [(1, 'not an exchange: no "method" (at /exchanges/0/request)')]


@pytest.mark.parametrize("join", [b"\n%s\n", b"[%s]", b"%s"], ids=["tape", "cassette", "body"])
def test_lenient_reading_keeps_and_counts_what_json_does_not_have(join: bytes) -> None:
    """NaN, and the last of several members of one name; counted once, however often they are read."""
    notices: list[str] = []
    odd = ONE.replace(b'"n":1', b'"n":1,"n":NaN,"m":[Infinity]')
    source = {
        b"\n%s\n": TWO + b"\n" + odd + b"\n" + TWO,
        b"[%s]": CASSETTE.replace(ONE, odd),
        b"%s": b'{"n":1,"n":NaN,"m":[Infinity]}',
    }[join]

    with tape(source, lenient=True, notice=notices.append) as found:
        once, again = list(found), list(found)

    assert len(once) == len(again)
    assert found.left_out == LeftOut(non_finite=2, duplicate_keys=1)
    assert notices == [
        "stream: kept 2 numbers that JSON does not have (NaN, Infinity)",
        "stream: 1 member overridden by a later one of the same name",
    ]


def test_a_sound_tape_leaves_nothing_out_and_says_nothing() -> None:
    """Lenient or not."""
    for lenient in (False, True):
        notices: list[str] = []
        with tape(ONE + b"\n" + TWO + b"\n", lenient=lenient, notice=notices.append) as found:
            list(found)

        assert (found.left_out, found.left_out.anything, notices) == (LeftOut(), False, [])


# Torn ends


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("length", range(1, len(TWO)))
def test_a_torn_last_line_is_where_recording_stopped(length: int, lenient: bool) -> None:
    """A killed recorder leaves it wherever it was: no trouble, but told."""
    notices: list[str] = []
    source = ONE + b"\n" + TWO[:length]

    with tape(source, lenient=lenient, notice=notices.append) as found:
        assert list(found) == [FIRST]

    assert found.left_out.torn_end is not None
    line, problem = found.left_out.torn_end
    assert (line, found.left_out.bad_lines, found.left_out.anything) == (2, [], True)
    assert notices == [f"stream: recording stopped in line 2, which is torn and left out: {problem}"]


@pytest.mark.parametrize("torn", [bytes(512), ONE[:20] + bytes(512)])
def test_a_block_of_null_bytes_at_the_end_is_a_torn_line(torn: bytes) -> None:
    """A crash of the machine leaves it where data had not reached the disk."""
    with tape(ONE + b"\n" + torn) as found:
        assert list(found) == [FIRST]
    assert found.left_out.torn_end is not None


@pytest.mark.parametrize("length", range(1, len(ONE)))
def test_a_file_that_is_one_torn_line_is_trouble(length: int) -> None:
    """It is no tape whose recording stopped, but a broken body."""
    given, error = until_trouble(ONE[:length])

    assert (given, error.line) == ([], 1)


def test_a_tape_that_is_torn_after_its_header_is_an_empty_tape() -> None:
    """The recorder was killed at its first exchange."""
    with tape(HEADER + b"\n" + ONE[:-1]) as found:
        assert list(found) == []
    assert found.left_out.torn_end is not None


@pytest.mark.parametrize("bad", [ONE[:-1] + b"\n", b'{"foo":1}'])
def test_what_is_ended_or_whole_is_not_torn(bad: bytes) -> None:
    """A line feed, or a whole value, shows that the writer was done."""
    _, error = until_trouble(ONE + b"\n" + bad)

    assert error.line == 2


@pytest.mark.parametrize("compress", COMPRESSIONS[1:], ids=["gzip", "zstd", "bz2", "xz"])
def test_compressed_data_that_ends_in_the_middle_is_trouble(compress: Callable[[bytes], bytes]) -> None:
    """With the line that it reaches; lenient reading takes what there is."""
    whole = compress((ONE + b"\n") * 3) + compress((TWO + b"\n") * 3)

    given, error = until_trouble(whole[:-7])
    with tape(whole[:-7], lenient=True) as found:
        exchanges = list(found)

    assert "ends in the middle" in error.problem
    assert error.line == len(given) + 1
    assert exchanges[:3] == [replace(FIRST, number=number) for number in range(3)]
    assert found.left_out.torn_end == (error.line, error.problem)


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)


def until_trouble(source: bytes, **options: Any) -> tuple[list[Exchange], TapeError]:
    """What a source gives before it is trouble, and what that is."""
    given: list[Exchange] = []
    with pytest.raises(TapeError) as caught, tape(source, **options) as found:
        given.extend(found)
    return given, caught.value


def trouble(source: bytes, **options: Any) -> str:
    """What is said of a source that is trouble."""
    return str(until_trouble(source, **options)[1])
