"""Widths, cuts and wraps: nothing is wider than asked for, no grapheme is divided, nothing is lost."""

from __future__ import annotations

import pytest
from hostile import texts
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.render.lines import (
    Style,
    cut,
    cut_left,
    cut_line,
    cut_middle,
    end_of,
    line_width,
    padded,
    plain_text,
    start_of,
    width,
    wrapped,
)
from amberfork_cli.render.visible import visible

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
seen = texts.map(visible)


def test_widths_are_those_of_a_terminal() -> None:
    """Ideographs and emoji take two cells, marks none, joined emoji as much as one."""
    assert [width(text) for text in ("ab", "東京", "e\u0301", FAMILY, "☺\ufe0f", "")] == [2, 4, 1, 2, 2, 0]


@settings(max_examples=150, deadline=None)
@given(seen, st.integers(3, 90))
def test_a_cut_fits_and_is_the_text_where_that_fits(text: str, cells: int) -> None:
    """Whichever side is cut, the result takes no more than the cells."""
    for shorten in (cut, cut_left, cut_middle):
        short = shorten(text, cells, dots="…")

        assert width(short) <= cells
        assert short == text or ("…" in short and width(text) > 0)


@pytest.mark.parametrize("cells", [1, 2, 3, 4])
def test_a_grapheme_is_never_divided(cells: int) -> None:
    """A family is there or not, from either end."""
    text = f"a{FAMILY}b"

    assert start_of(text, cells) in ("a", f"a{FAMILY}", text)
    assert end_of(text, cells) in ("b", f"{FAMILY}b", text)


def test_cuts_say_where_something_is_missing() -> None:
    """At the end, at the beginning, in the middle."""
    assert cut("abcdefgh", 5, dots="…") == "abcd…"
    assert cut_left("abcdefgh", 5, dots="…") == "…efgh"
    assert cut_middle("abcdefgh", 5, dots="...") == "a...h"
    assert cut("東京タワー", 6, dots="…") == "東京…"


def test_a_line_is_cut_in_the_span_that_is_too_long() -> None:
    """The dots have the style of what they stand for; a line that fits is left as it is."""
    line = [("abc ", Style.BOLD), ("defgh", Style.MUTED), ("ijk", Style.PLAIN)]

    assert cut_line(line, 8, dots="…") == (("abc ", Style.BOLD), ("def…", Style.MUTED))
    assert cut_line(line, 12, dots="…") == tuple(line)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(seen, st.sampled_from(Style)), max_size=5), st.integers(4, 90))
def test_wrapping_keeps_every_sign_and_every_line_fits(line: list[tuple[str, Style]], cells: int) -> None:
    """Only spaces at the ends of lines may go."""
    lines = wrapped(line, cells)

    assert [plain_text(each) for each in lines if line_width(each) > cells] == []
    joined = "".join(plain_text(each) for each in lines).replace(" ", "")
    assert joined == "".join(text for text, _ in line).replace(" ", "")


def test_lines_break_between_words_also_where_the_style_changes() -> None:
    """A word with two styles stays in one piece; a word longer than a line is divided."""
    line = [("one two th", Style.PLAIN), ("ree four", Style.BOLD)]

    assert wrapped(line, 9) == [
        (("one two", Style.PLAIN),),
        (("th", Style.PLAIN), ("ree", Style.BOLD)),
        (("four", Style.BOLD),),
    ]
    assert [plain_text(each) for each in wrapped([("ab cdefghij", Style.PLAIN)], 4)] == ["ab", "cdef", "ghij"]


def test_without_a_width_nothing_is_wrapped() -> None:
    """A pipe gets one line, however long."""
    assert wrapped([("word " * 100, Style.PLAIN)], None) == [(("word " * 100, Style.PLAIN),)]


def test_padding_counts_cells() -> None:
    """Columns align behind wide characters."""
    assert [padded(text, 5) for text in ("ab", "東京", "longer")] == ["ab   ", "東京 ", "longer"]
