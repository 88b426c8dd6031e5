"""A request body read for comparing."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from odd_bodies import bodies

from amberfork_cli.core.compare.reading import Id, read
from amberfork_cli.core.ids.id_rules import IdClass, IdRules, Role

Json = Any
CALL, ITEM, BLOB = "__amberfork_tool_call__", "__amberfork_item__", "__amberfork_blob__"


def chat(*results: tuple[str, str]) -> Json:
    """Two calls and their results."""
    calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for name in ("c1", "c2")
    ]
    told = [{"role": "tool", "tool_call_id": name, "content": text} for name, text in results]
    return {
        "model": "m",
        "messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "tool_calls": calls}, *told],
    }


def test_ids_stand_as_the_names_of_their_classes() -> None:
    """On both sides of a diff, so that they never differ; what they mean is beside them."""
    found = read(chat(("c1", "sun"), ("c2", "rain")))

    assert found.elements[2].value == {"role": "tool", "tool_call_id": CALL, "content": "sun"}
    assert [element.ids for element in found.elements[1:]] == [
        (
            Id(("tool_calls", 0, "id"), Role.DECLARES, (IdClass.CALL, 0)),
            Id(("tool_calls", 1, "id"), Role.DECLARES, (IdClass.CALL, 1)),
        ),
        (Id(("tool_call_id",), Role.ANSWERS, (IdClass.CALL, 0)),),
        (Id(("tool_call_id",), Role.ANSWERS, (IdClass.CALL, 1)),),
    ]


def test_the_body_is_not_changed() -> None:
    """Reading copies what it rewrites."""
    body = chat(("c1", "sun"))

    read(body)

    assert body == chat(("c1", "sun"))


def test_an_orphan_is_marked() -> None:
    """A result whose call is nowhere."""
    found = read(chat(("c9", "sun")))

    assert [one.orphan for one in found.elements[2].ids] == [True]


def test_the_rest_is_all_that_is_no_message() -> None:
    """With the name of the member that holds the messages, and what is said outside them."""
    body = {
        "model": "m",
        "system": "Be brief.",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Go."}],
    }

    found = read(body)

    assert (found.name, found.rest) == ("messages", {"model": "m", "system": "Be brief.", "max_tokens": 9})
    assert [(prompt.path, prompt.text) for prompt in found.prompts] == [(("system",), "Be brief.")]


def test_a_body_that_is_no_object_is_all_rest() -> None:
    """There is nothing in it that is a message."""
    found = read([1, {"a": 2}])

    assert (found.name, found.elements, found.rest) == ("", (), [1, {"a": 2}])


def test_ids_outside_the_messages_are_kept_apart() -> None:
    """Such as what a request goes on from."""
    body = {"previous_response_id": "resp_1", "input": [{"role": "user", "content": "Go."}]}

    found = read(body)

    assert found.rest == {"previous_response_id": ITEM}
    assert [(one.path, one.role) for one in found.rest_ids] == [(("previous_response_id",), Role.POINTS)]


def test_an_id_mentioned_in_a_text_is_one_too() -> None:
    """Where it can be told from a word."""
    body = chat(("c1", "sun"))
    body["messages"][1]["tool_calls"][0]["id"] = body["messages"][2]["tool_call_id"] = "call_Ab12Cd34"
    body["messages"][2]["content"] = "done: call_Ab12Cd34"

    found = read(body)

    assert found.elements[2].value == {"role": "tool", "tool_call_id": CALL, "content": f"done: {CALL}"}
    assert [one.path for one in found.elements[2].ids] == [("tool_call_id",), ("content",)]


def test_rules_say_which_ids_are_set_aside() -> None:
    """Those that are left alone stand as they are."""
    body = {"input": [{"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed"}]}

    assert read(body).whole == {"input": [{"type": "reasoning", "id": ITEM, "encrypted_content": BLOB}]}
    assert read(body, rules=IdRules.CALLS).whole == body


def test_messages_can_be_left_out() -> None:
    """The others keep their paths, and their results the calls that are read."""
    found = read(chat(("c1", "sun"), ("c2", "rain")), skip=range(1))

    assert [element.path for element in found.elements] == [("messages", n) for n in (1, 2, 3)]
    assert [element.said is not None for element in found.elements] == [True] * 3
    said = found.elements[2].said
    assert said is not None
    assert [result.answers and result.answers.name for result in said.results] == ["c2"]


def test_messages_in_the_middle_can_be_left_out() -> None:
    """The first stays where it alone may say something else."""
    found = read(chat(("c1", "sun"), ("c2", "rain")), skip=range(1, 3))

    assert [element.path[1] for element in found.elements] == [0, 3]


@given(bodies(), st.integers(0, 5), st.integers(0, 5))
@settings(max_examples=150, deadline=None)
def test_messages_that_are_left_out_leave_nothing_but_their_places(body: Json, start: int, stop: int) -> None:
    """All else is read as beside nulls: values, IDs and what they mean, and what is said."""
    name = next(iter(set(body) & {"messages", "input", "contents"}))
    count = len(body[name])
    skip = range(min(start, count), min(max(start, stop), count))
    nulls = {**body, name: [None if at in skip else one for at, one in enumerate(body[name])]}

    found = read(body, skip=skip)

    plainly = read(nulls)
    assert found.elements == tuple(one for one in plainly.elements if one.path[1] not in skip)
    assert (found.whole, found.rest, found.rest_ids) == (plainly.whole, plainly.rest, plainly.rest_ids)
    assert (found.dialect, found.prompts) == (plainly.dialect, plainly.prompts)


def test_a_path_leads_to_the_call_or_result_that_it_meets() -> None:
    """Into it, or to the part that holds it; the message alone says nothing."""
    body = {
        "contents": [
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"b": 1}}}]},
        ]
    }

    called, answered = read(body).elements

    paths = [("parts", 0), ("parts", 0, "functionCall", "args", "a"), ("parts", 1), ()]
    assert [bool(called.call_at(path)) for path in paths] == [True, True, False, False]
    assert [bool(answered.result_at(path)) for path in (("parts", 0), ("role",))] == [True, False]
