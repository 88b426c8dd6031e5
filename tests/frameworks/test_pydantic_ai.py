"""pydantic-ai's own tools, in a worker."""

from __future__ import annotations

from amberfork_cli.core.tools.tool import Effect


def test_pydantic_ai_tools_are_found_and_run(ends, effects):
    """Single tools and sets of them, with dependencies and models; what needs approval has a side effect."""
    results = ends(
        "pydantic_ai_tools.py",
        add={"a": 1},
        whoami={"question": "who?"},
        locate={"city": "Seoul"},
        plain={"word": "again"},
    )

    assert results == {"add": 3, "whoami": "ann: who?", "locate": "Seoul, KR", "plain": "again"}
    assert effects("pydantic_ai_tools.py") == {
        "add": Effect.UNDECLARED,
        "whoami": Effect.UNDECLARED,
        "locate": Effect.UNDECLARED,
        "fails": Effect.SIDE_EFFECT,
        "plain": Effect.UNDECLARED,
    }


def test_pydantic_ai_failures_are_told(ends):
    """The exception's own words."""
    assert ends("pydantic_ai_tools.py", fails={}) == {"fails": "ValueError: no luck"}
