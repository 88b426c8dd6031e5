"""Session logs of Claude Code, put together to requests of Anthropic's Messages API.

Each line has a parent, but not the one that a chain of messages would give it: the results of calls that were
made at once have their calls for parents, and the pieces of one answer each other. So the lines of a thread
count in their order, and a parent only tells where a user went back. The main thread is one; each subagent
has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.reading import Reading
from amberfork_cli.tapes.sessions import Asked, Session, text_member

_Object = dict[str, JsonValue]
_NOT_SENT: Final = ("isApiErrorMessage", "isVisibleInTranscriptOnly")
_NO_MODEL: Final = "<synthetic>"  # what Claude Code says itself, in the place of a model
_LINES: Final = frozenset(
    {"summary", "file-history-snapshot"}
)  # those that a log may begin with, and no ID has


def _exchanges(recording: Recording, reading: Reading) -> Sequence[Exchange]:
    log = _Log()
    for _, value in recording.values(reading):
        if isinstance(value, dict):
            log.take(value)
    log.end()
    return log.session


class _Log:
    """The threads of a log, and which line is of which."""

    def __init__(self) -> None:
        self.session = Session("/v1/messages", "messages")
        self._threads: dict[str, _Thread] = {}
        self._thread_of: dict[str, str] = {}

    def take(self, line: _Object) -> None:
        """One line; the same line again, as in a log of a session that was resumed, says nothing new."""
        uuid = text_member(line, "uuid")
        if uuid is None or uuid in self._thread_of:
            return
        name = self._thread_of[uuid] = self._name(line, uuid)
        thread = self._threads.get(name)
        if thread is None:
            thread = self._threads[name] = _Thread(self.session, name)
        thread.take(line, uuid)

    def end(self) -> None:
        """Nothing follows."""
        for thread in self._threads.values():
            thread.leave()

    def _name(self, line: _Object, uuid: str) -> str:
        """The subagent's ID; where older logs have none, the line that its thread began with."""
        if line.get("isSidechain") is not True:
            return ""
        parent = text_member(line, "parentUuid") or ""
        return text_member(line, "agentId") or self._thread_of.get(parent) or uuid


class _Thread:
    """What was said in one thread: whole messages, the answer that still comes, what was said since."""

    def __init__(self, session: Session, name: str) -> None:
        self._session, self._name = session, name
        self._model: JsonValue = None
        self._lines: list[_Object] = []
        self._place: dict[str, int] = {}
        self._begin()

    def _begin(self) -> None:
        self._messages: list[JsonValue] = []
        self._answer: _Object | None = None
        self._since: list[JsonValue] = []

    def take(self, line: _Object, uuid: str) -> None:
        """One line of the thread."""
        if _begins_anew(line):
            self.leave()
            self._lines.clear()
            self._begin()
        elif _is_prompt(line):
            self._go_back_to(text_member(line, "parentUuid"))
        if _was_sent(line):
            self._lines.append(line)
            self._say(line, aloud=True)
        self._place[uuid] = len(self._lines)

    def leave(self) -> None:
        """Ask what was never answered, where results would be lost otherwise."""
        if any(_has_result(content) for content in self._since):
            self._settle()
            self._ask(None)

    def _go_back_to(self, parent: str | None) -> None:
        """Forget what was said after the parent of a prompt, if that was an answer."""
        place = self._place.get(parent or "", len(self._lines))
        dropped = self._lines[place:]
        if any(line.get("type") == "assistant" for line in dropped):
            self.leave()
            kept = self._lines[:place]
            self._begin()
            for line in kept:
                self._say(line, aloud=False)
            self._lines = kept

    def _say(self, line: _Object, *, aloud: bool) -> None:
        """Add what a line says; an answer that begins is asked for, unless that was done before."""
        message = line.get("message")
        assert isinstance(message, dict)  # noqa: S101 - `_was_sent` looked
        if line.get("type") == "user":
            self._since.append(message.get("content"))
            return
        self._model, piece = message.get("model"), _blocks(message.get("content"))
        if self._answer is not None and message.get("id") == self._answer.get("id"):
            content = [*_blocks(self._answer.get("content")), *piece]
            self._answer.update({**message, "content": content})
            return
        self._settle()
        self._answer = {**message, "content": piece}
        if aloud:
            self._ask(line).answer = self._answer

    def _settle(self) -> None:
        """Make messages of the answer and of what was said since."""
        if self._answer is not None:
            self._messages.append({"role": "assistant", "content": self._answer.get("content")})
        if self._since:
            self._messages.append({"role": "user", "content": _merged(self._since)})
        self._answer, self._since = None, []

    def _ask(self, answer: _Object | None) -> Asked:
        settings: _Object = {} if self._model is None else {"model": self._model}
        when = text_member(answer, "timestamp") if answer else None
        return self._session.ask(settings, self._messages, recorded_at=when, sidechain=self._name or None)


def _begins_anew(line: _Object) -> bool:
    """Whether the history is left behind: what follows a compaction begins with a summary of it."""
    if line.get("type") == "user":
        return "parentUuid" in line and line["parentUuid"] is None
    return line.get("subtype") == "compact_boundary"


def _was_sent(line: _Object) -> bool:
    if line.get("type") not in ("user", "assistant") or any(line.get(name) is True for name in _NOT_SENT):
        return False
    message = line.get("message")
    return isinstance(message, dict) and message.get("model") != _NO_MODEL


def _is_prompt(line: _Object) -> bool:
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return line.get("type") == "user" and not _has_result(content)


def _has_result(content: JsonValue) -> bool:
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in _blocks(content))


def _blocks(content: JsonValue) -> list[JsonValue]:
    """A content as a list of its own."""
    if isinstance(content, list):
        return content.copy()
    return [] if content is None else [{"type": "text", "text": content}]


def _merged(contents: list[JsonValue]) -> JsonValue:
    """The content of one message, which the API takes from a user in a row; a single one stays as it is."""
    if len(contents) == 1:
        return contents[0]
    return [block for content in contents for block in _blocks(content)]


def _fits(value: JsonValue) -> bool:
    kind = text_member(value, "type")
    if kind is None or not isinstance(value, dict) or "payload" in value:
        return False
    return isinstance(value.get("sessionId"), str) or kind in _LINES


CLAUDE: Final = ForeignFormat("claude", "a Claude Code session", _exchanges, _fits)
