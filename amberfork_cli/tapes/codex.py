"""Rollouts of Codex, put together to requests of OpenAI's Responses API.

A rollout holds the very items that were sent and received, each once. Those of a model that follow each other
are one answer. Events for the display repeat what the items say and are left aside, but for that of going
back. The items are those of github.com/openai/codex, codex-rs/protocol/src/models.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.reading import Reading
from amberfork_cli.tapes.sessions import Asked, History, Session, text_member

_Object = dict[str, JsonValue]
_NOT_SENT: Final = frozenset({"ghost_snapshot", "compaction_trigger", "other"})  # Codex notes for itself
_GIVEN: Final = frozenset({"agent_message", "additional_tools"})  # what no model says: another agent, Codex
_NOTE: Final = "internal_chat_message_metadata_passthrough"  # which turn an item is of, fresh in every run
_INJECTED: Final = ("<", "# AGENTS.md instructions")  # how what Codex says in the user's name begins


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
        elif kind == "event_msg" and text_member(held, "type") == "thread_rolled_back":
            self._roll_back(held.get("num_turns"))

    def leave(self) -> None:
        """Ask what was never answered, where results would be lost otherwise."""
        self._close()
        if self._results_wait:
            self._ask(None)

    def _item(self, item: _Object, when: str | None) -> None:
        kind = text_member(item, "type")
        if kind is None:
            self._instruct(item)  # the first line, as it once was
        elif kind not in _NOT_SENT:
            plain: _Object = {name: value for name, value in item.items() if name != _NOTE}
            if _is_given(kind, item):
                self._close()
                self._history.append(plain)
                self._results_wait = self._results_wait or kind.endswith("_output")
            else:
                if self._output is None:
                    self._output = self._answer(when)
                self._output.append(plain)

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

    def _roll_back(self, turns: JsonValue) -> None:
        """Forget the last turns: each begins with a prompt, and with what was injected right before it."""
        self.leave()
        items = self._history.first(len(self._history))
        prompts = [at for at, item in enumerate(items) if _is_prompt(item)]
        if type(turns) is not int or turns < 1 or not prompts:
            return
        cut = prompts[-min(turns, len(prompts))]
        while cut - 1 > prompts[0] and _is_injected(items[cut - 1]):
            cut -= 1
        self._history = self._history.branch(cut)

    def _instruct(self, meta: _Object) -> None:
        """Take the instructions that stand first: a fork repeats what was said to the one it comes from."""
        instructions = text_member(meta.get("base_instructions"), "text") or text_member(meta, "instructions")
        if instructions:
            self._settings.setdefault("instructions", instructions)


def _is_given(kind: str, item: _Object) -> bool:
    """Whether an item was sent, and not received."""
    return (
        kind.endswith("_output") or kind in _GIVEN or (kind == "message" and item.get("role") != "assistant")
    )


def _is_prompt(item: JsonValue) -> bool:
    return _role(item) == "user" and not _is_injected(item)


def _is_injected(item: JsonValue) -> bool:
    """Whether Codex says this itself, in its own name or in the user's."""
    content = item.get("content") if isinstance(item, dict) else None
    first = text_member(content[0], "text") if isinstance(content, list) and content else None
    return _role(item) == "developer" or (_role(item) == "user" and (first or "").startswith(_INJECTED))


def _role(item: JsonValue) -> str | None:
    return text_member(item, "role") if text_member(item, "type") == "message" else None


def _fits(value: JsonValue) -> bool:
    if not isinstance(value, dict) or text_member(value, "timestamp") is None:
        return False
    if isinstance(value.get("payload"), dict):
        return text_member(value, "type") is not None
    return "instructions" in value and text_member(value, "id") is not None  # before there were payloads


CODEX: Final = ForeignFormat("codex", "a Codex rollout", _exchanges, _fits)
