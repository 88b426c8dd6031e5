"""Which result answers which call."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.dialects.linking import linked
from amberfork_cli.core.dialects.model import Message, Role, ToolCall, ToolResult


def test_an_id_used_again_in_a_later_turn_is_another_call() -> None:
    """Servers that count from zero every turn: each result answers the call before it."""
    assert answers("f:exec_0", "=exec_0", "g:exec_0", "=exec_0") == ["f", "g"]


def test_one_id_twice_in_a_turn_is_answered_in_order() -> None:
    """The same ID, two calls, two results."""
    assert answers("f:a g:a", "=a =a") == ["f", "g"]


def test_empty_ids_are_ids() -> None:
    """A server that sends `""` for all of them means them in order."""
    assert answers("f: g:", "= =") == ["f", "g"]


def test_a_result_too_many_answers_the_latest_call() -> None:
    """Every call of its ID has one already."""
    assert answers("f:a", "=a", "g:a", "=a", "=a") == ["f", "g", "g"]


def test_swapped_results_answer_the_calls_that_they_name() -> None:
    """Order does not matter where there are IDs."""
    assert answers("f:a g:b", "=b =a") == ["g", "f"]


def test_a_result_whose_call_comes_later_or_never_is_an_orphan() -> None:
    """Nothing is invented."""
    assert answers("=a", "f:a", "=b") == [None, None]


def test_without_ids_the_name_decides_and_then_the_order() -> None:
    """Within the turn before it."""
    assert answers("f g f", "=?g =?f =?f") == ["g", "f#0", "f#2"]
    assert answers("f g", "=? =?") == ["f", "g"]


def test_without_ids_an_earlier_turn_is_not_answered() -> None:
    """What it left open stays open."""
    assert answers("f g", "=?f", "h", "=?h =?") == ["f", "h", None]


def test_a_name_that_no_call_bears_leaves_the_order() -> None:
    """A client that writes something else in the place of the name."""
    assert answers("f g", "=?x =?y") == ["f", "g"]


def test_an_id_that_only_the_result_has_is_passed_over_for_its_name() -> None:
    """Where the call has none; a call with an ID of its own is not meant."""
    assert answers("f", "=a?f") == ["f"]
    assert answers("f:b", "=a?f") == [None]


def test_a_call_is_answered_by_one_of_both_ways() -> None:
    """A result without an ID leaves its call answered for those that have one."""
    assert answers("f:a", "=?f", "g:a", "=a") == ["f", "g"]


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
@settings(max_examples=100, deadline=None)
def test_the_nth_result_of_an_id_answers_its_nth_call(calls: list[str], results: list[str]) -> None:
    """And those beyond the last call answer the last."""
    given_calls = [" ".join(f"{index}:{call_id}" for index, call_id in enumerate(calls))] if calls else []

    found = answers(*given_calls, *(f"={call_id}" for call_id in results))

    expected: list[str | None] = []
    for number, call_id in enumerate(results):
        mine = [str(index) for index, each in enumerate(calls) if each == call_id]
        rank = results[:number].count(call_id)
        expected.append(mine[min(rank, len(mine) - 1)] if mine else None)
    assert found == expected


def answers(*steps: str) -> list[str | None]:
    """The name of the call that each result answers, with its number where the turn has two of that name.

    A step is one message: calls as `name:id` or `name`, or results as `=id`, `=?name`, `=id?name`.
    """
    messages = linked([message(index, step) for index, step in enumerate(steps)])
    calls = [call for each in messages for call in each.calls]
    found = [result.answers for each in messages for result in each.results]
    return [None if call is None else told_apart(call, calls) for call in found]


def told_apart(call: ToolCall, calls: list[ToolCall]) -> str:
    alike = [each for each in calls if each.name == call.name and each.path[0] == call.path[0]]
    return call.name if len(alike) == 1 else f"{call.name}#{call.path[1]}"


def message(index: int, step: str) -> Message:
    words = step.split()
    if step.startswith("="):
        results = tuple(result(index, place, word[1:]) for place, word in enumerate(words))
        return Message((index,), Role.TOOL, results=results)
    calls = tuple(call(index, place, word) for place, word in enumerate(words))
    return Message((index,), Role.ASSISTANT, calls=calls)


def call(index: int, place: int, word: str) -> ToolCall:
    name, colon, call_id = word.partition(":")
    return ToolCall(call_id if colon else None, name, None, (index, place), (index, place, "arguments"))


def result(index: int, place: int, word: str) -> ToolResult:
    call_id, mark, name = word.partition("?")
    plain = ToolResult(call_id, "x", (index, place), (index, place, "content"))
    return replace(plain, id=call_id or None, name=name or None) if mark else plain
