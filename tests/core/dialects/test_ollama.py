"""Ollama's own chat: what differs from OpenAI's."""

from amberfork_cli.core.dialects.model import Assembled, Chunk
from amberfork_cli.core.dialects.ollama import DIALECT
from amberfork_cli.core.tape import JsonValue

CALL: JsonValue = {"id": "f_1", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}


def test_ollamas_results_go_by_the_tools_name() -> None:
    """Its calls have no IDs; the name stands under a key of its own, or nowhere."""
    called, by_name, by_order = DIALECT.history(
        {
            "messages": [
                {
                    "role": "assistant",
                    "tool_calls": [{"function": {"name": name, "arguments": {}}} for name in ("f", "g")],
                },
                {"role": "tool", "tool_name": "g", "content": "2"},
                {"role": "tool", "content": "1"},
            ]
        }
    )

    assert by_name.results[0].answers == called.calls[1]
    assert by_order.results[0].answers == called.calls[0]


def test_ollamas_lines_spell_the_last_of_them() -> None:
    """Words and calls from all lines, the rest from the last one."""
    lines: list[JsonValue] = [
        {"model": "m", "message": {"role": "assistant", "content": "Look"}, "done": False},
        {
            "model": "m",
            "message": {"role": "assistant", "content": "ing.", "tool_calls": [CALL]},
            "done": False,
        },
        {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"},
    ]

    whole, cut = DIALECT.assemble(chunks(lines)), DIALECT.assemble(chunks(lines[:2]))

    message: JsonValue = {"role": "assistant", "content": "Looking.", "tool_calls": [CALL]}
    assert whole == Assembled(
        {"model": "m", "message": message, "done": True, "done_reason": "stop"}, complete=True
    )
    assert cut == Assembled({"model": "m", "message": message, "done": False}, complete=False)


def chunks(values: list[JsonValue]) -> list[Chunk]:
    return [Chunk("message", value) for value in values]
