"""Parallel calls and their results that came in another order."""

from collections.abc import Sequence
from typing import Any

from amberfork_cli.core.compare.batches import Reordered, arranged, reordered_messages, reordered_parts
from amberfork_cli.core.compare.reading import Element, read

Json = Any


def batch(*results: tuple[int, str], calls: int = 3) -> tuple[Element, ...]:
    """A batch of calls, and results of its calls in that order, each a message."""
    made = [
        {"id": f"c{n}", "type": "function", "function": {"name": "f", "arguments": f'{{"n": {n}}}'}}
        for n in range(calls)
    ]
    told = [{"role": "tool", "tool_call_id": f"c{n}", "content": text} for n, text in results]
    return read({"messages": [{"role": "assistant", "tool_calls": made}, *told]}).elements


def parts(*results: tuple[int, str], calls: int = 3) -> Element:
    """The same results in one message."""
    made = [{"type": "tool_use", "id": f"c{n}", "name": "f", "input": {"n": n}} for n in range(calls)]
    told = [{"type": "tool_result", "tool_use_id": f"c{n}", "content": text} for n, text in results]
    body = {
        "messages": [{"role": "assistant", "content": made}, {"role": "user", "content": told}],
        "max_tokens": 1,
    }
    return read(body).elements[1]


IN_ORDER: Sequence[tuple[int, str]] = ((0, "sun"), (1, "rain"), (2, "snow"))


def test_results_that_moved_with_their_calls_are_reordered() -> None:
    """Each answers what it answered."""
    found = reordered_messages(batch(*IN_ORDER), batch((2, "snow"), (0, "sun"), (1, "rain")))

    assert found == [Reordered(1, 1, (1, 2, 0))]


def test_results_that_answer_other_calls_are_crossed() -> None:
    """They face their like all the same."""
    found = reordered_messages(batch(*IN_ORDER), batch((0, "rain"), (1, "sun"), (2, "snow")))

    assert found == [Reordered(1, 1, (1, 0, 2), crossed=True)]


def test_results_in_their_order_are_not_reordered() -> None:
    """Whatever they answer: that is a difference of links."""
    assert reordered_messages(batch(*IN_ORDER), batch(*IN_ORDER)) == []
    assert reordered_messages(batch(*IN_ORDER), batch((1, "sun"), (0, "rain"), (2, "snow"))) == []


def test_other_results_are_no_other_order() -> None:
    """One that changed makes the batch another one."""
    assert reordered_messages(batch(*IN_ORDER), batch((1, "rain"), (0, "sun"), (2, "hail"))) == []


def test_one_result_has_no_order() -> None:
    """A run begins with two."""
    assert reordered_messages(batch((0, "sun"), calls=1), batch((0, "sun"), calls=1)) == []


def test_results_within_one_message_are_reordered() -> None:
    """The name of the list, and where each part went."""
    found = reordered_parts(parts(*IN_ORDER), parts((2, "snow"), (1, "rain"), (0, "sun")))

    assert found == ("content", (2, 1, 0), False)


def test_results_within_one_message_can_be_crossed() -> None:
    """As in messages of their own."""
    assert reordered_parts(parts(*IN_ORDER), parts((0, "rain"), (1, "sun"), (2, "snow"))) == (
        "content",
        (1, 0, 2),
        True,
    )


def test_a_message_in_its_order_has_none_to_tell() -> None:
    """Nor has one with other parts."""
    assert reordered_parts(parts(*IN_ORDER), parts(*IN_ORDER)) is None
    assert reordered_parts(parts(*IN_ORDER), parts(*IN_ORDER[:2])) is None


def test_a_message_can_be_arranged_as_it_was_recorded() -> None:
    """Its IDs move with its parts."""
    reissued = parts((2, "snow"), (0, "sun"), (1, "rain"))

    found = arranged(reissued, "content", (1, 2, 0))

    assert found.value == parts(*IN_ORDER).value
    assert sorted(found.ids, key=lambda one: str(one.path)) == list(parts(*IN_ORDER).ids)
