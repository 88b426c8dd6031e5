"""One exchange as a conversation: who said what, which tools were called, which result answers which call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from amberfork_cli.core.compare.conversation import turns
from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.model import Message, ToolCall, ToolResult
from amberfork_cli.core.dialects.shapes import member, objects, string
from amberfork_cli.core.ids.fingerprint import Sketch, Sketcher
from amberfork_cli.core.overview import Delivery, Endpoint, answer_of, delivery_of, endpoint_of, model_of
from amberfork_cli.core.paths import Path, resolve
from amberfork_cli.core.tape import ABSENT, Body, Exchange, JsonValue, Tape
from amberfork_cli.errors import OptionError


@dataclass(frozen=True, slots=True)
class Origin:
    """The exchange that another one continues, and how many messages of its history that one has already."""

    exchange: int
    shared: int


@dataclass(frozen=True, slots=True)
class NumberedCall:
    """A call with its number in the exchange, from 1, by which results point to it."""

    number: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class LinkedResult:
    """A result and the call that it answers: one of the exchange, or one of the response before it.

    `number` is that of the former, `earlier` the exchange of the latter; where both are `None`, nobody made
    the call.
    """

    result: ToolResult
    number: int | None = None
    earlier: int | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """One message. `others` names parts that are neither words, calls nor results: `image`, `thinking`.

    `unread` is the message as it is where nothing of it could be read.
    """

    message: Message
    calls: tuple[NumberedCall, ...] = ()
    results: tuple[LinkedResult, ...] = ()
    others: tuple[str, ...] = ()
    unread: JsonValue = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """One exchange, read.

    `messages` are those of the request, of which the first `known` also stand in the exchange that it
    continues. `answer` is what the model said. Where nobody knows the shape of a body it is in `unread`, or
    in `unread_answer`, which are absent otherwise.
    """

    number: int
    endpoint: Endpoint
    model: str
    tools: tuple[str, ...]
    messages: tuple[Said, ...]
    origin: Origin | None
    known: int
    status: int | None
    delivery: Delivery
    answer: Said | None
    unread: Body = ABSENT
    unread_answer: Body = ABSENT


def transcripts(tape: Tape, numbers: Iterable[int]) -> Iterator[Transcript]:
    """The exchanges of those numbers, read; the tape is read up to the last of them, to know what they add.

    Raises OptionError for a number that is not on the tape.
    """
    wanted = [*numbers]
    origins = _origins(tape, max(wanted, default=-1))
    _refuse_missing(tape, wanted, len(origins))
    for number in wanted:
        origin = origins[number]
        parent = None if origin is None else tape.reread(origin.exchange)
        yield transcript(tape.reread(number), origin=origin, parent=parent)


def chosen(tape: Tape, numbers: Iterable[int]) -> Iterator[Exchange]:
    """The exchanges of those numbers, as they are; raises OptionError for one that is not on the tape."""
    wanted, met = [*numbers], 0
    for exchange in tape:
        met = exchange.number + 1
        if met > max(wanted, default=-1):
            break
        del exchange  # or it would be held while the next one is read
    _refuse_missing(tape, wanted, met)
    for number in wanted:
        yield tape.reread(number)


def transcript(
    exchange: Exchange, *, origin: Origin | None = None, parent: Exchange | None = None
) -> Transcript:
    """One exchange, read; `parent` is the exchange that it continues, whose calls it may answer."""
    request, response = exchange.request, exchange.response
    body = json_of(request.body)
    value = None if isinstance(body, Absent) else body
    dialect = dialect_of(request.path, value)
    history = () if dialect is None else dialect.history(value)
    prompts = 0 if dialect is None else len(history) - sum(1 for _ in dialect.elements(value))
    reader = _Reader(value, _calls_of(parent))
    messages = tuple(map(reader.read, history))
    spelled, reply = answer_of(response, dialect)
    answer = None if reply is None or spelled is None else reader.answer(reply, spelled.body)
    return Transcript(
        exchange.number,
        endpoint_of(request),
        model_of(exchange),
        _tools(dialect, value),
        messages,
        origin,
        0 if origin is None or not origin.shared else prompts + origin.shared,
        None if response is None else response.status,
        delivery_of(response, spelled),
        answer,
        ABSENT if messages else request.body,
        ABSENT if answer is not None or response is None else response.body,
    )


def _origins(tape: Tape, last: int) -> list[Origin | None]:
    """What each exchange continues, up to a number or to the end of the tape."""
    sketcher = Sketcher()

    def sketches() -> Iterator[Sketch]:
        for exchange in tape:
            yield sketcher.sketch(exchange)
            if exchange.number >= last:
                return
            del exchange  # or it would be held while the next one is read

    found = turns(sketches())
    return [None if turn.parent is None else Origin(turn.parent, turn.shared) for turn in found]


def _refuse_missing(tape: Tape, numbers: Iterable[int], count: int) -> None:
    for number in numbers:
        if not 0 <= number < count:
            there = f"it has #0 to #{count - 1}" if count else "it is empty"
            raise OptionError(f"{tape.source}: there is no exchange #{number} on this tape: {there}")


def _calls_of(parent: Exchange | None) -> Mapping[str, tuple[int, str]]:
    """The calls that an earlier response made, by their IDs: its number and their names."""
    if parent is None:
        return {}
    body = json_of(parent.request.body)
    dialect = dialect_of(parent.request.path, None if isinstance(body, Absent) else body)
    _, reply = answer_of(parent.response, dialect)
    calls = () if reply is None else reply.calls
    return {call.id: (parent.number, call.name) for call in calls if call.id is not None}


def _tools(dialect: Dialect | None, body: JsonValue) -> tuple[str, ...]:
    return () if dialect is None else tuple(tool.name for tool in dialect.tools(body))


class _Reader:
    """Numbers the calls of an exchange as they come by, and finds the one that a result answers."""

    def __init__(self, body: JsonValue, earlier: Mapping[str, tuple[int, str]]) -> None:
        self._body, self._earlier = body, earlier
        self._numbers: dict[Path, int] = {}

    def read(self, message: Message) -> Said:
        """A message of the request."""
        return self._said(message, self._body)

    def answer(self, message: Message, body: JsonValue) -> Said:
        """What the model said in a response body; results there answer its own calls."""
        return self._said(message, body)

    def _said(self, message: Message, body: JsonValue) -> Said:
        calls = []
        for call in message.calls:
            self._numbers[call.path] = len(self._numbers) + 1
            calls.append(NumberedCall(self._numbers[call.path], call))
        results = tuple(map(self._linked, message.results))
        value = _element(body, message.path)
        others = tuple(_others(value, message))
        read = message.text or calls or results or others
        return Said(message, tuple(calls), results, others, None if read else value)

    def _linked(self, result: ToolResult) -> LinkedResult:
        if result.answers is not None:
            number = self._numbers.get(result.answers.path)
            return LinkedResult(result, number=number, name=result.answers.name)
        exchange, name = self._earlier.get(result.id or "", (None, result.name))
        return LinkedResult(result, earlier=exchange, name=name)


_READ = frozenset(
    """
    text input_text output_text refusal tool_use tool_result tool_call tool-call function_call
    function_call_output custom_tool_call custom_tool_call_output message function server_tool_use
    mcp_tool_use mcp_tool_result functionCall functionResponse toolUse toolResult
    """.split()
)
_PARTS = ("content", "parts")
_BESIDE = ("role", "status", "cache_control", "thoughtSignature", "thought_signature", "metadata")


def _element(body: JsonValue, path: Path) -> JsonValue:
    """The message as it stands in the body, `None` where a dialect put it together from several places."""
    try:
        return resolve(body, path)
    except LookupError:
        return None


def _others(value: JsonValue, message: Message) -> Iterator[str]:
    """The names of the parts of a message that hold something else than words, calls and results."""
    kind = string(member(value, "type"))
    if kind is not None and kind not in _READ and not message.calls and not message.results:
        yield kind
    parts = next((member(value, name) for name in _PARTS if isinstance(member(value, name), list)), None)
    found = (_kind_of(part) for _, part in objects(parts))
    yield from dict.fromkeys(kind for kind in found if kind and kind not in _READ)
    if string(member(value, "reasoning_content")) or string(member(value, "reasoning")):
        yield "reasoning"


def _kind_of(part: dict[str, JsonValue]) -> str:
    if part.get("thought") is True:
        return "thought"
    kind = string(part.get("type"))
    return kind or next((name for name in part if name not in _BESIDE), "")
