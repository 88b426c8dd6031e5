"""What a diff looks like: whole texts, and the rules that hold for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from diff_samples import (
    CHAT,
    SITUATIONS,
    carried,
    changed_argument,
    dropped_turn,
    every_kind,
    fork,
    forked_alike,
    left_out,
    long_texts,
    matches,
    message,
    report,
    said,
    setting,
    system_prompt,
    two_conversations,
    value,
)
from expected_texts import LAYOUTS, expected, text_of

from amberfork_cli.core.compare.report import Difference, DiffReport, ExchangeDiff, Kind, Origin, Spot, State
from amberfork_cli.core.paths import Path
from amberfork_cli.render.lines import Line, Style, line_width, plain_text
from amberfork_cli.render.text import closing, lay_out


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_a_situation_reads_as_it_should(situation: Callable[[], DiffReport], layout: str) -> None:
    """Each report, in each layout, is the text that stands in the file of that layout."""
    assert text_of(situation(), layout) == expected(layout)[situation.__name__]


@pytest.mark.parametrize("width", [60, 80, 119, 120, 160, 200])
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_no_line_is_too_wide(situation: Callable[[], DiffReport], width: int) -> None:
    """From 60 to 200 columns every line fits, whole values and plain glyphs included."""
    one = situation()

    plain = lay_out(one, width=width)
    whole = lay_out(one, width=width, full=True, ascii=True)

    assert [plain_text(line) for line in (*plain, *whole) if line_width(line) > width] == []


def test_styles_say_what_is_what() -> None:
    """Sameness is muted, the fork is loud, and only what changed is in the colours of the two sides."""
    lines = lay_out(changed_argument(), width=100)

    assert lines[4:9] == [
        (("·", Style.MUTED), (" #0–#3   match", Style.MUTED)),
        (),
        (("◆", Style.LOUD), (" #4      ", Style.BOLD), ("FORK", Style.LOUD), ("  model output", Style.BOLD)),
        (("┃ ", Style.LOUD), ("messages[8]", Style.PLAIN), ("  assistant calls get_weather", Style.MUTED)),
        (
            ("┃ ", Style.LOUD),
            ("  ", Style.PLAIN),
            ("arguments.city  ", Style.PLAIN),
            ('"', Style.RECORDED_WORD),
            ("Lisbon", Style.RECORDED_WORD),
            ('"', Style.RECORDED_WORD),
            (" → ", Style.PLAIN),
            ('"', Style.REISSUED_WORD),
            ("Porto", Style.REISSUED_WORD),
            ('"', Style.REISSUED_WORD),
        ),
    ]


def test_only_the_changed_words_of_a_long_text_are_marked() -> None:
    """What both sides have stands in the colour of its side, the changed word is marked."""
    minus = _line_with(lay_out(system_prompt(), width=100), "- …")

    assert [text for text, style in minus if style is Style.RECORDED_WORD] == ["always"]
    assert {style for text, style in minus[2:] if text.strip()} == {Style.RECORDED, Style.RECORDED_WORD}


def test_the_change_stands_in_the_same_column_on_both_lines() -> None:
    """Without colour the eye finds the difference because everything before it is equal."""
    minus, plus = (
        plain_text(_line_with(lay_out(system_prompt(), width=80), sign)) for sign in ("- …", "+ …")
    )

    assert minus.index("always") == plus.index("never")
    assert minus[: minus.index("always")].replace("- ", "+ ") == plus[: plus.index("never")]


def test_numbers_that_differ_between_the_tapes_are_told() -> None:
    """The re-issued number stands first; the recorded one behind it only where it is another."""
    one = replace(changed_argument().forks[0], recorded=5)

    text = _text(report([*matches(range(4)), one]))

    assert "◆ #4     FORK  model output  recorded #5\n" in text


def test_a_run_with_gaps_names_its_parts_while_they_are_short() -> None:
    """Other conversations stand between; too many parts become the ends and a count."""
    spot = setting("model", "a", "b")
    changed = fork(40, Origin.SETTINGS, said("the model changed"), [spot])
    elsewhere = matches(range(1, 40, 2), conversation=1)

    few = _text(report([*matches([0, 2, 4]), changed, *elsewhere]))
    many = _text(report([*matches(range(0, 40, 2)), changed, *elsewhere]))

    assert "· #0, #2, #4  match\n" in few
    assert "· #0…#38  20 match\n" in many


def test_a_long_run_is_drawn_in_64_cells_and_its_fork_is_among_them() -> None:
    """Of several exchanges in one mark the weightiest shows."""
    exchanges = [*matches(range(700)), replace(changed_argument().forks[0], recorded=700, reissued=700)]

    lines = _text(report([*exchanges, *carried(range(701, 1400), origin=700)])).splitlines()

    assert lines[2:4] == [f"           {'·' * 32}◆{'╎' * 31}", "           700 match, 1 changed, 699 carried"]


def test_a_change_told_at_another_conversation_is_told_once() -> None:
    """Conversations whose differences are equal share one block, whatever their number."""
    few, many = (lay_out(forked_alike(count, turns=3), width=100) for count in (2, 40))

    assert len(few) == len(many)
    assert "◇ 1 other forked alike, at #3\n" in "".join(f"{plain_text(line)}\n" for line in few)


def test_a_conversation_that_repeats_a_change_and_has_another_is_told() -> None:
    """Only the repeated change refers to the first place; the new one is shown."""
    first = forked_alike(2, turns=2)
    other = ExchangeDiff(
        State.CHANGED, 3, 3, conversation=1, origin=Origin.SETTINGS, spots=(setting("seed", 1, 2),)
    )

    text = _text(report([*first.exchanges[:3], other], conversations=first.conversations))

    assert "◆ #2  FORK  system prompt  as at #0\n" in text
    assert "◇ #3  CHANGED  settings\n┃ seed  1 → 2\n" in text


def test_endpoints_that_differ_stand_at_each_block() -> None:
    """One endpoint is told once in the header; where there are several, each block names its own."""
    one = replace(changed_argument().forks[0], endpoint="POST /v1/responses")

    text = _text(report([*matches(range(4)), one]))

    assert text.splitlines()[0] == "recorded   monday.jsonl   5 exchanges"
    assert "◆ #4     FORK  model output  POST /v1/responses\n" in text


def test_the_header_names_no_endpoint_that_only_one_tape_has() -> None:
    """Where method or path changed, its block names it; a member of the body may be called so, too."""
    moved = Spot("method", (), (value((), "PUT", "POST"),))
    member = setting("method", "a", "b")

    heads = [
        _text(report([fork(0, Origin.SETTINGS, said("x"), [spot])])).split("\n", 1)[0]
        for spot in (moved, member)
    ]

    assert [head.endswith(CHAT) for head in heads] == [False, True]


def test_names_that_look_alike_are_cut_around_their_difference() -> None:
    """Cut names would be useless if both looked the same."""
    long = "run/" * 30
    tapes = {
        side: replace(getattr(left_out(), side), source=f"{long}{mark}{long}")
        for side, mark in (("recorded", "monday/"), ("reissued", "tuesday/"))
    }

    lines = _text(report(matches(range(3)), **tapes)).splitlines()[:2]

    assert lines[0].split()[1] != lines[1].split()[1]
    assert "monday" in lines[0]
    assert "tuesday" in lines[1]


def test_a_word_wider_than_the_terminal_is_cut_where_it_differs() -> None:
    """Two words of 200 cells that differ near their end do not come out as the same line twice."""
    spot = setting("token", "a" * 200 + "x", "a" * 200 + "y")

    text = _text(report([fork(0, Origin.SETTINGS, said("a setting changed"), [spot])]), width=60)

    assert "┃   - …aaaaaaaaaaaaaaaaaaaaaaaaaaax\n┃   + …aaaaaaaaaaaaaaaaaaaaaaaaaaay\n" in text


def test_both_sides_stand_beside_each_other_from_120_columns() -> None:
    """Two equal columns for long texts; below 120 they stand below each other."""
    wide, narrow = (_text(system_prompt(), width=width) for width in (120, 119))

    assert "always" in wide.splitlines()[6]
    assert "never" in wide.splitlines()[6]
    assert " │ " not in narrow


def test_nothing_stands_to_the_right_of_joined_emoji() -> None:
    """Terminals draw them in different widths, so such a text is never put into the left column."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    long = f"The {family} asked for a quiet room, with a view of the river and a late breakfast every day. "
    spot = setting("system", long * 3 + "Yes.", long * 3 + "No.")

    text = _text(report([fork(0, Origin.SYSTEM_PROMPT, said("it changed"), [spot])]), width=140)

    assert not any(family in line.split(" │ ")[0] for line in text.splitlines() if " │ " in line)
    assert "Yes." in text


def test_layout_stops_growing_at_160_columns() -> None:
    """Longer lines are hard to follow."""
    assert lay_out(long_texts(), width=160) == lay_out(long_texts(), width=400)


def test_differences_beyond_the_eighth_are_counted() -> None:
    """Eight are told, the rest only when asked for."""
    spots = [Spot("messages[0]", said("user"), tuple(value((f"m{n}",), n, n + 1) for n in range(20)))]
    one = report([fork(0, Origin.USER_PROMPT, said("it changed"), spots)])

    assert "┃   m7  7 → 8\n┃ 12 more differences (--full shows them)\n" in _text(one)
    assert "m19  19 → 20\n" in _text(one, full=True)


def test_a_whole_value_is_shown_when_asked_for() -> None:
    """A dropped message is one line, and all of it with --full."""
    assert '┃     - {"role": "assistant", "tool_calls": [' not in _text(dropped_turn())
    assert '┃     - {"role": "assistant", "tool_calls": [' in _text(dropped_turn(), full=True)


def test_the_counts_take_a_line_of_their_own_rather_than_break() -> None:
    """The answer comes first and is bold; both stand on one line where that fits, and in a pipe."""
    one = changed_argument()

    assert [len(closing(one, width=width)) for width in (60, 100, 200, None)] == [3, 2, 1, 1]
    assert closing(one, width=None)[0][0][1] is Style.BOLD


def test_a_pipe_gets_the_same_lines_without_a_width() -> None:
    """Structure and order are those of a terminal; only what had to be cut or wrapped differs."""
    piped = [plain_text(line) for line in lay_out(two_conversations(), width=None)]
    wide = [plain_text(line) for line in lay_out(two_conversations(), width=200)]

    assert piped == wide


def test_a_trace_says_where_a_value_came_from() -> None:
    """A later change that only passes a value on names the result that the value first stood in."""
    assert "┃ bk_91f3c0 first stood in #1: result of book()\n" in _text(every_kind())


def test_a_setting_with_one_difference_stands_on_one_line() -> None:
    """What differs in a member of the body is named from the body on; a link by where it stands."""
    path: Path = ("previous_response_id",)
    link = Difference(
        Kind.LINK, (), path, path, recorded_words=said("exchange #3"), reissued_words=said("exchange #5")
    )
    spots = [
        Spot("response_format", (), (value(("type",), "text", "json"),)),
        Spot("stop", (), (value((0,), "END", "STOP"),)),
        Spot("body", (), (link,)),
    ]

    text = _text(report([fork(0, Origin.SETTINGS, said("settings changed"), spots)]))

    assert (
        '┃ response_format.type  "text" → "json"\n'
        '┃ stop[0]               "END" → "STOP"\n'
        "┃ previous_response_id  exchange #3 → exchange #5  link\n"
    ) in text


def test_a_message_of_one_piece_needs_no_column() -> None:
    """Summaries with a first word of ours are aligned; others stand behind their sign."""
    spot = Spot(
        "messages[1]", said("only in the re-issued request"), (message(Kind.ADDED, 1, "an empty message"),)
    )

    text = _text(report([fork(0, Origin.USER_PROMPT, said("a message was added"), [spot])]))

    assert "┃ messages[1]  only in the re-issued request\n┃   + an empty message\n" in text


def _text(of: DiffReport, *, width: int | None = 100, full: bool = False) -> str:
    return "".join(f"{plain_text(line)}\n" for line in lay_out(of, width=width, full=full))


def _line_with(lines: list[Line], part: str) -> Line:
    return next(line for line in lines if part in plain_text(line))
