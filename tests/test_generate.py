"""The tapes that benchmarks measure with are runs, issued once or twice, in shapes that providers speak."""

import json
from itertools import pairwise
from typing import Any

import pytest
from agent_runs import Run, dropped, run, with_argument, with_swapped_results
from generate import exchanges
from sample_reading import Call, Result, answer, history
from wires import APIS

EVERY_API = pytest.mark.parametrize("api", APIS)


@EVERY_API
def test_a_request_carries_the_whole_history(api: str) -> None:
    """Every request begins with the one before it, and its last results answer the calls made there."""
    tape = _read(run(1, turns=8), api)
    bodies = [_history(exchange) for exchange in tape]

    for before, after in pairwise(bodies):
        assert after[: len(before)] == before
    for exchange, following in pairwise(tape):
        made = answer(exchange)
        assert made == [item for item in history(following) if isinstance(item, Call)][-len(made) :]
        results = [item.id for item in history(following) if isinstance(item, Result)]
        assert results[-len(made) :] == [call.id for call in made]
    assert answer(tape[-1]) == []


@EVERY_API
def test_the_ids_are_all_that_another_issue_changes(api: str) -> None:
    """Two issues of one run say the same, share no ID, and each is the same every time."""
    issued = run(2, turns=6)
    first, again, fresh = _read(issued, api), _read(issued, api), _read(issued, api, ids=2)

    calls, others = (history(tape[-1]) for tape in (first, fresh))
    assert first == again
    assert [_said(item) for item in calls] == [_said(item) for item in others]
    assert {item.id for item in calls} & {item.id for item in others} == set()


@EVERY_API
def test_an_edit_changes_one_thing(api: str) -> None:
    """A dropped round, a changed argument, two results in each other's place."""
    issued = run(3, turns=8)
    turn = next(i for i, made in enumerate(issued.rounds) if len(made.calls) > 1)
    before = [_said(item) for item in history(_read(issued, api)[-1])]

    shorter, changed, swapped = (
        [_said(item) for item in history(_read(edit(issued, turn), api)[-1])]
        for edit in (dropped, with_argument, with_swapped_results)
    )

    assert len(before) - len(shorter) == 2 * len(issued.rounds[turn].calls)
    assert sum(old != new for old, new in zip(before, changed, strict=True)) == 1
    assert sum(old != new for old, new in zip(before, swapped, strict=True)) == 2


def test_a_round_with_one_call_has_nothing_to_swap() -> None:
    """An edit that cannot be made is an error, not an equal tape; so is a round that is not there."""
    issued = run(3, turns=8)
    turn = next(i for i, made in enumerate(issued.rounds) if len(made.calls) == 1)

    with pytest.raises(ValueError, match="no two results to swap"):
        with_swapped_results(issued, turn)
    with pytest.raises(IndexError):
        dropped(issued, 8)


def test_hints_move_on_with_the_history() -> None:
    """The last two messages of the user have one, and nothing else differs from a run without."""
    issued = run(4, turns=6)
    plain = [_history(exchange) for exchange in _read(issued, "anthropic")]

    hinted = [_history(exchange) for exchange in _read(issued, "anthropic", habit="hints")]

    for messages, others in zip(plain, hinted, strict=True):
        users = [at for at, message in enumerate(messages) if message["role"] == "user"]
        changed = [at for at, (one, other) in enumerate(zip(messages, others, strict=True)) if one != other]
        assert changed == users[-2:]
        assert all(others[at]["content"][-1]["cache_control"] == {"type": "ephemeral"} for at in changed)


def test_a_prompt_can_tell_the_time() -> None:
    """It is another one in every request, and all that differs from a run without."""
    issued = run(4, turns=6)
    plain = [_history(exchange) for exchange in _read(issued, "openai-chat")]

    told = [_history(exchange) for exchange in _read(issued, "openai-chat", habit="clock")]

    assert [messages[1:] for messages in told] == [messages[1:] for messages in plain]
    assert len({messages[0]["content"] for messages in told}) == 6


def _read(issued: Run, api: str, *, ids: int = 1, habit: str = "none") -> list[dict[str, Any]]:
    return [json.loads(line) for line in exchanges(issued, api, ids=ids, habit=habit)]


def _history(exchange: dict[str, Any]) -> list[Any]:
    body = exchange["request"]["body"]
    [items] = [body[member] for member in ("messages", "input", "contents") if member in body]
    assert isinstance(items, list)
    return items


def _said(item: Call | Result) -> Any:
    return (item.name, item.arguments) if isinstance(item, Call) else item.content
