"""Laws of the diff: it tells something exactly where fingerprints differ, all of it, and each change once."""

from collections import Counter
from random import Random
from typing import Any

from agent_tapes import (
    WIRES as TAPE_WIRES,
)
from agent_tapes import (
    Call,
    Mint,
    Run,
    Turn,
    Wire,
    chained_responses,
    changed,
    listed,
    with_turn,
    without,
)
from body_edits import disturbed, edited, minted
from diff_applying import LINKS, gives_the_other, value_at
from diff_telling import marks
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_samples import WIRES, Result, Round, Rounds, rounds, spelled
from wire_samples import Call as Asked

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.diffing import DiffOptions, diff_bodies, diff_tapes
from amberfork_cli.core.compare.reading import read
from amberfork_cli.core.compare.report import Difference, Kind, State
from amberfork_cli.core.compare.values import text_of_json
from amberfork_cli.core.ids.fingerprint import fingerprint, fingerprints
from amberfork_cli.core.ids.id_rules import HISTORIES
from amberfork_cli.core.tape import Body, Exchange, Request

Json = Any
RANDOM = st.randoms(use_true_random=False)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[Json, Json]:
    """Two bodies of one conversation in one shape, the second with a few changes, all IDs minted anew.

    Of some both lack the beginning, so that results answer calls that are not there.
    """
    wire, conversation, random = WIRES[draw(st.sampled_from(sorted(WIRES)))], draw(rounds()), draw(RANDOM)
    gone = random.choice((0, 0, 0, 1, 2, 3))
    recorded, reissued = (
        _without_beginning(wire(some), gone) for some in (conversation, edited(conversation, random))
    )
    return (
        spelled(recorded, minted(random)),
        spelled(disturbed(reissued, random) if random.random() < 0.6 else reissued, minted(random)),
    )


@given(bodies())
@settings(max_examples=150, deadline=None)
def test_something_is_told_exactly_where_fingerprints_differ(pair: tuple[Json, Json]) -> None:
    """No difference is reported that is none, and none is missed, weak ones included."""
    recorded, reissued = pair

    report = diff_bodies(recorded, reissued)

    differ = _fingerprint(recorded) != _fingerprint(reissued)
    assert (bool(_told(recorded, reissued)), report.same) == (differ, not differ)


@given(bodies())
@settings(max_examples=150, deadline=None)
def test_what_is_told_turns_one_body_into_the_other(pair: tuple[Json, Json]) -> None:
    """The differences are all there is: applied to the recorded body, they give the re-issued one."""
    recorded, reissued = pair

    told = _told(recorded, reissued)

    assert gives_the_other(recorded, reissued, told)


@given(st.sampled_from(sorted(WIRES)), st.permutations(range(4)), st.integers(0, 3), RANDOM)
@settings(max_examples=100, deadline=None)
def test_the_order_of_results_is_told_whether_or_not_their_calls_are_there(
    name: str, order: list[int], gone: int, random: Random
) -> None:
    """A history whose beginning was cut off says as much of the order as a whole one."""
    calls = tuple(Asked(which, {}) for which in "fghi")
    results = [Result(place, f"result {place}") for place in range(4)]
    recorded, reissued = (
        spelled(_without_beginning(WIRES[name]([Round(calls, tuple(some))]), gone), minted(random))
        for some in (results, [results[place] for place in order])
    )

    told = _told(recorded, reissued)

    assert gives_the_other(recorded, reissued, told)


@given(bodies())
@settings(max_examples=150, deadline=None)
def test_paths_lead_to_what_is_told(pair: tuple[Json, Json]) -> None:
    """Each path leads to its value in the body of its side, IDs by the names of their classes."""
    recorded, reissued = pair
    sides = read(recorded).whole, read(reissued).whole

    told = _told(recorded, reissued)

    assert [one for one in told if not _leads(sides, one)] == []


@given(bodies())
@settings(max_examples=100, deadline=None)
def test_every_change_has_a_cause(pair: tuple[Json, Json]) -> None:
    """Whatever differs, a sentence says what it is, and looking at it changes nothing."""
    before = jsontext.dumps(list(pair))

    report = diff_bodies(*pair)

    assert [bool(one.cause) for one in report.changes] == [True] * len(report.changes)
    assert jsontext.dumps(list(pair)) == before


@given(st.sampled_from(sorted(WIRES)), rounds(), RANDOM)
@settings(max_examples=100, deadline=None)
def test_a_body_is_the_same_whoever_mints_its_ids(name: str, conversation: Rounds, random: Random) -> None:
    """IDs that are fresh, counted or restart every turn make no difference."""
    body = WIRES[name](conversation)

    report = diff_bodies(spelled(body, minted(random)), spelled(body, minted(random)))

    linked = [one.kind for one in report.exchanges[0].differences if one.kind not in LINKS]
    assert linked == []


@st.composite
def runs(draw: st.DrawFn) -> tuple[Wire, list[Run], list[Run]]:
    """Some runs on one wire, and the same with a few changes; nothing that is said is said twice."""
    wire = draw(st.sampled_from([*TAPE_WIRES.values(), chained_responses]))
    random, said = draw(RANDOM), iter(range(10_000))
    several = [_run(random, said) for _ in range(draw(st.integers(1, 3)))]
    others = [_with_changes(run, random, said) for run in several]
    return wire, several, others


@given(runs(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_every_exchange_is_told_of_once(drawn: tuple[Wire, list[Run], list[Run]], interleaving: bool) -> None:
    """Each number of either tape stands in one entry; equal requests match, and no others."""
    wire, several, others = drawn
    recorded, reissued = (
        _tape(wire, some, seed, interleaving=interleaving) for seed, some in enumerate((several, others))
    )

    report = diff_tapes(listed(recorded), listed(reissued))

    keys = list(fingerprints(recorded)), list(fingerprints(reissued))
    pairs = [(one.recorded, one.reissued, one.state is State.MATCH) for one in report.exchanges]
    assert sorted(old for old, _, _ in pairs if old is not None) == list(range(len(recorded)))
    assert sorted(new for _, new, _ in pairs if new is not None) == list(range(len(reissued)))
    both = [(keys[0][old], keys[1][new], match) for old, new, match in pairs if None not in (old, new)]
    assert [match for _, _, match in both] == [old == new for old, new, _ in both]
    assert report.same == (Counter(keys[0]) == Counter(keys[1]))


@given(runs(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_each_change_is_told_once(drawn: tuple[Wire, list[Run], list[Run]], interleaving: bool) -> None:
    """No difference stands in two exchanges of a conversation, and what is carried was told before."""
    wire, several, others = drawn
    recorded, reissued = (
        _tape(wire, some, seed, interleaving=interleaving) for seed, some in enumerate((several, others))
    )

    report = diff_tapes(listed(recorded), listed(reissued))

    places = Counter(
        (one.conversation, repr(difference))
        for one in report.exchanges
        for difference in one.differences
        if difference.recorded_path != () and wire is not chained_responses
    )
    sources = {one.carried_from for one in report.exchanges if one.state is State.CARRIED}
    assert [place for place, count in places.items() if count > 1] == []
    assert sources <= {one.reissued for one in report.changes}


@given(runs())
@settings(max_examples=60, deadline=None)
def test_a_growing_tape_tells_nothing_new_about_what_it_had(drawn: tuple[Wire, list[Run], list[Run]]) -> None:
    """What a prefix of both tapes tells is what the whole tapes tell of it, while the runs keep in step."""
    wire, several, _ = drawn
    random, said = Random(1), iter(range(20_000, 30_000))
    other = changed(several[0], 0, says="", question="", calls=(_call(random, said),))
    recorded, reissued = wire(several[0], Mint(1)), wire(other, Mint(2))
    whole = diff_tapes(listed(recorded), listed(reissued))

    told = [
        diff_tapes(listed(recorded[:end]), listed(reissued[:end])).exchanges
        for end in range(1, len(recorded) + 1)
    ]

    assert told == [whole.exchanges[:end] for end in range(1, len(recorded) + 1)]


@given(runs())
@settings(max_examples=60, deadline=None)
def test_what_a_history_shows_a_chain_of_responses_shows(drawn: tuple[Wire, list[Run], list[Run]]) -> None:
    """It makes no difference whether requests repeat the conversation or the provider remembers it."""
    _, several, others = drawn
    tapes = [
        [listed(wire(run, Mint(seed))) for seed, run in enumerate((several[0], others[0]))]
        for wire in (TAPE_WIRES["chat"], chained_responses)
    ]

    whole, chained = (diff_tapes(recorded, reissued) for recorded, reissued in tapes)

    assert marks(chained) == marks(whole)


@given(runs())
@settings(max_examples=40, deadline=None)
def test_a_tape_is_the_same_as_itself_however_it_is_compared(
    drawn: tuple[Wire, list[Run], list[Run]],
) -> None:
    """Whatever the shape, all IDs minted anew, responses and all."""
    wire, several, _ = drawn
    recorded, reissued = (listed(_tape(wire, several, seed, interleaving=False)) for seed in (1, 2))

    report = diff_tapes(recorded, reissued, DiffOptions(responses=True))

    assert [one.state for one in report.exchanges] == [State.MATCH] * len(list(recorded))


def _without_beginning(body: Json, gone: int) -> Json:
    """The body without so many of its first messages."""
    members = body if isinstance(body, dict) else {}
    return {key: value[gone:] if key in HISTORIES else value for key, value in members.items()} or body


def _fingerprint(body: Json) -> str:
    return fingerprint(Exchange(0, Request("POST", "", body=Body.json(body))))


def _told(recorded: Json, reissued: Json) -> tuple[Difference, ...]:
    return diff_bodies(recorded, reissued).exchanges[0].differences


def _leads(sides: tuple[Json, Json], one: Difference) -> bool:
    """Whether the paths of a difference lead to its values; those of links and orders lead somewhere."""
    for whole, path, value in zip(
        sides, (one.recorded_path, one.reissued_path), (one.recorded, one.reissued), strict=True
    ):
        if path is None:
            continue
        there = value_at(whole, path)
        if one.kind in (*LINKS, Kind.REORDERED) or one.inner_path is not None:
            continue
        if not jsontext.same(there, value):
            return False
    if one.inner_path is None or one.recorded_path is None:
        return one.recorded_path is not None or one.reissued_path is not None
    inside = one.recorded if one.kind is not Kind.ADDED else one.reissued
    whole = sides[0] if one.kind is not Kind.ADDED else sides[1]
    path = one.recorded_path if one.kind is not Kind.ADDED else one.reissued_path
    return jsontext.same(value_at(text_of_json(value_at(whole, path or ())), one.inner_path), inside)


def _run(random: Random, said: Any) -> Run:
    turns = tuple(_turn(random, said) for _ in range(random.randrange(1, 6)))
    return Run(turns, question=f"Question {next(said)}.")


def _turn(random: Random, said: Any) -> Turn:
    if random.random() < 0.2:
        return Turn(says=f"Answer {next(said)}.", question=f"Question {next(said)}.")
    return Turn(tuple(_call(random, said) for _ in range(random.choice((1, 1, 2, 3)))))


def _call(random: Random, said: Any) -> Call:
    number = next(said)
    return Call(
        random.choice("fgh"), {"query": f"q{number}"}, {"value": number, "rows": [number, number + 1]}
    )


def _with_changes(run: Run, random: Random, said: Any) -> Run:
    for _ in range(random.choice((0, 1, 1, 2))):
        at = random.randrange(len(run.turns))
        turn = run.turns[at]
        match random.randrange(6):
            case 0:
                run = with_turn(run, at, _turn(random, said))
            case 1 if len(run.turns) > 1:
                run = without(run, at)
            case 2:
                run = changed(
                    run, at, calls=(), says=f"Answer {next(said)}.", question="Go on.", order=(), links=()
                )
            case 3 if turn.calls:
                run = changed(run, at, calls=(*turn.calls[:-1], _call(random, said)), order=(), links=())
            case 4 if len(turn.calls) > 1:
                run = changed(run, at, links=(1, 0, *range(2, len(turn.calls))))
            case _ if turn.calls:
                run = changed(run, at, order=tuple(reversed(range(len(turn.calls)))))
    return run


def _tape(wire: Wire, several: list[Run], seed: int, *, interleaving: bool) -> list[Exchange]:
    waiting = [wire(run, Mint(100 * seed + number)) for number, run in enumerate(several)]
    if not interleaving:
        return [*listed([exchange for exchanges in waiting for exchange in exchanges])]
    turns = max(map(len, waiting))
    return [
        *listed([exchanges[turn] for turn in range(turns) for exchanges in waiting if turn < len(exchanges)])
    ]
