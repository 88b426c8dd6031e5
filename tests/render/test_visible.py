"""Tape text made visible: what is escaped, what is kept, and that different texts stay different."""

from __future__ import annotations

import pytest
from hostile import texts
from hypothesis import given, settings

from amberfork_cli.core.compare.lookalikes import spelled
from amberfork_cli.render.visible import unseen, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\u001b[2J"),
        ("a\rb\x07\x7f", r"a\u000db\u0007\u007f"),
        ("\x9b31m", r"\u009b31m"),
        ("a\u202eb", r"a\u202eb"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("line\u2028end", r"line\u2028end"),
        ("hidden \U000e0041", r"hidden \u{e0041}"),
        ("half \ud83d", r"half \ud83d"),
        ("none \uffff\ufffe", r"none \uffff\ufffe"),
        ("\u3164", r"\u3164"),
        ("[/bold] :warning: 한국어 e\u0301 \U0001f468\u200d\U0001f469 ☺\ufe0f", None),
        (r"C:\users and \n", None),
        ("p\u0430yp\u0430l", r"p\u0430yp\u0430l"),
        ("\u0441\u0430t", r"\u0441\u0430t"),
        ("сорт B", None),
    ],
)
def test_what_would_be_unseen_is_escaped_and_the_rest_is_kept(text: str, shown: str | None) -> None:
    """Controls and invisible signs are codes; scripts, emoji and markup are text."""
    assert visible(text) == (text if shown is None else shown)


def test_a_text_that_spells_an_escape_does_not_look_like_one() -> None:
    """A backslash before what reads like an escape is doubled."""
    assert visible(r"\u001b") == r"\\u001b"
    assert visible("\\\x1b") == r"\\\u001b"
    assert visible(r"\u{41}") == r"\\u{41}"


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_different_texts_stay_different(one: str, other: str) -> None:
    """No two texts are shown alike, in ASCII neither."""
    assert (visible(one) == visible(other)) == (one == other)
    assert (visible(one, ascii=True) == visible(other, ascii=True)) == (one == other)


def test_ascii_keeps_nothing_else() -> None:
    """Signs of the tape become codes, never other signs."""
    assert visible("é… \U0001f600", ascii=True) == r"\u00e9\u2026 \u{1f600}"


@pytest.mark.parametrize(
    ("old", "new", "sides"),
    [
        (" ", "  ", (True, True)),
        ("", " ", (False, True)),
        (" ", "-", (True, False)),
        ("apple", "\u0430pple", (True, True)),
        ("ﬁ", "fi", (True, True)),
        ("e\u0301", "\u00e9", (True, True)),
        ("a\u200d", "a", (True, True)),
        ("\u2010", "-", (True, True)),
        ("apple", "pear", (False, False)),
        ("東", "京", (False, False)),
        ("", "word", (False, False)),
    ],
)
def test_changes_that_nobody_would_see_are_known(old: str, new: str, sides: tuple[bool, bool]) -> None:
    """Only spaces, or the same picture on both sides."""
    assert unseen(old, new) == sides


def test_unseen_changes_are_spelled_out() -> None:
    """Spaces are codes where there is nothing else; plain letters stay."""
    assert spelled("  ") == r"\u0020\u0020"
    assert spelled("\n") == r"\u000a"
    assert spelled("\u0430pple pie") == r"\u0430pple pie"
