"""`amberfork show`: what is on a tape."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from run_bodies import body, call, exchange, lines, result

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.core.tape import Body, Exchange, Request, Response
from amberfork_cli.core.transcript import transcript
from amberfork_cli.render.lines import plain_text
from amberfork_cli.render.transcript_text import lay_out

ANSWER = {"choices": [{"message": {"role": "assistant", "content": "It rains."}}]}
CALLS = {
    "choices": [{"message": call(city="Seoul")}],
    "usage": {"prompt_tokens": 1234, "completion_tokens": 9},
}
RUN = [
    exchange(body(), {"status": 200, "body": CALLS}),
    exchange(body(call(city="Seoul"), result()), {"status": 200, "body": ANSWER}),
]
EVIL = "\x1b[2J\x1b]0;x\x07[/bold]\u202e\x9b31m\u2028\r\U000e0041 " + "w" * 200
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
DRIVES = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]")


@pytest.fixture
def tape(write):
    """A run of two exchanges."""
    return write("run.jsonl", lines(RUN))


def test_a_tape_is_a_table(amberfork, tape):
    """A line an exchange, under where it went and which model was asked."""
    assert (
        amberfork("show", tape).out
        == """\
run.jsonl  2 exchanges, 1 conversation

 #  after  messages  status       bytes       tokens  turn
POST /v1/chat/completions  m
#0             1        200   63 →  225  1.2k →    9  calls get_weather
#1     #0      3 +2     200  274 →   68               1 result, "It rains."
"""
    )


def test_an_exchange_is_a_conversation(amberfork, tape):
    """Who said what, which tool was called with what, which result answers which call."""
    ended = amberfork("show", tape, "1")

    assert (ended.code, ended.err) == (ExitCode.SAME, "")
    assert (
        ended.out
        == """\
#1  POST /v1/chat/completions  m
continues #0

user
  Weather?

–– new since #0
assistant
  call 1  get_weather  call_9Ys2kQ81
    {"city": "Seoul"}

tool
  result of call 1  get_weather  call_9Ys2kQ81
    rain

–– response 200
assistant
  It rains.
"""
    )


def test_the_table_as_json_has_every_figure(amberfork, tape):
    """One document."""
    shown = json.loads(amberfork("show", tape, "--format", "json").out)

    assert shown["exchanges"][1] == {
        "exchange": 1,
        "method": "POST",
        "upstream": None,
        "path": "/v1/chat/completions",
        "to_model": True,
        "model": "m",
        "conversation": 0,
        "continues": 0,
        "messages": 3,
        "added": 2,
        "results": 1,
        "failed_results": 0,
        "calls": [],
        "words": "It rains.",
        "error": False,
        "status": 200,
        "delivery": "whole",
        "request_bytes": 274,
        "response_bytes": 68,
        "tokens": None,
    }


def test_conversations_as_json_are_a_line_each(amberfork, tape):
    """With the links between results and calls."""
    shown = [json.loads(line) for line in amberfork("show", tape, 0, 1, "-f", "json").out.splitlines()]

    assert [each["exchange"] for each in shown] == [0, 1]
    assert shown[1]["messages"][2]["results"] == [
        {
            "id": "call_9Ys2kQ81",
            "answers": 1,
            "answers_in": None,
            "name": "get_weather",
            "failed": False,
            "content": "rain",
        }
    ]


@pytest.mark.parametrize(("numbers", "kept"), [((), [0, 1]), ((1,), [1]), ((1, 0), [1, 0])])
def test_raw_exchanges_are_lines_of_a_tape(amberfork, tape, numbers, kept):
    """What comes out can be read as a tape again."""
    ended = amberfork("show", tape, *numbers, "--raw")

    assert [json.loads(line) for line in ended.out.splitlines()] == [RUN[number] for number in kept]


def test_long_texts_and_values_are_folded(amberfork, write):
    """What is left out is counted, and `--full` shows it."""
    value = {f"key{number}": "v" * 40 for number in range(20)}
    text = "\n".join(f"line {number}" for number in range(30))
    tape = write("run.jsonl", lines([exchange(body(call(**value), result(content=text)))]))

    folded, full = amberfork("show", tape, 0).out, amberfork("show", tape, 0, "--full").out

    assert "… 8 more members" in folded
    assert "… 19 more lines" in folded
    assert "more" not in full
    assert "line 29" in full
    assert '"key19"' in full


def test_a_tape_of_thousands_has_a_line_each(amberfork, write):
    """Numbers stay aligned."""
    tape = write("run.jsonl", lines([exchange(body(n=number)) for number in range(1200)]))

    shown = amberfork("show", tape).out.splitlines()

    assert len(shown) == 1200 + 4
    assert shown[4] == "   #0         1  69 →    0  no response"
    assert shown[-1] == "#1199         1  72 →    0  no response"


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("arguments", [(), (0,), (0, "--full")])
def test_nothing_on_a_tape_drives_a_terminal_or_breaks_the_lines(on_terminal, write, columns, arguments):
    """Controls, markup, hidden letters and endless words are text, within the width."""
    messages = [call(EVIL, **{EVIL: EVIL}), result(EVIL, EVIL * 50), {"role": EVIL, "content": EVIL}]
    said = {"status": 200, "body": {"choices": [{"message": {"role": "assistant", "content": EVIL}}]}}
    hostile = exchange({**body(*messages), "model": EVIL}, said)
    hostile["request"]["path"] = EVIL
    tape = write("run.jsonl", lines([hostile]))

    ended = on_terminal("show", tape, *arguments, columns=columns, PAGER="cat")
    shown = ESCAPES.sub("", ended.out)

    assert ended.code == ExitCode.SAME
    assert DRIVES.search(shown) is None
    assert max(map(cell_len, shown.splitlines())) <= columns


@pytest.mark.parametrize("columns", [60, 80])
def test_a_narrow_terminal_keeps_the_turn_readable(on_terminal, write, columns):
    """What the model did is told before bytes and tokens are."""
    tape = write("run.jsonl", lines(RUN))

    ended = on_terminal("show", tape, columns=columns, PAGER="cat")

    assert "calls get_weather" in ended.out
    assert "bytes" not in ended.out
    assert ("tokens" in ended.out) is (columns == 80)


def test_no_colour_where_none_is_wanted(on_terminal, write):
    """By option or by environment; a pipe has none anyway."""
    tape = write("run.jsonl", lines(RUN))

    shown = [on_terminal("show", tape, "--no-color").out, on_terminal("show", tape, NO_COLOR="1").out]

    assert all("\x1b[38" not in each for each in shown)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run.jsonl", "7"), "run.jsonl: there is no exchange #7 on this tape: it has #0 to #1"),
        (("gone.jsonl",), "gone.jsonl: no such file"),
        (("empty.jsonl",), "empty.jsonl: "),
        (("torn.jsonl",), "torn.jsonl:1:"),
        (("run.jsonl", "--raw", "-f", "json"), "--raw and --format exclude each other"),
        (("run.jsonl", "x"), "invalid value for '[N]...'"),
    ],
)
@pytest.mark.usefixtures("tape")
def test_trouble_is_one_line(amberfork, write, arguments, said):
    """And exit 2."""
    write("empty.jsonl", "")
    write("torn.jsonl", "{oops\n")

    ended = amberfork("show", *arguments)

    assert (ended.code, ended.out) == (ExitCode.TROUBLE, "")
    assert ended.err.startswith(f"amberfork: {said}")
    assert ended.err.count("\n") == 1


def test_a_compressed_tape_from_a_pipe_can_be_looked_at_twice(amberfork, tape):
    """One exchange of it is read again."""
    import gzip

    ended = amberfork("show", "-", "1", stdin=gzip.compress(tape.read_bytes()))

    assert ended.out.startswith("#1  POST")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "role content messages input type text tool_calls id function name arguments parts".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
BODIES = st.one_of(st.builds(Body.json, JSON), st.builds(Body.text, st.text()))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BODIES, BODIES, st.sampled_from([60, 100, None]), st.booleans())
def test_any_two_bodies_can_be_shown(request_body, response_body, width, full):
    """Whatever shape they have: nothing is raised, no line is too wide, nothing unseen is written."""
    both = Exchange(0, Request("POST", "/v1/x", body=request_body), Response(200, body=response_body))

    shown = [plain_text(line) for line in lay_out(transcript(both), width=width, full=full)]

    assert all(DRIVES.search(line) is None for line in shown)
    assert width is None or all(cell_len(line) <= width for line in shown)
