"""Two tapes compared from end to end, in every wire shape: where they fork, and what is told of it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from agent_tapes import (
    MONDAY,
    WIRES,
    Call,
    Run,
    Tool,
    Turn,
    anthropic,
    chained_responses,
    changed,
    edited,
    flights,
    gemini_without_ids,
    hotel,
    interleaved,
    listed,
    tape,
    weather,
    with_turn,
    without,
)
from diff_telling import causes, marks, told
from tape_samples import post

from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.compare.diffing import DiffOptions, diff_bodies, diff_tapes
from amberfork_cli.core.compare.report import Origin, State, Verdict, plain
from amberfork_cli.core.jsontext import dumps, loads
from amberfork_cli.core.paths import PathPattern, Replacement
from amberfork_cli.core.tape import ABSENT, Body, Exchange, ExchangeList, Request, Response, TapeForm
from amberfork_cli.errors import TapeError

Json = Any
TURNS = MONDAY.turns


def with_argument(call: Call, **more: Json) -> Call:
    """The call with one more argument."""
    return replace(call, arguments={**call.arguments, **more})


LONG = replace(
    MONDAY, turns=tuple(Turn((Call("poll", {"job": job}, {"state": "done"}),)) for job in range(11))
)
LONG_FAILING = replace(
    LONG,
    turns=tuple(
        Turn((replace(turn.calls[0], result={"state": "failed" if job in (2, 7) else "done"}),))
        for job, turn in enumerate(LONG.turns)
    ),
)
SCENARIOS: dict[str, tuple[Run, str, str]] = {
    "argument": (
        changed(MONDAY, 3, calls=(hotel(3),)),
        "....F::",
        "the model called book_hotel with nights=3, not 2",
    ),
    "added argument": (
        changed(MONDAY, 3, calls=(with_argument(hotel(), late=True),)),
        "....F::",
        "the model called book_hotel with late=true added",
    ),
    "removed argument": (
        changed(MONDAY, 3, calls=(replace(hotel(), arguments={"city": "Seoul"}),)),
        "....F::",
        "the model called book_hotel without nights",
    ),
    "result": (
        changed(MONDAY, 0, calls=(weather(celsius=5),)),
        ".F:::::",
        'the result of get_weather(city="Seoul") changed',
    ),
    "other tool": (
        changed(MONDAY, 1, calls=(hotel(1),)),
        "..F::::",
        "the model called book_hotel instead of search_flights",
    ),
    "dropped turn": (
        without(MONDAY, 1),
        "..oF:::",
        'a turn was dropped: search_flights(to="NRT", date="2026-03-01") and its result',
    ),
    "inserted turn": (
        with_turn(MONDAY, 3, Turn((Call("search_flights", {"to": "GMP"}, {"flights": []}),))),
        "....F+::",
        'a turn was inserted: search_flights(to="GMP") and its result',
    ),
    "retried turn": (
        with_turn(MONDAY, 3, Turn((replace(hotel(), result={"error": "busy"}),))),
        "....F+::",
        'a turn was inserted: book_hotel(city="Seoul", nights=2) failed once and was called again',
    ),
    "call dropped from a batch": (
        changed(MONDAY, 2, calls=TURNS[2].calls[:1]),
        "...F:::",
        'the model no longer called get_weather(city="Busan")',
    ),
    "call added to a batch": (
        changed(MONDAY, 2, calls=(*TURNS[2].calls, weather("Jeju"))),
        "...F:::",
        'the model also called get_weather(city="Jeju")',
    ),
    "answer instead of a call": (
        changed(MONDAY, 1, calls=(), says="No flights.", question="Go on."),
        "..F::::",
        'the model answered instead of calling search_flights(to="NRT", date="2026-03-01")',
    ),
    "system prompt": (
        replace(MONDAY, system="You are a careful travel agent. Never verify before you book."),
        "F::::::",
        "the system prompt changed (1 word in 62 characters)",
    ),
    "question": (replace(MONDAY, question="Plan a week in Seoul."), "F::::::", "the user's message changed"),
    "later question": (changed(MONDAY, 4, question="Thanks!"), ".....F:", "the user's message changed"),
    "tools": (
        replace(MONDAY, tools=(Tool("get_weather", "In metres."), MONDAY.tools[1], Tool("search_docs"))),
        "F::::::",
        "the tools changed: get_weather's description; search_docs added, book_hotel removed",
    ),
    "order of tools": (
        replace(MONDAY, tools=MONDAY.tools[::-1]),
        "F::::::",
        "the tools came in another order",
    ),
    "model and temperature": (
        replace(MONDAY, model="m-2", settings={"temperature": 0.7}),
        "F::::::",
        "the model changed from m-1 to m-2, {settings}temperature from 0.2 to 0.7",
    ),
    "added setting": (
        replace(MONDAY, settings={**MONDAY.settings, "seed": 7}),
        "F::::::",
        "{settings}seed was added",
    ),
    "two changes": (
        changed(changed(MONDAY, 0, calls=(weather(celsius=5),)), 3, calls=(hotel(3),)),
        ".F::C::",
        'the result of get_weather(city="Seoul") changed',
    ),
}
LINKS: dict[str, tuple[Run, str]] = {
    "swapped results": (
        changed(MONDAY, 2, links=(1, 0)),
        'the results of get_weather(city="Seoul") and get_weather(city="Busan") are swapped',
    ),
    "reordered batch": (
        changed(MONDAY, 2, order=(1, 0)),
        "the 2 results of one parallel batch came in another order",
    ),
    "orphan": (changed(MONDAY, 2, links=(-1, 1)), "a result answers a call that nobody made"),
}
SETTINGS = {
    "gemini": "generationConfig.",
    "gemini_without_ids": "generationConfig.",
    "bedrock": "inferenceConfig.",
}


@pytest.mark.parametrize("wire", [*WIRES, "chained_responses"])
def test_two_issues_of_one_run_are_the_same(wire: str) -> None:
    """Fresh IDs of every class change nothing."""
    make = {**WIRES, "chained_responses": chained_responses}[wire]

    report = diff_tapes(tape(MONDAY, wire=make), tape(MONDAY, wire=make, seed=2))

    assert (report.same, report.verdict, marks(report)) == (True, Verdict.SAME, ".......")


MINTS: dict[str, Callable[[str], str]] = {"constant": lambda _: "call", "empty": lambda _: ""}


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("wire", ["chat", "anthropic", "bedrock", "gemini"])
def test_ids_that_say_nothing_are_the_same_as_fresh_ones(wire: str, mint: str) -> None:
    """Where results come in the order of their calls, the order alone says what answers what."""
    poor = listed(WIRES[wire](MONDAY, MINTS[mint]))  # type: ignore[arg-type]

    same = diff_tapes(tape(MONDAY, wire=WIRES[wire]), poor)
    changed_ = diff_tapes(tape(SCENARIOS["argument"][0], wire=WIRES[wire]), poor)

    assert (same.same, causes(changed_)) == (True, ["the model called book_hotel with nights=2, not 3"])


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_change_is_told_once_where_it_shows_first(scenario: str, wire: str) -> None:
    """Whatever the shape, one exchange tells the change, in the same words, and the later ones carry it."""
    run, expected, cause = SCENARIOS[scenario]

    report = diff_tapes(tape(MONDAY, wire=WIRES[wire]), tape(run, wire=WIRES[wire], seed=2))

    assert (marks(report), causes(report)[0]) == (expected, cause.format(settings=SETTINGS.get(wire, "")))


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "gemini_without_ids"])
@pytest.mark.parametrize("scenario", LINKS)
def test_what_answers_what_is_told_apart_from_what_is_said(scenario: str, wire: str) -> None:
    """Results that answer other calls, come in another order or answer none are three things."""
    run, cause = LINKS[scenario]

    report = diff_tapes(tape(MONDAY, wire=WIRES[wire]), tape(run, wire=WIRES[wire], seed=2))

    assert (marks(report), causes(report)) == ("...F:::", [cause])


def test_where_there_are_no_ids_the_order_says_what_answers_what() -> None:
    """Two results of one tool that come in another order are results of other calls."""
    reordered = changed(MONDAY, 2, order=(1, 0))

    report = diff_tapes(tape(MONDAY, wire=gemini_without_ids), tape(reordered, wire=gemini_without_ids))

    assert (marks(report), causes(report)) == ("...F:::", ['the result of get_weather(city="Seoul") changed'])


CHAINED = {
    "argument": SCENARIOS["argument"],
    "added argument": SCENARIOS["added argument"],
    "answer": (changed(MONDAY, 4, says="Done."), ".....F:", "the model's answer changed"),
    "result": (SCENARIOS["result"][0], ".F:::::", SCENARIOS["result"][2]),
    "other tool": (SCENARIOS["other tool"][0], "..F::::", SCENARIOS["other tool"][2]),
    "dropped turn": (SCENARIOS["dropped turn"][0], "..oF:::", SCENARIOS["dropped turn"][2]),
    "inserted turn": (SCENARIOS["inserted turn"][0], "....F+::", SCENARIOS["inserted turn"][2]),
    "swapped results": (LINKS["swapped results"][0], "...F:::", LINKS["swapped results"][1]),
    "reordered batch": (LINKS["reordered batch"][0], "...F:::", LINKS["reordered batch"][1]),
    "orphan": (LINKS["orphan"][0], "...F:::", LINKS["orphan"][1]),
    "dropped result": (
        changed(MONDAY, 2, calls=TURNS[2].calls[:1]),
        "...F:::",
        'the model no longer called get_weather(city="Busan")',
    ),
}


@pytest.mark.parametrize("scenario", CHAINED)
def test_requests_that_hold_only_their_own_news_are_told_with_the_calls_of_the_answer_before(
    scenario: str,
) -> None:
    """A request that names an earlier response holds results; what they answer stands in that response.

    So what the model said is compared there, as in a request that repeats it.
    """
    run, expected, cause = CHAINED[scenario]

    report = diff_tapes(tape(MONDAY, wire=chained_responses), tape(run, wire=chained_responses, seed=2))

    assert (marks(report), causes(report)[0]) == (expected, cause)


TOLD = {
    "argument": """
messages[9] assistant calls book_hotel
  value arguments.nights 2 -> 3
""",
    "result": """
messages[3] result of get_weather(city="Seoul")
  value celsius 3 -> 5
""",
    "other tool": """
messages[4] assistant calls search_flights
  value name "search_flights" -> "book_hotel"
  removed arguments.to "NRT" -> nothing
  removed arguments.date "2026-03-01" -> nothing
  added arguments.city nothing -> "Seoul"
  added arguments.nights nothing -> 1
messages[5] result of book_hotel(city="Seoul", nights=1)
  removed flights [{"id":"KE703","price":412}] -> nothing
  added confirmation nothing -> "bk_91f3c0"
""",
    "dropped turn": """
messages[4]–[5] not in the re-issued request
  removed assistant calls search_flights(to="NRT", date="2026-03-01")
  removed tool result {"flights": [{"id": "KE703", "price": 412}]}
""",
    "call dropped from a batch": """
messages[6] assistant calls get_weather
  removed tool_calls.1 get_weather(city="Busan")
messages[8] not in the re-issued request
  removed tool result {"celsius": 9, "sky": "snow"}
""",
    "tools": """
tools.get_weather description changed
  value description "Does it." -> "In metres."
tools
  added search_docs Does it. 1 parameter
  removed book_hotel Does it. 1 parameter
""",
    "model and temperature": """
model
  value "m-1" -> "m-2"
temperature
  value 0.2 -> 0.7
""",
}


@pytest.mark.parametrize("scenario", TOLD)
def test_each_value_that_differs_is_told_and_nothing_else(scenario: str) -> None:
    """Strings that hold JSON are opened, so that the difference is a member and not two long texts."""
    report = diff_tapes(tape(MONDAY), tape(SCENARIOS[scenario][0], seed=2))

    assert told(report.forks[0]) == TOLD[scenario].strip()


def test_swapped_results_name_the_calls_on_both_sides() -> None:
    """A link is told by the calls that are answered, never by IDs."""
    report = diff_tapes(tape(MONDAY), tape(changed(MONDAY, 2, links=(1, 0)), seed=2))

    assert told(report.forks[0]) == CROSSED.strip()


CROSSED = """
messages[7] tool result {"celsius": 3, "sky": "snow"}
  link get_weather(city="Seoul") -> get_weather(city="Busan")
messages[8] tool result {"celsius": 9, "sky": "snow"}
  link get_weather(city="Busan") -> get_weather(city="Seoul")
"""


SPELLED = replace(MONDAY, settings={"temperature": 1})
WEAK = {
    "spelling of a number": (
        replace(SPELLED, settings={"temperature": 1.0}),
        "temperature is spelled differently",
    ),
    "form": (
        replace(SPELLED, question=[{"type": "text", "text": MONDAY.question}]),
        "the user's message is written differently",
    ),
}


@pytest.mark.parametrize("scenario", WEAK)
def test_what_is_only_written_differently_is_told_apart(scenario: str) -> None:
    """Spelling and form are differences of their own kind, which `--loose` allows."""
    run, cause = WEAK[scenario]
    recorded, reissued = tape(SPELLED), tape(run, seed=2)

    strict = diff_tapes(recorded, reissued)
    loose = diff_tapes(recorded, reissued, DiffOptions(loose=True))

    assert (strict.same, strict.verdict, causes(strict)) == (False, Verdict.WEAK, [cause])
    assert (marks(strict), loose.same, marks(loose)) == ("C::::::", True, ".......")


def test_a_strong_change_behind_an_allowed_one_is_still_told() -> None:
    """`--loose` allows what is written differently and nothing that comes with it later."""
    run = changed(replace(SPELLED, settings={"temperature": 1.0}), 3, calls=(hotel(3),))

    report = diff_tapes(tape(SPELLED), tape(run, seed=2), DiffOptions(loose=True))

    assert (marks(report), causes(report)) == ("....F::", [SCENARIOS["argument"][2]])


def test_spacing_inside_arguments_is_spelling() -> None:
    """The same arguments in another spelling are no other call."""
    recorded = tape(MONDAY)
    reissued = edited(tape(MONDAY, seed=2), _tight_arguments)

    report = diff_tapes(recorded, reissued)

    assert (report.verdict, causes(report)[0]) == (
        Verdict.WEAK,
        "the arguments of get_weather are spelled differently",
    )


def test_both_weak_kinds_together_are_still_weak() -> None:
    """A request that differs in spelling and form and in nothing else is allowed as a whole."""
    run = replace(
        SPELLED, settings={"temperature": 1.0}, question=[{"type": "text", "text": MONDAY.question}]
    )

    report = diff_tapes(tape(SPELLED), tape(run, seed=2), DiffOptions(loose=True))

    assert report.same


def test_a_tape_that_ends_early_has_stopped() -> None:
    """Requests that were never issued again are missing, and nothing forked."""
    report = diff_tapes(tape(MONDAY), tape(replace(MONDAY, turns=TURNS[:3]), seed=2))

    assert (marks(report), report.verdict) == ("....ooo", Verdict.STOPPED)


def test_a_tape_that_goes_on_has_extra_exchanges() -> None:
    """A request that is not on the tape is extra, and told with the nearest recorded one."""
    longer = with_turn(MONDAY, len(TURNS), Turn((weather("Daegu"),)))

    report = diff_tapes(tape(MONDAY), tape(longer, seed=2))

    last = report.exchanges[-1]
    assert (marks(report), report.verdict) == (".......+", Verdict.NOT_FORKED)
    assert (last.nearest, plain(last.nearest_words)) == (6, "without messages[15]–[16]")


ALONE = [replace(MONDAY, turns=(), question=f"Question {number}.") for number in range(6)]


def test_independent_requests_that_changed_places_are_moved() -> None:
    """The longest run that kept its order stays; what is outside is told as moved and differs in nothing."""
    swapped = [*ALONE[:2], ALONE[3], ALONE[2], *ALONE[4:]]

    report = diff_tapes(tape(*ALONE), tape(*swapped, seed=2))

    moved = [exchange.reissued for exchange in report.exchanges if exchange.moved]
    assert (report.same, moved) == (True, [2])


def test_one_extra_request_in_front_moves_nothing() -> None:
    """What only comes later than it did has kept its order."""
    report = diff_tapes(tape(*ALONE), tape(replace(MONDAY, turns=(), question="New."), *ALONE, seed=2))

    assert (marks(report), [one for one in report.exchanges if one.moved]) == ("+......", [])


def test_a_request_is_used_up_by_the_one_it_answers() -> None:
    """Of three equal requests against two, the third has no partner."""
    twice, thrice = ([tape(ALONE[0]).reread(0)] * count for count in (2, 3))

    report = diff_tapes(listed(twice), listed(thrice))

    assert [(one.recorded, one.reissued, one.state) for one in report.exchanges] == [
        (0, 0, State.MATCH),
        (1, 1, State.MATCH),
        (None, 2, State.EXTRA),
    ]


def test_requests_with_the_same_last_message_are_three_requests() -> None:
    """A history decides, not the last thing that the user said."""
    runs = [replace(MONDAY, turns=(Turn(says=f"Answer {number}.", question="Yes."),)) for number in range(3)]

    report = diff_tapes(tape(*runs), tape(*runs[::-1], seed=2))

    pairs = {one.reissued: one.recorded for one in report.exchanges}
    assert (report.same, pairs) == (True, {0: 0, 1: 5, 2: 2, 3: 3, 4: 4, 5: 1})


OTHERS = [replace(MONDAY, question=f"Task {number}.") for number in range(3)]


def test_interleaved_conversations_fork_each_for_itself() -> None:
    """A change in one of several conversations at once leaves the others alone."""
    recorded = interleaved(*(tape(run, seed=seed) for seed, run in enumerate(OTHERS)))
    runs = [OTHERS[0], changed(OTHERS[1], 2, calls=TURNS[2].calls[:1]), OTHERS[2]]
    reissued = interleaved(*(tape(run, seed=9 + seed) for seed, run in enumerate(runs)))

    report = diff_tapes(recorded, reissued)

    assert marks(report) == "..........F..:..:..:."
    assert [(one.number, one.words) for one in report.conversations] == [
        (0, "Task 0."),
        (1, "Task 1."),
        (2, "Task 2."),
    ]


def test_sub_agents_that_run_in_another_order_are_matched() -> None:
    """Whole conversations may change places."""
    report = diff_tapes(tape(*OTHERS), tape(*OTHERS[::-1], seed=2))

    assert report.same


def test_sixty_conversations_that_forked_alike_are_told_once() -> None:
    """The first tells the change, and the others point to it."""
    runs = [replace(MONDAY, question=f"Task {number}.", turns=TURNS[:1]) for number in range(60)]
    others = [replace(run, system=f"{run.system} Be quick.") for run in runs]

    report = diff_tapes(tape(*runs), tape(*others, seed=2))

    assert marks(report) == "F:" * 60
    assert [one.alike for one in report.forks] == [None, *[0] * 59]


def test_conversations_with_one_opening_are_told_apart_by_what_follows() -> None:
    """Two conversations that begin alike are each matched with its own."""
    other = replace(MONDAY, turns=TURNS[::-1])

    report = diff_tapes(tape(MONDAY, other), tape(other, MONDAY, seed=2))

    assert report.same


def test_a_request_that_is_tried_again_is_extra() -> None:
    """A retry of one request that the recorded run did not need is on one tape only."""
    once, again = list(tape(MONDAY)), list(tape(MONDAY, seed=2))

    report = diff_tapes(listed(once), listed([*again[:3], again[2], again[2], *again[3:]]))

    assert (marks(report), report.verdict) == ("...++....", Verdict.NOT_FORKED)


def test_a_forked_request_that_is_tried_again_carries_its_change() -> None:
    """Both tapes try a request twice, and what changed in it is told once."""
    run = SCENARIOS["call dropped from a batch"][0]
    recorded, reissued = (list(tape(one, seed=seed)) for seed, one in enumerate((MONDAY, run)))

    report = diff_tapes(
        listed([*recorded[:4], recorded[3], *recorded[4:]]),
        listed([*reissued[:4], reissued[3], *reissued[4:]]),
    )

    assert marks(report) == "...F::::"


POLL = Call("poll", {"job": "a"}, {"state": "running"})


def polling(times: int) -> Run:
    """An agent that asks the same again and again until it is told that something is done."""
    asked = [Turn((POLL,)) for _ in range(times)]
    done = replace(POLL, result={"state": "done"})
    return replace(MONDAY, turns=(*asked, Turn((done,)), *TURNS[:2]))


def test_polls_that_were_dropped_are_one_hunk() -> None:
    """However often messages repeat, the turns that are gone are told and nothing else."""
    report = diff_tapes(tape(polling(5)), tape(polling(3), seed=2))

    assert marks(report) == "....ooF::"
    assert causes(report) == ['a turn was dropped: poll(job="a") and poll(job="a") and their results']
    assert len(report.forks[0].differences) == 4


def test_polls_that_were_added_are_one_hunk() -> None:
    """The first poll that is not on the tape is the fork."""
    report = diff_tapes(tape(polling(3)), tape(polling(5), seed=2))

    assert marks(report) == "....F++::"
    assert causes(report) == ['a turn was inserted: poll(job="a") and poll(job="a") and their results']


def test_a_turn_dropped_from_a_long_run_is_one_hunk() -> None:
    """However long the run is and however alike its turns are, with every ID minted anew."""
    long = replace(MONDAY, turns=tuple(Turn((weather(f"City {n % 7}", celsius=n % 5),)) for n in range(150)))

    report = diff_tapes(tape(long), tape(without(long, 70), seed=2))

    assert marks(report) == "." * 71 + "o" + "F" + ":" * 78
    assert [len(change.differences) for change in report.changes] == [2]


def test_a_second_insertion_is_told_where_it_is() -> None:
    """What was inserted earlier in the conversation is not told again with it."""
    twice = with_turn(with_turn(MONDAY, 5, Turn((weather("Oslo"),))), 2, Turn((flights("2026-05-05"),)))

    report = diff_tapes(tape(MONDAY), tape(twice, seed=2))

    assert marks(report) == "...F+::C+"
    assert causes(report)[1] == 'a turn was inserted: get_weather(city="Oslo") and its result'


def test_a_second_dropped_turn_is_told_where_it_is() -> None:
    """What was dropped earlier in the conversation is not told again with it."""
    report = diff_tapes(tape(MONDAY), tape(without(without(MONDAY, 3), 1), seed=2))

    assert marks(report) == "..oFoC:"
    assert causes(report)[1] == 'a turn was dropped: book_hotel(city="Seoul", nights=2) and its result'


def test_a_result_that_comes_without_its_call_does_not_miss_later() -> None:
    """It is told where it comes; where its call is missed, it is there."""
    one_behind = listed(list(tape(MONDAY))[1:])

    report = diff_tapes(tape(MONDAY), edited(one_behind, _without_the_first_call))

    gone = [plain(one.summary) for change in report.changes for one in change.differences if one.summary]
    assert [summary for summary in gone if summary.startswith("tool result")] == [
        'tool result{"celsius": 3, "sky": "snow"}'
    ]


def test_a_setting_that_changes_again_is_told_again() -> None:
    """Each value is told once; what only lasts is carried."""
    recorded = tape(MONDAY)
    reissued = edited(tape(MONDAY, seed=2), lambda n, body: body | {"temperature": 0.5 if n < 3 else 0.9})

    report = diff_tapes(recorded, reissued)

    assert (marks(report), causes(report)) == (
        "F::C:::",
        ["temperature changed from 0.2 to 0.5", "temperature changed from 0.2 to 0.9"],
    )


def test_a_request_that_always_differs_in_a_setting_still_shows_the_fork() -> None:
    """A setting that is fresh in every request hides nothing, and the change behind it is told once."""
    recorded = edited(tape(MONDAY), lambda n, body: body | {"seed": n})
    run = SCENARIOS["argument"][0]
    reissued = edited(tape(run, seed=2), lambda n, body: body | {"seed": 100 + n})

    report = diff_tapes(recorded, reissued)

    assert marks(report) == "FCCCCCC"
    assert [told(one).endswith(TOLD["argument"].rstrip()) for one in report.changes] == [
        one.reissued == 4 for one in report.changes
    ]


def test_a_system_prompt_that_tells_the_time_is_one_conversation() -> None:
    """The first message differs in every request of one run; what changed behind it is still told once."""
    recorded = edited(tape(MONDAY), _telling_the_time("10"))
    reissued = edited(tape(SCENARIOS["argument"][0], seed=2), _telling_the_time("11"))

    report = diff_tapes(recorded, reissued)

    assert (marks(report), len(report.conversations)) == ("FCCCCCC", 1)
    assert [told(one).endswith(TOLD["argument"].rstrip()) for one in report.changes] == [
        one.reissued == 4 for one in report.changes
    ]


def test_equal_prompts_that_tell_the_time_leave_only_the_fork() -> None:
    """What differs from request to request but not from tape to tape is no difference."""
    recorded = edited(tape(MONDAY), _telling_the_time("10"))
    reissued = edited(tape(SCENARIOS["argument"][0], seed=2), _telling_the_time("10"))

    report = diff_tapes(recorded, reissued)

    assert (marks(report), causes(report)) == ("....F::", [SCENARIOS["argument"][2]])


def test_a_reminder_at_the_end_of_each_request_is_one_conversation() -> None:
    """A last message that the next request no longer has breaks no conversation."""
    recorded, reissued = (
        edited(tape(run, seed=seed), _reminded) for seed, run in enumerate((MONDAY, SCENARIOS["result"][0]))
    )

    report = diff_tapes(recorded, reissued)

    assert (marks(report), len(report.conversations)) == (".F:::::", 1)


def test_an_earlier_message_that_changes_later_is_told_then() -> None:
    """A history that is written anew in the middle of a run shows its change in the request that does it."""
    reissued = edited(tape(SCENARIOS["result"][0], seed=2), _with_another_question)

    report = diff_tapes(tape(MONDAY), reissued)

    assert (marks(report), causes(report)) == (
        ".F::C::",
        [SCENARIOS["result"][2], "the user's message changed"],
    )


def test_links_of_an_earlier_turn_that_change_later_are_told_then() -> None:
    """Results of a carried history that answer other calls from some request on are not hidden."""
    reissued = edited(tape(SCENARIOS["result"][0], seed=2), _with_crossed_links)

    report = diff_tapes(tape(MONDAY), reissued)

    assert (marks(report), causes(report)) == (
        ".F:::C:",
        [SCENARIOS["result"][2], LINKS["swapped results"][1]],
    )


def test_a_history_that_is_put_in_short_is_told_once() -> None:
    """What was left out of the history is one place, and later requests carry it."""
    report = diff_tapes(tape(MONDAY), edited(tape(MONDAY, seed=2), _in_short))

    assert marks(report) == "....F::"
    assert [spot.label for spot in report.forks[0].spots] == ["messages[2]–[5]", "messages[2]"]


def test_a_history_that_slides_along_tells_each_change_once() -> None:
    """An agent may send the beginning and the last messages only: a change stands elsewhere each time."""
    recorded, reissued = (edited(tape(run, seed=seed), _slid) for seed, run in ((1, LONG), (2, LONG_FAILING)))

    report = diff_tapes(recorded, reissued)

    assert marks(report) == "...F::..C::."
    assert causes(report) == ["the result of poll(job=2) changed", "the result of poll(job=7) changed"]


def test_a_summary_that_changed_is_told_though_a_change_goes_on_behind_it() -> None:
    """What an agent writes in place of its history is compared where it first stands."""
    run = SCENARIOS["result"][0]

    report = diff_tapes(
        edited(tape(MONDAY), _in_short),
        edited(tape(run, seed=2), lambda at, body: _in_short(at, body, "bad")),
    )

    assert (marks(report), [spot.label for spot in report.changes[1].spots]) == (".F::C::", ["messages[2]"])


@pytest.mark.parametrize("wire", [WIRES["chat"], chained_responses])
def test_a_change_that_looks_like_an_earlier_one_is_told(wire: Any) -> None:
    """Also where requests hold nothing but their news, which stand at the same place each time."""
    report = diff_tapes(tape(LONG, wire=wire), tape(LONG_FAILING, wire=wire, seed=2))

    assert marks(report) == "...F::::C:::"


def test_a_conversation_that_the_provider_keeps_by_name_is_compared_with_its_answers() -> None:
    """Its requests go on from each other as those do that name a response."""

    def kept(name: str, city: str) -> ExchangeList:
        call = {
            "type": "function_call",
            "call_id": f"call_{name}",
            "name": "f",
            "arguments": dumps([city]).decode(),
        }
        result = {"type": "function_call_output", "call_id": f"call_{name}", "output": "rain"}
        bodies: list[tuple[Json, Json]] = [
            ("Weather?", [call]),
            ([result], [{"type": "message", "role": "assistant", "content": []}]),
            ("Thanks.", []),
        ]
        opened = post({}, {"id": name, "object": "conversation"}, path="/v1/conversations")
        said = [
            post({"input": news, "conversation": name}, {"id": f"r{at}{name}", "output": output})
            for at, (news, output) in enumerate(bodies)
        ]
        return listed([opened, *said])

    same, other = (diff_tapes(kept("conv_a", "Seoul"), kept("conv_b", city)) for city in ("Seoul", "Busan"))

    assert same.same
    assert (marks(other), told(other.forks[0])) == (
        "..F:",
        'response of #1 assistant calls f\n  value arguments.0 "Seoul" -> "Busan"',
    )


def test_a_request_that_goes_on_from_another_answer_is_told() -> None:
    """It says the same, and yet it is another one."""

    def asked_after(first: str, other: str, use: str) -> ExchangeList:
        questions = [post({"input": name[-1]}, {"id": name, "output": []}) for name in (first, other)]
        return listed([*questions, post({"input": "yes", "previous_response_id": use})])

    report = diff_tapes(
        asked_after("resp_a1", "resp_a2", "resp_a1"), asked_after("resp_b1", "resp_b2", "resp_b2")
    )

    assert told(report.forks[0]) == "body\n  link previous_response_id ID 1 of recorded #0 -> ID 1 of #1"


def test_a_text_that_names_another_call_than_before_is_told_though_it_reads_the_same() -> None:
    """An ID that an agent wrote into its prompt is one of the run, or a stale one."""

    def noted(number: int, body: Json) -> Json:
        messages = [*body["messages"]]
        if number > 4:
            messages[-1] = {**messages[-1], "content": "Look at call_zZ0123456789."}
        return body | {"messages": messages}

    def renamed(one: ExchangeList, name: str) -> ExchangeList:
        called = next(iter(list(one)[1].request.body.value["messages"][2]["tool_calls"]))["id"]
        return edited(one, lambda _, body: loads(dumps(body).decode().replace(called, name)))

    told_of = renamed(edited(tape(MONDAY), noted), "call_zZ0123456789")
    stale = edited(tape(replace(MONDAY, model="m-2"), seed=2), noted)

    report = diff_tapes(told_of, stale)

    assert marks(report) == "F::::CC"


def test_tools_that_are_added_in_the_middle_of_a_run_are_told_there() -> None:
    """Whatever else changed before."""

    def with_a_tool(number: int, body: Json) -> Json:
        extra = {"type": "function", "function": {"name": "extra", "parameters": {}}}
        return body | {"tools": [*body["tools"], extra]} if number > 2 else body

    report = diff_tapes(tape(MONDAY), edited(tape(SCENARIOS["result"][0], seed=2), with_a_tool))

    assert (marks(report), causes(report)[1]) == (".F:C:::", "the tools changed: extra added")


def test_cache_hints_that_move_on_are_no_difference() -> None:
    """A hint that stands on the last message of every request breaks no conversation and hides no fork."""
    recorded, same, forked = (
        edited(tape(run, wire=anthropic, seed=seed), _hinted)
        for seed, run in enumerate((MONDAY, MONDAY, SCENARIOS["result"][0]))
    )

    assert diff_tapes(recorded, same).same
    assert marks(diff_tapes(recorded, forked)) == ".F:::::"


def test_cache_hints_of_one_side_only_are_told() -> None:
    """A hint is part of the request."""
    report = diff_tapes(tape(MONDAY, wire=anthropic), edited(tape(MONDAY, wire=anthropic, seed=2), _hinted))

    assert marks(report) == "FCCCCCC"


def test_a_random_id_is_traced_to_the_result_that_brought_it() -> None:
    """A value that appears in a tool's result and then in what the model says comes from that result."""
    runs = [
        changed(
            changed(MONDAY, 3, calls=(hotel(confirmation=confirmation),)), 4, says=f"Booked: {confirmation}."
        )
        for confirmation in ("bk_91f3c0", "bk_77a1de")
    ]

    report = diff_tapes(tape(runs[0]), tape(runs[1], seed=2))

    trace = report.changes[1].trace
    assert marks(report) == "....FC:"
    assert trace is not None
    assert (trace.token, trace.exchange, plain(trace.words)) == (
        "bk_91f3c0",
        4,
        'result of book_hotel(city="Seoul", nights=2)',
    )


def test_responses_are_compared_only_when_asked_for() -> None:
    """An answer that differs is seen in the next request, or not at all."""
    recorded, reissued = tape(MONDAY), tape(replace(MONDAY, answer="All is done."), seed=2)

    silent = diff_tapes(recorded, reissued)
    asked = diff_tapes(recorded, reissued, DiffOptions(responses=True))

    assert silent.same
    assert (marks(asked), asked.forks[0].origin, causes(asked)) == (
        "......F",
        Origin.RESPONSE,
        ["the response changed"],
    )
    assert told(asked.forks[0]) == 'response.choices\n  value 0.message.content "All done." -> "All is done."'


def test_responses_of_carried_exchanges_are_compared_too() -> None:
    """What a request carries says nothing of what was answered."""
    run = replace(SCENARIOS["result"][0], answer="All is done.")

    report = diff_tapes(tape(MONDAY), tape(run, seed=2), DiffOptions(responses=True))

    assert (marks(report), causes(report)[1]) == (".F::::C", "the response changed")


def test_a_stream_is_compared_as_the_message_that_it_spells() -> None:
    """The same answer in one piece and in events is the same."""
    whole = listed([answered(body=Body.json(_completion("Rain.", "chatcmpl-1")))])
    streamed = listed([answered(body=Body.text(_events("Ra", "in.")))])
    other = listed([answered(body=Body.text(_events("Sn", "ow.")))])

    same, different = (diff_tapes(whole, other_, DiffOptions(responses=True)) for other_ in (streamed, other))

    assert [one.differences for one in same.exchanges if one.differences] == []
    assert told(different.forks[0]) == 'response.choices\n  value 0.message.content "Rain." -> "Snow."'


def test_another_status_is_told_as_it_stands() -> None:
    """A response that failed is a difference of its own kind."""
    fine, busy = (listed([answered(status=status)]) for status in (200, 429))

    report = diff_tapes(fine, busy, DiffOptions(responses=True))

    assert (causes(report), told(report.forks[0])) == (
        ["the response was 429, not 200"],
        "response.status\n  status 200 -> 429",
    )


BODIES = {
    "text": (Body.text("a=1"), Body.text("a=2"), 'value "a=1" -> "a=2"'),
    "bytes": (
        Body.bytes(b"\xff\x00"),
        Body.bytes(b"\xff\x01"),
        "value b'\\xff\\x00' -> b'\\xff\\x01'",
    ),
    "text and JSON": (Body.text("true"), Body.json(True), 'type "true" -> true'),
    "absent and null": (ABSENT, Body.json(None), "type nothing -> null"),
    "empty and absent": (Body.text(""), ABSENT, 'type "" -> nothing'),
    "lists": (Body.json([1, 2, 3]), Body.json([1, 3]), "removed 1 2 -> nothing"),
}


@pytest.mark.parametrize("case", BODIES)
def test_bodies_that_are_no_objects_are_compared(case: str) -> None:
    """Whatever a body is, it is equal only to its like."""
    old, new, line = BODIES[case]

    report = diff_tapes(listed([bare(old)]), listed([bare(new)]))

    assert told(report.forks[0]) == f"body\n  {line}"
    assert diff_tapes(listed([bare(old)]), listed([bare(old)])).same


def test_no_depth_and_no_number_is_too_much() -> None:
    """A tape may hold values that Python would rather not write out."""
    deep: Json = []
    for _ in range(9_000):
        deep = [deep]
    long = 10**9_999

    reports = [
        diff_bodies({"x": old}, {"x": new}) for old, new in ((deep, [deep]), (deep, 1), (long, long + 1))
    ]

    assert [marks(report) for report in reports] == ["F", "F", "F"]


def test_method_and_path_are_told() -> None:
    """The same body to another place is another request."""
    old = Exchange(0, Request("POST", "/v1/a", body=Body.json({})))
    new = Exchange(0, Request("PUT", "/v1/b", body=Body.json({})))

    report = diff_tapes(listed([old]), listed([new]))

    assert (causes(report), told(report.forks[0])) == (
        ["method changed from POST to PUT, path from /v1/a to /v1/b"],
        'method\n  value "POST" -> "PUT"\npath\n  value "/v1/a" -> "/v1/b"',
    )


def test_bodies_alone_compare_with_a_tape() -> None:
    """Where one side has no endpoints, those of the other do not count."""
    bodies = [Exchange(one.number, Request("POST", "", body=one.request.body)) for one in tape(MONDAY)]

    report = diff_tapes(ExchangeList(bodies, form=TapeForm.BODIES), tape(MONDAY, seed=2))

    assert report.same


def test_two_bodies_are_compared_as_one_exchange() -> None:
    """A single body on each side."""
    report = diff_bodies({"model": "a", "messages": []}, {"model": "b", "messages": []})

    assert (report.verdict, causes(report)) == (Verdict.FORKED, ["the model changed from a to b"])


def test_what_is_ignored_and_replaced_does_not_count() -> None:
    """Members and texts that a user leaves out make no difference, and are counted."""
    old = {"model": "a", "seed": 1, "messages": [{"role": "user", "content": "Now: 10:00"}]}
    new = {"model": "a", "seed": 2, "messages": [{"role": "user", "content": "Now: 11:30"}]}
    adjustments = Adjustments([PathPattern.parse("seed")], [Replacement.parse(r"\d\d:\d\d", "TIME")])

    report = diff_bodies(old, new, DiffOptions(adjustments=adjustments))

    assert (report.same, report.recorded.ignored, report.reissued.replaced) == (True, 1, 1)


def test_a_tape_without_exchanges_is_trouble() -> None:
    """Nobody means to ask whether two empty tapes are the same."""
    with pytest.raises(TapeError) as raised:
        diff_tapes(ExchangeList([], source="empty.jsonl"), tape(MONDAY))

    assert str(raised.value) == "empty.jsonl: there is no exchange on this tape"


def test_a_heavily_changed_run_pairs_turn_by_turn() -> None:
    """Where everything differs, each turn faces the one that has its place."""
    other = replace(MONDAY, turns=tuple(Turn((Call("x", {"k": k}, {"v": k}),)) for k in range(6)))

    report = diff_tapes(tape(MONDAY), tape(other, seed=2))

    assert marks(report) == ".FCCCCC"


def bare(body: Body) -> Exchange:
    """A request with that body."""
    return Exchange(0, Request("POST", "/v1/x", body=body))


def answered(*, status: int = 200, body: Body = ABSENT) -> Exchange:
    """A chat completion that was answered so."""
    asked = {"model": "m", "messages": [{"role": "user", "content": "Weather?"}]}
    return Exchange(
        0, Request("POST", "/v1/chat/completions", body=Body.json(asked)), Response(status, body=body)
    )


def _completion(text: str, name: str) -> Json:
    message = {"role": "assistant", "content": text}
    return {
        "id": name,
        "object": "chat.completion",
        "created": 1,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }


def _events(*pieces: str) -> str:
    chunks = [
        {
            "id": "chatcmpl-2",
            "object": "chat.completion.chunk",
            "created": 2,
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }
        for delta, reason in [
            ({"role": "assistant", "content": ""}, None),
            *(({"content": piece}, None) for piece in pieces),
            ({}, "stop"),
        ]
    ]
    return "".join(f"data: {dumps(chunk).decode()}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def _messages(body: Json) -> Json:
    return [dict(message) for message in body["messages"]]


def _tight_arguments(_: int, body: Json) -> Json:
    messages = _messages(body)
    for message in messages:
        message["tool_calls"] = [
            call
            | {"function": call["function"] | {"arguments": call["function"]["arguments"].replace(" ", "")}}
            for call in message.get("tool_calls", [])
        ]
        if not message["tool_calls"]:
            del message["tool_calls"]
    return body | {"messages": messages}


def _telling_the_time(hour: str) -> Callable[[int, Json], Json]:
    def change(number: int, body: Json) -> Json:
        system = {"role": "system", "content": f"Be careful. Now: {hour}:{number:02d}."}
        return body | {"messages": [system, *body["messages"][1:]]}

    return change


def _reminded(number: int, body: Json) -> Json:
    return body | {"messages": [*body["messages"], {"role": "user", "content": f"Step {number}."}]}


def _with_another_question(number: int, body: Json) -> Json:
    messages = _messages(body)
    messages[1]["content"] = "Plan a week." if number > 3 else messages[1]["content"]
    return body | {"messages": messages}


def _with_crossed_links(number: int, body: Json) -> Json:
    messages = _messages(body)
    if number > 4:
        one, other = messages[7], messages[8]
        one["tool_call_id"], other["tool_call_id"] = other["tool_call_id"], one["tool_call_id"]
    return body | {"messages": messages}


def _without_the_first_call(_: int, body: Json) -> Json:
    return body | {"messages": [*body["messages"][:2], *body["messages"][3:]]}


def _slid(_: int, body: Json) -> Json:
    messages = body["messages"]
    return body | {"messages": messages if len(messages) < 9 else [*messages[:2], *messages[-6:]]}


def _in_short(number: int, body: Json, weather: str = "fine") -> Json:
    summary = {"role": "user", "content": f"Summary: the weather is {weather}."}
    messages = body["messages"]
    return body | {"messages": [*messages[:2], summary, *messages[6:]]} if number > 3 else body


def _hinted(_: int, body: Json) -> Json:
    messages = _messages(body)
    content = messages[-1]["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    messages[-1]["content"] = [*parts[:-1], parts[-1] | {"cache_control": {"type": "ephemeral"}}]
    return body | {"messages": messages}
