"""Which sightings of a tool call on a tape are one call.

A call is seen many times: in the response that made it and in every later request. What decides is what came
before it in its conversation (the words of the user, earlier calls and their results) and its name and
arguments; system prompts may change between turns and do not count. Where a client rewrote what came before,
an ID that cannot be mistaken for a word decides.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from operator import itemgetter
from typing import TypeAlias

from amberfork_cli.core.dialects import DIALECTS
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.histories import RECENT, begins_with
from amberfork_cli.core.dialects.linking import Linker
from amberfork_cli.core.dialects.model import Assembled, Message, Role, ToolCall, ToolResult
from amberfork_cli.core.dialects.pieces import parsed
from amberfork_cli.core.dialects.recognition import Look, Recognised, Recogniser
from amberfork_cli.core.dialects.shapes import member, string, text_of
from amberfork_cli.core.ids.linkage import tells
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.paths import Path
from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import BodyKind, Exchange, JsonValue

_START = b""
# Clients move these from message to message, and they say nothing of what is said.
_CACHED = b'"cache_control"'
_CACHE_HINT = re.compile(rb',"cache_control":\{[^{}]*\}|"cache_control":\{[^{}]*\},')


class Side(StrEnum):
    """The body of an exchange that a path leads into; of a streamed response it is the body it spells."""

    REQUEST = "request"
    RESPONSE = "response"


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """What a tape holds as the result of a call, and where it stands first."""

    result: ToolResult
    exchange: int
    side: Side


@dataclass(slots=True)
class TurnEntry:
    """A turn and where it was found; `after` is the state of its conversation once its calls are made."""

    exchange: int
    side: Side
    after: bytes
    number: int = -1
    entries: list[Entry] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Entry:
    """One call: `number` counts within its turn, `said` is a digest of its name and arguments.

    `ids` are those it goes by, `repeated` says whether a request has shown it again, `outcome` is a digest of
    its result.
    """

    call: ToolCall
    turn: TurnEntry
    number: int
    said: bytes
    ids: set[str | None]
    repeated: bool = False
    result: RecordedResult | None = None
    outcome: bytes | None = None

    def attach(self, result: ToolResult, exchange: int, side: Side) -> None:
        """Note a result; the first one counts."""
        if self.result is None:
            self.result = RecordedResult(result, exchange, side)
            self.outcome = _digest_of_content(result.content)


_Answer: TypeAlias = tuple[ToolResult, Entry]


class Ledger:
    """All calls of the exchanges read so far, findable by conversation and by ID."""

    def __init__(self) -> None:
        self.turns: list[TurnEntry] = []
        self._by_place: dict[bytes, list[Entry]] = {}
        self._by_id: dict[str, list[Entry]] = {}
        self._minted: dict[str, tuple[bytes, list[Entry]]] = {}
        self._recent: deque[_Conversation] = deque(maxlen=RECENT)
        self._recogniser = Recogniser()

    def read(self, exchange: Exchange) -> Sequence[_Answer]:
        """Take in an exchange; gives each result in its request with the call that it answers."""
        body = exchange.request.body
        value = None if body.kind is not BodyKind.JSON or isinstance(body.value, bytes) else body.value
        recognised = self._recogniser.recognise(exchange.request.path, value)
        history = _History(recognised)
        conversation = self._conversation(recognised.dialect, value, history)
        conversation.read_on(history, exchange.number)
        self._read_response(exchange, recognised.dialect, conversation)
        return conversation.answers

    def _conversation(self, dialect: Dialect | None, body: JsonValue, history: _History) -> _Conversation:
        """The conversation that a history continues as far as it was read, or a new one."""
        handle = string(member(body, dialect.continues)) if dialect and dialect.continues else None
        start, pending = self._minted.get(handle or "", (_START, []))
        longest_first = sorted(self._recent, key=lambda each: -each.length)
        conversation = next((each for each in longest_first if each.begins(dialect, start, history)), None)
        if conversation is None:
            conversation = _Conversation(self, dialect, start, pending)
        else:
            self._recent.remove(conversation)
        self._recent.append(conversation)
        return conversation

    def _read_response(
        self, exchange: Exchange, dialect: Dialect | None, conversation: _Conversation
    ) -> None:
        answer = None if exchange.response is None else response_json(exchange.response, dialect=dialect)
        reply = None if answer is None else _reply(answer, dialect)
        if answer is not None and reply is not None:
            state, entries = conversation.answered_by(reply, exchange.number)
            response_id = string(member(answer.body, "id"))
            if response_id:
                self._minted[response_id] = state, entries

    def add(self, turn: TurnEntry, call: ToolCall, before: bytes, said: bytes) -> Entry:
        """A call that was not known; a turn counts once it has one."""
        if not turn.entries:
            turn.number = len(self.turns)
            self.turns.append(turn)
        entry = Entry(call, turn, len(turn.entries), said, {call.id})
        turn.entries.append(entry)
        self._by_place.setdefault(before + said, []).append(entry)
        if call.id is not None:
            self._by_id.setdefault(call.id, []).append(entry)
        return entry

    def at_place(self, before: bytes, said: bytes) -> Sequence[Entry]:
        """The calls that say the same at the same point of a conversation."""
        return self._by_place.get(before + said, ())

    def of_id(self, call_id: str | None) -> Sequence[Entry]:
        """The calls of an ID, the earliest first."""
        return self._by_id.get(call_id, ()) if call_id is not None else ()


class _History:
    """The history of one request; `digests` of its messages are made as they are asked for."""

    def __init__(self, recognised: Recognised) -> None:
        self.elements, self.look, self._known = recognised.history, recognised.look, recognised.known
        self._digests: dict[int, bytes] = {}

    def goes_on_from(self, look: Look | None, length: int) -> bool:
        """Whether the last history of that look was so long, and this one begins with the objects of it."""
        return look is not None and look is self.look and length == self._known > 0

    def begins_with(self, known: Sequence[JsonValue], digests: Sequence[bytes]) -> bool:
        """Whether it begins with those messages: the very objects, or others that say the same."""
        values = self.elements.values
        if not 0 < len(known) <= len(values):
            return False
        return begins_with(values, known) or all(
            mine is other or self.digest(at) == digest
            for at, (mine, other, digest) in enumerate(zip(values, known, digests, strict=False))
        )

    def digest(self, at: int) -> bytes:
        """The digest of a message's exact JSON, cache hints set aside."""
        if at not in self._digests:
            text = dumps(self.elements.values[at])
            self._digests[at] = _digest(_CACHE_HINT.sub(b"", text) if _CACHED in text else text)
        return self._digests[at]


class _Conversation:
    """A history as far as it has been read, and the known calls that stand in it.

    `answers` are its results with the calls that they answer. `pending` are the calls of an earlier response
    that the provider keeps, which the history may answer without declaring them.
    """

    def __init__(
        self, ledger: Ledger, dialect: Dialect | None, start: bytes, pending: Sequence[Entry]
    ) -> None:
        self.answers: list[_Answer] = []
        self._ledger, self._dialect = ledger, dialect
        self._start, self._state, self._pending = start, start, pending
        self._linker = Linker()
        self._entries: dict[Path, Entry] = {}
        self._met: set[Entry] = set()
        self._look: Look | None = None
        self._values: list[JsonValue] = []
        self._digests: list[bytes] = []

    @property
    def length(self) -> int:
        """How many messages have been read."""
        return len(self._digests)

    def begins(self, dialect: Dialect | None, start: bytes, history: _History) -> bool:
        """Whether a history begins with this conversation."""
        if dialect is not self._dialect or start != self._start:
            return False
        return history.goes_on_from(self._look, self.length) or history.begins_with(
            self._values, self._digests
        )

    def read_on(self, history: _History, exchange: int) -> None:
        """Read what the history has gained."""
        if self._dialect is None:
            return
        elements, known = history.elements, self.length
        gained = elements[known:]
        self._values = elements.values.copy()  # the list itself may go on to grow
        self._look = history.look
        self._digests += map(history.digest, range(known, len(elements)))
        read = self._dialect.read_message
        messages = [self._linker.read(read(element, path)) for path, element in gained]
        results = [result for message in messages for result in message.results]
        outcomes = {each.answers.path: each for each in reversed(results) if each.answers is not None}
        for step in _steps(messages):
            if isinstance(step, Message):
                self._state = _digest(self._state, _digest_of_message(step))
            else:
                self._take_turn(step, outcomes, exchange)
        for result in results:
            entry = self._entry_of(result)
            if entry is not None:
                entry.attach(result, exchange, Side.REQUEST)
                self.answers.append((result, entry))

    def _take_turn(self, calls: Sequence[ToolCall], outcomes: dict[Path, ToolResult], exchange: int) -> None:
        before, said = self._state, [_digest_of_call(call) for call in calls]
        fresh = TurnEntry(exchange, Side.REQUEST, _digest(before, *said))
        entries = []
        for call, words in zip(calls, said, strict=True):
            entry = self._known(call, before, words, outcomes.get(call.path))
            entry = entry or self._ledger.add(fresh, call, before, words)
            entry.ids.add(call.id)
            entry.repeated = True
            self._met.add(entry)
            self._entries[call.path] = entry
            entries.append(entry)
        self._state = entries[0].turn.after

    def _known(self, call: ToolCall, before: bytes, said: bytes, outcome: ToolResult | None) -> Entry | None:
        content = None if outcome is None else _digest_of_content(outcome.content)
        here = (entry for entry in self._ledger.at_place(before, said) if entry not in self._met)
        ranks = ((_unlikeness(entry, call.id, content), entry) for entry in here)
        likely = [(rank, entry) for rank, entry in ranks if rank is not None]
        return min(likely, key=itemgetter(0))[1] if likely else self._same_id(call, said)

    def _same_id(self, call: ToolCall, said: bytes) -> Entry | None:
        """A known call with the same telling ID that says the same, whatever came before it."""
        if call.id is None or not tells(call.id):
            return None
        entries = self._ledger.of_id(call.id)
        return next((entry for entry in entries if entry.said == said and entry not in self._met), None)

    def _entry_of(self, result: ToolResult) -> Entry | None:
        """The call that a result answers; one that the history does not declare is of an earlier response."""
        if result.answers is not None:
            return self._entries.get(result.answers.path)
        pending = [entry for entry in self._pending if entry.call.id == result.id]
        entries = pending or self._ledger.of_id(result.id)
        waiting = (entry for entry in entries if entry.result is None)
        return next(waiting, entries[-1] if entries else None)

    def answered_by(self, reply: Message, exchange: int) -> tuple[bytes, list[Entry]]:
        """The state after a response, and its calls; one that was polled twice is no new call."""
        said = [_digest_of_call(call) for call in reply.calls]
        after = _digest(self._state, *said) if said else self._state
        fresh = TurnEntry(exchange, Side.RESPONSE, after)
        entries = {
            call.path: self._same_id(call, words) or self._ledger.add(fresh, call, self._state, words)
            for call, words in zip(reply.calls, said, strict=True)
        }
        for result in reply.results:
            entry = entries.get(result.answers.path) if result.answers is not None else None
            if entry is not None:
                entry.attach(result, exchange, Side.RESPONSE)
        return after, list(entries.values())


def _reply(answer: Assembled, dialect: Dialect | None) -> Message | None:
    """What an answer says, by the shape of its request or, where a gateway changed that, by its own."""
    first = () if dialect is None else (dialect,)
    replies = (each.reply(answer.body, complete=answer.complete) for each in (*first, *DIALECTS))
    return next((reply for reply in replies if reply is not None), None)


def _steps(messages: Iterable[Message]) -> Iterator[Message | list[ToolCall]]:
    """The messages that the model answers, and between them the calls of each turn of its own."""
    calls: list[ToolCall] = []
    for message in messages:
        if message.role is Role.ASSISTANT:
            calls.extend(message.calls)
        elif message.role in (Role.USER, Role.TOOL):
            if calls:
                yield calls
            calls = []
            yield message
    if calls:
        yield calls


def _unlikeness(entry: Entry, call_id: str | None, outcome: bytes | None) -> tuple[int, int] | None:
    """How little an entry that says the same looks like a call: least first, `None` where it is another one.

    Clients add IDs where a server gave none, drop them, or write their own. So another ID is forgiven, but
    only in the first request that repeats a call out of a response: from then on both IDs are the call's.
    """
    of_outcome = 0 if entry.outcome == outcome else 1 if entry.outcome is None else 2
    if call_id in entry.ids:
        return 0, of_outcome
    if call_id is None or entry.ids == {None}:
        return 1, of_outcome
    fresh = entry.turn.side is Side.RESPONSE and not entry.repeated
    return (2, of_outcome) if fresh else None


def _digest_of_call(call: ToolCall) -> bytes:
    return _digest(call.name.encode("utf-8", "surrogatepass"), dumps(_plain(call.arguments), sort_keys=True))


def _plain(arguments: JsonValue) -> JsonValue:
    """Arguments whatever a client makes of them: JSON text as its value, none at all as an empty object."""
    value = parsed(arguments) if isinstance(arguments, str) and arguments.strip() else arguments
    return {} if value is None or (isinstance(value, str) and not value.strip()) else value


def _digest_of_message(message: Message) -> bytes:
    results = (_digest_of_content(result.content) for result in message.results)
    return _digest(message.text.strip().encode("utf-8", "surrogatepass"), *results)


def _digest_of_content(content: JsonValue) -> bytes:
    words = text_of(content)
    return _digest(words.encode("utf-8", "surrogatepass") if words else dumps(content, sort_keys=True))


def _digest(*parts: bytes) -> bytes:
    whole = blake2b(digest_size=16)
    for part in parts:
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.digest()
