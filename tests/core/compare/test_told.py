"""What was told of a conversation already."""

from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.report import Difference, Kind, Origin, Spot
from amberfork_cli.core.compare.told import News, Told

NO_NEWS = News(100, 100)
ALL_NEWS = News(0, 0)


def finding(*indexes: int, old: str = "ok", member: str = "content") -> Finding:
    """A text that changed in those messages."""
    paths = [("messages", index, member) for index in indexes]
    differences = (Difference(Kind.VALUE, (), path, path, old, "failed") for path in paths)
    return Finding(Spot("messages", (), tuple(differences)), Origin.TOOL_RESULT)


def setting(value: int) -> Finding:
    """A setting that changed."""
    difference = Difference(Kind.VALUE, (), ("temperature",), ("temperature",), 1, value)
    return Finding(Spot("temperature", (), (difference,)), Origin.SETTINGS)


def test_what_was_told_is_not_told_again() -> None:
    """With where it was told."""
    told = Told()
    told.take_in([finding(3), setting(2)], 7)

    assert told.untold([finding(3), setting(2)], NO_NEWS) == []
    assert told.untold([setting(2), setting(3)], NO_NEWS) == [setting(3)]
    assert told.exchange_of(finding(3)) == 7


def test_a_message_is_known_again_wherever_it_stands() -> None:
    """Histories lose their beginning."""
    told = Told()
    told.take_in([finding(5)], 1)

    assert told.untold([finding(3)], NO_NEWS) == []
    assert told.untold([finding(3, member="name")], NO_NEWS) == [finding(3, member="name")]


def test_news_are_told_though_they_look_like_what_was_told() -> None:
    """A tool may fail in the same words twice."""
    told = Told()
    told.take_in([finding(3)], 1)

    assert told.untold([finding(3), finding(5)], News(5, 5)) == [finding(5)]
    assert told.untold([finding(3)], ALL_NEWS) == [finding(3)]
    assert told.untold([setting(2)], ALL_NEWS) == [setting(2)]


def test_a_setting_is_no_news_for_being_sent_again() -> None:
    """Every request carries it."""
    told = Told()
    told.take_in([setting(2)], 1)

    assert told.untold([setting(2)], ALL_NEWS) == []


def test_what_was_told_once_does_not_stand_for_two() -> None:
    """A second message that changed in the same way is another change."""
    told = Told()
    told.take_in([finding(3)], 1)

    (left,) = told.untold([finding(3, 4)], NO_NEWS)

    assert [one.recorded_path for one in left.spot.differences] == [("messages", 4, "content")]
