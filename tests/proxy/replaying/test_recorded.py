"""Looking a request up on a tape: what answers it, and what comes closest."""

from dataclasses import replace

import pytest
from tape_samples import answer, get, numbered, outputs, post

from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.compare.diffing import DiffOptions
from amberfork_cli.core.paths import PathPattern
from amberfork_cli.core.tape import Body, Exchange, ExchangeList, Request, Response
from amberfork_cli.errors import TapeError
from amberfork_cli.proxy.replaying.misses import explain
from amberfork_cli.proxy.replaying.recorded import Hit, Miss, RecordedTape

OPTIONS = DiffOptions()


def tape(*exchanges: Exchange, options: DiffOptions = OPTIONS) -> RecordedTape:
    """A tape of these exchanges, numbered."""
    return RecordedTape(ExchangeList(numbered(exchanges), source="run.jsonl"), options)


def asked(exchange: Exchange) -> Exchange:
    """The request alone."""
    return replace(exchange, response=None)


def chat(*texts: str, **more) -> Exchange:
    """A chat of these texts, answered."""
    roles = ("user", "assistant")
    messages = [{"role": roles[turn % 2], "content": text} for turn, text in enumerate(texts)]
    return post({"model": "m", "messages": messages, **more}, {"id": texts[-1]}, path="/v1/chat/completions")


def tool_turn(call: str, result: str = "3 C") -> Exchange:
    """A request with a tool call of that ID and its result."""
    function = {"name": "weather", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "tool_calls": [{"id": call, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": call, "content": result},
    ]
    return post({"model": "m", "messages": messages}, {"id": "r"}, path="/v1/chat/completions")


def numbers(recorded: RecordedTape, *exchanges: Exchange) -> list[int | None]:
    """The recorded exchange that answers each request, None for a miss."""
    found = [recorded.look_up(asked(exchange)) for exchange in exchanges]
    return [each.exchange.number if isinstance(each, Hit) else None for each in found]


def test_a_request_is_found_wherever_it_stands():
    """In any order, with the members of its body in any order."""
    recorded = tape(chat("a"), chat("b"), get("/v1/models", {"data": []}))
    shuffled = post(dict(reversed(chat("b").request.body.value.items())), path="/v1/chat/completions")

    assert numbers(recorded, get("/v1/models", None), shuffled, chat("a")) == [2, 1, 0]
    assert recorded.unused == 0


def test_another_writing_is_an_answer_where_the_comparison_is_loose():
    """Each answer is given once, whichever way it is asked for; what differs in content stays a miss."""
    recorded = [chat("a", temperature=1), chat("b", temperature=1), chat("a", temperature=1)]
    asked_now = [chat("a", temperature=1.0), *recorded[1:], recorded[0], chat("b", temperature=2)]

    strict, loose = tape(*recorded), tape(*recorded, options=replace(OPTIONS, loose=True))

    assert numbers(strict, *asked_now) == [None, 1, 0, 2, None]
    assert numbers(loose, *asked_now) == [0, 1, 2, None, None]


def test_a_loose_comparison_does_not_take_one_response_for_another():
    """Where a request points is no matter of writing."""
    first, second = (post({"input": name}, {"id": f"resp_{name * 8}"}) for name in "ab")
    follow, other = (
        post({"input": "on", "previous_response_id": f"resp_{name * 8}"}, {"id": "resp_end"}) for name in "ab"
    )
    loose = tape(first, second, follow, options=replace(OPTIONS, loose=True))

    assert numbers(loose, other, follow) == [None, 2]


def test_repeats_are_used_up_in_order():
    """The third of two recorded ones is not on the tape."""
    recorded = tape(chat("a"), chat("b"), chat("a"))

    assert numbers(recorded, *[chat("a")] * 3) == [0, 2, None]
    assert recorded.look_up(asked(chat("a"))) == Miss(2, replace(chat("a"), number=2))
    assert recorded.unused == 1


def test_fresh_ids_of_the_agent_are_set_aside():
    """Some SDKs mint the IDs of tool calls themselves."""
    recorded = tape(tool_turn("call_a"))

    assert numbers(recorded, tool_turn("fresh-1"), tool_turn("fresh-2")) == [0, None]


@pytest.mark.parametrize(
    "other",
    [
        replace(chat("a"), request=replace(chat("a").request, method="PUT")),
        replace(chat("a"), request=replace(chat("a").request, path="/v2")),
        chat("a", temperature=1),
        chat("a", model=True),
    ],
)
def test_whatever_else_differs_is_a_miss(other):
    """Method, path, any member of the body."""
    assert numbers(tape(chat("a")), other) == [None]


def test_handles_that_the_tape_gave_out_come_back_as_they_are():
    """Two answers to one question lead on to two conversations, and each is found by the handle it was given.

    This holds whatever else was asked in between, and after a request that was not on the tape.
    """
    first, again = (post({"input": "hi"}, answer(name, "call_1")) for name in ("resp_1", "resp_2"))
    on_one, on_two = (
        post(outputs(name, ("call_1", "ok")), answer(f"{name}_b")) for name in ("resp_1", "resp_2")
    )
    recorded = tape(first, again, on_one, on_two)

    assert numbers(recorded, chat("not there"), first, again, on_two, on_one) == [None, 0, 1, 3, 2]


def test_a_handle_from_elsewhere_is_a_miss():
    """Nobody was given it; where the tape did not give it out either, it is the agent's own and set aside."""
    recorded = tape(post({"input": "hi"}, answer("resp_1")), post(outputs("resp_1"), answer("resp_2")))
    alone = tape(post(outputs("mine_1"), answer("resp_2")))

    assert numbers(recorded, post(outputs("resp_9"))) == [None]
    assert said(recorded, post(outputs("resp_9"))).endswith("which goes on from another response")
    assert numbers(alone, post(outputs("mine_2"))) == [0]


def test_a_request_without_a_recorded_response_answers_nothing():
    """Where the agent had hung up, say; the one after it does."""
    recorded = tape(asked(chat("a")), chat("a"), asked(chat("b")))

    assert numbers(recorded, chat("a"), chat("a"), chat("b")) == [1, None, None]


def test_what_is_ignored_when_comparing_is_ignored_here():
    """A date in a prompt, say."""
    options = DiffOptions(adjustments=Adjustments(ignore=(PathPattern.parse("metadata"),)))
    recorded = tape(chat("a", metadata={"date": 1}), options=options)

    assert numbers(recorded, chat("a", metadata={"date": 2})) == [0]


@pytest.mark.parametrize(
    ("exchanges", "problem"),
    [
        ((), "run.jsonl: there is no exchange on this tape"),
        ((asked(chat("a")),), "run.jsonl: there is no response on this tape to answer with"),
    ],
)
def test_a_tape_that_answers_nothing_is_trouble(exchanges, problem):
    """Before any agent runs."""
    with pytest.raises(TapeError) as refused:
        tape(*exchanges)

    assert str(refused.value) == problem


def test_a_tape_tells_where_its_providers_were():
    """The last word counts."""
    places = [{"provider": "openai", "base_url": f"http://{host}/v1"} for host in ("a", "b")]
    recorded = tape(*(replace(chat("x"), extra=extra) for extra in (*places, {"provider": 3})))

    assert recorded.base_urls == {"openai": "http://b/v1"}


TURNS = [chat(*"abcdefghi"[: 2 * turn + 1]) for turn in range(5)]


def nearest(recorded: RecordedTape, exchange: Exchange) -> int | None:
    """The number of the nearest recorded exchange."""
    found = recorded.look_up(asked(exchange))
    assert isinstance(found, Miss)
    return None if found.nearest is None else found.nearest.number


@pytest.mark.parametrize(
    ("texts", "number"),
    [("abcdX", 2), ("abcdefX", 3), ("X", 0), ("abX", 1), ("aXcdefg", 3), ("abcdefghijk", 4)],
)
def test_the_nearest_is_where_the_histories_part(texts, number):
    """Or where the request would have stood."""
    assert nearest(tape(*TURNS), chat(*texts)) == number


def test_what_was_not_asked_for_yet_is_nearer():
    """Of several that are alike."""
    recorded = tape(chat("a"), chat("b"), chat("c"))

    assert numbers(recorded, chat("a")) == [0]
    assert nearest(recorded, chat("x")) == 1


def test_what_says_the_same_last_is_near():
    """Where the first message is another, a system prompt that changed, say."""
    recorded = tape(*(chat("old", *texts) for texts in ("p", "pqr", "pqrst", "u")))

    assert [nearest(recorded, chat("new", *texts)) for texts in ("p", "pqr", "pqrst", "uv")] == [0, 1, 2, 3]


def test_where_nothing_is_shared_the_order_tells():
    """One exchange is near to one request; a request that is asked again has the same one."""
    recorded = tape(chat("a"), chat("b"), chat("c"))

    assert [nearest(recorded, chat(text)) for text in "xyxz"] == [0, 1, 0, 2]
    assert nearest(recorded, chat("w")) == 0


def test_nothing_is_near_on_another_path():
    """A request that the tape knows nothing like."""
    assert nearest(tape(chat("a")), post({}, path="/v1/embeddings")) is None


def said(recorded: RecordedTape, exchange: Exchange) -> str:
    """The sentence about a miss."""
    miss = recorded.look_up(asked(exchange))
    assert isinstance(miss, Miss)
    return explain(miss, exchange, source="run.jsonl", options=OPTIONS)


CHAT = "POST /v1/chat/completions is"


@pytest.mark.parametrize(
    ("exchange", "sentence"),
    [
        (
            chat("x"),
            (
                f"{CHAT} not on the tape run.jsonl: nearest is #0, which differs at messages[0].content: "
                '"a" on the tape, "x" now'
            ),
        ),
        (
            chat("a", temperature=0.5),
            (
                f"{CHAT} not on the tape run.jsonl: nearest is #0, which differs at temperature: "
                "nothing on the tape, 0.5 now"
            ),
        ),
        (
            post({}, path="/v1/embeddings?key=s"),
            "POST /v1/embeddings is not on the tape run.jsonl: no recorded request has this method and path",
        ),
        (
            replace(asked(chat("a")), request=replace(chat("a").request, body=Body.text("x"))),
            (
                f"{CHAT} not on the tape run.jsonl: nearest is #0, which differs at body: "
                '{"model":"m","messages":[{"role":"user","content":"a"}]} on the tape, "x" now'
            ),
        ),
    ],
)
def test_a_miss_names_the_first_difference(exchange, sentence):
    """And both sides of it."""
    assert said(tape(chat("a")), exchange) == sentence


def test_a_miss_of_what_is_used_up_says_so():
    """There is no difference to name."""
    recorded = tape(chat("a"), chat("a"))
    numbers(recorded, chat("a"), chat("a"))

    assert said(recorded, chat("a")) == (
        f"{CHAT} on the tape run.jsonl only 2 times, last as #1, and that is used up"
    )


def test_a_miss_of_what_has_no_answer_says_so():
    """The request is there, and that is all."""
    recorded = tape(asked(chat("a")), chat("b"))

    assert said(recorded, chat("a")).endswith("nearest is #0, which has no answer on the tape")


def test_a_long_value_is_cut():
    """The sentence stays one that can be read."""
    sentence = said(tape(chat("a" * 5000)), chat("b\n" * 5000))

    assert len(sentence) < 300
    assert "\n" not in sentence


def test_bytes_are_looked_up_as_they_are():
    """A body that is no JSON."""
    upload = Exchange(0, Request("POST", "/v1/files", body=Body.bytes(b"\xff")), Response(200))
    other = replace(upload, request=replace(upload.request, body=Body.bytes(b"\xfe")))
    recorded = tape(upload)

    assert numbers(recorded, other, upload) == [None, 0]
