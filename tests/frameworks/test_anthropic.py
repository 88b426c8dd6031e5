"""anthropic's own tools, in a worker."""

from __future__ import annotations


def test_anthropic_tools_are_found_and_run(ends):
    """Functions and coroutines; failures in the exception's own words."""
    results = ends("anthropic_tools.py", add={"a": 1}, greet={"name": "ann"}, fails={})

    assert results == {"add": "3", "greet": "hello ann", "fails": "ValueError: no luck"}
