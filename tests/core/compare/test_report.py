"""What comparing two tapes found: the answers that every display gives."""

import pytest

from amberfork_cli.core.compare.report import (
    Difference,
    DiffReport,
    ExchangeDiff,
    Kind,
    Spot,
    State,
    TapeFacts,
    Verdict,
    ours,
    plain,
    quoted,
)

STATES = {
    ".": State.MATCH,
    "F": State.FORK,
    "C": State.CHANGED,
    ":": State.CARRIED,
    "o": State.MISSING,
    "+": State.EXTRA,
}


def report(states: str, kind: Kind = Kind.VALUE) -> DiffReport:
    """A report of exchanges in those states; what changed differs in that kind."""
    spots = (Spot("a", (), (Difference(kind, (), (), (), 1, 2),)),)
    exchanges = tuple(
        ExchangeDiff(
            STATES[state],
            None if state == "+" else number,
            None if state == "o" else number,
            spots=spots if state in "FC" else (),
        )
        for number, state in enumerate(states)
    )
    return DiffReport(TapeFacts("a", 1), TapeFacts("b", 1), exchanges)


VERDICTS = {
    "...": Verdict.SAME,
    ".F::": Verdict.FORKED,
    ".F:+": Verdict.FORKED,
    "..oo": Verdict.STOPPED,
    "oo": Verdict.NOT_FORKED,
    "..+": Verdict.NOT_FORKED,
    ".o.": Verdict.NOT_FORKED,
    "..o+": Verdict.NOT_FORKED,
}


@pytest.mark.parametrize("states", VERDICTS)
def test_the_verdict_is_one_word(states: str) -> None:
    """Decided here, for every display."""
    assert report(states).verdict is VERDICTS[states]


def test_a_report_of_weak_differences_says_so() -> None:
    """Unless exchanges are missing or extra as well."""
    assert report(".C::", Kind.SPELLING).verdict is Verdict.WEAK
    assert report(".C:o", Kind.FORM).verdict is Verdict.FORKED


@pytest.mark.parametrize(("states", "same"), [("...", True), (".:", False), (".o", False), ("", True)])
def test_only_matches_are_the_same(states: str, same: bool) -> None:
    """What decides the exit code."""
    assert report(states).same is same


def test_states_are_counted() -> None:
    """Forks and changes are the exchanges whose differences are told."""
    found = report(".FC::")

    assert [found.counts(state) for state in State] == [1, 1, 1, 2, 0, 0]
    assert ([one.reissued for one in found.forks], [one.reissued for one in found.changes]) == ([1], [1, 2])


@pytest.mark.parametrize(("kind", "weak"), [(kind, kind in (Kind.SPELLING, Kind.FORM)) for kind in Kind])
def test_two_kinds_are_weak(kind: Kind, weak: bool) -> None:
    """The same content, written differently."""
    assert (kind.weak, report("F", kind).exchanges[0].weak) == (weak, weak)


def test_words_are_pieces() -> None:
    """Each ours or the tape's."""
    words = (ours("the model called "), quoted("f"))

    assert (plain(words), [piece.quoted for piece in words]) == ("the model called f", [False, True])
