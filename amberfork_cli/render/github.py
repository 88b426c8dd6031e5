"""A diff as GitHub Actions workflow commands: annotations on the run, one for each fork.

A command is a line. What a line cannot hold is escaped as the runner expects, so that nothing from a tape
begins a command of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff, ours
from amberfork_cli.render.labels import loud_word, sentence, shown

_MOST = 10  # of one kind in a step: a run shows no more


def to_github(report: DiffReport) -> str:
    """The sentence as an error, then the forks of other conversations; as a notice where all is the same."""
    if report.same:
        return _command("notice", "amberfork: same", shown(sentence(report)))
    commands = [_command("error", f"amberfork: {report.verdict.value}", shown(sentence(report)))]
    commands += [
        _command("error", f"amberfork: fork at #{fork.reissued}", told) for fork, told in _others(report)
    ]
    return "".join(commands[:_MOST])


def _others(report: DiffReport) -> Iterator[tuple[ExchangeDiff, str]]:
    """The forks that the sentence does not tell, each with its cause."""
    for fork in report.forks[1:]:
        if fork.alike is None:
            yield fork, shown((ours(f"{loud_word(fork).capitalize()} at #{fork.reissued}: "), *fork.cause))


def _command(name: str, title: str, message: str) -> str:
    return f"::{name} title={_property(title)}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
