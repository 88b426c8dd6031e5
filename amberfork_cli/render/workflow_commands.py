"""Workflow commands of GitHub Actions: annotations on the run.

A command is a line. What a line cannot hold is escaped as the runner expects, so that nothing from a tape
begins a command of its own.
"""

from __future__ import annotations

MOST = 10  # of one kind in a step: a run shows no more


def error(title: str, message: str) -> str:
    """An annotation that tells what is wrong."""
    return _command("error", title, message)


def notice(title: str, message: str) -> str:
    """An annotation that tells what is well."""
    return _command("notice", title, message)


def _command(name: str, title: str, message: str) -> str:
    return f"::{name} title={_property(title)}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
