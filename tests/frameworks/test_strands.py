"""strands' own tools, in a worker."""

from __future__ import annotations


def test_strands_tools_are_found_and_run(ends):
    """Functions and coroutines."""
    assert ends("strands_tools.py", add={"a": 1}, greet={"name": "ann"}) == {"add": 3, "greet": "hello ann"}
