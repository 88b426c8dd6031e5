"""The sample tapes are what their README says, by a reading that does not use amberfork."""

import copy
import json
import re
import runpy
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from sample_reading import SAMPLES, TAPES, Call, Result, answer, events, exchanges, history

NAMES = [tape.stem for tape in TAPES]
EVERY_TAPE = pytest.mark.parametrize("name", NAMES)
CREDENTIALS = {"authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie", "set-cookie"}
FORMS = {
    "call": r"call_[A-Za-z0-9]{24}",
    "toolu": r"toolu_01[A-Za-z0-9]{22}",
    "tooluse": r"tooluse_[\w-]{22}",
    "chatcmpl": r"chatcmpl-[A-Za-z0-9]{29}",
    "resp": r"resp_[0-9a-f]{50}",
    "fc": r"fc_[0-9a-f]{50}",
    "rs": r"rs_[0-9a-f]{50}",
    "msg": r"msg_(01[A-Za-z0-9]{22}|[0-9a-f]{50})",
}
MINTED = re.compile(r"\b(?:call|toolu|tooluse|resp|fc|rs|msg)_[\w-]{22,}|\bchatcmpl-\w+")


@EVERY_TAPE
def test_a_tape_begins_with_its_header_and_numbers_its_exchanges(name: str) -> None:
    """The first line says version and name; every other is an exchange and holds what the format has."""
    lines = (SAMPLES / f"{name}.jsonl").read_bytes().decode("utf-8").split("\n")
    header, *rest = [json.loads(line) for line in lines[:-1]]

    assert lines[-1] == ""
    assert list(header) == ["tape_version", "id", "recorded_at", "note"]
    assert (header["tape_version"], header["id"]) == ("1", name)
    assert [exchange["idx"] for exchange in rest] == list(range(len(rest)))
    for exchange in rest:
        assert list(exchange) == ["idx", "request", "response"]
        assert list(exchange["request"]) == ["method", "path", "headers", "body"]
        assert list(exchange["response"]) == ["status", "headers", "body"]
        assert (exchange["request"]["method"], exchange["response"]["status"]) == ("POST", 200)


@EVERY_TAPE
def test_no_tape_holds_a_credential(name: str) -> None:
    """Neither a header that carries a key, nor a key in a path."""
    found = exchanges(name)

    headers = [
        pair for exchange in found for side in ("request", "response") for pair in exchange[side]["headers"]
    ]
    assert {key for key, _ in headers} & CREDENTIALS == set()
    assert [e["request"]["path"] for e in found if "?" in e["request"]["path"]] == []


@EVERY_TAPE
def test_every_result_answers_a_call_made_earlier_on_the_tape(name: str) -> None:
    """A result points to a call that an earlier response made, and each call has one result at most."""
    made: list[Call] = []

    for exchange in exchanges(name):
        seen = history(exchange)
        results = [item.id for item in seen if isinstance(item, Result)]
        assert [call for call in seen if isinstance(call, Call) and call not in made] == []
        assert [call_id for call_id in results if call_id not in {call.id for call in made}] == []
        assert len(results) <= len(made)
        assert [i for i in results if i is not None and results.count(i) > 1] == []
        made += answer(exchange)

    assert made != []


@EVERY_TAPE
def test_every_call_is_answered_in_the_request_that_follows(name: str) -> None:
    """The request after a response with calls ends in their results, in call order."""
    found = exchanges(name)

    for exchange, following in pairwise(found):
        if calls := answer(exchange):
            results = history(following)[-len(calls) :]
            assert [type(result) for result in results] == [Result] * len(calls)
            assert [result.id for result in results] == [call.id for call in calls]


@EVERY_TAPE
def test_ids_have_their_providers_form(name: str) -> None:
    """What looks minted has the prefix and length that its provider gives it."""
    minted = set(MINTED.findall((SAMPLES / f"{name}.jsonl").read_text(encoding="utf-8")))

    wrong = [i for i in minted if not re.fullmatch(FORMS[re.split("[_-]", i)[0]], i)]
    assert wrong == []


def test_no_two_tapes_share_an_id() -> None:
    """Every tape minted its own IDs, the re-issued ones as well."""
    per_tape = [set(MINTED.findall(tape.read_text(encoding="utf-8"))) for tape in TAPES]

    assert sum(map(len, per_tape)) == len(set().union(*per_tape))


def test_weather_and_stock_are_asked_in_parallel() -> None:
    """Each of two user turns makes two calls in one response."""
    found = exchanges("weather-stock")

    assert [[(call.name, call.arguments) for call in answer(exchange)] for exchange in found] == [
        [("getWeather", {"city": "Seoul"}), ("getStock", {"ticker": "AAPL"})],
        [],
        [("getWeather", {"city": "Tokyo"}), ("getStock", {"ticker": "MSFT"})],
        [],
    ]


def test_the_run_issued_again_differs_in_its_ids_alone() -> None:
    """With the IDs of one renamed to those of the other, all requests are the same; responses are fresh."""
    recorded, again = exchanges("weather-stock"), exchanges("weather-stock-again")

    renamed = _renamed(again, _calls(again), _calls(recorded))
    assert [exchange["request"] for exchange in renamed] == [exchange["request"] for exchange in recorded]
    for old, new in zip(recorded, again, strict=True):
        assert old["response"]["body"]["id"] != new["response"]["body"]["id"]
        assert old["response"]["body"]["created"] < new["response"]["body"]["created"]


def test_the_changed_run_asks_for_another_city_and_carries_that() -> None:
    """The first call and its result differ in every later request, and nothing else in any."""
    recorded, changed = exchanges("weather-stock"), exchanges("weather-stock-changed")
    renamed = _renamed(changed, _calls(changed), _calls(recorded))

    for exchange in renamed[1:]:
        _, _, calls, result, *_ = exchange["request"]["body"]["messages"]
        assert calls["tool_calls"][0]["function"]["arguments"] == '{"city":"Busan"}'
        assert result["content"] == '{"city": "Busan", "conditions": "light rain", "temperature_c": 19}'
        calls["tool_calls"][0]["function"]["arguments"] = '{"city":"Seoul"}'
        result["content"] = '{"city": "Seoul", "conditions": "light rain", "temperature_c": 17}'

    assert [exchange["request"] for exchange in renamed] == [exchange["request"] for exchange in recorded]


def test_the_refund_forks_at_the_policy_document() -> None:
    """Up to the policy all is the same; then only its text differs; then the agent decides otherwise."""
    recorded, reissued = exchanges("refund-recorded"), exchanges("refund-reissued")
    renamed = _renamed(reissued, _calls(reissued), _calls(recorded))
    requests = [(old["request"], new["request"]) for old, new in zip(recorded, renamed, strict=True)]

    assert [old == new for old, new in requests] == [True, True, False, False, False, False, False]
    old, new = (copy.deepcopy(side["body"]["messages"]) for side in requests[2])
    policies = [messages[-1]["content"][0].pop("content") for messages in (old, new)]
    assert old == new
    assert policies[1] == policies[0].replace("2024", "2026").replace("30 days", "14 days")
    assert [[call.name for call in answer(exchange)] for exchange in recorded] == [
        ["lookup_order"],
        ["get_policy", "get_customer"],
        ["send_refund"],
        ["add_note"],
        [],
        ["get_policy"],
        [],
    ]
    assert [call.name for call in answer(reissued[2])] == ["offer_exchange"]


def test_responses_point_back_in_both_ways() -> None:
    """One conversation sends its items back under their IDs, the other names the response before."""
    found = exchanges("responses")
    bodies = [exchange["request"]["body"] for exchange in found]
    sent_back = [item["id"] for item in bodies[3]["input"] if "id" in item]
    answered = [item["id"] for exchange in found[:3] for item in exchange["response"]["body"]["output"]]

    assert sent_back == answered
    assert [item_id.split("_")[0] for item_id in sent_back] == ["rs", "fc", "rs", "msg", "rs", "fc"]
    assert [body.get("previous_response_id") for body in bodies[:5]] == [None] * 5
    assert bodies[5]["previous_response_id"] == found[4]["response"]["body"]["id"]
    assert [item["type"] for item in bodies[5]["input"]] == ["function_call_output", "function_call_output"]


def test_bedrock_has_results_as_json_and_as_text() -> None:
    """One parallel turn, answered once by a JSON value and once by text."""
    first, second, *_ = exchanges("bedrock")

    assert [call.name for call in answer(first)] == ["lookup_order", "get_policy"]
    assert [type(item.content) for item in history(second) if isinstance(item, Result)] == [dict, str]


def test_gemini_signs_its_first_call_and_may_give_no_ids() -> None:
    """Signatures come back in the URL-safe alphabet; the last conversation has calls without IDs."""
    found = exchanges("gemini")
    given = [part for e in found for part in e["response"]["body"]["candidates"][0]["content"]["parts"]]
    sent = [part for content in found[3]["request"]["body"]["contents"] for part in content["parts"]]

    signed = [part["thoughtSignature"] for part in given if "thoughtSignature" in part]
    assert [part["thoughtSignature"] for part in sent if "thoughtSignature" in part] == [
        signature.replace("+", "-").replace("/", "_") for signature in signed[:3]
    ]
    assert [[bool(call.id) for call in answer(exchange)] for exchange in found] == [
        [True, True],
        [],
        [True],
        [],
        [False, False],
        [],
    ]


def test_streams_are_text_and_spell_what_the_client_sent_back() -> None:
    """Every response is an event stream as text; put together, its calls are those of the next request."""
    found = exchanges("streamed")

    for exchange in found:
        assert isinstance(exchange["response"]["body"], str)
        assert exchange["response"]["headers"][0] == ["content-type", "text/event-stream; charset=utf-8"]
        assert exchange["request"]["body"]["stream"] is True
        assert len(events(exchange["response"]["body"])) >= 8
    for exchange, following in ((found[0], found[1]), (found[2], found[3])):
        assert answer(exchange) == [item for item in history(following) if isinstance(item, Call)]


@EVERY_TAPE
def test_the_tools_answer_as_recorded_but_for_the_returns_policy(name: str, tools: "Tools") -> None:
    """Each recorded result is what the tool gives today, to the letter; only the old policy is another."""
    recorded = _recorded_results(exchanges(name))

    changed = [call for call, content in recorded if tools.answer(call, content) != content]
    expected = [{"topic": "returns"}] if name == "refund-recorded" else []
    assert [call.arguments for call in changed] == expected
    assert recorded != []


def test_the_tools_that_act_are_registered_as_side_effects(tools: "Tools") -> None:
    """What sends or writes something is not read-only; all else is."""
    assert tools.side_effects == {"send_refund", "offer_exchange", "add_note"}
    assert {call.name for name in NAMES for call, _ in _recorded_results(exchanges(name))} == set(
        tools.functions
    )


def test_the_readme_names_every_file_and_no_other() -> None:
    """The table of the README is the list of the folder."""
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")

    named = set(re.findall(r"`([\w-]+\.(?:jsonl|py))`", readme))
    assert named == {path.name for path in SAMPLES.iterdir() if path.suffix in {".jsonl", ".py"}}


class Tools:
    """Stands in for a registry, so that the tools are called as they are written."""

    def __init__(self) -> None:
        self.functions: dict[str, Callable[..., Any]] = {}
        self.side_effects: set[str] = set()

    def tool(
        self, function: Callable[..., Any] | None = None, *, read_only: bool = True
    ) -> Callable[..., Any]:
        """Keep a function, decorated with or without options."""
        if function is None:
            return partial(self.tool, read_only=read_only)
        self.functions[function.__name__] = function
        if not read_only:
            self.side_effects.add(function.__name__)
        return function

    def answer(self, call: Call, recorded: Any) -> Any:
        """What the tool gives, as text where the recorded result is text."""
        given = self.functions[call.name](**call.arguments)
        return json.dumps(given) if isinstance(recorded, str) and not isinstance(given, str) else given


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Tools:
    """The tools of sample_tapes/tools.py."""
    monkeypatch.setattr("amberfork_cli.ToolRegistry", Tools, raising=False)
    found = runpy.run_path(str(SAMPLES / "tools.py"))["registry"]
    assert isinstance(found, Tools)
    return found


def _recorded_results(found: list[dict[str, Any]]) -> list[tuple[Call, Any]]:
    """Each call with the result that the next request ends in."""
    pairs = [(answer(exchange), history(following)) for exchange, following in pairwise(found)]
    return [
        (call, result.content)
        for calls, items in pairs
        for call, result in zip(calls, items[len(items) - len(calls) :], strict=True)
        if isinstance(result, Result)
    ]


def _calls(found: list[dict[str, Any]]) -> list[str]:
    return [call.id or "" for exchange in found for call in answer(exchange)]


def _renamed(found: list[dict[str, Any]], old: list[str], new: list[str]) -> list[dict[str, Any]]:
    text = json.dumps(found)
    for before, after in zip(old, new, strict=True):
        text = text.replace(before, after)
    renamed: list[dict[str, Any]] = json.loads(text)
    return renamed
