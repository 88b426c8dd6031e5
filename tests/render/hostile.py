"""Texts and reports that try to break a display: controls, markup, joined emoji, wide and endless words."""

from __future__ import annotations

import diff_samples
from hypothesis import strategies as st

from amberfork_cli.core.compare.report import (
    MISSING,
    Conversation,
    Difference,
    DiffReport,
    ExchangeDiff,
    Kind,
    Origin,
    Spot,
    State,
    TapeFacts,
    Trace,
    quoted,
)
from amberfork_cli.core.tape import LeftOut

FRAGMENTS = [
    "the word ",
    "order",
    " ",
    "  ",
    "\n",
    ". ",
    "7",
    '"',
    "'",
    "\\",
    "\\u0041",
    "\\u{41}",
    "[/bold]",
    ":warning:",
    "\x1b[2J",
    "\x07\x08\x0b\x0c\r",
    "\x9b31m",
    "\u2028",
    "\u202e",
    "\u200b",
    "\U000e0041",
    "\ud83d",
    "\ufeff",
    "\t",
    "東京",
    "한국어 ",
    "e\u0301",
    "\u0300\u0301",
    "สวัสดี",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1f0\U0001f1f7",
    "☺\ufe0f",
    "\u0430",
    "…",
    "w" * 200,
    "長" * 120,
    "a long run of plain words that goes on for a while, " * 4,
]

fragment = st.sampled_from(FRAGMENTS)
texts = st.lists(fragment, max_size=12).map("".join)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str]:
    """A text and the same after a few changes."""
    old = draw(st.lists(fragment, max_size=14))
    new = list(old)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 2))] = draw(st.lists(fragment, max_size=2))
    return "".join(old), "".join(new)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**5000),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
values = st.one_of(
    scalars,
    st.binary(max_size=40),
    st.lists(scalars, max_size=5),
    st.dictionaries(texts, scalars, max_size=4),
)
words = st.lists(texts.map(quoted), max_size=3).map(tuple)
paths = st.lists(st.one_of(texts, st.integers(0, 10**6)), max_size=4).map(tuple)


@st.composite
def differences(draw: st.DrawFn) -> Difference:
    """A difference of any kind, most often of two texts that are nearly equal."""
    old, new = draw(st.one_of(edits(), st.tuples(values, values)))
    old, new = draw(st.sampled_from([(old, new), (old, new), (MISSING, new), (old, MISSING)]))
    told = draw(st.booleans()) and draw(st.booleans())
    return Difference(
        draw(st.sampled_from(Kind)),
        draw(st.one_of(st.just(()), paths)),
        draw(st.none() | paths),
        draw(st.none() | paths),
        recorded=old,
        reissued=new,
        inner_path=draw(st.none() | paths),
        summary=draw(words) if told else (),
        recorded_words=draw(words) if told else (),
        reissued_words=draw(words) if told else (),
    )


spots = st.builds(
    Spot,
    texts,
    words,
    st.lists(differences(), min_size=1, max_size=3).map(tuple),
    st.one_of(st.just(()), words),
)


@st.composite
def reports(draw: st.DrawFn) -> DiffReport:
    """A report whose every text is hostile, though its numbers fit together."""
    states = draw(st.lists(st.sampled_from(State), min_size=1, max_size=7))
    conversations = draw(st.integers(1, 4))
    first_is_told = states[0] in (State.FORK, State.CHANGED)
    exchanges = [
        _exchange(draw, state, number, conversations, may_be_alike=first_is_told)
        for number, state in enumerate(states)
    ]
    counts = {"recorded": draw(_facts), "reissued": draw(_facts)}
    names = tuple(Conversation(number, draw(texts)) for number in range(conversations))
    notes = tuple(draw(st.lists(texts, max_size=2)))
    return diff_samples.report(
        exchanges, endpoint=draw(texts), conversations=names, ids=draw(texts), notes=notes, **counts
    )


_facts = st.builds(
    TapeFacts,
    texts,
    st.integers(1, 10**6),
    st.builds(
        LeftOut,
        st.lists(st.tuples(st.integers(1, 99), texts), max_size=3),
        st.none() | st.tuples(st.just(7), texts),
    ),
    st.integers(0, 99),
)


def _exchange(
    draw: st.DrawFn, state: State, number: int, conversations: int, *, may_be_alike: bool
) -> ExchangeDiff:
    told = state in (State.FORK, State.CHANGED)
    gap = draw(st.integers(0, 2))
    return ExchangeDiff(
        state,
        None if state is State.EXTRA else number * 3 + gap,
        None if state is State.MISSING else number * 17,
        conversation=draw(st.integers(0, conversations - 1)),
        endpoint=draw(st.sampled_from(["", "POST /v1/messages", "POST /" + "long/" * 50])),
        moved=state is State.MATCH and gap == 1,
        origin=draw(st.sampled_from(Origin)) if told else None,
        cause=draw(words),
        spots=tuple(draw(st.lists(spots, max_size=2))) if told else (),
        alike=0 if may_be_alike and told and number and gap == 2 else None,
        nearest=number if state in (State.MISSING, State.EXTRA) and gap else None,
        nearest_words=draw(words),
        words=draw(words),
        trace=Trace(draw(texts), number, draw(words)) if told and gap else None,
    )
