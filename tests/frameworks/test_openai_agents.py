"""openai-agents' own tools, in a worker."""

from __future__ import annotations

from amberfork_cli.core.tools.tool import Effect


def test_openai_agents_tools_are_found_and_run(ends, effects):
    """Functions, coroutines and tools made by hand; what needs approval has a side effect."""
    results = ends(
        "openai_agents_tools.py",
        add={"a": 1, "b": 2},
        whoami={"question": "who?"},
        by_hand={"n": 3},
        pay={"amount": 5},
    )

    assert results == {"add": 3, "whoami": "ann: who?", "by_hand": '{"n": 3}', "pay": "paid 5"}
    assert effects("openai_agents_tools.py") == {
        "add": Effect.UNDECLARED,
        "whoami": Effect.UNDECLARED,
        "fails": Effect.UNDECLARED,
        "raises": Effect.UNDECLARED,
        "pay": Effect.SIDE_EFFECT,
        "by_hand": Effect.UNDECLARED,
    }


def test_openai_agents_failures_are_told(ends, printed):
    """The model's sentence is the result, as it was then; what the tool raised is printed beside it."""
    results = ends("openai_agents_tools.py", fails={}, raises={})

    assert results["fails"].startswith("An error occurred while running the tool.")
    assert results["raises"] == "ValueError: no luck"
    assert "ValueError: no luck" in printed("openai_agents_tools.py", "fails")
