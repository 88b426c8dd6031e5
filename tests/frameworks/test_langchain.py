"""LangChain's own tools, in a worker."""

from __future__ import annotations

from amberfork_cli.core.tools.tool import Effect


def test_langchain_tools_are_found_and_run(ends, effects):
    """Functions, coroutines and classes; injected arguments and the configuration come from the context."""
    results = ends(
        "langchain_tools.py",
        add={"a": 1},
        search={"query": "x"},
        whoami={"question": "who?"},
        configured={},
        picture={"name": "a cat"},
        upper={"text": "hello"},
        later={"text": "see you"},
        both={"n": 3},
    )

    assert results == {
        "add": 3,
        "search": {"found": "x"},
        "whoami": "ann: who?",
        "configured": "ann",
        "picture": "a picture of a cat",
        "upper": "HELLO",
        "later": "see you later",
        "both": 3,
    }
    assert set(effects("langchain_tools.py").values()) == {Effect.UNDECLARED}


def test_langchain_failures_are_told(ends):
    """The exception's own words, and arguments that do not fit before the tool runs."""
    results = ends("langchain_tools.py", fails={}, add={"a": "one"})

    assert results == {
        "fails": "ValueError: no luck",
        "add": "the arguments do not fit: /a: 'one' is not of type 'integer'",
    }
