"""The providers' wire shapes: who said what in a body, which tools were called, and what came back.

A new shape is one module with a `DIALECT`, and one entry in `DIALECTS`. The first that recognises a body
reads it, so a particular shape stands before the general one that it resembles.
"""

from __future__ import annotations

from collections.abc import Callable

from amberfork_cli.core.dialects import (
    anthropic,
    bedrock_converse,
    cohere_v2,
    gemini,
    gemini_live,
    ollama,
    openai_assistants,
    openai_chat,
    openai_realtime,
    openai_responses,
)
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.pieces import JsonObject
from amberfork_cli.core.dialects.shapes import member, objects
from amberfork_cli.core.tape import JsonValue

DIALECTS: tuple[Dialect, ...] = (
    gemini.DIALECT,
    gemini_live.DIALECT,
    openai_realtime.DIALECT,
    openai_assistants.DIALECT,
    openai_responses.DIALECT,
    bedrock_converse.DIALECT,
    cohere_v2.DIALECT,
    ollama.DIALECT,
    anthropic.DIALECT,
    openai_chat.DIALECT,
)


def dialect_of(path: str, body: JsonValue) -> Dialect | None:
    """The shape of a request, `None` where nobody knows it.

    The body counts first, and the path where the body leaves it open; on tapes of bare bodies it is empty.
    Who asks for the requests of a whole tape has a `Recogniser`, which looks at each message once.
    """
    messages = member(body, "messages")

    def shows(sign: Callable[[JsonObject], bool]) -> bool:
        return any(sign(message) for _, message in objects(messages))

    return next((dialect for dialect in DIALECTS if dialect.recognises(path, body, shows)), None)
