"""smolagents' own tools, in a worker."""

from __future__ import annotations


def test_smolagents_tools_are_found_and_run(ends):
    """Functions and classes."""
    assert ends("smolagents_tools.py", add={"a": 1}, upper={"text": "hello"}) == {"add": 3, "upper": "HELLO"}
