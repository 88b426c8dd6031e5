"""Long texts cut around their changes: context is common, the change is seen, both lines begin alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.render.lines import Line, Style, line_width, plain_text
from amberfork_cli.render.page import Page
from amberfork_cli.render.pairs import changed_lines, full_lines, rewritten_lines
from amberfork_cli.render.textdiff import text_diff
from amberfork_cli.render.visible import visible

PIECES = [
    "the ",
    "order ",
    "number ",
    "7 ",
    "\n",
    ". ",
    "é",
    "東京",
    " ",
    "w" * 80,
    "now and then a longer run of words, ",
]
WORDS = st.lists(st.sampled_from(PIECES), max_size=25)
PLACES = st.lists(st.tuples(st.integers(0, 25), st.sampled_from(["", "new ", "\n", "X", "語"])), max_size=5)
STORY = "Once the tram has left, nobody waits. " * 3


@settings(max_examples=120, deadline=None)
@given(WORDS, PLACES, st.integers(40, 119))
def test_what_is_not_marked_stands_in_both_texts(
    pieces: list[str], changes: list[tuple[int, str]], cells: int
) -> None:
    """A value that was never recorded is never shown as recorded; and no line is too wide."""
    old, new = _edited(pieces, changes)

    lines = changed_lines(text_diff(old, new), page=Page(cells), cells=cells, shown=visible)

    common = [
        part
        for line in lines
        for text, style in line[1:]
        if style in (Style.RECORDED, Style.REISSUED)
        for part in text.split("…")
    ]
    assert [part for part in common if part not in visible(old) or part not in visible(new)] == []
    assert [plain_text(line) for line in lines if line_width(line) > cells] == []


@settings(max_examples=120, deadline=None)
@given(WORDS, PLACES)
def test_all_of_both_texts_is_there_when_asked_for(pieces: list[str], changes: list[tuple[int, str]]) -> None:
    """In a pipe every line of each text is one line, unseen changes aside."""
    old, new = _edited(pieces, changes)

    lines = full_lines(text_diff(old, new), page=Page(None, full=True), cells=400, shown=visible)

    assert sum(plain_text(line).startswith("-") for line in lines) == old.count("\n") + 1
    assert sum(plain_text(line).startswith("+") for line in lines) == new.count("\n") + 1


def test_the_lines_of_a_change_begin_alike() -> None:
    """Whole words before it, 28 cells of them, and whole words after it up to the width."""
    lines = _lines(f"{STORY}Take the blue line home tonight. {STORY}", "blue", "green", cells=70)

    assert lines == [
        "- … nobody waits. Take the blue line home tonight. Once the tram has …",
        "+ … nobody waits. Take the green line home tonight. Once the tram …",
    ]


def test_all_of_what_stands_before_is_shown_where_the_line_fits() -> None:
    """Nothing is cut that need not be."""
    line = "In the morning, when the office opens, call them."

    assert _lines(line, "call", "visit", cells=60) == [f"- {line}", f"+ {line.replace('call', 'visit')}"]


def test_a_line_break_ends_the_context() -> None:
    """Other lines of the text are not drawn into the one that changed."""
    assert _lines("one\ntwo cats\nthree", "cats", "dogs", cells=60) == ["- two cats", "+ two dogs"]


def test_lines_that_only_one_side_has_stand_alone() -> None:
    """An added line is one line with a sign, not a pair; of several the first."""
    assert _lines("one\ntwo", "two", "new\nand more\ntwo", cells=60) == ["+ new …"]
    assert _lines("one\ntwo\nthree", "two\n", "", cells=60) == ["- two"]
    assert _lines("one\ntwo", "two", "two\nthe end", cells=60) == ["+ the end"]


def test_an_added_empty_line_is_spelled_out() -> None:
    """Otherwise nothing would be seen."""
    assert _lines("one\ntwo", "\n", "\n\n", cells=60) == ["- two", "+ \\u000atwo"]


def test_changes_of_one_line_share_it_while_they_fit() -> None:
    """Two changes near each other are one pair; far apart they are two, and dots say that a line goes on."""
    text = f"Ask Ann. {STORY}Tell Bob."
    changed = text.replace("Ann", "Eve").replace("Bob", "Tim")

    near = changed_lines(text_diff(text, changed), page=Page(100), cells=150, shown=visible)
    far = changed_lines(text_diff(text, changed), page=Page(60), cells=60, shown=visible)

    assert [plain_text(line) for line in near] == [f"- {text}", f"+ {changed}"]
    assert [plain_text(line) for line in far] == [
        "- Ask Ann. Once the tram has left, nobody waits. Once the …",
        "+ Ask Eve. Once the tram has left, nobody waits. Once the …",
        "- … left, nobody waits. Tell Bob.",
        "+ … left, nobody waits. Tell Tim.",
    ]


def test_four_places_are_told_and_the_rest_counted() -> None:
    """A text that changed everywhere does not fill the screen."""
    old = "".join(f"rule {n}\n" for n in range(9))

    lines = changed_lines(text_diff(old, old.replace("rule", "law")), page=Page(60), cells=60, shown=visible)

    assert len(lines) == 9
    assert plain_text(lines[-1]) == "5 more changes in this text (--full shows them)"


@pytest.mark.parametrize(("width", "most"), [(80, 3), (140, 6)])
def test_of_a_rewritten_text_the_first_lines_are_shown(width: int, most: int) -> None:
    """Three of each below each other, six beside each other, a sign on every line, none of it marked."""
    old, new = "Old words all the way down the page. " * 40, "Fresh thoughts from one end to another. " * 40

    lines = rewritten_lines(text_diff(old, new), page=Page(width), cells=width, shown=visible)

    assert len(lines) == (2 * most if width < 120 else most)
    assert {style for line in lines for _, style in line} <= {Style.RECORDED, Style.REISSUED, Style.MUTED}
    assert all(plain_text(line)[:2] in ("- ", "+ ") for line in lines)
    assert "…" in plain_text(lines[-1])


def _lines(text: str, old: str, new: str, *, cells: int) -> list[str]:
    diff = text_diff(text, text.replace(old, new, 1))
    lines: list[Line] = changed_lines(diff, page=Page(cells), cells=cells, shown=visible)
    return [plain_text(line) for line in lines]


def _edited(pieces: list[str], changes: list[tuple[int, str]]) -> tuple[str, str]:
    edited = list(pieces)
    for at, text in changes:
        if at < len(edited):
            edited[at] = text
    return "".join(pieces), "".join(edited)
