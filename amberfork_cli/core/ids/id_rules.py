"""Which strings of a request body are IDs: tables, and the walk that reads them.

A *site* is a place whose string the protocol uses as an ID. Three classes are told apart: tool-call IDs,
handles of stored items, and opaque blobs that only the provider can read. What counts is where a string
stands, never how it looks: hosts mint IDs of every form. A tool's own arguments, results and schemas are the
user's, and are never entered. `docs/canonical.md` gives the rules in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from amberfork_cli.core.paths import Chain, Path, path_of
from amberfork_cli.core.tape import JsonValue

HISTORIES = ("messages", "contents", "input")
"""The members that hold a conversation, one element a message."""


class IdRules(StrEnum):
    """Which classes of ID are set aside; `SEED` are the rules of amberfork-replay 1.0, to the letter."""

    ALL = "all"
    ITEMS = "items"
    CALLS = "calls"
    SEED = "seed"


class IdClass(StrEnum):
    """What an ID stands for. The value names the token."""

    CALL = "tool_call"
    ITEM = "item"
    BLOB = "blob"

    __hash__ = str.__hash__  # that of an enum is a call into Python, and IDs are looked up by the thousand


class Role(StrEnum):
    """What a site does with its ID.

    A result uses up the call that it answers; what merely points to a call does not. Handles and blobs are
    values: they are equal where their text is. A handle that points names something the provider keeps, whose
    content is not in the body.
    """

    DECLARES = "declares"
    ANSWERS = "answers"
    POINTS = "points"
    VALUE = "value"

    __hash__ = str.__hash__


class Site(NamedTuple):  # IDs come by the thousand, and a tuple is made in a third of the time
    """One ID in a body: its class, what it does, its text, and the path to the string that holds it.

    A composite (`call_…|fc_…`) is two sites of one path: `part` is 1 and 2 there, and 0 for a whole string.
    """

    id_class: IdClass
    role: Role
    value: str
    path: Path
    part: int = 0


CLASSES = {
    IdRules.ALL: frozenset(IdClass),
    IdRules.ITEMS: frozenset({IdClass.CALL, IdClass.ITEM}),
    IdRules.CALLS: frozenset({IdClass.CALL}),
    IdRules.SEED: frozenset({IdClass.CALL}),
}

_Use: TypeAlias = tuple[IdClass, Role]
_DECLARES: _Use = (IdClass.CALL, Role.DECLARES)
_ANSWERS: _Use = (IdClass.CALL, Role.ANSWERS)
_POINTS: _Use = (IdClass.CALL, Role.POINTS)
_ITEM: _Use = (IdClass.ITEM, Role.VALUE)
_HANDLE: _Use = (IdClass.ITEM, Role.POINTS)
_BLOB: _Use = (IdClass.BLOB, Role.VALUE)

_BY_KEY: dict[str, _Use] = {
    "tool_call_id": _ANSWERS,
    "tool_use_id": _ANSWERS,
    "call_id": _ANSWERS,
    "toolUseId": _ANSWERS,
    "toolCallId": _ANSWERS,
    "approval_request_id": _POINTS,
    "caller_id": _POINTS,
    "previous_response_id": _HANDLE,
    "previous_interaction_id": _HANDLE,
    "container_id": _HANDLE,
    "thoughtSignature": _BLOB,
    "thought_signature": _BLOB,
    "encrypted_content": _BLOB,
    "encrypted_index": _BLOB,
    "encrypted_stdout": _BLOB,
    "redactedContent": _BLOB,
}

_ID_BY_TYPE: dict[str, _Use] = {
    "tool_use": _DECLARES,
    "server_tool_use": _DECLARES,
    "mcp_tool_use": _DECLARES,
    "function": _DECLARES,
    "custom": _DECLARES,
    "tool_call": _DECLARES,
    "mcp_approval_request": _DECLARES,
    "local_shell_call_output": _ANSWERS,
}

_ID_BY_HOLDER: dict[str, _Use] = {
    "tool_calls": _DECLARES,
    "functionCall": _DECLARES,
    "function_call": _DECLARES,
    "functionCalls": _DECLARES,
    "function_calls": _DECLARES,
    "toolCall": _DECLARES,
    "tool_call": _DECLARES,
    "executableCode": _DECLARES,
    "executable_code": _DECLARES,
    "functionResponse": _ANSWERS,
    "function_response": _ANSWERS,
    "functionResponses": _ANSWERS,
    "function_responses": _ANSWERS,
    "toolResponse": _ANSWERS,
    "tool_response": _ANSWERS,
    "codeExecutionResult": _ANSWERS,
    "code_execution_result": _ANSWERS,
    "reasoning_details": _ITEM,
}

_BLOB_BY_TYPE = {"signature": "thinking", "data": "redacted_thinking"}
_BLOB_BY_HOLDER = {"signature": ("reasoningText", "reasoning_details"), "data": ("reasoning_details",)}

_DATA = frozenset(
    """
    tools functions toolConfig tool_config response_format generationConfig generation_config text_format
    output_config output_format input_schema inputSchema parameters properties arguments args metadata labels
    client_metadata requestMetadata
    """.split()
)
_RESPONSE_HOLDERS = frozenset(
    """
    functionResponse function_response functionResponses function_responses toolResponse tool_response
    """.split()
)
_RESULT_ENDS = ("_output", "_result", "_response")

_HANDLE_ANCHORS = {("container",), ("conversation",)}
_REQUEST_ANCHORS = _HANDLE_ANCHORS | {("input", "*"), ("item",), ("*", "item")}
_RESPONSE_ANCHORS = _REQUEST_ANCHORS | {
    (),
    ("output", "*"),
    ("outputs", "*"),
    ("response",),
    ("*", "response"),
    ("session",),
    ("*", "session"),
    ("message",),
}
_TOP_HANDLES = frozenset({"container", "conversation", "cachedContent"})
_ANCHOR_DEPTH = 2

_BY_KEY_OF_EVENT: dict[str, _Use] = {
    "event_id": _ITEM,
    "item_id": _HANDLE,
    "previous_item_id": _HANDLE,
    "response_id": _HANDLE,
}
_EVENTS = frozenset({(), ("*",)})
_ANSWERS_OF_EVENTS = frozenset({("response",), ("*", "response")})
_BEFORE_ALL = ("previous_item_id", "root")  # names no item, but the place before all of them
_BY_KEY_OF_RESUMPTION: dict[str, _Use] = {"handle": _HANDLE, "newHandle": _ITEM, "new_handle": _ITEM}
_RESUMPTIONS = frozenset(
    "sessionResumption session_resumption sessionResumptionUpdate session_resumption_update".split()
)

_COMPOSITE = re.compile(
    r"(call_[^|]*|__amberfork_tool_call_\d+__)\|(fc_[^|]*|__amberfork_(?:item|tool_call)_\d+__)"
)
_CONTAINER = re.compile(r"cntr_|__amberfork_item_\d+__\Z")


def sites(
    value: JsonValue, rules: IdRules = IdRules.ALL, *, at: Path = (), response: bool = False
) -> list[Site]:
    """The IDs of a body in the order in which they are numbered: array order, members by sorted key.

    `at` is the path from the body to `value`, where that is only a part of it; the sites' paths lead from
    `value`. A response also mints handles: its own `id` and those of its output items. Any depth is walked,
    and the value is not changed.
    """
    if rules is IdRules.SEED:
        return list(_seed_sites(value))
    return _full_sites(value, at, response=response)


_Anchor: TypeAlias = tuple[str, ...]
_Frame: TypeAlias = "tuple[JsonValue, str | None, Chain, _Anchor | None]"


def _full_sites(value: JsonValue, at: Path, *, response: bool) -> list[Site]:
    holder, anchor = _standing(at)
    found, paths = [], _Paths()
    stack: list[_Frame | Site] = [(value, holder, None, anchor)]
    while stack:
        frame = stack.pop()
        if isinstance(frame, Site):
            found.append(frame)
            continue
        node, holder, chain, anchor = frame
        if isinstance(node, dict):
            stack += reversed(_walked(node, frame, found, paths, response=response))
        elif isinstance(node, list):
            below = _step(anchor, 0)
            stack += [
                (node[index], holder, (chain, index), below)
                for index in range(len(node) - 1, -1, -1)
                if isinstance(node[index], (dict, list))
            ]
    return found


def _walked(
    node: dict[str, JsonValue], frame: _Frame, found: list[Site], paths: _Paths, *, response: bool
) -> list[_Frame | Site]:
    """Add to `found` the sites of an object before the first member to walk on into; that and the rest."""
    _, holder, chain, anchor = frame
    kind = node.get("type")
    kind = kind if isinstance(kind, str) else ""
    of_tool = node.get("role") in ("tool", "function")
    rest: list[_Frame | Site] = []
    for key, use, entered, below in _members(
        _Shape(tuple(node), kind, holder, anchor, of_tool=of_tool, response=response)
    ):
        child = node[key]
        if isinstance(child, str):
            if use is not None and (key, child) != _BEFORE_ALL:
                path = (*paths.of(chain), key) if chain else (key,)
                (rest or found).extend(_of_string(use, child, path))
        elif isinstance(child, (dict, list)):
            if entered:
                rest.append((child, key, (chain, key), below))
            elif key == "tools" and anchor == ():
                rest += _containers(child, (key,))
    return rest


@lru_cache(maxsize=64)  # parts stand in few places
def _standing(at: Path) -> tuple[str | None, _Anchor | None]:
    """The key that a value at this path hangs under, and its anchor."""
    holder = next((key for key in reversed(at) if isinstance(key, str)), None)
    anchor: _Anchor | None = ()
    for key in at:
        anchor = _step(anchor, key)
    return holder, anchor


def _step(anchor: _Anchor | None, key: str | int) -> _Anchor | None:
    """The path from the body with each index as `*`, or None where no anchor reaches any more."""
    if anchor is None or len(anchor) >= _ANCHOR_DEPTH:
        return None
    return (*anchor, key if isinstance(key, str) else "*")


class _Paths:
    """The paths that chains stand for, each made of the one before where it leads on from there."""

    def __init__(self) -> None:
        self._chain: Chain = None
        self._path: Path = ()

    def of(self, chain: Chain) -> Path:
        """The keys of the chain, outermost first."""
        if chain is not self._chain:
            keys: list[str | int] = []
            at = chain
            while at is not None and at is not self._chain:
                at, key = at
                keys.append(key)
            self._path = (*(self._path if at else ()), *reversed(keys))
            self._chain = chain
        return self._path


class _Shape(NamedTuple):
    """All that decides what the members of an object are: their names, its type, and where it stands."""

    names: tuple[str, ...]
    kind: str
    holder: str | None
    anchor: _Anchor | None
    of_tool: bool
    response: bool

    def use(self, key: str) -> _Use | None:
        """What a text is that stands under this key, which is not `id`."""
        if key == "call_id":
            return _ANSWERS if self.kind.endswith(_RESULT_ENDS) else _DECLARES
        if key == "toolUseId":
            return _DECLARES if self.holder == "toolUse" else _ANSWERS
        if key == "tool_id":
            return _POINTS if self.holder == "caller" else None
        if key in _BLOB_BY_TYPE:
            sealed = self.kind == _BLOB_BY_TYPE[key] or self.holder in _BLOB_BY_HOLDER[key]
            return _BLOB if sealed else None
        if key in _TOP_HANDLES:
            return _HANDLE if self.anchor == () else None
        return _BY_KEY.get(key) or self._use_of_socket(key)

    def _use_of_socket(self, key: str) -> _Use | None:
        """What a text is in the messages of a WebSocket: an event of Realtime, or one of Gemini's Live."""
        if self.anchor in _EVENTS and "." in self.kind:  # `conversation.item.create`, say
            return _BY_KEY_OF_EVENT.get(key)
        if key == "conversation_id":
            return _ITEM if self.response and self.anchor in _ANSWERS_OF_EVENTS else None
        if self.anchor is not None and self.holder in _RESUMPTIONS:
            return _BY_KEY_OF_RESUMPTION.get(key)
        return None

    def is_data(self, key: str) -> bool:
        """Whether a member is the user's: what a tool was given, what it gave back, what it accepts."""
        if key in _DATA:
            return True
        if key == "input":
            return self.holder == "toolUse" or ("name" in self.names and self.anchor != ())
        if key in ("output", "result"):
            return bool(self.kind)
        if key == "response":
            return self.holder in _RESPONSE_HOLDERS
        if key == "content":
            return self.kind == "tool_result" or self.holder == "toolResult" or self.of_tool
        return False

    def id_use(self) -> _Use | None:
        """What a text is that stands under `id`."""
        use = _ID_BY_TYPE.get(self.kind) or _ID_BY_HOLDER.get(self.holder or "")
        if use is not None or self.anchor not in (_RESPONSE_ANCHORS if self.response else _REQUEST_ANCHORS):
            return use
        points = self.kind == "item_reference" or self.anchor in _HANDLE_ANCHORS
        return _HANDLE if points else _ITEM


class _Member(NamedTuple):
    """What the rules say of a member: what it is as text, or whether one looks into it, at which anchor."""

    key: str
    use: _Use | None
    entered: bool
    anchor: _Anchor | None


@lru_cache(maxsize=1024)  # the objects of a tape have few shapes
def _members(shape: _Shape) -> tuple[_Member, ...]:
    """The members of an object by sorted key, the order in which IDs are numbered."""
    return tuple(
        _Member(
            key,
            shape.id_use() if key == "id" else shape.use(key),
            not shape.is_data(key),
            _step(shape.anchor, key),
        )
        for key in sorted(shape.names)
    )


def _of_string(use: _Use, value: str, path: Path) -> tuple[Site, ...]:
    """The IDs in one string."""
    id_class, role = use
    both = _COMPOSITE.fullmatch(value) if "|" in value and id_class is IdClass.CALL else None
    if both is None:
        return (Site(id_class, role, value, path),)
    return Site(id_class, role, both[1], path, part=1), Site(*_ITEM, both[2], path, part=2)


def _containers(tools: JsonValue, path: Path) -> Iterator[Site]:
    """The one ID among tool definitions: the handle of a container that keeps files between requests."""
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        handle = tool.get("container") if isinstance(tool, dict) else None
        if isinstance(handle, str) and _CONTAINER.match(handle):
            yield Site(*_HANDLE, handle, (*path, index, "container"))


_SEED_KEYS = frozenset({"tool_call_id", "tool_use_id", "call_id"})


def _seed_sites(value: JsonValue) -> Iterator[Site]:
    """Every string that amberfork-replay 1.0 takes for a tool-call ID, in document order."""
    stack: list[tuple[JsonValue, Chain] | Site] = [(value, None)]
    while stack:
        frame = stack.pop()
        if isinstance(frame, Site):
            yield frame
            continue
        node, chain = frame
        if isinstance(node, dict):
            stack.extend(reversed(list(_seed_frames(node, chain))))
        elif isinstance(node, list):
            stack.extend((node[index], (chain, index)) for index in range(len(node) - 1, -1, -1))


def _seed_frames(node: dict[str, JsonValue], chain: Chain) -> Iterator[tuple[JsonValue, Chain] | Site]:
    named = node.get("type") in ("tool_use", "function")
    for key, child in node.items():
        if isinstance(child, str):
            if key in _SEED_KEYS or (key == "id" and named):
                yield Site(IdClass.CALL, Role.VALUE, child, path_of((chain, key)))
        elif isinstance(child, (dict, list)):
            yield child, (chain, key)
