"""Session logs of Claude Code, put together to requests of Anthropic's Messages API.

Each line has a parent, but not the one that a chain of messages would give it: the results of calls that were
made at once have their calls for parents, and the pieces of one answer each other. So the lines of a thread
count in their order, and a parent only tells where a user went back. The main thread is one; each subagent
has its own. There is no description of the format by its maker; what it looks like was compared with logs of
versions 1.0 to 2.1 in public repositories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.reading import Reading
from amberfork_cli.tapes.sessions import Asked, History, Session, text_member

_Object = dict[str, JsonValue]
_NOT_SENT: Final = ("isApiErrorMessage", "isVisibleInTranscriptOnly")
_SUMMARY: Final = "isCompactSummary"  # is sent, though it is marked as only visible as well
_NO_MODEL: Final = "<synthetic>"  # what Claude Code says itself, in the place of a model
_LINES: Final = frozenset(
    {"summary", "file-history-snapshot", "attribution-snapshot"}
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


@dataclass(frozen=True, slots=True)
class _Place:
    """How far a thread was after a line, how many pieces of answers had come, whether it was itself said."""

    history: History
    messages: int
    pieces: int
    said: bool


@dataclass(frozen=True, slots=True)
class _Kept:
    """Messages that a compaction left as they were, and the line behind which they stand."""

    behind: str = ""
    messages: tuple[JsonValue, ...] = ()


class _Thread:
    """What was said in one thread. An answer is a message from its first piece on, and grows with others."""

    def __init__(self, session: Session, name: str) -> None:
        self._session, self._name = session, name
        self._model: JsonValue = None
        self._pieces = 0
        self._places: dict[str, _Place] = {}
        self._kept = _Kept()
        self._begin(History())

    def _begin(self, history: History) -> None:
        self._history = history
        self._answer: _Object | None = None
        self._results_wait = False

    def take(self, line: _Object, uuid: str) -> None:
        """One line of the thread."""
        if _begins_anew(line):
            self.leave()
            self._kept = self._kept_by(line)
            self._begin(History())
        elif _is_prompt(line):
            self._go_back_to(self._places.get(text_member(line, "parentUuid") or ""))
        said = _was_sent(line)
        if said:
            self._say(line)
        self._places[uuid] = _Place(self._history, len(self._history), self._pieces, said)
        if uuid == self._kept.behind:
            self._keep()

    def _kept_by(self, line: _Object) -> _Kept:
        """What a compaction leaves as it was: messages of the history until then."""
        compaction = line.get("compactMetadata")
        if not isinstance(compaction, dict):
            return _Kept()
        segment, kept = compaction.get("preservedSegment"), compaction.get("preservedMessages")
        uuids = kept.get("uuids") if isinstance(kept, dict) else None
        if not isinstance(uuids, list):
            uuids = [*self._between(text_member(segment, "headUuid"), text_member(segment, "tailUuid"))]
        places = (self._places.get(uuid) for uuid in uuids if isinstance(uuid, str))
        said = [
            place.history.first(place.messages)[-1] for place in places if place is not None and place.said
        ]
        behind = text_member(kept, "anchorUuid") or text_member(segment, "anchorUuid") or ""
        return _Kept(behind, tuple({id(message): message for message in said}.values()))

    def _between(self, head: str | None, tail: str | None) -> Iterator[str]:
        """The lines of the thread from one to another."""
        inside = False
        for uuid in self._places if head in self._places and tail in self._places else ():
            inside = inside or uuid == head
            if inside:
                yield uuid
            if uuid == tail:
                return

    def _keep(self) -> None:
        """Go on with what a compaction left, behind its summary."""
        for message in self._kept.messages:
            self._history.append(message)
        self._kept = _Kept()

    def leave(self) -> None:
        """Ask what was never answered, where results would be lost otherwise."""
        if self._results_wait:
            self._ask(None)

    def _go_back_to(self, place: _Place | None) -> None:
        """Forget what was said after the parent of a prompt, if that was an answer."""
        if place is not None and place.pieces < self._pieces:
            self.leave()
            self._begin(place.history.branch(place.messages))

    def _say(self, line: _Object) -> None:
        message = line.get("message")
        assert isinstance(message, dict)  # noqa: S101 - `_was_sent` looked
        content = message.get("content")
        if line.get("type") == "user":
            self._history.append({"role": "user", "content": content})
            self._results_wait = self._results_wait or _has_result(content)
            return
        self._pieces += 1
        if self._answer is not None and message.get("id") == self._answer.get("id"):
            blocks = self._answer["content"]
            assert isinstance(blocks, list)  # noqa: S101 - see `_begin_answer`
            blocks += _blocks(content)
            self._answer.update({**message, "content": blocks})
        else:
            self._begin_answer(message, text_member(line, "timestamp"))

    def _begin_answer(self, message: _Object, when: str | None) -> None:
        self._model, blocks = message.get("model"), _blocks(message.get("content"))
        self._answer = self._ask(when).answer = {**message, "content": blocks}
        self._history.append({"role": "assistant", "content": blocks})

    def _ask(self, when: str | None) -> Asked:
        self._results_wait = False
        settings: _Object = {} if self._model is None else {"model": self._model}
        return self._session.ask(settings, self._history, recorded_at=when, sidechain=self._name or None)


def _begins_anew(line: _Object) -> bool:
    """Whether the history is left behind: what follows a compaction begins with a summary of it."""
    if line.get("type") == "user":
        return "parentUuid" in line and line["parentUuid"] is None
    return line.get("subtype") == "compact_boundary"


def _was_sent(line: _Object) -> bool:
    if line.get("type") not in ("user", "assistant"):
        return False
    if line.get(_SUMMARY) is not True and any(line.get(name) is True for name in _NOT_SENT):
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


def _fits(value: JsonValue) -> bool:
    kind = text_member(value, "type")
    if kind is None or not isinstance(value, dict) or "payload" in value:
        return False
    return isinstance(value.get("sessionId"), str) or kind in _LINES


CLAUDE: Final = ForeignFormat("claude", "a Claude Code session", _exchanges, _fits)
