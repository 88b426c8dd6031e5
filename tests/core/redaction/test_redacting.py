"""Texts with something taken out of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.ids.id_rules import IdClass
from amberfork_cli.core.redaction.redacting import Cut, Redactor, Rules, across, without
from amberfork_cli.errors import OptionError

KEY = "sk-ant-api03-aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6iJ9l"
ID = "call_9Ys2kQ81"


@pytest.mark.parametrize(
    ("text", "patterns", "made"),
    [
        ("nothing", ("x",), "nothing"),
        (f"a {KEY} b", (), "a REDACTED_ANTHROPIC_KEY b"),
        ("Bearer abcdef0123456789", (), "Bearer REDACTED_BEARER_TOKEN"),
        ("Ada and Bob", ("Ada", "Bob"), "REDACTED and REDACTED"),
        ("Ada Lovelace", ("Ada", "Ada Lovelace", "lace"), "REDACTED"),
        (f"key={KEY}!", ("key=.*!",), "REDACTED_ANTHROPIC_KEY"),
        ("REDACTED", ("RED", "ACT"), "REDACTED"),
        (r'{"to": "Jos\u00e9", "n": 1.50}', ("José",), r'{"to": "REDACTED", "n": 1.50}'),
        (r'["{\"to\": \"Jos\\u00e9\"}"]', ("José",), r'["{\"to\": \"REDACTED\"}"]'),
    ],
)
def test_what_is_to_go_goes(text, patterns, made):
    """Credentials, matches, those that meet as one, those that JSON hides behind escapes; all else stays."""
    redactor = Redactor(Rules.parse(patterns))

    assert redactor.text(text) == made
    assert redactor.text(made) == made


def test_ids_stay_wherever_they_stand_whole():
    """What a pattern matches around them goes."""
    redactor = Redactor(Rules.parse([".+"]))
    redactor.protect(lambda: {ID: (IdClass.CALL, 0)})

    assert redactor.text(f"see {ID} there") == f"REDACTED{ID}REDACTED"
    assert redactor.text(f"{ID}x") == "REDACTED"
    assert redactor.counts.in_ids == 1


def test_a_text_that_was_spared_for_its_id_is_not_taken_for_harmless():
    """In another exchange it is no ID."""
    redactor = Redactor(Rules.parse(["call_"]))
    redactor.protect(lambda: {ID: (IdClass.CALL, 0)})
    spared = redactor.text(ID)
    redactor.protect(dict)

    assert (spared, redactor.text(ID)) == (ID, "REDACTED9Ys2kQ81")


def test_an_id_behind_escapes_is_spared_as_long_as_it_is_one():
    """What JSON text spells is looked at again in the next exchange."""
    redactor = Redactor(Rules.parse([r"idé_\d+"]))
    text = r'{"a": "id\u00e9_12345678"}'
    redactor.protect(lambda: {"idé_12345678": (IdClass.CALL, 0)})
    spared = redactor.text(text)
    redactor.protect(dict)

    assert (spared, redactor.text(text)) == (text, '{"a": "REDACTED"}')


def test_everything_that_was_taken_out_is_counted_by_kind():
    """A look that changes nothing is not."""
    redactor = Redactor(Rules.parse(["Ada"]))

    redactor.text(f"Ada, Ada, {KEY}")
    assert redactor.touches("Ada")

    assert redactor.counts.taken == {"pattern": 2, "anthropic-key": 1}


@pytest.mark.parametrize(
    ("pattern", "problem"), [("(", "is no regular expression"), ("x*", "matches the empty text")]
)
def test_a_pattern_that_can_mean_nothing_is_refused(pattern, problem):
    """Before anything is read."""
    with pytest.raises(OptionError, match=problem):
        Rules.parse([pattern])


@settings(max_examples=200, deadline=None)
@given(st.data(), st.lists(st.text("abc", max_size=4), min_size=1, max_size=6))
def test_cuts_of_a_whole_can_be_made_in_its_pieces(data, pieces):
    """The pieces make up what the whole becomes, and as many are left."""
    whole = "".join(pieces)
    bounds = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=6)))
    cuts = [Cut(start, end, "<>", "pattern") for start, end in zip(bounds[::2], bounds[1::2], strict=False)]

    made = across(pieces, cuts)

    assert "".join(made) == without(whole, cuts)
    assert len(made) == len(pieces)
