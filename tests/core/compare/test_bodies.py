"""What differs between two request bodies, place by place."""

from typing import Any

from chat_bodies import calls, chat, result
from diff_telling import lines

from amberfork_cli.core.compare.bodies import findings
from amberfork_cli.core.compare.reading import read
from amberfork_cli.core.compare.report import Kind, Origin, plain

Json = Any


def told(old: Json, new: Json) -> list[str]:
    """What differs, place by place."""
    return [line for finding in findings(read(old), read(new)) for line in lines(finding.spot)]


def origins(old: Json, new: Json) -> list[Origin]:
    """Where each finding comes from."""
    return [finding.origin for finding in findings(read(old), read(new))]


def test_the_same_bodies_differ_nowhere() -> None:
    """Whatever their IDs are."""
    old, new = (chat(calls("f", prefix=prefix), result(0, "x", prefix)) for prefix in "ab")

    assert told(old, new) == []


def test_settings_come_first_then_messages_in_order() -> None:
    """Each with where it comes from."""
    old = chat(calls("f"), result(0, "x"), temperature=0)
    new = chat(calls("g"), result(0, "y"), temperature=1)

    assert told(old, new) == [
        "temperature",
        "  value 0 -> 1",
        "messages[1] assistant calls f",
        '  value name "f" -> "g"',
        "messages[2] result of g()",
        '  value "x" -> "y"',
    ]
    assert origins(old, new) == [Origin.SETTINGS, Origin.MODEL_OUTPUT, Origin.TOOL_RESULT]


def test_prompts_outside_the_messages_are_prompts() -> None:
    """A system prompt is no setting."""
    old, new = (chat(system=text, max_tokens=1) for text in ("a", "b"))

    assert (told(old, new), origins(old, new)) == (["system", '  value "a" -> "b"'], [Origin.SYSTEM_PROMPT])


def test_a_dropped_turn_is_one_place() -> None:
    """However many calls stand behind it."""
    later = [
        message for n in range(3) for message in (calls("f", prefix=f"d{n}"), result(0, str(n), f"d{n}"))
    ]
    old, new = chat(calls("f"), result(0, "x"), *later), chat(*later)

    assert told(old, new) == [
        "messages[1]–[2] not in the re-issued request",
        "  removed assistant calls f()",
        "  removed tool result x",
    ]


def test_a_call_that_is_made_again_is_marked() -> None:
    """An inserted turn that is tried once more."""
    again = [calls("f", prefix="again"), result(0, "busy", "again")]
    old, new = chat(calls("f"), result(0, "x")), chat(*again, calls("f"), result(0, "x"))

    (finding,) = findings(read(old), read(new))

    assert (finding.again, plain(finding.spot.note)) == (True, "the same call as messages[3]")


def test_an_added_call_leaves_the_links_of_the_others_alone() -> None:
    """A call is the counterpart of the one that says the same, not of the one at its position."""
    old = chat(calls("f"), result(0, "x"))
    new = chat(calls("g", "f"), result(0, "y"), result(1, "x"))

    assert told(old, new) == [
        "messages[1] assistant calls g",
        "  added tool_calls.0 g()",
        "messages[2] only in the re-issued request",
        "  added tool result y",
    ]


def test_links_outside_the_messages_are_compared() -> None:
    """In bodies that are no conversation as well."""
    made = [{"type": "function_call", "call_id": one, "name": "f", "arguments": "{}"} for one in "ab"]
    answers = [{"type": "function_call_output", "call_id": one, "output": "x"} for one in "ab"]
    crossed = [{"type": "function_call_output", "call_id": one, "output": "x"} for one in "ba"]

    found = findings(read([*made, *answers]), read([*made, *crossed]))

    assert [one.kind for finding in found for one in finding.spot.differences] == [Kind.LINK, Kind.LINK]


def test_bodies_of_two_shapes_are_compared_as_values() -> None:
    """A history under another name is another member."""
    assert told({"messages": [1]}, {"input": [1]}) == [
        "messages",
        "  removed [1] -> nothing",
        "input",
        "  added nothing -> [1]",
    ]


def test_bodies_that_are_no_objects_are_compared_as_values() -> None:
    """There is one place: the body."""
    assert told([1, 2], [1]) == ["body", "  removed 1 2 -> nothing"]


def test_a_batch_in_another_order_is_one_place() -> None:
    """With how many there are."""
    old, new = (chat(calls("f", "g"), *[result(at, f"r{at}") for at in order]) for order in ((0, 1), (1, 0)))

    assert told(old, new) == [
        "messages[2]–[3] tool results of one batch",
        "  reordered 2 results in another order",
    ]


def test_messages_of_other_speakers_do_not_face_each_other() -> None:
    """One is gone and another came; where they say the very same, somebody else says it."""
    speakers = ("user", "a"), ("assistant", "a"), ("tool", "b")
    old, new, other = (chat({"role": role, "content": text}) for role, text in speakers)

    kinds = [line.split()[0] for line in told(old, other)]
    assert kinds == ["messages[1]", "removed", "messages[1]", "added"]
    assert told(old, new) == ["messages[1] assistant", '  value role "user" -> "assistant"']
