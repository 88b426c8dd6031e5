"""Whatever the bytes are, a tape is read or trouble is named; nothing else ever comes out."""

import gzip
import io
import json
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.tape import Exchange
from amberfork_cli.errors import AmberforkError
from amberfork_cli.tapes import FORMATS, exchange_line, open_tape

EXCHANGE = (
    '{"idx":1,"request":{"method":"POST","path":"/v1?a=b","headers":[["a","b"]],'
    '"body":{"messages":[{"role":"user","content":"\u00e9 \\\\ud83d"}],"n":1.0}},'
    '"response":{"status":200,"headers":{"x":["1","2"]},"body":"data: x\\n\\n"},"z":[1]}'
).encode()
PACKED = (
    b'{"request":{"method":"POST","path":"/","headers":[["content-encoding","gzip"]],"body":"'
    b'H4sIAAAAAAAC/6tWSlSyMtRRSlKyMqwFADqE0EYMAAAA","body_encoding":"base64"}}'
)
BODY = b'{"model":"m","messages":[]}'
SEEDS = [
    EXCHANGE + b"\n" + PACKED + b"\n" + EXCHANGE,
    b'{"tape_version":"1","id":"a"}\r\n' + EXCHANGE,
    json.dumps(json.loads(EXCHANGE), indent=2).encode(),
    b'{"cassette_version":"0.1","id":"a","exchanges":[\n' + EXCHANGE + b",\n" + PACKED + b"\n]}",
    b"\xef\xbb\xbf" + BODY,
    BODY + b"\n" + BODY,
    b"interactions:\n- request:\n",
    (
        b"interactions:\n- request: {method: POST, uri: 'http://h/p?key=1', body: '{}'}\n"
        b"  response: &a\n    body: {string: !!binary 'H4sIAAAAAAAC/wMAAAAAAAAAAAA='}\n    headers:\n"
        b"      content-encoding: [gzip]\n    status: {code: 200}\n- {request: {method: GET, uri: /a, "
        b"parsed_body: {a: [1, 1.0, null, ~]}}, response: *a}\nversion: 1\n"
    ),
    (
        b'{"interactions":[{"request":{"method":"GET","uri":"http://h/p","body":{"base64_string":"/wA="}},'
        b'"response":{"status":{"code":200},"headers":{"content-encoding":"br"},"body":{"string":"{}"}}}]}'
    ),
    (
        b'{"log":{"entries":[{"startedDateTime":"2025","request":{"method":"GET","url":"https://h/p?key=1","headers":'
        b'[{"name":"accept","value":"a"}],"postData":{"params":[{"name":"a","value":"b"}]}},"response":{"status":200,'
        b'"content":{"text":"[\\"eyJ9\\"]","encoding":"base64"}},"_webSocketMessages":[{"type":"send","data":"{}"}]}]}}'
    ),
    (
        b"httprr trace v1\n36 68\nPOST /v1/x HTTP/1.1\r\nHost: a.b\r\n\r\n{}HTTP/1.1 200 OK\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n4\r\n[1, \r\n2\r\n2]\r\n0\r\n\r\n"
    ),
    (
        b'[{"scope":"http://h:1","path":"/p?token=a","method":"GET","body":"","status":200,"response":["1f8b","08"],'
        b'"rawHeaders":["content-encoding","gzip"]},{"scope":"http://h","path":"/","response":{"a":1}}]'
    ),
    (
        b'{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"a"}}\n'
        b'{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"m","content":[{}]}}\n'
        b'{"type":"user","uuid":"3","parentUuid":"1","sessionId":"s","message":{"role":"user","content":[{}]}}\n'
    ),
    (
        b'{"timestamp":"2025","type":"session_meta","payload":{"instructions":"a"}}\n'
        b'{"timestamp":"2025","type":"response_item","payload":{"type":"function_call","call_id":"c"}}\n'
        b'{"timestamp":"2025","type":"compacted","payload":{"replacement_history":[1]}}\n'
    ),
    (
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"s","startTimeUnixNano":"1","attributes":['
        b'{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.prompt.0.role","value":{}},'
        b'{"key":"gen_ai.completion.0.tool_calls.0.id","value":{"intValue":"1"}}]}]}]}]}'
    ),
    gzip.compress(EXCHANGE + b"\n" + EXCHANGE),
    zstandard.compress(BODY),
]
SIGNS = [
    b"\n",
    b"\r\n",
    bytes(5),
    *(bytes([sign]) for sign in b'{}[]",: '),
    b"NaN",
    b"1e400",
    b"\xff",
    b"\xe2\x80\xa8",
]
SIGNS += [
    b"\xef\xbb\xbf",
    b'"request":',
    b'"body":',
    b'"tape_version":"1",',
    b"null",
    b"9" * 30,
    b'"\\ud800"',
    b"[" * 300,
]
ways = st.fixed_dictionaries(
    {},
    optional={
        "lenient": st.booleans(),
        "one_pass": st.booleans(),
        "as_text": st.booleans(),
        "input_format": st.sampled_from([known.name for known in FORMATS]),
    },
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A source that was sound, cut, stretched and spotted in a few places."""
    source = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(source)))
        end = min(start + draw(st.integers(0, 20)), len(source))
        put = draw(st.sampled_from([b"", *SIGNS]) | st.binary(max_size=3))
        changed = [source[:start] + put + source[end:], source[:start], source + source[start:]]
        source = draw(st.sampled_from(changed))
    return source


@given(source=st.binary(max_size=200) | mutated(), options=ways)
@settings(max_examples=400, deadline=None)
def test_only_trouble_ever_comes_out(source: bytes, options: dict[str, object]) -> None:
    """And what was read can be read again, and is written so that it reads as the same."""
    outcome = _outcome(source, options)

    if isinstance(outcome, AmberforkError):
        assert str(outcome).startswith("stream:")
    else:
        exchanges, again = outcome
        written = [exchange_line(exchange) for exchange in exchanges]
        copied = _outcome(b"".join(written), {"input_format": "jsonl", "lenient": True})
        assert [exchange.number for exchange in exchanges] == list(range(len(exchanges)))
        assert [exchange_line(exchange) for exchange in again] == written
        assert not isinstance(copied, AmberforkError)
        assert [exchange_line(exchange) for exchange in copied[0]] == written


@pytest.mark.parametrize("depth", [1_000, 9_000])
def test_depth_is_no_trouble(depth: int) -> None:
    """A body may be as deep as JSON is read, on a tape, in a cassette and alone."""
    deep = b"[" * depth + b"]" * depth
    line = b'{"request":{"method":"POST","path":"/","body":' + deep + b"}}"

    for source in (deep, line + b"\n" + line, b'{"cassette_version":"0.1","exchanges":[' + line + b"]}"):
        with open_tape(io.BytesIO(source)) as tape:
            assert exchange_line(next(iter(tape))).count(b"[") == depth
            assert exchange_line(tape.reread(0)).count(b"[") == depth


def _outcome(
    source: bytes, options: dict[str, Any]
) -> tuple[list[Exchange], list[Exchange]] | AmberforkError:
    """The exchanges of a source, read twice where that is possible, or the trouble with it."""
    try:
        with open_tape(io.BytesIO(source), **options) as tape:
            exchanges = list(tape)
            return exchanges, exchanges if options.get("one_pass") else list(tape)
    except AmberforkError as error:
        return error
