"""Real frameworks: each test file runs in an environment of its own, which `tests/frameworks/run` makes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.calls import CallRequest, CallResult
from amberfork_cli.worker.client import WorkerClient

HERE = Path(__file__).parent
CONTEXT = ToolContext({"user": "ann", "city": "Seoul"}, "call_1")


def pytest_collection_modifyitems(items):
    """Only where the frameworks are: each excludes some of the others' dependencies."""
    if os.environ.get("AMBERFORK_FRAMEWORKS") == "1":
        return
    skip = pytest.mark.skip(reason="needs a framework: tests/frameworks/run sets AMBERFORK_FRAMEWORKS=1")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(skip)


@pytest.fixture
def ends():
    """What the calls of one turn come to, by tool: the data, or the error."""

    def ends(registry: str, **calls) -> dict:
        results = _run(registry, calls)
        return {result.invocation.name: _end(result) for result in results}

    return ends


@pytest.fixture
def printed():
    """What one call without arguments prints."""
    return lambda registry, tool: _run(registry, {tool: {}})[0].printed.text


@pytest.fixture
def effects():
    """What is known of each tool's side effects."""

    def effects(registry: str) -> dict:
        with WorkerClient(str(HERE / "registries" / registry)) as client:
            return {tool.name: tool.effect for tool in client.describe()}

    return effects


def _run(registry: str, calls: dict) -> tuple[CallResult, ...]:
    with WorkerClient(str(HERE / "registries" / registry)) as client:
        requests = [CallRequest(tool, arguments, CONTEXT) for tool, arguments in calls.items()]
        return client.run_turn(requests).results


def _end(result: CallResult):
    return result.invocation.data if result.invocation.ok else result.invocation.error
