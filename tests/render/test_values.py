"""The two sides of a difference, for displays that place them themselves."""

from __future__ import annotations

import pytest
from diff_samples import SITUATIONS, setting, value
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.compare.report import MISSING, Difference, Kind
from amberfork_cli.render.lines import Line, Style, plain_text
from amberfork_cli.render.page import Page
from amberfork_cli.render.values import Sides, long_sides, on_lines, on_one_line, short_sides

PIPE = Page(None)
DIFFERENCES = [
    difference
    for situation in SITUATIONS
    for exchange in situation().exchanges
    for difference in exchange.differences
    if not difference.summary
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(DIFFERENCES), st.integers(20, 300))
def test_a_line_is_its_sides_with_an_arrow_or_a_sign(difference: Difference, cells: int) -> None:
    """Two displays that place the sides differently show the same."""
    line, sides = (
        on_one_line(difference, page=PIPE, cells=cells),
        short_sides(difference, page=PIPE, cells=cells),
    )

    if line is None or sides is None:
        assert line is sides is None
    else:
        old, new = map(plain_text, sides)
        assert plain_text(tuple(line)) == (
            f"{old} → {new}" if old and new else f"- {old}" if old else f"+ {new}"
        )


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(DIFFERENCES), st.integers(60, 300))
def test_lines_are_the_pairs_with_signs(difference: Difference, cells: int) -> None:
    """The same holds for long values, but for those that are rewritten."""
    long, sides = (show(difference, page=PIPE, cells=cells) for show in (on_lines, long_sides))

    assert long.remark == sides.remark
    if not long.remark.startswith("rewritten"):
        assert [plain_text(line) for line in long.lines][: len(_signed(sides))] == _signed(sides)


def test_a_side_without_a_value_is_empty() -> None:
    """What was added has no recorded side, and no sign of its own."""
    added = setting("seed", MISSING, 7).differences[0]

    assert short_sides(added, page=PIPE, cells=80) == ((), (("7", Style.REISSUED_WORD),))


def test_changes_that_are_not_shown_are_counted() -> None:
    """Four places of a text are shown."""
    old = "".join(f"The {n}th rule is kept as it stands.\n" for n in range(9))

    sides = long_sides(value((), old, old.replace("rule", "law")), page=PIPE, cells=80)

    assert (len(sides.pairs), sides.more) == (4, 5)


@pytest.mark.parametrize(("value", "line"), [("", '+ ""'), (" ", '+ " "'), ("\n", '+ "\\n"')])
def test_a_text_with_nothing_to_see_keeps_its_quotes(value: str, line: str) -> None:
    """An empty text and a space are two values, also where there is no room to stand beside the old one."""
    changed = Difference(Kind.TYPE, ("a",), ("a",), ("a",), None, value)

    long = on_lines(changed, page=Page(40), cells=36)

    assert [plain_text(each) for each in long.lines] == ["- null", line]


def _signed(sides: Sides) -> list[str]:
    def behind(sign: str, lines: list[Line]) -> list[str]:
        return [f"{sign} {text}" if (text := plain_text(line)) else sign for line in lines]

    return [line for left, right in sides.pairs for line in (*behind("-", left), *behind("+", right))]
