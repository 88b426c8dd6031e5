"""One wording for all displays: the sentence of every outcome, marks, numbers, kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from diff_samples import (
    all_same,
    allowed_spelling,
    changed_argument,
    fork,
    forked_alike,
    inserted_retry,
    left_out,
    many_conversations,
    matches,
    missing_extra,
    report,
    said,
    same_at_another_place,
    stopped,
    two_conversations,
    value,
    weak_only,
)

from amberfork_cli.core.compare.report import (
    DiffReport,
    ExchangeDiff,
    Kind,
    Origin,
    Spot,
    State,
    TapeFacts,
    ours,
    plain,
    quoted,
)
from amberfork_cli.core.tape import LeftOut
from amberfork_cli.render.labels import (
    ASCII_GLYPHS,
    GLYPHS,
    Mark,
    answer,
    loud_word,
    mark,
    numbers,
    remarks,
    sentence,
    settled,
    shown,
    suffix,
    tally,
    told_first,
    whole_calls,
)

PROMPT_CHANGED = "the system prompt changed (1 word in 90 characters)."
SPELLED = "the arguments of pay are spelled differently."
NOT_THERE = "not on the recorded tape."

ANSWERS = [
    (all_same, "Same: all 12 exchanges match."),
    (lambda: report(matches([0])), "Same: the exchange matches."),
    (same_at_another_place, "Same: all 7 exchanges match, 1 of them at another place."),
    (allowed_spelling, "Same: the exchange matches (1 spelling allowed by --loose)."),
    (
        changed_argument,
        'Forked at #4 (recorded #4): the model called get_weather with city="Porto", not "Lisbon".',
    ),
    (
        many_conversations,
        "2 conversations forked, first at #11 (recorded #11): the result of list_files() changed.",
    ),
    (
        forked_alike,
        f"60 exchanges forked alike, first at #0 (recorded #0): {PROMPT_CHANGED}",
    ),
    (
        lambda: forked_alike(2, turns=3),
        f"2 conversations forked alike, first at #0 (recorded #0): {PROMPT_CHANGED}",
    ),
    (
        weak_only,
        f"Differs in form and spelling only, at #2 (recorded #2): {SPELLED}",
    ),
    (stopped, "Stopped after #8: 12 recorded exchanges were never re-issued."),
    (
        missing_extra,
        f"Not forked, but 3 recorded exchanges were never re-issued and 1 re-issued one is {NOT_THERE}",
    ),
    (
        lambda: report(
            [*matches([0]), ExchangeDiff(State.EXTRA, None, 1), ExchangeDiff(State.EXTRA, None, 2)]
        ),
        "Not forked, but 2 re-issued exchanges are not on the recorded tape.",
    ),
    (
        lambda: report([ExchangeDiff(State.MISSING, 0, None), *matches([0], recorded=1)]),
        "Not forked, but 1 recorded exchange was never re-issued.",
    ),
]


@pytest.mark.parametrize(("situation", "expected"), ANSWERS)
def test_every_outcome_has_its_sentence(situation: Callable[[], DiffReport], expected: str) -> None:
    """The verdict and its cause, one sentence for each outcome."""
    assert plain(answer(situation())) == expected


def test_the_counts_follow_the_answer() -> None:
    """All five, zeros too; a fork counts as changed. Where all is the same there is nothing to count."""
    assert plain(tally(inserted_retry())) == "5 match, 1 changed, 6 carried, 0 missing, 1 extra."
    assert plain(tally(all_same())) == ""
    assert plain(sentence(stopped())).endswith(
        "never re-issued. 9 match, 0 changed, 0 carried, 12 missing, 0 extra."
    )


def test_what_was_left_out_is_part_of_the_sentence() -> None:
    """A report on half a tape says so, at the very end."""
    one = report(matches(range(3)), recorded=TapeFacts("a", 3, LeftOut(bad_lines=[(2, "x")])))

    assert plain(tally(left_out())) == (
        "3 bad lines of the recorded tape, the torn last line of the recorded tape "
        "and 1 bad line of the re-issued tape left out."
    )
    assert plain(sentence(one)) == "Same: all 3 exchanges match. 1 bad line of the recorded tape left out."


def test_a_weak_change_before_the_fork_is_not_the_answer() -> None:
    """The sentence names the first change that counts."""
    weak = replace(weak_only().changes[0], state=State.CHANGED)
    strong = replace(changed_argument().forks[0], recorded=5, reissued=5)

    one = report([*matches(range(2)), weak, *matches([3, 4]), strong])

    assert plain(answer(one)).startswith("Forked at #5 (recorded #5): the model called")


def test_a_sentence_keeps_apart_whose_words_they_are() -> None:
    """What stands on a tape is quoted, so that Markdown and HTML can put it into code."""
    pieces = answer(changed_argument())

    assert [piece.text for piece in pieces if piece.quoted] == ["get_weather", '"Porto"', '"Lisbon"']


def test_remarks_say_what_was_set_aside_before_comparing() -> None:
    """Ignored and replaced values, ID rules, the file that options came from, notes."""
    assert [plain(words) for words in remarks(left_out())] == [
        "ignored values: 12 recorded, 0 re-issued",
        "replaced values: 0 recorded, 2 re-issued",
        "IDs that no response on the tape explains: 0 recorded, 1 re-issued",
        "members written twice: 1 recorded, 0 re-issued",
        "ID rules: calls",
        "settings: amberfork.toml",
        "bodies only",
    ]
    assert remarks(all_same()) == ()


def test_marks_have_a_weight() -> None:
    """A fork outweighs all; a weak one is drawn as a change and says that it only differs."""
    strong, weak = changed_argument().forks[0], weak_only().changes[0]

    assert [mark(strong), mark(weak), mark(matches([0])[0])] == [Mark.FORK, Mark.CHANGED, Mark.MATCH]
    assert mark(replace(matches([0])[0], moved=True)) is Mark.MOVED
    assert [loud_word(strong), loud_word(replace(strong, state=State.CHANGED)), loud_word(weak)] == [
        "FORK",
        "CHANGED",
        "DIFFERS",
    ]
    assert max(Mark) is Mark.FORK


@pytest.mark.parametrize(
    ("of", "text", "complete"),
    [
        ([4], "#4", True),
        ([0, 1, 2, 3], "#0–#3", True),
        ([0, 2, 3], "#0, #2–#3", True),
        ([0, 10, 20, 30], "#0…#30", False),
        (range(1000, 2000), "#1000–#1999", True),
    ],
)
def test_numbers_are_told_as_runs(of: list[int], text: str, complete: bool) -> None:
    """Parts with gaps while they take 16 cells, else only the ends."""
    assert numbers(of) == (text, complete)


def test_a_kind_is_told_only_where_the_values_do_not_show_it() -> None:
    """Types in words; link, orphan, spelling and form by name; the others are plain from their signs."""
    kinds = {kind: suffix(value(("a",), 1, "x", kind)) for kind in Kind}

    assert kinds == {
        Kind.VALUE: "",
        Kind.TYPE: "type: number, now text",
        Kind.ADDED: "",
        Kind.REMOVED: "",
        Kind.REORDERED: "",
        Kind.LINK: "link",
        Kind.ORPHAN: "orphan",
        Kind.STATUS: "",
        Kind.SPELLING: "spelling",
        Kind.FORM: "form",
    }


def test_ascii_replaces_our_signs_and_escapes_those_of_the_tape() -> None:
    """Two values of a tape must never come to look the same."""
    words = (*said("f(…) → "), quoted("…\x1b"))

    assert shown(words) == "f(…) → …\\u001b"
    assert shown(words, ascii=True) == "f(...) -> \\u2026\\u001b"
    assert settled("messages[7]–[8]", ascii=True) == "messages[7]-[8]"
    assert settled("tools.a–b", ascii=True) == "tools.a\\u2013b"


def test_both_sets_of_glyphs_have_a_sign_for_every_mark() -> None:
    """Shape says it, so no two marks look alike."""
    assert len(set(GLYPHS.marks)) == len(set(ASCII_GLYPHS.marks)) == len(Mark)


def test_a_fork_without_a_cause_is_still_a_sentence() -> None:
    """A report may not know why."""
    spot = Spot("messages[0]", said("user"), (value(("content",), "a", "b"),))

    assert plain(answer(report([fork(0, Origin.USER_PROMPT, (), [spot])]))) == "Forked at #0 (recorded #0)."


def test_a_call_of_the_tape_is_one_piece_where_it_is_quoted() -> None:
    """Name, brackets and arguments belong together, and so does the sign of a cut; our words stay ours."""
    call = said("the result of ", "f", "(", 'x="a"', ", …)", "", " and ", "g", "()", "", " changed.")
    cut = (ours("last message: "), quoted('"Tell me'), ours('…"'))

    assert whole_calls(call) == said("the result of ", 'f(x="a", …)', " and ", "g()", " changed.")
    assert whole_calls(cut) == said("last message: ", '"Tell me…"')
    assert whole_calls(said("", "a", ", temperature from ", "1", ".")) == said(
        "", "a", ", temperature from ", "1", "."
    )


def test_the_answer_tells_the_first_change_that_is_not_weak() -> None:
    """A display need not tell its cause again."""
    one = two_conversations()

    assert told_first(one) is one.forks[0]
    assert told_first(missing_extra()) is None
