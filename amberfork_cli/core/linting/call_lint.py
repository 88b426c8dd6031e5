"""What is wrong with the tool calls of a tape: results and calls that miss each other, IDs, arguments."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from amberfork_cli.core.compare.report import plain
from amberfork_cli.core.compare.words import cut
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.ledger import Ledger, Side
from amberfork_cli.core.dialects.linking import Linker
from amberfork_cli.core.dialects.model import Message, ToolCall, ToolResult
from amberfork_cli.core.dialects.shapes import member, string
from amberfork_cli.core.linting.findings import Findings, Rule, Where
from amberfork_cli.core.overview import endpoint_of, model_of
from amberfork_cli.core.redaction.secrets import hidden
from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.core.tools.arguments import ArgumentFault, parse_arguments

_RECENT: Final = 16  # conversations that are read on instead of from the start
_STATEFUL: Final = frozenset({"openai-assistants", "openai-realtime", "gemini-live"})
"""Shapes whose provider keeps the history: their requests hold results without calls."""

_MISTRAL: Final = ("mistral", "ministral", "codestral", "devstral", "magistral", "pixtral", "open-mi")
_OPENAI_MODELS: Final = ("gpt-", "chatgpt-", "o1", "o3", "o4", "ft:gpt-", "codex-", "openai/", "azure/gpt-")
_OPENAI_HOSTS: Final = ("openai.com", "azure.com")
_BRIEF: Final = 60  # characters of an ID or name in a sentence


class CallLinter:
    """Reads the exchanges of a tape in their order, and only what each history has gained."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._ledger = Ledger()
        self._threads: deque[_Thread] = deque(maxlen=_RECENT)
        self._responses: dict[int, Where] = {}
        self._requests: dict[int, Where] = {}
        self._forced: set[int] = set()
        self._answered: set[str] = set()

    def read_request(self, exchange: Exchange, body: JsonValue, dialect: Dialect, where: Where) -> int:
        """Take in a request whose body stands there; gives back how many of its messages were known."""
        listed = dialect.elements(body)
        thread = self._thread(dialect, listed.values)
        new, limit = thread.length, _limit(exchange, dialect)
        kept = _keeps_history(dialect, body)
        if _forces_a_call(body):
            self._forced.add(exchange.number)
        for path, element in listed[new:]:
            message = thread.linker.read(dialect.read_message(element, path))
            self._of_calls(message, dialect, where, thread.ids)
            self._of_results(message.results, where, kept=kept)
            self._of_lengths(message, where, limit)
        thread.elements = listed.values.copy()  # the list itself may go on to grow
        return new

    def read_reply(self, reply: Message, dialect: Dialect | None, where: Where) -> None:
        """Take in what the model said in a response whose body, or stream, stands there."""
        self._of_calls(reply, dialect, where, set())

    def remember(self, exchange: Exchange, request: Where, response: Where) -> None:
        """Note which calls an exchange holds, and which of those before it are answered."""
        turns = len(self._ledger.turns)
        self._ledger.read(exchange)
        if len(self._ledger.turns) > turns:
            self._requests[exchange.number], self._responses[exchange.number] = request, response

    def finish(self) -> None:
        """Tell the calls that nothing on the tape answers, each where it was found first."""
        for turn in self._ledger.turns:
            sides = self._requests if turn.side is Side.REQUEST else self._responses
            for entry in turn.entries:
                call, last = entry.call, turn.side is Side.RESPONSE and not entry.repeated
                if call.id in self._answered or (last and turn.exchange in self._forced):
                    continue
                if entry.result is None and call.complete and not call.by_provider:
                    how = "and the conversation goes on" if entry.repeated else "at the end of the run"
                    words = f"nothing answers {_named(call)}, {how}"
                    place = sides[turn.exchange].at(call.path)
                    self._findings.add(
                        Rule.CALL_WITHOUT_RESULT, words, place, about=(turn.number, entry.number)
                    )

    def _thread(self, dialect: Dialect, elements: list[JsonValue]) -> _Thread:
        begun = [thread for thread in self._threads if thread.begins(dialect, elements)]
        thread = max(begun, key=lambda each: each.length, default=None)
        if thread is None:
            thread = _Thread(dialect)
        else:
            self._threads.remove(thread)
        self._threads.append(thread)
        return thread

    def _of_calls(self, message: Message, dialect: Dialect | None, where: Where, ids: set[str]) -> None:
        for call in message.calls:
            if call.id is not None and not call.by_provider:
                self._of_call_id(call, where, ids)
            fault = _argument_fault(call, dialect)
            if fault is not None:
                words, about = f"{_named(call)}: {hidden(str(fault))}", (call.name, str(call.arguments))
                self._findings.add(Rule.ARGUMENTS, words, where.at(call.arguments_path), about=about)

    def _of_call_id(self, call: ToolCall, where: Where, ids: set[str]) -> None:
        if not call.id:
            self._findings.add(
                Rule.EMPTY_ID, f"{_named(call)} has an empty ID", where.at(call.path), about="call"
            )
            return
        if call.id in ids:
            words = f"{_named(call)} has the ID of an earlier call, {_brief(call.id)}"
            self._findings.add(Rule.DUPLICATE_ID, words, where.at(call.path), about=call.id)
        ids.add(call.id)

    def _of_results(self, results: Iterable[ToolResult], where: Where, *, kept: bool) -> None:
        for result in results:
            place = where.at(result.path)
            if result.id == "":
                self._findings.add(Rule.EMPTY_ID, "a result has an empty ID", place, about="result")
            if kept and result.answers is None and result.id:
                self._answered.add(result.id)  # of a call that the provider may tell of only afterwards
            if result.answers is None and not kept:
                called = _brief(result.id) if result.id else "none by its ID"
                words = f"a result answers a call that nobody made, {called}"
                self._findings.add(Rule.ORPHAN_RESULT, words, place, about=(result.id, result.name))

    def _of_lengths(self, message: Message, where: Where, limit: _Limit | None) -> None:
        used = [(call.id, call.path) for call in message.calls if not call.by_provider]
        used += [(result.id, result.path) for result in message.results]
        for id_, path in used:
            if id_ and limit is not None and not limit.allows(id_):
                words = f"{_brief(id_)} has {len(id_)} characters: {limit.words}"
                self._findings.add(Rule.ID_LENGTH, words, where.at(path), about=id_)


class _Thread:
    """A conversation as far as it has been read: its elements, what links them, the IDs of its calls."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.elements: list[JsonValue] = []
        self.linker = Linker()
        self.ids: set[str] = set()

    @property
    def length(self) -> int:
        """How many messages have been read."""
        return len(self.elements)

    def begins(self, dialect: Dialect, elements: list[JsonValue]) -> bool:
        """Whether that history begins with this conversation."""
        return self.length > 0 and dialect is self._dialect and elements[: self.length] == self.elements


@dataclass(frozen=True, slots=True)
class _Limit:
    """How long the ID of a call may be where it is sent, and whose rule that is."""

    least: int
    most: int
    whose: str

    @property
    def words(self) -> str:
        how = "exactly" if self.least == self.most else "at most"
        return f"{self.whose} takes {how} {self.most}"

    def allows(self, id_: str) -> bool:
        return self.least <= len(id_) <= self.most


_LIMITS: Final = {
    "openai-responses": _Limit(0, 64, "OpenAI"),
    "bedrock-converse": _Limit(0, 64, "Bedrock"),
}
_OF_OPENAI_CHAT: Final = _Limit(0, 40, "OpenAI")
_OF_MISTRAL: Final = _Limit(9, 9, "Mistral")


def _limit(exchange: Exchange, dialect: Dialect) -> _Limit | None:
    """The limit of the provider that was asked, `None` where none is known: many speak OpenAI's chat."""
    if dialect.name != "openai-chat":
        return _LIMITS.get(dialect.name)
    upstream, model = endpoint_of(exchange.request).upstream, model_of(exchange).lower()
    if "mistral" in upstream or model.startswith(_MISTRAL):
        return _OF_MISTRAL
    at_openai = (
        any(host in upstream for host in _OPENAI_HOSTS) if upstream else model.startswith(_OPENAI_MODELS)
    )
    return _OF_OPENAI_CHAT if at_openai else None


def _keeps_history(dialect: Dialect, body: JsonValue) -> bool:
    """Whether the provider keeps the history, so that the calls need not be in the request."""
    handle = None if dialect.continues is None else string(member(body, dialect.continues))
    return dialect.name in _STATEFUL or bool(handle) or member(body, "conversation") is not None


def _forces_a_call(body: JsonValue) -> bool:
    """Whether a request asks for a call and nothing else, as one does to get an answer in a shape."""
    choices = (
        member(body, "tool_choice"),
        member(body, "function_call"),
        member(body, "toolConfig", "toolChoice"),
        member(body, "toolConfig", "functionCallingConfig", "mode"),
        member(body, "tool_config", "function_calling_config", "mode"),
    )
    return any(_is_forced(choice) for choice in choices)


def _is_forced(choice: JsonValue) -> bool:
    if isinstance(choice, dict):
        kind = string(member(choice, "mode")) or string(member(choice, "type"))
        return "auto" not in choice and kind not in ("auto", "none", "allowed_tools")
    return isinstance(choice, str) and choice.lower() in ("required", "any")


def _argument_fault(call: ToolCall, dialect: Dialect | None) -> ArgumentFault | None:
    """What is wrong with arguments that a tool was to be run with; those of custom tools are any text."""
    free = call.is_free_text and dialect is not None and "openai" in dialect.name
    if call.by_provider or not call.complete or free:
        return None
    if isinstance(call.arguments, dict):
        return None
    read = parse_arguments(call.arguments)
    return read if isinstance(read, ArgumentFault) else None


def _named(call: ToolCall) -> str:
    return f"the call of {_brief(call.name)}" if call.name else "a call without a name"


def _brief(text: str) -> str:
    return plain(cut(hidden(text), _BRIEF))
