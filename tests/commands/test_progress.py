"""How far a tape has been read, for a person who waits."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest
from run_bodies import lines, run

from amberfork_cli.commands import progress
from amberfork_cli.commands.progress import watched
from amberfork_cli.core.tape import Exchange, ExchangeList, Request
from amberfork_cli.tapes import open_tape

EXCHANGES = [Exchange(number, Request("POST", "/")) for number in range(3)]


@pytest.fixture
def impatient(monkeypatch) -> Callable[[], None]:
    """Call it to let stderr pass for a terminal, and no time for a second."""

    def impatient() -> None:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(progress, "_PATIENCE", -1.0)
        monkeypatch.setenv("TERM", "xterm")

    return impatient


def test_without_a_terminal_nothing_is_watched() -> None:
    """The tape is handed on as it is."""
    tape = ExchangeList(EXCHANGES)

    assert watched(tape) is tape


def test_output_on_the_same_terminal_leaves_no_room_for_a_bar(impatient, monkeypatch) -> None:
    """They would be mixed."""
    impatient()
    tape = ExchangeList(EXCHANGES)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    assert watched(tape, shares_terminal=True) is tape
    assert watched(tape) is not tape


def test_a_watched_tape_is_the_tape(impatient, write) -> None:
    """Its exchanges, its name, its header, and a second look."""
    impatient()
    write("run.jsonl", ['{"tape_version":"1","id":"r"}', *lines(run())])

    with open_tape("run.jsonl") as tape:
        seen = watched(tape)
        exchanges = [*seen]

        assert exchanges == [*tape]
        assert seen.reread(1) == tape.reread(1)
        assert (seen.source, seen.form, seen.header, seen.size) == (
            tape.source,
            tape.form,
            tape.header,
            tape.size,
        )
        assert seen.left_out is tape.left_out


def test_the_bar_shows_name_count_and_share_and_goes_away(impatient, write, capfd) -> None:
    """The name is shown as it is, not read as markup."""
    impatient()
    write("[red]run.jsonl", lines(run()))

    with open_tape("[red]run.jsonl") as tape:
        for _ in watched(tape):
            pass

    shown = capfd.readouterr().err
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", shown)
    assert "[red]run.jsonl  3 exchanges" in plain
    assert "100 %" in plain
    assert shown.endswith("\x1b[2K")


def test_a_tape_of_unknown_length_is_counted(impatient, capfd) -> None:
    """There is no share to show."""
    impatient()
    for _ in watched(ExchangeList(EXCHANGES, source="pipe")):
        pass

    shown = capfd.readouterr().err
    assert "pipe  3 exchanges" in shown
    assert "%" not in shown


def test_closing_it_closes_the_tape(write, monkeypatch) -> None:
    """Whoever holds the one need not know the other."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    write("run.jsonl", lines(run()))
    tape = open_tape("run.jsonl")

    with watched(tape) as seen:
        first = next(iter(seen))

    assert first.number == 0
    with pytest.raises(Exception, match="this tape is closed"):
        tape.reread(0)
