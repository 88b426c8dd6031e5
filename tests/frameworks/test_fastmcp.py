"""FastMCP's and MCP's own servers, in a worker."""

from __future__ import annotations

from amberfork_cli.core.tools.tool import Effect


def test_fastmcp_servers_are_found_and_called(ends, effects):
    """With their life span and context; their hints say what has a side effect."""
    results = ends(
        "fastmcp_server.py",
        add={"a": 1},
        greet={"name": "ann"},
        record={"name": "ann"},
        delete={"name": "x"},
    )

    assert results == {"add": 3, "greet": "hello ann", "record": {"name": "ann"}, "delete": "deleted x"}
    assert effects("fastmcp_server.py") == {
        "add": Effect.READ_ONLY,
        "greet": Effect.UNDECLARED,
        "record": Effect.UNDECLARED,
        "delete": Effect.SIDE_EFFECT,
        "fails": Effect.UNDECLARED,
    }


def test_a_server_that_is_named_has_still_said_nothing_of_side_effects(effects):
    """Nobody listed its tools one by one."""
    assert effects("fastmcp_server.py:mcp")["greet"] is Effect.UNDECLARED


def test_mcp_servers_are_found_and_called(ends, effects):
    """The same for the package that FastMCP stands on."""
    results = ends("mcp_server.py", add={"a": 1}, greet={"name": "ann"})

    assert results == {"add": 3, "greet": "hello ann"}
    assert effects("mcp_server.py") == {
        "add": Effect.READ_ONLY,
        "greet": Effect.UNDECLARED,
        "fails": Effect.UNDECLARED,
    }


def test_failures_of_servers_are_told(ends, printed):
    """In the server's words, which are what the model was told; what one leaves out, it prints."""
    fastmcp = ends("fastmcp_server.py", fails={})
    mcp = ends("mcp_server.py", fails={})

    assert fastmcp == {"fails": "ToolError: Error calling tool 'fails': no luck"}
    assert mcp == {"fails": "ToolError: Error executing tool fails"}
    assert "no luck" in printed("mcp_server.py", "fails")
