"""What each exchange of a tape comes to, in a few figures: who was asked, what the turn added, the answer.

Read in one pass that holds one exchange at a time; what is kept of each is small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from urllib.parse import unquote
from weakref import WeakKeyDictionary

from amberfork_cli.core.compare.conversation import turns
from amberfork_cli.core.compare.report import plain
from amberfork_cli.core.compare.words import cut
from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.dialects import DIALECTS
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.histories import Elements
from amberfork_cli.core.dialects.model import Assembled, Message, Role
from amberfork_cli.core.dialects.recognition import Look, Recognised, Recogniser
from amberfork_cli.core.dialects.shapes import member, string
from amberfork_cli.core.ids.fingerprint import Sketch, Sketcher
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import Body, BodyKind, Exchange, JsonValue, Request, Response


class Delivery(StrEnum):
    """How an answer came: in one piece, as a stream that reached its end, or as one that was cut short."""

    NONE = "none"
    WHOLE = "whole"
    STREAMED = "streamed"
    CUT_SHORT = "cut short"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a request went; the path stands without its query, which may hold a key."""

    method: str
    upstream: str
    path: str
    to_model: bool = True

    def __str__(self) -> str:
        return f"{self.method} {self.upstream}{self.path}".strip()


@dataclass(frozen=True, slots=True)
class Results:
    """How many tool results a request brings at its end, and how many of them say that their call failed."""

    count: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the provider counted, cached tokens among those that came in; `None` where it does not say."""

    sent: int | None
    received: int | None

    def __bool__(self) -> bool:
        return self.sent is not None or self.received is not None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the tools that the model calls, in its order, and its first words.

    `error` marks words that are those of an error.
    """

    status: int | None = None
    delivery: Delivery = Delivery.NONE
    calls: tuple[str, ...] = ()
    words: str = ""
    error: bool = False
    tokens: Tokens = Tokens(None, None)


@dataclass(frozen=True, slots=True)
class Overview:
    """One exchange in figures.

    `messages` counts the history of the request without system prompts that stand outside it, `added` those
    that the exchange which it continues, `continues`, does not have; `conversation` numbers conversations
    from 0. `sent` and `received` are the sizes of the bodies in bytes.
    """

    number: int
    endpoint: Endpoint
    model: str
    messages: int
    added: int
    results: Results
    answer: Answer
    sent: int
    received: int
    continues: int | None
    conversation: int


def overview(exchanges: Iterable[Exchange]) -> list[Overview]:
    """The exchanges of a tape in figures, in their order; raises TapeError where reading them does."""
    facts: list[_Facts] = []
    found = turns(_noted(exchanges, facts))
    return [
        Overview(
            each.number,
            each.endpoint,
            each.model,
            each.messages,
            max(each.messages - turn.shared, 0),
            each.results,
            each.answer,
            each.sent,
            each.received,
            turn.parent,
            turn.conversation,
        )
        for each, turn in zip(facts, found, strict=True)
    ]


def endpoint_of(request: Request) -> Endpoint:
    """Where a request went, as far as the tape says."""
    upstream = request.extra.get("upstream")
    return Endpoint(
        request.method,
        upstream if isinstance(upstream, str) else "",
        request.path.partition("?")[0],
        request.extra.get("to_model") is not False,
    )


def model_of(exchange: Exchange) -> str:
    """The model that was asked, else the one that answered; empty where neither is said."""
    asked = _model_in(json_of(exchange.request.body)) or _model_in_path(exchange.request.path)
    if asked or exchange.response is None:
        return asked
    return _model_in(json_of(exchange.response.body))


def answer_of(response: Response | None, dialect: Dialect | None) -> tuple[Assembled | None, Message | None]:
    """The body of a response, put together from its stream, and what the model says in it.

    A gateway may answer in another shape than it was asked in: then the shape that fits reads it.
    """
    spelled = None if response is None else response_json(response, dialect=dialect)
    if spelled is None:
        return None, None
    first = () if dialect is None else (dialect,)
    replies = (each.reply(spelled.body, complete=spelled.complete) for each in (*first, *DIALECTS))
    return spelled, next((reply for reply in replies if reply is not None), None)


def delivery_of(response: Response | None, spelled: Assembled | None) -> Delivery:
    """How an answer came."""
    if response is None:
        return Delivery.NONE
    if spelled is not None and not spelled.complete:
        return Delivery.CUT_SHORT
    streamed = response.body.kind is BodyKind.TEXT or isinstance(response.body.value, list)
    return Delivery.STREAMED if streamed and spelled is not None else Delivery.WHOLE


@dataclass(frozen=True, slots=True)
class _Facts:
    """What one exchange says of itself, whatever was before it."""

    number: int
    endpoint: Endpoint
    model: str
    messages: int
    results: Results
    answer: Answer
    sent: int
    received: int


def _noted(exchanges: Iterable[Exchange], facts: list[_Facts]) -> Iterator[Sketch]:
    """The sketch of each exchange; what it says of itself is noted on the way."""
    sketcher, recogniser, scale = Sketcher(), Recogniser(), _Scale()
    texts: dict[str, str] = {}  # most exchanges of a tape go to the same model
    endpoints: dict[Endpoint, Endpoint] = {}
    for exchange in exchanges:
        sketch = sketcher.sketch(exchange)
        request, response = exchange.request, exchange.response
        value = json_of(request.body)
        asked = None if isinstance(value, Absent) else value
        recognised = recogniser.recognise(request.path, asked)
        dialect, history = recognised.dialect, recognised.history
        where, model = endpoint_of(request), model_of(exchange)
        facts.append(
            _Facts(
                exchange.number,
                endpoints.setdefault(where, where),
                texts.setdefault(model, model),
                len(sketch.messages if dialect is None else history),
                Results() if dialect is None else _last_results(history, dialect),
                _answer(response, dialect),
                scale.weigh(request.body, recognised),
                0 if response is None else _size(response.body),
            )
        )
        del exchange, request, response, value, asked, recognised, history  # or all would be held meanwhile
        yield sketch


def _last_results(history: Elements, dialect: Dialect) -> Results:
    """The results that the request brings after the model's last words."""
    count = failed = 0
    for path, element in reversed(history):
        message = dialect.read_message(element, path)
        if message.role is Role.ASSISTANT:
            break
        count += len(message.results)
        failed += sum(result.failed for result in message.results)
    return Results(count, failed)


def _answer(response: Response | None, dialect: Dialect | None) -> Answer:
    if response is None:
        return Answer()
    spelled, reply = answer_of(response, dialect)
    body = None if spelled is None else spelled.body
    delivery, tokens = delivery_of(response, spelled), _tokens(body)
    error = _error_words(body)
    if reply is None or (error and not reply.calls and not reply.text):
        return Answer(response.status, delivery, words=error, error=bool(error), tokens=tokens)
    calls = tuple(call.name for call in reply.calls)
    return Answer(response.status, delivery, calls, _beginning(reply.text), tokens=tokens)


def _error_words(body: JsonValue) -> str:
    """What an error says, in the shapes that providers have for it."""
    error = member(body, "error")
    for said in (member(error, "message"), error, member(body, "message"), member(body, "detail")):
        if isinstance(said, str) and said:
            return _beginning(said)
    return ""


def _beginning(text: str) -> str:
    return plain(cut(text, _WORDS))


_WORDS = 60  # characters; what does not fit on a terminal is cut again
_SENT = ("prompt_tokens", "input_tokens", "inputTokens", "promptTokenCount")
_SENT_BESIDE = (
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "cacheReadInputTokens",
    "cacheWriteInputTokens",
)
"""Tokens that Anthropic and Bedrock count beside those that came in, and all others among them."""
_RECEIVED = ("completion_tokens", "output_tokens", "outputTokens")
_RECEIVED_IN_PARTS = ("candidatesTokenCount", "thoughtsTokenCount")


def _tokens(body: JsonValue) -> Tokens:
    """The counts in a response body, as each provider writes them."""
    usage = member(body, "usage") or member(body, "usageMetadata") or member(body, "response", "usage")
    usage = member(usage, "tokens") or usage
    if not isinstance(usage, dict):
        return Tokens(_number(member(body, "prompt_eval_count")), _number(member(body, "eval_count")))
    sent = _first(usage, _SENT)
    if sent is not None:
        sent += sum(_number(usage.get(name)) or 0 for name in _SENT_BESIDE)
    parts = [count for name in _RECEIVED_IN_PARTS if (count := _number(usage.get(name))) is not None]
    return Tokens(sent, sum(parts) if parts else _first(usage, _RECEIVED))


def _first(usage: dict[str, JsonValue], names: Iterable[str]) -> int | None:
    counts = (_number(usage.get(name)) for name in names)
    return next((count for count in counts if count is not None), None)


def _number(value: JsonValue) -> int | None:
    """A count; Cohere writes some with a decimal point."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value < _UNCOUNTABLE else None


_UNCOUNTABLE = 1 << 53


def _model_in(value: JsonValue | Absent) -> str:
    if isinstance(value, Absent):
        return ""
    names = (member(value, "model"), member(value, "modelId"), member(value, "modelVersion"))
    return next((name for name in map(string, names) if name), "")


_BEFORE_MODEL = ("models", "model", "deployments", "engines", "inference-profile")


def _model_in_path(path: str) -> str:
    """The model that Gemini, Bedrock and Azure name in the path, as in `/models/x:generateContent`."""
    segments = path.partition("?")[0].split("/")
    for before, segment in pairwise(segments):
        if before in _BEFORE_MODEL and segment:
            name = unquote(segment)
            return name.rpartition(":")[0] if before == "models" and ":" in name else name
    return ""


class _Scale:
    """Weighs the requests of a tape: each message once, however many requests repeat it."""

    def __init__(self) -> None:
        self._weighed: WeakKeyDictionary[Look, tuple[int, int]] = WeakKeyDictionary()

    def weigh(self, body: Body, recognised: Recognised) -> int:
        """The bytes of a request body that was recognised, as `_size` has them."""
        value, history = body.value, recognised.history
        if body.wire is not None or history.member is None or not isinstance(value, dict):
            return _size(body)
        commas = max(len(history) - 1, 0)
        return len(dumps({**value, history.member: []})) + self._messages(recognised) + commas

    def _messages(self, recognised: Recognised) -> int:
        """The bytes of all messages, those weighed before taken from memory."""
        look, values = recognised.look, recognised.history.values
        count, weight = self._weighed.get(look, (0, 0)) if look is not None else (0, 0)
        if count != recognised.known:
            count = weight = 0
        weight += sum(len(dumps(message)) for message in values[count:])
        if look is not None:
            self._weighed[look] = len(values), weight
        return weight


def _size(body: Body) -> int:
    """The bytes of a body: as it was recorded where that is kept, else as JSON or text would have it."""
    if body.kind is BodyKind.ABSENT:
        return 0
    if body.wire is not None:
        return len(body.wire)
    if isinstance(body.value, bytes):
        return len(body.value)
    if body.kind is BodyKind.TEXT and isinstance(body.value, str):
        return len(body.value.encode(errors="surrogatepass"))
    return len(dumps(body.value))
