"""Texts that look the same, told apart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.compare.lookalikes import apart, image, named_apart, spelled
from amberfork_cli.core.compare.report import ours, plain, quoted
from amberfork_cli.render.visible import visible

ALIKE = [
    ("caf\u00e9", "cafe\u0301"),
    ("apple", "\u0430pple"),
    ("a b", "a\u00a0b"),
    ("x-y", "x\u2010y"),
    ("ab", "a\u200bb"),
    ("fi", "\ufb01"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_looks_the_same_has_one_image(one: str, other: str) -> None:
    """And two spellings."""
    assert image(one) == image(other)
    assert spelled(one) != spelled(other)
    assert (spelled(one).isascii(), spelled(other).isascii()) == (True, True)


@given(st.text(max_size=8), st.text(max_size=8))
@settings(max_examples=200, deadline=None)
def test_two_texts_are_never_spelled_alike(one: str, other: str) -> None:
    """Whatever is in them."""
    assert (spelled(one) == spelled(other)) == (one == other)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_the_same_are_shown_apart(one: str, other: str) -> None:
    """Each by itself, since they may stand far from each other."""
    assert image(visible(named_apart(one))) != image(visible(named_apart(other)))


@pytest.mark.parametrize("name", ["city", "größe", "название", "도시", "नाम", "日付", "résumé"])
def test_names_of_any_script_are_left_as_they_are(name: str) -> None:
    """Composed as they are usually written."""
    assert named_apart(name) == name


def test_pieces_of_a_sentence_that_look_the_same_are_spelled_out() -> None:
    """What stands on the tape, and only where two of them do."""
    alike = (quoted("caf\u00e9"), ours(" to "), quoted("cafe\u0301"), ours(", "), quoted("n\u00e9e"))

    assert plain(apart(alike)) == "caf\\u00e9 to cafe\\u0301, n\u00e9e"
    assert apart(alike[2:]) == alike[2:]
    assert apart((quoted("same"), quoted("same"))) == (quoted("same"), quoted("same"))
