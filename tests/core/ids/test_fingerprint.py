"""Fingerprints: equal where two requests ask the same, in every process.

What a tape adds is in test_fingerprints_on_tapes.py.
"""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from odd_bodies import ODD_IDS, bodies, renamed, renamings
from tape_samples import post
from wire_samples import (
    SET_ASIDE,
    TWO_CALLS,
    WIRES,
    Json,
    Mint,
    Result,
    Rounds,
    constant,
    counted,
    data_paths,
    empty,
    fresh,
    in_order,
    only,
    openai_responses,
    restarting,
    rounds,
    spelled,
    with_a_mention,
    with_change,
    with_members_shuffled,
    with_results,
)

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.canonical import canonicalize
from amberfork_cli.core.ids.fingerprint import RULES_VERSION, Sketcher, fingerprint
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.tape import ABSENT, Body, Exchange, JsonValue, LeftOut, Request, Response

FULL = [IdRules.ALL, IdRules.ITEMS, IdRules.CALLS]
EVERY_WIRE, FULL_RULES = st.sampled_from(sorted(WIRES)), st.sampled_from(FULL)


@pytest.mark.parametrize(
    "values",
    [
        [True, 1, 1.0, "1", "true", None, "", [], {}, [1], [[1]]],
        [0, -0.0, 0.0, False],
        [2**64, 2**64 + 1, float(2**64), 10**300, 10**300 + 1],
        ["\u00e9", "e\u0301", "\ud83d", "\ud83d ", "😀"],
        [{"a": 1}, {"a": 1.0}, {"a": True}, {"a": None}, {"A": 1}, {"a": 1, "b": None}],
        [{"__x": 1}, {"__x": 2}, {"": 1}, {"/": 1}, {"a.b": 1}, {"a": {"b": 1}}],
        [float(jsontext.NonFinite("1")), jsontext.NonFinite("nan"), jsontext.NonFinite("inf"), "NaN"],
    ],
)
def test_any_two_values_differ(values: list[JsonValue]) -> None:
    """Type for type and digit for digit, as a whole body, a message, a member and inside data."""
    places: list[Callable[[JsonValue], JsonValue]] = [
        lambda value: value,
        lambda value: {"messages": [value]},
        lambda value: {"model": value, "messages": []},
        lambda value: {"messages": [{"tool_calls": [{"id": "a", "function": {"arguments": value}}]}]},
    ]
    for place in places:
        found = [of(place(value)) for value in values]

        assert len(set(found)) == len(values)


def test_bodies_of_different_kinds_differ() -> None:
    """No body, null, text, bytes, JSON text, an empty list; and text that spells JSON is that JSON."""
    every = [
        ABSENT,
        Body.json(None),
        Body.json(""),
        Body.text(""),
        Body.bytes(b""),
        Body.text("null"),
        Body.json("null"),
        Body.bytes(b"null"),
        Body.json([]),
        Body.json({}),
        Body.text("{oops"),
        Body.bytes(b"{oops"),
        Body.bytes(b"\xff"),
    ]

    assert len({of_body(body) for body in every}) == len(every)
    assert of_body(Body.text(' {"b": 1, "a": "x"}')) == of_body(Body.json({"a": "x", "b": 1}))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("POST /v1/x", "post /v1/x", True),
        ("POST /v1/x", "PUT /v1/x", False),
        ("POST /v1/x", "POST /v1/x/", False),
        ("POST /v1/x", "POST /v1/x?", True),
        ("POST /v1/x?a=1&b=2", "POST /v1/x?b=2&a=1", True),
        ("POST /v1/x?a=1&a=2", "POST /v1/x?a=2&a=1", True),
        ("POST /v1/x?a=1", "POST /v1/x?a=2", False),
        ("POST /v1/x?a=1", "POST /v1/x?a=1&a=1", False),
        ("POST /v1/x?a", "POST /v1/x?a=", False),
        ("POST /v1/x?alt=sse&key=AIza1", "POST /v1/x?key=AIza2&alt=sse", True),
        ("POST /v1/x?API_KEY=1", "POST /v1/x", True),
        ("POST /x?X-Amz-Signature=1&X-Amz-Credential=2&X-Amz-Security-Token=3", "POST /x", True),
        ("POST /x?sig=1&access_token=2&token=3&auth_token=4&x-goog-api-key=5", "POST /x", True),
        ("POST /x?monkey=1", "POST /x", False),
        ("POST /v1/a b", "POST /v1/a?b", False),
        ("POST /a/b", "POST /a%2Fb", False),
    ],
)
def test_method_and_path_count(one: str, other: str, *, same: bool) -> None:
    """The query sorted; credentials, which are nobody's business, left out."""
    first, second = (
        fingerprint(Exchange(0, Request(*line.split(" ", 1), body=Body.json({})))) for line in (one, other)
    )

    assert (first == second) is same


def test_headers_responses_and_numbers_do_not_count() -> None:
    """Nor does what the recorder noted."""
    request = Request("POST", "/x", body=Body.json({"a": 1}))
    other = replace(request, headers=(("authorization", "x"),), extra={"note": 1})

    assert fingerprint(Exchange(0, request)) == fingerprint(Exchange(7, other, Response(500), idx=3))


def test_without_endpoints_bare_bodies_compare() -> None:
    """A tape of bodies has no method and path worth comparing."""
    bodies_, tape = (Sketcher(endpoints=False) for _ in range(2))

    one = bodies_.sketch(Exchange(0, Request("POST", "", body=Body.json({"a": 1}))))
    other = tape.sketch(Exchange(0, Request("PUT", "/v1/x", body=Body.json({"a": 1}))))

    assert one == other


def test_each_set_of_rules_has_its_own_fingerprints() -> None:
    """Two that were made by different rules never meet."""
    assert len({of({"a": 1}, rules) for rules in IdRules}) == len(IdRules)


def test_a_body_with_the_text_of_a_token_meets_no_other() -> None:
    """IDs are digested out of band: at a site, in text, in a path."""
    plain: list[Json] = [
        said(use("toolu_Aa1"), "toolu_Aa1"),
        said(use("toolu_Aa1"), "__amberfork_tool_call_0__"),
        said(use("toolu_Aa1"), ""),
        said(use("toolu_Aa1"), "toolu_Aa2"),
        said({**use("x"), "type": "text"}, "toolu_Aa1"),
        said({**use("__amberfork_tool_call_0__"), "type": "text"}, "toolu_Aa1"),
        said({**use("x"), "id": None}, "toolu_Aa1"),
    ]

    assert len(set(map(of, plain))) == len(plain)
    assert of(plain[0]) == of(said(use("__amberfork_tool_call_0__"), "__amberfork_tool_call_0__"))


@given(rounds(), EVERY_WIRE, FULL_RULES)
@settings(max_examples=60, deadline=None)
def test_renamed_ids_make_no_difference(conversation: Rounds, wire: str, rules: IdRules) -> None:
    """One to one; where they can be told from words, also where a text mentions them."""
    for one, other, mentioned in ((fresh("Q"), fresh("longer"), True), (counted(100), counted(400), False)):
        body = WIRES[wire](with_a_mention(conversation) if mentioned else conversation)

        assert of(spelled(body, only(SET_ASIDE[rules], one)), rules) == of(
            spelled(body, only(SET_ASIDE[rules], other)), rules
        )


@pytest.mark.parametrize("rules", FULL)
@pytest.mark.parametrize(
    "other",
    [
        lambda one: {"input": [{"type": "message", "id": one}, use(one)]},
        lambda one: {"input": [{"encrypted_content": one}, {"type": "reasoning"}, use(one)]},
        lambda one: {"input": [{"type": "item_reference", "id": one}, {"tool_call_id": one}]},
        lambda one: {"input": [use(one)], "previous_response_id": one},
        lambda one: {"input": [{"type": "message", "id": one}], "z": use(one)},
    ],
)
def test_what_is_a_call_anywhere_is_a_call_everywhere(other: Callable[[str], Json], rules: IdRules) -> None:
    """Also where its text was read as a handle or blob before, and under rules that leave those alone."""
    assert of(other("aa_11111111"), rules) == of(other("bb_22222222"), rules)
    assert canonicalize(other("aa"), rules=rules).value == canonicalize(other("bb"), rules=rules).value


MINTING: dict[str, Callable[[str], Json]] = {
    "a call": lambda one: {"messages": ["-", use(one), "-"]},
    "a result": lambda one: {"messages": ["-", {"tool_call_id": one}, "-"]},
    "many calls": lambda one: {"messages": ["-", [use(one), *[use(f"{one}{n}") for n in range(99)]], "-"]},
    "an item": lambda one: {"input": ["-", {"type": "message", "id": one}, "-"]},
    "a container": lambda one: {"messages": ["-", "-", "-"], "container": one},
    "a response": lambda one: {"input": ["-", "-", "-"], "previous_response_id": one},
    "a tool": lambda one: {"input": ["-", "-", "-"], "tools": [{"container": one}]},
}


@pytest.mark.parametrize("place", [0, 2, "instructions"])
@pytest.mark.parametrize("minting", MINTING)
def test_a_mention_may_stand_anywhere(minting: str, place: int | str) -> None:
    """Before its ID or after it, in a message or outside; what mentions something else differs."""
    one, other = "cntr_Aa1bbbb1", "cntr_Bb2"
    found = []
    for minted, mentioned in [(one, one), (other, other), (one, other), (one, "word")]:
        body = MINTING[minting](minted)
        where = body if isinstance(place, str) else body.get("messages") or body["input"]
        where[place] = {"content": f"as {mentioned} said"}
        found.append(of(body))

    assert found[0] == found[1]
    assert len(set(found)) == 3


@given(rounds(), EVERY_WIRE, FULL_RULES, st.sampled_from([restarting, constant, empty]))
@settings(max_examples=60, deadline=None)
def test_ids_that_are_used_again_make_no_difference(
    conversation: Rounds, wire: str, rules: IdRules, mint: Mint
) -> None:
    """Counted anew in every round, all the same, or none: what counts is what answers what."""
    body = WIRES[wire](conversation if mint is restarting else in_order(conversation))

    one, other = (of(spelled(body, only({"call"}, each)), rules) for each in (mint, counted(1)))

    assert one == other


@given(rounds(), EVERY_WIRE, FULL_RULES, st.data())
@settings(max_examples=100, deadline=None)
def test_any_other_value_makes_a_difference(
    conversation: Rounds, wire: str, rules: IdRules, data: st.DataObject
) -> None:
    """Each single leaf that is no ID."""
    body = WIRES[wire](conversation)
    changed = with_change(body, data.draw(st.sampled_from(list(data_paths(body)))))

    assert of(spelled(body, fresh("A")), rules) != of(spelled(changed, fresh("A")), rules)


@given(rounds(), EVERY_WIRE, FULL_RULES, st.data())
@settings(max_examples=60, deadline=None)
def test_swapped_and_lost_results_make_a_difference(
    conversation: Rounds, wire: str, rules: IdRules, data: st.DataObject
) -> None:
    """Two results that answer each other's call, and a call without its result."""
    conversation = [*conversation, *TWO_CALLS]
    number = data.draw(st.integers(0, len(conversation) - 1))
    first, *rest = conversation[number].results
    changed = [rest]
    if rest:
        changed.append([Result(rest[0].place, first.text), Result(first.place, rest[0].text), *rest[1:]])
    every = [conversation, *(with_results(conversation, number, results) for results in changed)]

    found = [
        of(spelled(WIRES[wire](each), only(SET_ASIDE[rules], fresh(salt))), rules)
        for salt, each in zip("ABC", every, strict=False)
    ]

    assert len(set(found)) == len(every)


@given(bodies(), FULL_RULES, renamings())
@settings(max_examples=150, deadline=None)
def test_fingerprints_are_equal_where_canonical_bodies_are(
    body: Json, rules: IdRules, names: dict[str, str]
) -> None:
    """And only there, but where a body holds what looks like a token: whatever the body and its IDs."""
    first, second = (canonicalize(each, rules=rules) for each in (body, renamed(body, names)))
    assume(not first.lookalikes)
    assume(not second.lookalikes)

    same = of(body, rules) == of(renamed(body, names), rules)

    assert same is jsontext.same(first.value, second.value)


@given(bodies(), FULL_RULES, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_members_makes_no_difference(body: Json, rules: IdRules, order: random.Random) -> None:
    """And neither body is touched."""
    shuffled = with_members_shuffled(body, order)
    before = deepcopy((body, shuffled))

    assert of(body, rules) == of(shuffled, rules)
    assert (body, shuffled) == before


GOLDEN = [
    (
        Request("POST", "/v1/chat/completions", body=Body.json({"model": "m", "messages": []})),
        "adb5bc27d710a4cbce0c53a9f062d29d7c4409de0f81e6682fdde7c05c0942cc",
    ),
    (
        Request(
            "POST",
            "/v1/responses?b=2&a=1&key=secret",
            body=Body.json(
                spelled(openai_responses([*TWO_CALLS]), fresh("G"))
                | {"n": [True, 1, 1.0, -0.0, 2**70, "é", "\ud800"]}
            ),
        ),
        "3de318da910700aeaac739b9e36bf4349018a7d72d4495b92ddbab310d1b17c7",
    ),
    (
        Request(
            "POST", "/x", body=Body.json({"messages": [{"tool_calls": [{"id": "call_Aa1"}]}, "call_Aa1"]})
        ),
        "7ef5944135a966fde893f6bb31aa3d6bac0666d7fa7a3de21fd641331be0b763",
    ),
    (Request("GET", "/x"), "335083685238f678c16a64d75b7b125ba541fad268af51d0e7de8da64addc733"),
    (
        Request("POST", "/x", body=Body.text("data: x")),
        "f4d837c5bdc9a716f161119b39b0318d7acc99b9fe8ee84782c0d22aa39b228e",
    ),
]


@pytest.mark.parametrize(("request_", "digest"), GOLDEN)
def test_golden_fingerprints_of_version_1(request_: Request, digest: str) -> None:
    """Fingerprints are kept and compared later: they change with the version of the rules only."""
    assert RULES_VERSION == "af1"
    assert fingerprint(Exchange(0, request_)) == f"af1:{digest}"


def test_every_process_gives_the_same() -> None:
    """Whatever seed its hashes have."""
    code = """
from amberfork_cli.core.ids.fingerprint import fingerprints
from amberfork_cli.core.tape import Body, Exchange, Request
texts = [f"call_Aa{n}, \\ud800 {n}" for n in range(9)]
body = {"input": [{"call_id": f"call_Aa{n}", "text": texts} for n in range(9)]}
print(*fingerprints(Exchange(n, Request("POST", "/x", body=Body.json(body))) for n in range(2)))
"""
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    ]

    assert len(set(found)) == 1
    assert len(set(found[0].split())) == 1


@pytest.mark.parametrize("rules", [IdRules.ALL, IdRules.SEED])
def test_depth_is_no_matter(rules: IdRules) -> None:
    """9,990 levels with a call and a mention at the bottom."""
    deep: list[Json] = []
    for name in ("toolu_Aa1", "toolu_Bbb2"):
        value: Json = [use(name), {"content": name}]
        for _ in range(4_990):
            value = {"content": [value]}
        deep.append({"messages": [value], "system": [[name]]})

    one, other = (of(body, rules) for body in deep)

    assert (one == other) is (rules is not IdRules.SEED)


def test_many_ids_and_many_mentions_are_no_matter() -> None:
    """2,000 calls that are all mentioned."""
    one, other = (
        of(
            said(
                *[use(f"call_{n:05d}{salt}") for n in range(2_000)],
                *[f"of call_{n:05d}{salt}" for n in range(2_000)],
            )
        )
        for salt in ("Aa", "Bbb")
    )

    assert one == other


@pytest.mark.parametrize("one", [one for one in ODD_IDS if "|fc_" not in one])
@pytest.mark.parametrize("rules", FULL)
def test_an_id_may_have_any_text(one: str, rules: IdRules) -> None:
    """By position, never by form; only the two parts of a composite are told by theirs."""
    given_, plain = (
        said(use(each), {"type": "tool_result", "tool_use_id": each}) for each in (one, "toolu_1")
    )

    assert of(given_, rules) == of(plain, rules)


def test_a_lenient_reading_with_mentions_has_a_fingerprint() -> None:
    """`NaN` stays what it is, wherever IDs are taken out of the text beside it."""
    found = []
    for number, salt in [("NaN", "Aa1"), ("NaN", "Bb2"), ("1", "Aa1")]:
        members = f'"call_id": "call_{salt}", "n": {number}'
        text = f'{{"input": [{{{members}}}, {{"text": "call_{salt}", "n": {number}}}]}}'
        found.append(of(jsontext.loads(text, left_out=LeftOut())))

    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("rules", FULL)
def test_two_histories_in_one_body_both_count(rules: IdRules) -> None:
    """One of them is read message by message; calls and results may stand in both."""
    every = [
        {"messages": [use("toolu_Aa1")], "input": [{"tool_use_id": "toolu_Aa1"}]},
        {"messages": [use("toolu_Aa1")], "input": [{"tool_use_id": "toolu_Aa2"}]},
        {"messages": [use("toolu_Aa1")], "contents": [{"tool_use_id": "toolu_Aa1"}]},
        {"messages": [], "input": [use("toolu_Aa1"), {"tool_use_id": "toolu_Aa1"}]},
        {"messages": [use("toolu_Aa1"), {"tool_use_id": "toolu_Aa1"}], "input": []},
    ]

    found = [of(body, rules) for body in every]

    assert len(set(found)) == len(every)
    assert found == [
        of(renamed(body, {"toolu_Aa1": "toolu_Bb1", "toolu_Aa2": "toolu_Bb2"}), rules) for body in every
    ]


def use(one: str) -> Json:
    """A call as Anthropic has it."""
    return {"type": "tool_use", "id": one, "name": "f", "input": {}}


def said(*blocks: Json) -> Json:
    """A body of one message."""
    return {"messages": [{"role": "assistant", "content": list(blocks)}]}


def of(body: JsonValue, rules: IdRules = IdRules.ALL) -> str:
    """The fingerprint of a body alone."""
    return fingerprint(post(body), rules=rules)


def of_body(body: Body) -> str:
    """The fingerprint of a body of any kind alone."""
    return fingerprint(Exchange(0, Request("POST", "/x", body=body)))
