"""The calls of earlier responses, for requests that hold nothing but their results.

Where the provider keeps the conversation, a request names the response that it goes on from and gives the
results of its calls. What those calls were stands in that response alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from amberfork_cli.core.compare.reading import Reading
from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.dialects.model import Message, ToolCall
from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import Exchange


def calls_made(exchange: Exchange) -> dict[str, ToolCall]:
    """The calls that a response makes, by their IDs; none where it is no answer of a model."""
    value = json_of(exchange.request.body)
    dialect = None if isinstance(value, Absent) else dialect_of(exchange.request.path, value)
    answer = response_json(exchange.response, dialect=dialect) if exchange.response else None
    reply = dialect.reply(answer.body) if dialect and answer else None
    return {call.id: call for call in reversed(reply.calls) if call.id is not None} if reply else {}


def unanswered(messages: Sequence[Message]) -> bool:
    """Whether a message holds a result whose call is in none of them."""
    return any(result.answers is None for message in messages for result in message.results)


def with_calls(message: Message, calls: Mapping[str, ToolCall]) -> Message:
    """The message, each of its results that answers one of those calls linked to it."""
    results = tuple(
        replace(result, answers=calls.get(result.id or "")) if result.answers is None else result
        for result in message.results
    )
    return replace(message, results=results)


def reading_with_calls(reading: Reading, calls: Mapping[str, ToolCall]) -> Reading:
    """The reading, each result in it that answers one of those calls linked to it."""
    elements = tuple(
        replace(element, said=with_calls(element.said, calls)) if element.said else element
        for element in reading.elements
    )
    return replace(reading, elements=elements)
