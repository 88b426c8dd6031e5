"""The word rule: laws that hold for any two texts, and what people expect of particular ones."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hostile import edits, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.render.textdiff import Run, TextDiff, text_diff, tokens

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@settings(max_examples=150, deadline=None)
@given(st.one_of(edits(), st.tuples(texts, texts)))
def test_the_sides_of_all_runs_give_back_both_texts(pair: tuple[str, str]) -> None:
    """Nothing is lost or made up, whatever the texts hold; common and changed runs alternate."""
    old, new = pair

    runs = text_diff(old, new).runs

    assert "".join(run.old for run in runs) == old
    assert "".join(run.new for run in runs) == new
    assert all(run.old or run.new for run in runs)
    assert all(one.same is not other.same for one, other in pairwise(runs))


WORDS = st.lists(
    st.sampled_from(
        ["the ", "cat", "dog ", " ", ". ", "\n", "42", "a1b2", "é", "e\u0301 ", "한국", "-", "_"]
    ),
    max_size=20,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(WORDS, WORDS)
def test_no_change_begins_or_ends_inside_a_word(old: str, new: str) -> None:
    """Letters with their marks stay together, and so do digits."""
    runs = text_diff(old, new).runs

    for text, sides in ((old, [run.old for run in runs]), (new, [run.new for run in runs])):
        assert _borders(sides) & _inside_words(text) == set()


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("always verify it", "never verify it", [("always", "never")]),
        ("gpt-4.1", "gpt-4.1-mini", [("", "-mini")]),
        ("bk_91f3c0", "bk_77a1de", [("91f3c0", "77a1de")]),
        ("one two", "one  two", [(" ", "  ")]),
        ("東京は雨です。", "東京は雪です。", [("雨", "雪")]),
        ("cafe\u0301 noir", "cafe noir", [("cafe\u0301", "cafe")]),
        (f"{FAMILY} and 🇰🇷", f"{FAMILY} and 🇫🇷", [("🇰🇷", "🇫🇷")]),
        ("Do this.\nEnd.", "Do this.\nBe brief.\nEnd.", [("", "Be brief.\n")]),
        ("a (b) c", "a [b] c", [("(b)", "[b]")]),
        ("equal", "equal", []),
        ("", "new", [("", "new")]),
    ],
)
def test_what_changed_is_the_word_that_changed(old: str, new: str, changes: list[tuple[str, str]]) -> None:
    """Words, ideographs, emoji and signs are whole; equal texts have no change."""
    diff = text_diff(old, new)

    assert [(run.old, run.new) for run in diff.changes] == changes


def test_a_lone_word_between_two_long_changes_belongs_to_them() -> None:
    """One word that happens to be equal does not cut a new sentence in two."""
    old = "Ask the user first, then book the room and say so."
    new = "Ask nobody at all before you book every single night yourself and say so."

    diff = text_diff(old, new)

    assert [run.old for run in diff.changes] == ["the user first, then book the room"]


def test_sentences_are_aligned_before_their_words() -> None:
    """A sentence that moved away takes its words with it; the others do not lend theirs."""
    first, second, third = "Be kind to all. ", "Check every price twice. ", "Never guess."

    diff = text_diff(first + second + third, second + third)

    assert diff.runs == (Run(first, ""), Run(second + third, second + third))


def test_words_are_counted_as_people_count_them() -> None:
    """A token of letters and digits is one word; signs and spaces are none."""
    assert text_diff("id 8a3f9c", "id 77e0b1").words == 1
    assert text_diff("a, b", "a; b").words == 0
    assert text_diff("東京", "大阪").words == 2


def test_a_text_is_rewritten_when_most_of_it_and_more_than_six_words_changed() -> None:
    """Short texts and small changes are not."""
    old = "Keep every answer short and say where a fact comes from."

    assert text_diff(old, "Sing, dance, rhyme! Prose is forbidden here, friend.").rewritten
    assert not text_diff(old, old.replace("short", "long")).rewritten
    assert not text_diff("one two", "three four").rewritten


def test_a_very_long_change_counts_as_rewritten_without_a_closer_look() -> None:
    """Beyond 200,000 characters between the common ends no words are looked for."""
    old, new = "same " + "a b " * 60_000 + " end", "same " + "c d " * 60_000 + " end"

    diff = text_diff(old, new)

    assert len(diff.changes) == 1
    assert diff.rewritten
    assert diff.runs[0] == Run("same ", "same ")


def test_a_word_of_half_a_megabyte_is_cut_where_it_differs() -> None:
    """Base64 is no word: the change is near the character, not the whole of it."""
    long = "QUJD" * 120_000

    diff = text_diff(f"{long}x{long}", f"{long}y{long}")

    assert [(run.old, run.new) for run in diff.changes] == [("x", "y")]


def test_many_equal_lines_do_not_blow_up() -> None:
    """Lines that repeat by the thousand have no quadratic table, and give back both texts."""
    old, new = "}\n" * 50_000, "{\n" * 50_000

    diff = text_diff(old, new)

    assert [(len(run.old), len(run.new)) for run in diff.changes] == [(99_999, 99_999)]


def test_shuffled_sentences_share_what_kept_its_order() -> None:
    """The longest run of sentences in order is common; nothing is paired across it."""
    sentences = [f"Rule {number} is about {number * 7}. " for number in range(200)]
    mixed = random.Random(7).sample(sentences, len(sentences))

    diff = text_diff("".join(sentences), "".join(mixed))

    assert 0 < diff.shared < 0.6


def test_the_whole_of_a_diff_is_one_change() -> None:
    """From where the first change begins to where the last one ends."""
    diff = text_diff("a b c d e f g", "a X c d e Y g")

    assert len(diff.changes) == 2
    assert diff.whole() == TextDiff((Run("a ", "a "), Run("b c d e f", "X c d e Y"), Run(" g", " g")))


def _borders(sides: list[str]) -> set[int]:
    return {sum(map(len, sides[:count])) for count in range(len(sides) + 1)}


def _inside_words(text: str) -> set[int]:
    """Every place that has a part of one word on either side."""
    places: set[int] = set()
    start = 0
    for token in tokens(text):
        if token[0].isalnum():
            places |= set(range(start + 1, start + len(token)))
        start += len(token)
    return places
