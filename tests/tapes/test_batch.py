"""Input files of batch APIs are read as a stream of requests."""

import io
import json
from typing import Any

import pytest

from amberfork_cli.core.tape import Body, Exchange, Request, Tape, TapeForm
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape, save_tape

BODY = {"model": "m", "messages": [{"role": "user", "content": "a"}], "n": 1.0}
ALONE = (
    "the result of a batch, not a request: join it with the file that was sent, "
    "as in amberfork convert SENT.jsonl RESULTS.jsonl -o tape.jsonl"
)


def line(number: int, **changed: object) -> bytes:
    """One request."""
    request = {"custom_id": f"r-{number}", "method": "POST", "url": "/v1/chat/completions", "body": BODY}
    return json.dumps({**request, **changed}).encode() + b"\n"


@pytest.mark.parametrize("input_format", [None, "batch"])
@pytest.mark.parametrize("count", [1, 3])
def test_each_line_is_a_request(input_format: str | None, count: int) -> None:
    """With its ID, and with nothing said in return; it can be looked at again and is written as a tape."""
    source = b"".join(line(number) for number in range(count))
    saved = io.BytesIO()

    with tape(source, input_format=input_format) as found:
        exchanges = list(found)
        again = [found.reread(number) for number in range(count)]
        save_tape(found, saved)
    with tape(saved.getvalue()) as native:
        copied = list(native)

    assert found.form is TapeForm.TAPE
    assert exchanges == [
        Exchange(
            number,
            Request("POST", "/v1/chat/completions", body=Body.json(BODY)),
            extra={"custom_id": f"r-{number}"},
        )
        for number in range(count)
    ]
    assert again == exchanges == copied
    assert [exchange.place and exchange.place.line for exchange in exchanges] == list(range(1, count + 1))


def test_other_members_are_kept_and_a_url_may_be_whole() -> None:
    """As other providers that take such files write them."""
    source = line(0, url="https://api.groq.com/openai/v1/chat/completions?key=SECRET", method="post", tag=[1])

    with tape(source) as found:
        (exchange,) = found

    assert exchange.request.method == "POST"
    assert exchange.request.path == "/openai/v1/chat/completions?key=REDACTED"
    assert exchange.request.extra == {"upstream": "https://api.groq.com"}
    assert exchange.extra == {"custom_id": "r-0", "tag": [1]}


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (b'{"custom_id": "a"}\n', 'not a batch request: no "url" or no "body"'),
        (b'{"custom_id": "a", "body": {}}\n', 'not a batch request: no "url" or no "body"'),
        (line(1, url=7), 'not a batch request: no "url" or no "body"'),
        (line(1, method=7), 'not a batch request: no "url" or no "body"'),
        (b"[]\n", 'not a batch request: no "custom_id"'),
        (
            b'{"id": "b", "custom_id": "a", "response": {"status_code": 200, "body": {}}, "error": null}\n',
            ALONE,
        ),
    ],
)
def test_a_line_that_is_no_request_is_named(bad: bytes, problem: str) -> None:
    """With its number; lenient reading leaves it out and says so."""
    source = line(0) + bad + line(2)

    given, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        kept = list(found)

    assert (len(given), str(error)) == (1, f"stream:2:1: {problem}")
    assert len(kept) == 2
    assert found.left_out.bad_lines == [(2, problem)]


def test_a_file_of_results_is_refused_with_a_word_about_it() -> None:
    """It holds answers, and nobody knows to what."""
    _, error = until_trouble(b'{"id": "b", "custom_id": "a", "response": {"status_code": 200}}\n' * 2)

    assert str(error) == f"stream:1:1: {ALONE}"


def test_a_torn_last_line_is_where_writing_stopped() -> None:
    """As on a tape."""
    with tape(line(0) + line(1)[:30]) as found:
        assert len(list(found)) == 1
    assert found.left_out.torn_end is not None


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)


def until_trouble(source: bytes, **options: Any) -> tuple[list[Exchange], TapeError]:
    """What a source gives before it is trouble, and what that is."""
    given: list[Exchange] = []
    with pytest.raises(TapeError) as caught, tape(source, **options) as found:
        given.extend(found)
    return given, caught.value
