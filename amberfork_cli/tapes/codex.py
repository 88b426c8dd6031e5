"""Rollouts of Codex, put together to requests of OpenAI's Responses API.

A rollout holds the very items that were sent and received, each once. Those of a model that follow each other
are one answer. Events for the display repeat what the items say and are left aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.reading import Reading
from amberfork_cli.tapes.sessions import Asked, History, Session, text_member

_Object = dict[str, JsonValue]
_NOT_SENT: Final = frozenset({"ghost_snapshot", "other"})  # what Codex notes for itself


def _exchanges(recording: Recording, reading: Reading) -> Sequence[Exchange]:
    rollout = _Rollout()
    for _, value in recording.values(reading):
        if isinstance(value, dict):
            rollout.take(value)
    rollout.leave()
    return rollout.session


class _Rollout:
    """What was said so far: items given, and those of the answer that still comes."""

    def __init__(self) -> None:
        self.session = Session("/v1/responses", "input")
        self._history = History()
        self._output: list[JsonValue] | None = None
        self._settings: _Object = {}
        self._results_wait = False

    def take(self, line: _Object) -> None:
        """One line; before 2025's autumn, the items stood there bare."""
        payload = line.get("payload")
        kind, held = (line.get("type"), payload) if isinstance(payload, dict) else ("response_item", line)
        assert isinstance(held, dict)  # noqa: S101 - one or the other
        if kind == "response_item":
            self._item(held, text_member(line, "timestamp"))
        elif kind == "compacted":
            self._compact(held)
        elif kind == "turn_context" and text_member(held, "model"):
            self._settings["model"] = held["model"]
        elif kind == "session_meta":
            self._instruct(held)

    def leave(self) -> None:
        """Ask what was never answered, where results would be lost otherwise."""
        self._close()
        if self._results_wait:
            self._ask(None)

    def _item(self, item: _Object, when: str | None) -> None:
        kind = text_member(item, "type")
        if kind is None:
            self._instruct(item)  # the first line, as it once was
        elif kind in _NOT_SENT:
            return
        elif kind.endswith("_output") or (kind == "message" and item.get("role") != "assistant"):
            self._close()
            self._history.append(item)
            self._results_wait = self._results_wait or kind.endswith("_output")
        else:
            if self._output is None:
                self._output = self._answer(when)
            self._output.append(item)

    def _answer(self, when: str | None) -> list[JsonValue]:
        """Ask for an answer; gives back the list that its items go to."""
        output: list[JsonValue] = []
        self._ask(when).answer = {"object": "response", **self._model(), "output": output}
        return output

    def _ask(self, when: str | None) -> Asked:
        self._results_wait = False
        return self.session.ask(self._settings, self._history, recorded_at=when)

    def _model(self) -> _Object:
        return {name: value for name, value in self._settings.items() if name == "model"}

    def _close(self) -> None:
        """Take the items of the answer into what was said."""
        for item in self._output or ():
            self._history.append(item)
        self._output = None

    def _compact(self, compacted: _Object) -> None:
        """Begin anew with what took the place of the history, or with the summary of it."""
        self.leave()
        self._history = History()
        replacement = compacted.get("replacement_history")
        if isinstance(replacement, list):
            for item in replacement:
                self._history.append(item)
            return
        content: JsonValue = [{"type": "input_text", "text": text_member(compacted, "message") or ""}]
        self._history.append({"type": "message", "role": "user", "content": content})

    def _instruct(self, meta: _Object) -> None:
        instructions = text_member(meta.get("base_instructions"), "text") or text_member(meta, "instructions")
        if instructions:
            self._settings["instructions"] = instructions


def _fits(value: JsonValue) -> bool:
    if not isinstance(value, dict) or text_member(value, "timestamp") is None:
        return False
    if isinstance(value.get("payload"), dict):
        return text_member(value, "type") is not None
    return "instructions" in value and text_member(value, "id") is not None  # before there were payloads


CODEX: Final = ForeignFormat("codex", "a Codex rollout", _exchanges, _fits)
