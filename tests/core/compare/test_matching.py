"""Which recorded exchange answers which re-issued one."""

from dataclasses import replace

from agent_tapes import MONDAY, Run, Turn, changed, hotel, tape, weather, with_turn, without

from amberfork_cli.core.compare.conversation import Turn as Taken
from amberfork_cli.core.compare.conversation import turns
from amberfork_cli.core.compare.matching import Pairing, pair
from amberfork_cli.core.ids.fingerprint import Sketcher

ALONE = [replace(MONDAY, turns=(), question=f"Question {number}.") for number in range(4)]


def test_equal_requests_pair_off_wherever_they_stand() -> None:
    """Those outside the longest run that kept its order are moved."""
    pairing = paired(ALONE, [ALONE[0], ALONE[2], ALONE[1], ALONE[3]])

    assert pairing == Pairing({0: 0, 1: 2, 2: 1, 3: 3}, {}, moved=frozenset({1}))


def test_a_request_has_one_partner() -> None:
    """Equal ones are used up in order."""
    pairing = paired([ALONE[0], ALONE[0]], [ALONE[0]] * 3)

    assert pairing.equal == {0: 0, 1: 1}
    assert [pairing.partner(number) for number in range(3)] == [0, 1, None]


def test_what_changed_is_paired_turn_by_turn() -> None:
    """From the first turn that differs on."""
    pairing = paired([MONDAY], [changed(MONDAY, 3, calls=(hotel(3),))])

    assert (sorted(pairing.equal), pairing.changed) == ([0, 1, 2, 3], {4: 4, 5: 5, 6: 6})


def test_a_dropped_turn_leaves_one_exchange_missing() -> None:
    """Those behind it are paired with what says the same."""
    pairing = paired([MONDAY], [without(MONDAY, 1)])

    assert pairing.changed == {2: 3, 3: 4, 4: 5, 5: 6}


def test_an_inserted_turn_is_compared_at_its_first_request() -> None:
    """The turn that says what was recorded comes behind it, and is extra in its place."""
    pairing = paired([MONDAY], [with_turn(MONDAY, 3, Turn((weather("Oslo"),)))])

    assert (pairing.changed, pairing.inserted, pairing.nearest) == ({4: 4, 6: 5, 7: 6}, {4: 5}, {5: 4})
    assert [pairing.beside(number) for number in (3, 4, 5)] == [3, 4, 4]


def test_each_of_two_inserted_turns_is_compared_at_its_first_request() -> None:
    """However many were inserted before."""
    twice = with_turn(with_turn(MONDAY, 5, Turn((weather("Oslo"),))), 1, Turn((weather("Bergen"),)))

    pairing = paired([MONDAY], [twice])

    assert pairing.inserted == {2: 3, 7: 8}


def test_a_retried_request_is_not_an_alternative_of_the_next_one() -> None:
    """Asking the same again adds nothing that could face another turn."""
    short = replace(MONDAY, turns=MONDAY.turns[:2])
    exchanges = list(tape(short, seed=2))
    again = [*exchanges, exchanges[-1], exchanges[-1]]

    pairing = pair(taken([MONDAY]), [*turns(map(Sketcher().sketch, again))])

    assert (pairing.equal, pairing.changed) == ({0: 0, 1: 1, 2: 2}, {})


def test_conversations_that_share_nothing_are_paired_by_rare_openings() -> None:
    """The one that begins with the same words, whatever the order."""
    recorded = [replace(MONDAY, question=f"Task {number}.") for number in range(3)]
    reissued = [replace(run, system="Be quick.") for run in recorded[::-1]]

    pairing = paired(recorded, reissued)

    assert [pairing.changed[new] for new in (0, 7, 14)] == [14, 7, 0]


def test_a_lone_conversation_is_compared_with_the_lone_other_one() -> None:
    """Whatever they hold."""
    other = replace(MONDAY, question="Else.", system="Other.")

    pairing = paired([MONDAY], [other])

    assert pairing.changed[0] == 0


def test_the_end_of_one_conversation_is_not_compared_with_another() -> None:
    """A conversation that stopped leaves exchanges missing; a new one is extra."""
    recorded, stopped = [MONDAY], replace(MONDAY, turns=MONDAY.turns[:2])
    other = replace(MONDAY, question="Else.", turns=MONDAY.turns[3:])

    pairing = paired(recorded, [stopped, other])

    assert (sorted(pairing.equal), pairing.changed) == ([0, 1, 2], {})


def taken(runs: list[Run]) -> list[Taken]:
    """The turns of a tape of those runs."""
    return turns(map(Sketcher().sketch, tape(*runs)))


def paired(recorded: list[Run], reissued: list[Run]) -> Pairing:
    """The partners of two tapes of those runs."""
    return pair(taken(recorded), taken(reissued))
