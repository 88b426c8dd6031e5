"""References that mean other things, in words."""

from typing import Any

from chat_bodies import calls, chat, result
from diff_telling import told
from tape_samples import answer, numbered, post

from amberfork_cli.core.compare.diffing import diff_bodies, diff_tapes
from amberfork_cli.core.tape import ExchangeList

Json = Any


def signed(*signatures: str) -> Json:
    """A conversation in Gemini's shape whose model turns carry those signatures."""
    turns = [
        {"role": "model", "parts": [{"text": f"Part {at}.", "thoughtSignature": one}]}
        for at, one in enumerate(signatures)
    ]
    return {"contents": [{"role": "user", "parts": [{"text": "Go."}]}, *turns]}


def test_a_result_is_told_by_the_calls_that_it_answers() -> None:
    """Name and arguments tell them apart."""
    old, new = (chat(calls("f", "g"), result(at, "x"), result(1, "y")) for at in (0, 1))

    assert told(diff_bodies(old, new).forks[0]).split("\n")[1] == "  link f() -> g()"


def test_calls_that_say_the_same_are_told_by_where_they_stand() -> None:
    """Nobody could see the difference between `f()` and `f()`."""
    old, new = (chat(calls("f", "f"), result(at, "x")) for at in (0, 1))

    assert told(diff_bodies(old, new).forks[0]) == (
        "messages[2] tool result x\n"
        "  link f() of messages[1].tool_calls[0] -> f() of messages[1].tool_calls[1]"
    )


def test_what_answers_no_call_is_told_by_where_it_stood_first() -> None:
    """A signature that was another one each time is now one that stands twice."""
    report = diff_bodies(signed("aaaa", "bbbb"), signed("aaaa", "aaaa"))

    assert told(report.forks[0]) == (
        "contents[2] assistant\n  link parts.0.thoughtSignature a new one -> the one of contents[1]"
    )


def test_what_another_exchange_gave_out_is_told_by_its_number() -> None:
    """The bodies agree, but they do not go on from the same."""

    def tape(*names: str, use: str) -> ExchangeList:
        opened = [
            post({"metadata": {"n": at}}, {"id": name, "object": "conversation"}, path="/v1/conversations")
            for at, name in enumerate(names)
        ]
        asked = post({"input": "hi", "conversation": use}, answer("r", conversation={"id": use}))
        return ExchangeList(numbered([*opened, asked]))

    report = diff_tapes(tape("c_a", "c_b", use="c_a"), tape("c_x", "c_y", use="c_y"))

    assert told(report.forks[0]) == (
        "body\n  link conversation the conversation of recorded #0 -> the conversation of #1"
    )


def test_what_a_path_names_is_told_by_its_exchange() -> None:
    """A message that was put into another thread."""

    def tape(one: str, other: str, use: str) -> ExchangeList:
        opened = [
            post({"metadata": {"n": name[-1]}}, {"id": name, "object": "thread"}, path="/v1/threads")
            for name in (one, other)
        ]
        return ExchangeList(numbered([*opened, post({}, path=f"/v1/threads/{use}/messages")]))

    report = diff_tapes(tape("t_a1", "t_a2", "t_a1"), tape("t_b1", "t_b2", "t_b2"))

    assert told(report.forks[0]) == "path\n  link the one of recorded #0 -> the one of #1"
