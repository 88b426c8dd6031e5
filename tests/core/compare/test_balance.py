"""Which messages one side of a conversation had and the other had not."""

from amberfork_cli.core.compare.balance import Balance
from amberfork_cli.core.compare.conversation import Turn


def turn(*messages: bytes) -> Turn:
    """A turn that adds those messages."""
    return Turn(0, "", b"", None, 0, messages, (), b"", b"", 0)


def test_a_message_that_was_new_is_known_where_it_was_recorded_later() -> None:
    """It does not miss there."""
    balance = Balance()

    balance.take_in(turn(b"a", b"early"), [turn(b"a")])

    assert balance.is_evened(turn(b"b"), [turn(b"b"), turn(b"early")])
    assert not balance.is_evened(turn(b"b"), [turn(b"c")])


def test_a_message_that_was_gone_is_known_where_it_is_re_issued_later() -> None:
    """It is not new there."""
    balance = Balance()

    balance.take_in(turn(b"a"), [turn(b"a", b"late")])

    assert balance.is_evened(turn(b"late"), [])
    assert not balance.is_evened(turn(b"a"), [])


def test_what_was_evened_once_is_not_evened_again() -> None:
    """Messages repeat, and each counts once."""
    balance = Balance()
    balance.take_in(turn(b"go on"), [turn(b"x")])

    balance.take_in(turn(b"x"), [turn(b"go on")])

    assert not balance.is_evened(turn(b"x"), [turn(b"go on")])
