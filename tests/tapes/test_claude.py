"""Session logs of Claude Code are read as the requests that they must have been."""

import io
import json
import tracemalloc
from itertools import pairwise
from typing import Any

import pytest

from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.ids.fingerprint import fingerprints
from amberfork_cli.core.tape import Body, Exchange, Request, Response, Tape
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape, save_tape

Json = Any


class Log:
    """A log as Claude Code writes it: each line is the child of the one before, unless told otherwise."""

    def __init__(self) -> None:
        self.lines: list[Json] = []
        self._last: str | None = None

    def line(self, kind: str, **members: Json) -> str:
        """One line; gives back its ID."""
        uuid = members.pop("uuid", f"u{len(self.lines)}")
        parent = members.pop("parent", self._last)
        self.lines.append(
            {
                "parentUuid": parent,
                "isSidechain": False,
                "sessionId": "s",
                "type": kind,
                "uuid": uuid,
                "timestamp": f"2025-11-19T06:00:{len(self.lines):02}.000Z",
                **members,
            }
        )
        self._last = uuid
        return uuid

    def user(self, content: Json, **members: Json) -> str:
        """What a user, or a tool, said."""
        return self.line("user", message={"role": "user", "content": content}, **members)

    def result(self, call: str, content: str = "ok", **members: Json) -> str:
        """What a tool gave back."""
        return self.user(
            [{"type": "tool_result", "tool_use_id": call, "content": content}], toolUseResult={}, **members
        )

    def assistant(self, name: str, *blocks: Json, **members: Json) -> str:
        """A piece of an answer."""
        message = {
            "id": name,
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [*blocks],
        }
        message["usage"] = {"output_tokens": len(self.lines)}
        return self.line("assistant", message=message, requestId="r", **members)

    @property
    def source(self) -> bytes:
        """The log as a file."""
        return b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)


def text(said: str) -> Json:
    """A block of text."""
    return {"type": "text", "text": said}


def call(name: str) -> Json:
    """A call of a tool."""
    return {"type": "tool_use", "id": name, "name": "Read", "input": {"path": name}}


def result(name: str) -> Json:
    """The message with the result of that call."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": "ok"}]}


@pytest.mark.parametrize("input_format", [None, "claude"])
def test_a_log_is_the_requests_that_it_must_have_been(input_format: str | None) -> None:
    """Each with all that was said before it, marked, and with the answer as it came."""
    log = Log()
    log.user("hello")
    log.assistant("m1", text("hi"), call("c1"))
    log.result("c1")
    log.assistant("m2", text("done"))

    with tape(log.source, input_format=input_format) as found:
        exchanges = list(found)

    hello: Json = {"role": "user", "content": "hello"}
    answer: Json = {"role": "assistant", "content": [text("hi"), call("c1")]}
    head: Json = {"type": "message", "role": "assistant", "model": "claude"}
    assert exchanges == [
        Exchange(
            0,
            Request("POST", "/v1/messages", body=Body.json({"model": "claude", "messages": [hello]})),
            Response(
                body=Body.json({"id": "m1", **head, **answer, "usage": {"output_tokens": 1}}),
            ),
            extra={"synthetic": True, "recorded_at": "2025-11-19T06:00:01.000Z"},
        ),
        Exchange(
            1,
            Request(
                "POST",
                "/v1/messages",
                body=Body.json({"model": "claude", "messages": [hello, answer, result("c1")]}),
            ),
            Response(
                body=Body.json(
                    {"id": "m2", **head, "content": [text("done")], "usage": {"output_tokens": 3}}
                ),
            ),
            extra={"synthetic": True, "recorded_at": "2025-11-19T06:00:03.000Z"},
        ),
    ]
    assert found.reread(1) == exchanges[1]


def test_the_pieces_of_an_answer_are_one_answer() -> None:
    """Each block is a line; results that came while it still streamed stand behind it."""
    log = Log()
    log.user("go")
    log.assistant("m1", {"type": "thinking", "thinking": "hm", "signature": "s"})
    first = log.assistant("m1", call("c1"))
    log.result("c1", parent=first)
    second = log.assistant("m1", call("c2"), parent=first)
    log.result("c2", parent=second)
    log.assistant("m2", text("done"))

    (_, one), (two, _) = _said(log)

    assert [block["type"] for block in one["content"]] == ["thinking", "tool_use", "tool_use"]
    assert one["usage"] == {"output_tokens": 4}
    assert two == [{"role": "user", "content": "go"}, _assistant(one), result("c1"), result("c2")]


def test_results_of_calls_made_at_once_are_all_kept() -> None:
    """Though each has its own call for a parent, and the next answer only one of them."""
    log = Log()
    log.user("go")
    calls = [log.assistant("m1", call(f"c{number}")) for number in range(3)]
    parents = [log.result(f"c{number}", parent=calls[number]) for number in (1, 0, 2)]
    log.assistant("m2", text("done"), parent=parents[0])
    log.user("more", parent="u7")
    log.assistant("m3", text("yes"))

    _, (second, _), (third, _) = _said(log)

    assert second[-3:] == [result("c1"), result("c0"), result("c2")]
    assert [message["role"] for message in third] == [
        *("user", "assistant", "user", "user", "user", "assistant", "user")
    ]
    turns = tool_turns(_exchanges(log))
    assert [[one.call.id for one in turn.calls] for turn in turns] == [["c0", "c1", "c2"]]
    assert all(one.result is not None for one in turns[0].calls)


def test_a_prompt_that_goes_back_forgets_what_was_said_after() -> None:
    """The other way stays on the tape as it was asked."""
    log = Log()
    first = log.user("one")
    log.assistant("m1", text("1"))
    back = log.assistant("m1", text("!"))
    log.user("two")
    log.assistant("m2", text("2"))
    log.user("other", parent=back)
    log.assistant("m3", text("3"))
    log.user("from the start", parent=first)
    log.assistant("m4", text("4"))

    asked = [[_text(message) for message in messages] for messages, _ in _said(log)]

    assert asked == [
        ["one"],
        ["one", "1!", "two"],
        ["one", "1!", "other"],
        ["one", "from the start"],
    ]


def test_after_a_compaction_the_history_is_its_summary() -> None:
    """And before it, results that nobody answered are a request without a response."""
    log = Log()
    log.user("one")
    log.assistant("m1", call("c1"))
    last = log.result("c1")
    log.line("system", subtype="compact_boundary", parent=None, logicalParentUuid=last)
    log.user("This session is continued", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    log.user("go on")
    log.assistant("m2", text("2"))

    exchanges = _exchanges(log)

    assert [exchange.response is None for exchange in exchanges] == [False, True, False]
    assert [len(messages) for messages in _messages(exchanges)] == [1, 3, 2]
    assert [_text(message) for message in _messages(exchanges)[2]] == ["This session is continued", "go on"]


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("listed", [True, False])
def test_what_a_compaction_keeps_stands_behind_its_summary(listed: bool, again: bool) -> None:
    """As it was, whole answers included, whether it is written down once more or not."""
    log = Log()
    log.user("one")
    log.assistant("m1", text("1"))
    log.user("two")
    first = log.assistant("m2", text("2"))
    between = log.line("attachment", attachment={})
    last = log.assistant("m2", call("c1"))
    if listed:
        kept = {"preservedMessages": {"anchorUuid": "summary", "uuids": [first, between, last, "gone"]}}
    else:
        kept = {"preservedSegment": {"anchorUuid": "summary", "headUuid": first, "tailUuid": last}}
    log.line("system", subtype="compact_boundary", parent=None, compactMetadata=kept)
    log.user("So far", uuid="summary", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    if again:
        log.lines.append({**log.lines[5], "parentUuid": "summary"})
    log.result("c1", parent=last)
    log.assistant("m3", text("3"))

    messages = _messages(_exchanges(log))[-1]

    assert [(message["role"], _text(message)) for message in messages] == [
        ("user", "So far"),
        ("assistant", "2"),
        ("user", ""),
    ]
    assert messages[1]["content"] == [text("2"), call("c1")]


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {"trigger": "auto"},
        {"preservedMessages": {"anchorUuid": "summary"}},
        {"preservedMessages": {"uuids": [7, "gone"]}},
        {"preservedSegment": {"anchorUuid": "summary", "headUuid": "gone", "tailUuid": "u0"}},
    ],
)
def test_a_compaction_that_names_nothing_keeps_nothing(metadata: Json) -> None:
    """Nor does one that names what is not in the log."""
    log = Log()
    log.user("one")
    log.line("system", subtype="compact_boundary", parent=None, compactMetadata=metadata)
    log.user("So far", uuid="summary", isCompactSummary=True)
    log.assistant("m1", text("1"))

    assert [[_text(message) for message in messages] for messages in _messages(_exchanges(log))] == [
        ["So far"]
    ]


def test_a_root_in_the_middle_begins_anew() -> None:
    """As where two sessions were put into one file."""
    log = Log()
    log.user("one")
    log.assistant("m1", text("1"))
    log.user("two", parent=None)
    log.assistant("m2", text("2"))

    assert [[_text(message) for message in messages] for messages, _ in _said(log)] == [["one"], ["two"]]


@pytest.mark.parametrize("agent", [True, False])
def test_a_subagent_has_a_thread_of_its_own(agent: bool) -> None:
    """Whatever lines of other threads stand between its own; older logs give it no ID."""
    named: Json = {"agentId": "a7"} if agent else {}
    log = Log()
    log.user("go")
    main = log.assistant("m1", call("task"))
    root = log.user("look", isSidechain=True, parent=None, **named)
    side = log.assistant("s1", call("c1"), isSidechain=True, **named)
    done = log.result("task", parent=main)
    side = log.result("c1", isSidechain=True, parent=side, **named)
    log.assistant("m2", text("done"), parent=done)
    log.assistant("s2", text("found"), isSidechain=True, parent=side, **named)

    exchanges = _exchanges(log)

    threads = [exchange.extra.get("sidechain") for exchange in exchanges]
    thread = "a7" if agent else root
    assert threads == [None, thread, None, thread]
    assert [[_text(message) for message in messages] for messages in _messages(exchanges)] == [
        ["go"],
        ["look"],
        ["go", "", ""],
        ["look", "", ""],
    ]


def test_what_was_not_sent_is_left_aside() -> None:
    """What is only shown, what Claude Code says itself, and lines that are no messages."""
    log = Log()
    log.line("file-history-snapshot", snapshot={})
    log.user("shown", isVisibleInTranscriptOnly=True)
    log.user("one")
    log.line("attachment", attachment={})
    log.assistant("e1", text("overloaded"), isApiErrorMessage=True)
    log.line("assistant", message={"model": "<synthetic>", "content": [text("no")]})
    log.line("progress", data={})
    log.assistant("m1", text("1"))
    log.lines.append({"type": "summary", "summary": "x", "leafUuid": "y"})
    log.lines.append(log.lines[2])

    assert _said(log) == [([{"role": "user", "content": "one"}], _said(log)[0][1])]


@pytest.mark.parametrize(
    "first",
    [
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "s"},
        {"type": "permission-mode", "permissionMode": "default", "sessionId": "s"},
    ],
)
def test_a_log_is_known_by_whatever_line_it_begins_with(first: Json) -> None:
    """As they come."""
    log = Log()
    log.user("one")
    log.assistant("m1", text("1"))

    with tape(json.dumps(first).encode() + b"\n" + log.source) as found:
        assert len(list(found)) == 1
    with tape(json.dumps(first).encode()) as found:
        assert list(found) == []


def test_results_at_the_end_are_kept_in_a_request_that_nobody_answered() -> None:
    """Or calls would have no results; a prompt alone is no request."""
    log = Log()
    log.user("one")
    log.assistant("m1", call("c1"))
    prompt = log.source
    log.result("c1")

    assert len(_said_in(prompt + Log().source)) == 1
    last = _exchanges(log)[-1]
    assert (last.response, _messages([last])[0][-1]) == (None, result("c1"))
    assert last.extra == {"synthetic": True}


def test_a_torn_last_line_is_where_the_session_stopped() -> None:
    """And a bad one in the middle is trouble, unless lenient."""
    log = Log()
    log.user("one")
    log.assistant("m1", text("1"))
    log.user("two")

    with tape(log.source[:-9]) as found:
        assert len(list(found)) == 1
    assert found.left_out.torn_end is not None
    assert (found.left_out.torn_end[0], found.left_out.torn_end[1][:9]) == (3, "not JSON:")

    broken = log.source.replace(b'"m1"', b"oops")
    with pytest.raises(TapeError) as caught:
        tape(broken)
    assert str(caught.value).startswith("stream:2:")
    with tape(broken, lenient=True) as found:
        assert list(found) == []
    assert [line for line, _ in found.left_out.bad_lines] == [2]


def test_a_long_log_is_held_once() -> None:
    """Each request holds the messages of the ones before, the very same ones."""
    log = Log()
    log.user("one")
    for number in range(40):
        log.assistant(f"m{number}", call(f"c{number}"))
        log.result(f"c{number}")

    asked = _messages(_exchanges(log))

    assert all(
        all(one is other for one, other in zip(before, after, strict=False))
        for before, after in pairwise(asked)
    )


def test_no_length_of_a_log_costs_its_square() -> None:
    """Requests are put together when they are looked at."""
    log = Log()
    log.user("one")
    for number in range(1500):
        log.assistant(f"m{number}", call(f"c{number}"))
        log.result(f"c{number}")
    source = log.source

    tracemalloc.start()
    try:
        with tape(source) as found:
            longest = max(len(messages) for messages in map(_history, found))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert longest == 3001
    assert peak < 12_000_000  # 18 MB are the histories alone, each of its own


def test_a_log_is_written_as_a_tape() -> None:
    """Which has the same fingerprints, and the marks."""
    log = Log()
    log.user("one")
    log.assistant("m1", call("c1"))
    log.result("c1")
    log.assistant("m2", text("done"))
    saved = io.BytesIO()

    with tape(log.source) as found:
        save_tape(found, saved)
        expected = list(found)
    with tape(saved.getvalue()) as native:
        copied = list(native)

    assert copied == expected
    assert list(fingerprints(copied)) == list(fingerprints(expected))


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)


def _exchanges(log: Log) -> list[Exchange]:
    with tape(log.source) as found:
        return list(found)


def _messages(exchanges: list[Exchange]) -> list[Json]:
    bodies: list[Json] = [exchange.request.body.value for exchange in exchanges]
    return [body["messages"] for body in bodies]


def _history(exchange: Exchange) -> list[Json]:
    return _messages([exchange])[0]


def _said(log: Log) -> list[tuple[Json, Json]]:
    """The messages of each request, and the answer to it."""
    return _said_in(log.source)


def _said_in(source: bytes) -> list[tuple[Json, Json]]:
    with tape(source) as found:
        exchanges = list(found)
    answers: list[Json] = [exchange.response and exchange.response.body.value for exchange in exchanges]
    return list(zip(_messages(exchanges), answers, strict=True))


def _assistant(answer: Json) -> Json:
    return {"role": "assistant", "content": answer["content"]}


def _text(message: Json) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
