"""Which ID of one body means what an ID of the other means."""

from amberfork_cli.core.compare.meanings import Meanings
from amberfork_cli.core.compare.reading import Id
from amberfork_cli.core.ids.id_rules import IdClass, Role
from amberfork_cli.core.ids.linkage import Token


def call(number: int) -> Token:
    """A call of a body."""
    return IdClass.CALL, number


def declared(*numbers: int) -> list[Id]:
    """Calls that a message makes, one behind the other."""
    return [Id(("calls", at, "id"), Role.DECLARES, call(number)) for at, number in enumerate(numbers)]


def answer(token: Token, *, orphan: bool = False) -> list[Id]:
    """What a result points to."""
    return [Id(("id",), Role.ANSWERS, token, orphan)]


def test_calls_of_one_place_are_counterparts() -> None:
    """However they are numbered on either side."""
    meanings = Meanings()

    meanings.declare(declared(3, 4), declared(0, 1))

    assert list(meanings.broken(answer(call(4)), answer(call(1)))) == []


def test_a_reference_to_another_call_is_broken() -> None:
    """It is told with both sides."""
    meanings = Meanings()
    meanings.declare(declared(3, 4), declared(0, 1))

    found = list(meanings.broken(answer(call(3)), answer(call(1))))

    assert found == [(answer(call(3))[0], answer(call(1))[0])]


def test_references_that_nothing_is_known_of_become_counterparts() -> None:
    """And from then on must stay it."""
    meanings = Meanings()

    first = list(meanings.broken(answer(call(7)), answer(call(2))))
    second = list(meanings.broken(answer(call(7)), answer(call(3))))

    assert (first, len(second)) == ([], 1)


def test_an_orphan_is_no_counterpart_of_an_answer() -> None:
    """Even where the tokens would agree."""
    meanings = Meanings()

    found = list(meanings.broken(answer(call(1)), answer(call(1), orphan=True)))

    assert len(found) == 1


def test_what_responses_gave_out_agrees_by_which_of_theirs_it_was() -> None:
    """The exchanges themselves are told of elsewhere."""
    meanings = Meanings()
    one, same, other = (
        (IdClass.CALL, text) for text in (b"af1:a tool_call 0", b"af1:b tool_call 0", b"af1:b tool_call 1")
    )

    assert list(meanings.broken(answer(one), answer(same))) == []
    assert len(list(meanings.broken(answer(one), answer(other)))) == 1


def test_a_reference_that_one_side_does_not_have_is_no_link() -> None:
    """It differs as a value."""
    assert list(Meanings().broken(answer(call(0)), [])) == []
