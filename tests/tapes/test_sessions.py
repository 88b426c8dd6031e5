"""A history goes on from another one as if it held its messages itself."""

from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.tapes.sessions import History


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 200)), max_size=150))
def test_a_history_is_the_list_that_it_stands_for(steps: list[tuple[int, int]]) -> None:
    """However often it was gone back in, and whatever grew meanwhile."""
    history, plain = History(), list[int]()
    others: list[tuple[History, list[int]]] = []

    for number, (kind, place) in enumerate(steps):
        if kind:
            history.append(number)
            plain.append(number)
        else:
            others.append((history, plain.copy()))
            count = place % (len(plain) + 1)
            history, plain = history.branch(count), plain[:count]

    assert (len(history), history.first(len(history))) == (len(plain), plain)
    for place in range(len(plain)):
        assert history.first(place) == plain[:place]
    for other, expected in others:
        assert other.first(len(expected)) == expected


def test_the_messages_are_the_very_same_objects() -> None:
    """So that whoever compares requests sees at once what they repeat."""
    message = {"role": "user"}
    history = History()
    history.append(message)

    for _ in range(200):
        history = history.branch(1)

    assert history.first(1)[0] is message
