"""Registries for the worker: a module is written, and a client runs it in a real process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from textwrap import dedent
from typing import Any

import pytest

from amberfork_cli.core.tools.invocation import Invocation
from amberfork_cli.worker.calls import CallRequest, CallResult
from amberfork_cli.worker.client import WorkerClient

Client = Callable[..., WorkerClient]


@pytest.fixture
def client(tmp_path, monkeypatch) -> Iterator[Client]:
    """A client for a module of this text; whatever it started is gone when the test is over."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as open_clients:

        def make(text: str, **options: Any) -> WorkerClient:
            (tmp_path / "mytools.py").write_text(dedent(text))
            return open_clients.enter_context(WorkerClient("mytools.py", **options))

        yield make


@pytest.fixture(scope="module")
def resident(tmp_path_factory) -> Iterator[Client]:
    """The same, but one process for all tests of a file that use the same text and options."""
    with ExitStack() as open_clients:

        @cache
        def make(text: str, **options: Any) -> WorkerClient:
            path = tmp_path_factory.mktemp("registry") / "mytools.py"
            path.write_text(dedent(text))
            return open_clients.enter_context(WorkerClient(str(path), **options))

        yield make


def asks(tool: str, **arguments: Any) -> CallRequest:
    """A call as a test writes it."""
    return CallRequest(tool, arguments)


def effect(tool: str, **arguments: Any) -> CallRequest:
    """A call that the user allowed to have its side effect."""
    return CallRequest(tool, arguments, side_effect=True)


def only(client: WorkerClient, tool: str, **arguments: Any) -> CallResult:
    """The result of a turn of one call."""
    (result,) = client.run_turn([asks(tool, **arguments)]).results
    return result


def end_of(client: WorkerClient, tool: str, **arguments: Any) -> Invocation:
    """How a turn of one call ended."""
    return only(client, tool, **arguments).invocation
