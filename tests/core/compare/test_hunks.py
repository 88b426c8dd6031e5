"""Messages without a counterpart: gone, come, or at another place."""

from diff_telling import lines

from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.hunks import Hunks
from amberfork_cli.core.compare.reading import Element
from amberfork_cli.core.dialects.model import Message, Role


def element(index: int, text: str) -> Element:
    """A user's message."""
    path = "messages", index
    return Element(path, {"content": text}, (), Message(path, Role.USER, text))


def hunks(gone: list[Element], come: list[Element]) -> list[Finding]:
    """What is told of those that have no counterpart, all of them in one gap."""
    keyed = [[(one, str(one.value)) for one in side] for side in (gone, come)]
    return list(Hunks(*keyed).of_gap(gone, come))


def test_messages_of_one_side_are_told_in_one_piece() -> None:
    """With what they say."""
    found = hunks([element(1, "a"), element(2, "b")], [element(1, "c")])

    assert [lines(one.spot) for one in found] == [
        ["messages[1]–[2] not in the re-issued request", "  removed user a", "  removed user b"],
        ["messages[1] only in the re-issued request", "  added user c"],
    ]
    assert [(one.moved, one.is_hunk, one.gap) for one in found] == [(False, True, 1)] * 2


def test_messages_that_stand_elsewhere_are_not_told_as_missing() -> None:
    """Each side says where the other has them; their neighbours are told apart from them."""
    gone, come = [element(1, "a"), element(2, "b"), element(3, "c")], [element(5, "b"), element(6, "c")]

    found = hunks(gone, come)

    assert [lines(one.spot) for one in found] == [
        ["messages[1] not in the re-issued request", "  removed user a"],
        ["messages[2]–[3] re-issued at messages[5]–[6]", "  removed user b", "  removed user c"],
        ["messages[5]–[6] recorded at messages[2]–[3]", "  added user b", "  added user c"],
    ]
    assert [one.moved for one in found] == [False, True, True]


def test_messages_that_came_apart_are_told_apart() -> None:
    """A run stands at one place on the other side."""
    gone = [element(1, "a"), element(2, "b")]

    found = hunks(gone, [element(4, "b"), element(8, "a")])

    assert [one.spot.label for one in found] == ["messages[1]", "messages[2]", "messages[4]", "messages[8]"]


def test_of_messages_that_repeat_only_as_many_are_elsewhere_as_there_are() -> None:
    """The third of two is gone."""
    found = hunks([element(at, "go on") for at in range(3)], [element(7, "go on"), element(8, "go on")])

    assert [(one.spot.label, one.moved) for one in found] == [
        ("messages[0]–[1]", True),
        ("messages[2]", False),
        ("messages[7]–[8]", True),
    ]


def test_a_message_that_faces_another_one_is_not_missing_either() -> None:
    """It stands where something else was recorded."""
    keyed = [[(one, str(one.value))] for one in (element(1, "a"), element(7, "a"))]

    found = [
        list(Hunks(keyed[0], [], ([], keyed[1])).of_gap([element(1, "a")], [])),
        list(Hunks([], keyed[0], (keyed[1], [])).of_gap([], [element(1, "a")])),
    ]

    assert [[lines(one.spot)[0] for one in side] for side in found] == [
        ["messages[1] re-issued at messages[7]"],
        ["messages[1] recorded at messages[7]"],
    ]
