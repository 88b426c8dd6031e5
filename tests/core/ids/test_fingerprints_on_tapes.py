"""Fingerprints on a tape: what was met before changes none, and what responses gave out is known.

The tests of `fingerprint` itself are in test_fingerprint.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from odd_bodies import tapes
from tape_samples import (
    answer,
    asked,
    contained,
    get,
    interaction,
    interpreted,
    kept,
    numbered,
    outputs,
    post,
    referred,
    run_of,
    threaded,
    with_streams,
)
from wire_samples import WIRES, Json, Rounds, fresh, rounds, spelled, with_a_mention

from amberfork_cli.core.ids import fingerprint as module
from amberfork_cli.core.ids.fingerprint import Sketcher, fingerprint, fingerprints
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.tape import Body, Exchange, Request, Response


@given(tapes(), st.sampled_from(list(IdRules)), st.booleans())
@settings(max_examples=250, deadline=None)
def test_on_a_tape_each_exchange_has_the_fingerprint_that_it_has_alone(
    tape: list[Json],
    rules: IdRules,
    forgetful: bool,
) -> None:
    """Where no response explains anything: continued, retried, edited, interleaved."""
    exchanges = numbered(post(body) for body in tape)

    with pytest.MonkeyPatch.context() as patch:
        if forgetful:
            patch.setattr("amberfork_cli.core.ids.histories._MOST", 1)
            patch.setattr(module, "_THREAD_BYTES", 60)
            patch.setattr("amberfork_cli.core.ids.parts._MEMO_BYTES", 200)
        found = list(fingerprints(exchanges, rules=rules))

    assert found == [fingerprint(exchange, rules=rules) for exchange in exchanges]


@given(st.lists(st.tuples(rounds(), st.sampled_from(sorted(WIRES))), min_size=1, max_size=3), st.data())
@settings(max_examples=40, deadline=None)
def test_on_a_tape_of_agents_each_request_has_the_fingerprint_that_it_has_alone(
    agents: list[tuple[Rounds, str]], data: st.DataObject
) -> None:
    """Conversations of any wire shape that grow in turns, each with a mention of its first call."""
    waiting = [
        [
            spelled(WIRES[wire](with_a_mention(conversation[:count])), fresh(f"N{number}"))
            for count in range(len(conversation) + 1)
        ]
        for number, (conversation, wire) in enumerate(agents)
    ]
    tape = []
    while any(waiting):
        queue = data.draw(st.sampled_from([queue for queue in waiting if queue]))
        tape.append(post(queue[0] if data.draw(st.booleans()) else queue.pop(0)))
        assume(len(tape) < 40)
    exchanges = numbered(tape)

    assert list(fingerprints(exchanges)) == [fingerprint(exchange) for exchange in exchanges]


def test_a_list_of_messages_may_grow_and_change_between_two_requests() -> None:
    """An agent keeps one list, and every request has it as it is then."""
    messages: list[Json] = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "On?"}]
    alone = []

    def requests() -> Iterator[Exchange]:
        for number in range(6):
            alone.append(fingerprint(post({"messages": messages})))
            yield post({"messages": messages})
            messages.append({"role": "user", "content": f"{number}"})
            if number == 2:
                messages[1] = {"role": "assistant", "content": "Off?"}
            if number == 3:
                del messages[2:]

    assert list(fingerprints(requests())) == alone


def test_the_same_answer_in_two_conversations_is_two_requests() -> None:
    """`previous_response_id` stands for the exchange that minted it; alone, the two are one."""
    tape = [*asked("r1", "Cancel it?"), *asked("r2", "Delete it?")]

    found = list(fingerprints(numbered(tape)))

    assert len(set(found)) == 4
    assert fingerprint(tape[1]) == fingerprint(tape[3])


def _plain(name: str) -> Json:
    return name


def _object(name: str) -> Json:
    return {"id": name}


CONVERSATIONS: dict[str, Callable[[str, str], list[Exchange]]] = {
    "previous response": asked,
    "previous interaction": interaction,
    "conversation": partial(kept, spell=_plain),
    "conversation as an object": partial(kept, spell=_object),
    "container": partial(contained, spell=_plain),
    "container as an object": partial(contained, spell=_object),
    "container of a tool": lambda name, question: interpreted(f"cntr_{name}", question),
    "item": referred,
    "thread in the path": threaded,
}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("conversation", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_what_a_handle_stands_for_counts(
    conversation: Callable[[str, str], list[Exchange]], *, streamed: bool
) -> None:
    """Whatever the handle: two fresh runs agree, and the last words of two conversations do not."""
    recorded, reissued = (
        numbered([*conversation(one, "Cancel it?"), *conversation(other, "Delete it?")])
        for one, other in (("Aa1", "Bb2"), ("Cc3", "Dd4"))
    )
    if streamed:
        recorded, reissued = map(with_streams, (recorded, reissued))

    found = list(fingerprints(recorded))

    half = len(found) // 2
    assert found == list(fingerprints(reissued))
    assert found[half - 1] != found[-1]


@pytest.mark.parametrize("streamed", [False, True])
def test_swapped_results_are_seen_although_the_calls_are_in_a_response(*, streamed: bool) -> None:
    """Calls are numbered from the response that made them; alone, nobody could tell."""
    tapes_ = [
        numbered([post({"input": "Go."}, answer("resp_1", *calls)), post(outputs("resp_1", *results))])
        for calls, results in [
            (("a", "b"), [("a", "rain"), ("b", "sun")]),
            (("a", "b"), [("b", "rain"), ("a", "sun")]),
            (("c", "d"), [("c", "rain"), ("d", "sun")]),
        ]
    ]
    if streamed:
        tapes_ = list(map(with_streams, tapes_))

    plain, swapped, reissued = (list(fingerprints(tape)) for tape in tapes_)

    assert plain == reissued
    assert plain[0] == swapped[0]
    assert plain[1] != swapped[1]
    assert fingerprint(tapes_[0][1]) == fingerprint(tapes_[1][1])


def test_what_responses_explain_is_the_same_however_calls_are_counted() -> None:
    """Fresh IDs, IDs that restart in every response, one ID for all; also where conversations interleave."""
    found = []
    for first, second, third in [("a", "b", "c"), ("0", "1", "0"), ("0", "0", "0")]:
        found.append(
            list(
                fingerprints(
                    numbered(
                        [
                            post({"input": "One."}, answer("resp_1", first, second)),
                            post({"input": "Two."}, answer("resp_2", third)),
                            post(outputs("resp_1", (first, "on"), (second, "on")), answer("resp_3", third)),
                            post(outputs("resp_2", (third, "on"))),
                            post(outputs("resp_3", (third, "on"))),
                        ]
                    )
                )
            )
        )

    assert found[0] == found[1] == found[2]
    assert len(set(found[0])) == 5


def test_a_text_may_mention_what_a_response_minted() -> None:
    """As it may mention what the body declares."""
    one, other = (
        list(
            fingerprints(
                numbered(
                    [
                        post({"input": "Go."}, answer(f"resp_{salt}", f"call_{salt}")),
                        post(outputs(f"resp_{salt}", (f"call_{salt}", f"<call_{salt}> after resp_{salt}"))),
                    ]
                )
            )
        )
        for salt in ("Aa1x", "Bb2xxx")
    )

    assert one == other


def said(item: str, text: str, *, echoed: bool) -> list[Exchange]:
    """A Realtime agent that names its item itself and shortens it later; its provider may repeat the name."""
    content: Json = {"id": item, "type": "message", "role": "user", "content": text}
    created: Json = {"type": "conversation.item.created", "item": content}
    events: list[Json] = [
        {"type": "conversation.item.create", "item": content},
        {"type": "conversation.item.truncate", "item_id": item},
    ]
    answers: list[Json] = [[created] if echoed else [], []]
    return [
        Exchange(
            0, Request("WS", "/v1/realtime", body=Body.json(event)), Response(101, body=Body.json(heard))
        )
        for event, heard in zip(events, answers, strict=True)
    ]


@pytest.mark.parametrize("echoed", [False, True])
def test_what_a_request_names_itself_means_that_request(*, echoed: bool) -> None:
    """The names are fresh in every run; which of two items is meant counts, and nothing is unexplained."""
    tape = [*said("msg_1", "one", echoed=echoed), *said("msg_2", "two", echoed=echoed)]
    again = [*said("msg_8", "one", echoed=echoed), *said("msg_9", "two", echoed=echoed)]
    swapped = [*tape[:2], tape[2], tape[1]]
    sketcher = Sketcher()

    found = list(fingerprints(numbered(tape)))

    assert len(set(found)) == 4
    assert found == list(fingerprints(numbered(again)))
    assert list(fingerprints(numbered(swapped)))[3] == found[1]
    assert [sketcher.sketch(exchange).unexplained for exchange in numbered(tape)] == [frozenset()] * 4


def test_a_retry_changes_nothing_that_comes_after() -> None:
    """Responses repeat the handles of their request; only what they made is theirs."""
    first = post({"input": "Go."}, answer("resp_1"))
    second = post(outputs("resp_1"), answer("resp_2", previous_response_id="resp_1"))
    again = post(outputs("resp_1"), answer("resp_2b", previous_response_id="resp_1"))
    third = post(outputs("resp_2"), answer("resp_3", previous_response_id="resp_2"))

    plain = list(fingerprints(numbered([first, second, third])))
    retried = list(fingerprints(numbered([first, again, second, third])))

    assert retried == [plain[0], plain[1], plain[1], plain[2]]


def test_a_request_that_failed_leaves_no_trace() -> None:
    """Nothing was minted, and no conversation went on."""
    opened, *rest = kept("conv_Aa1", "Cancel it?", lambda name: name)
    failed = replace(rest[0], response=Response(529, body=Body.json({"type": "error", "id": "req_1"})))

    plain = list(fingerprints(numbered([opened, *rest])))
    retried = list(fingerprints(numbered([opened, failed, *rest])))

    assert retried == [plain[0], plain[1], *plain[1:]]


@pytest.mark.parametrize("polls", [0, 1, 3])
def test_how_often_a_run_was_polled_changes_nothing(polls: int) -> None:
    """Reading a thread or a run mints nothing new, and paths count by what their IDs stand for."""
    once, often = (run_of("thread_1", "run_1", "call_1", 1), run_of("thread_2", "run_2", "call_2", 1 + polls))

    plain, polled = (list(fingerprints(numbered(tape))) for tape in (once, often))

    assert [one for place, one in enumerate(polled) if place not in range(3, 3 + polls)] == plain


def test_ids_in_paths_count_by_what_minted_them_under_rules_that_set_handles_aside() -> None:
    """Under others, and where no response on the tape minted them, they count as they stand."""
    runs = [
        [post({}, {"id": name}, path="/v1/batches"), post({}, path=f"/v1/batches/{name}/cancel")]
        for name in ("batch_1", "batch_2")
    ]

    agree = {}
    for rules in IdRules:
        one, other = (list(fingerprints(numbered(run), rules=rules)) for run in runs)
        agree[rules] = one == other

    assert [rules for rules, same in agree.items() if same] == [IdRules.ALL, IdRules.ITEMS]
    assert fingerprint(runs[0][1]) != fingerprint(runs[1][1])


def test_a_model_in_a_path_is_no_handle_although_it_was_looked_up() -> None:
    """What a request names itself, its response does not mint."""
    looked_up = get("/v1/models/gpt-4.1-mini", {"id": "gpt-4.1-mini", "object": "model"})
    asked_ = post({"input": "hi"}, path="/openai/deployments/gpt-4.1-mini/responses")

    assert list(fingerprints(numbered([looked_up, asked_])))[1] == fingerprint(asked_)


def test_a_sketch_says_what_the_request_follows_and_what_nothing_explains() -> None:
    """By number of the exchange, and by ID."""
    sketcher = Sketcher()
    tape = numbered(
        [
            post({"input": "Go."}, answer("resp_1", "a")),
            post(outputs("resp_1", ("a", "x")), answer("resp_2", previous_response_id="resp_1")),
            post(outputs("resp_1", ("a", "y"), ("lost", "z"))),
            post(outputs("resp_2")),
            post(outputs("resp_unknown")),
        ]
    )

    sketches = [sketcher.sketch(exchange) for exchange in tape]

    assert [sketch.follows for sketch in sketches] == [None, 0, 0, 1, None]
    assert [set(sketch.unexplained) for sketch in sketches] == [
        set(),
        set(),
        {"lost"},
        set(),
        {"resp_unknown"},
    ]
