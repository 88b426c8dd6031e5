"""JSON values with something taken out of their texts, IDs and the shape of messages left as they are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any, Final, TypeAlias

from amberfork_cli.core.credential_names import names_secret
from amberfork_cli.core.ids.id_rules import Site, sites
from amberfork_cli.core.paths import Chain, Path, path_of
from amberfork_cli.core.redaction.redacting import Find, Redactor, across
from amberfork_cli.core.redaction.secrets import secrets_in, secrets_under, with_secrets
from amberfork_cli.core.tape import JsonValue

# Words by which the shape of a message is known. A pattern that happens to match one does not mean it.
_SHAPE: Final = frozenset(
    """
    system developer user assistant model tool function custom text input_text output_text refusal message
    reasoning thinking redacted_thinking image image_url input_image input_file document file tool_use
    tool_result tool_call server_tool_use mcp_tool_use mcp_tool_result mcp_call mcp_approval_request
    mcp_approval_response function_call function_call_output custom_tool_call custom_tool_call_output
    item_reference local_shell_call local_shell_call_output computer_call computer_call_output shell_call
    shell_call_output web_search_call stop length end_turn max_tokens tool_calls tool_use content_filter
    complete completed incomplete in_progress STOP MAX_TOKENS COMPLETE TOOL_CALL
    """.split()
)
_SHAPED: Final = frozenset(
    "type role object status finish_reason finishReason stop_reason stopReason".split()
)
_EVENT: Final = re.compile(r"[a-z_]+(?:\.[a-z_]+)*")
_PIECES: Final = frozenset(
    """
    content text partial_json arguments delta thinking reasoning reasoning_content refusal input output
    transcript
    """.split()
)
_WHICH: Final = ("type", "index", "output_index", "content_index", "summary_index", "contentBlockIndex")

_Leaf: TypeAlias = tuple[Path, str]
_Name: TypeAlias = tuple[Path, str]


class ValueRedactor:
    """Redacts bodies, one after the other: a message that an earlier body had is not looked at again."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._clean: dict[int, JsonValue] = {}

    def value(self, value: JsonValue, *, response: bool = False, repeats: bool = False) -> JsonValue:
        """A copy of a value, or the value itself where nothing is to go.

        `repeats` says that it is a request body, whose messages the next one repeats.
        """
        clean: dict[int, JsonValue] = {}
        edits: list[_Leaf] = []
        names: list[_Name] = []
        for path, part in _parts(value):
            if self._clean.get(id(part)) is part and isinstance(part, (dict, list)):
                clean[id(part)] = part
                continue
            found = [*_found(self._redactor, part, path)]
            if not found and path and isinstance(part, (dict, list)):
                clean[id(part)] = part
            edits += ((each[0], each[1]) for each in found if not each[2])
            names += ((each[0], each[1]) for each in found if each[2])
        if repeats:
            self._clean = clean
        if not edits and not names:
            return value
        ids = _ids(sites(value, response=response))
        left = (
            (path, text, self._redactor.text(text, find=_finding(path[-1:])))
            for path, text in edits
            if ids.get(path) != text
        )
        return _edited(value, [(path, new) for path, old, new in left if new != old], self._renamed(names))

    def pieces(self, values: Sequence[JsonValue]) -> list[JsonValue]:
        """The events of a stream; what they say in pieces is looked at as the whole that the pieces make."""
        edits: list[list[_Leaf]] = [[] for _ in values]
        channels: dict[tuple[object, ...], list[tuple[int, _Leaf]]] = defaultdict(list)
        for number, value in enumerate(values):
            for leaf in _leaves(value, sites(value, response=True)):
                channel = _channel(value, leaf[0])
                if channel is not None:
                    channels[channel].append((number, leaf))
                elif (made := self._redactor.text(leaf[1], find=_finding(leaf[0][-1:]))) != leaf[1]:
                    edits[number].append((leaf[0], made))
        for found in channels.values():
            for number, leaf in _joined(self._redactor, found):
                edits[number].append(leaf)
        names = [
            [(path, name) for path, name, is_name in _found(self._redactor, v, ()) if is_name] for v in values
        ]
        return [
            _edited(value, changed, self._renamed(named))
            for value, changed, named in zip(values, edits, names, strict=True)
        ]

    def _renamed(self, names: Iterable[_Name]) -> list[tuple[Path, str, str]]:
        """The new names of members that are credentials. A pattern leaves names alone, which is counted."""
        made = []
        for path, name in names:
            safe = with_secrets(name, secrets_in(name), lambda _, secret: secret.instead)
            if safe == name:
                self._redactor.counts.in_names += 1
            else:
                self._redactor.counts.taken["name"] += 1
                made.append((path, name, safe))
        return made


def _parts(value: JsonValue) -> Iterator[tuple[Path, JsonValue]]:
    """The items of the lists of a body, which later bodies repeat, then what is left of it."""
    if not isinstance(value, dict):
        yield (), value
        return
    for name, held in value.items():
        if isinstance(held, list):
            yield from (((name, at), item) for at, item in enumerate(held))
    yield (), {name: [] if isinstance(held, list) else held for name, held in value.items()}


def _found(redactor: Redactor, value: JsonValue, at: Path) -> Iterator[tuple[Path, str, bool]]:
    """The texts of a value in which something is to go, and names, marked, with the paths to their objects.

    Words by which the shape of messages is known are none.
    """
    waiting: list[tuple[JsonValue, Chain]] = [(value, None)]
    while waiting:
        node, chain = waiting.pop()
        if isinstance(node, str):
            if not _is_shape(node, chain) and redactor.touches(
                node, find=_finding(chain[1:] if chain else ())
            ):
                yield (*at, *path_of(chain)), node, False
        elif isinstance(node, dict):
            waiting += [(child, (chain, name)) for name, child in node.items()][::-1]
            for name in node:
                if redactor.touches(name):
                    yield (*at, *path_of(chain)), name, True
        elif isinstance(node, list):
            waiting += [(child, (chain, step)) for step, child in enumerate(node)][::-1]


def _finding(last: Sequence[object]) -> Find:
    """How the credentials of a text are found that stands behind this last step of a path."""
    name = last[0] if last else None
    return partial(secrets_under, name) if isinstance(name, str) and names_secret(name) else secrets_in


def _leaves(value: JsonValue, found: Iterable[Site]) -> Iterator[_Leaf]:
    """The texts of an event that are neither IDs nor words of its shape, with their paths."""
    ids = _ids(found)
    waiting: list[tuple[JsonValue, Chain]] = [(value, None)]
    while waiting:
        node, chain = waiting.pop()
        if isinstance(node, str):
            path = path_of(chain)
            kind = path == ("type",) and _EVENT.fullmatch(node)
            if not kind and not _is_shape(node, chain) and ids.get(path) != node:
                yield path, node
        elif isinstance(node, (dict, list)):
            entries = node.items() if isinstance(node, dict) else enumerate(node)
            waiting += [(child, (chain, step)) for step, child in entries][::-1]


def _is_shape(text: str, chain: Chain) -> bool:
    return chain is not None and chain[1] in _SHAPED and text in _SHAPE


def _ids(found: Iterable[Site]) -> dict[Path, str]:
    """The whole text at each site: the two parts of a composite make one."""
    ids: dict[Path, str] = {}
    for site in found:
        ids[site.path] = f"{ids[site.path]}|{site.value}" if site.part == 2 else site.value
    return ids


def _channel(value: JsonValue, path: Path) -> tuple[object, ...] | None:
    """What the pieces of one text have in common: where they stand, and which choice and part they are of."""
    if not path or path[-1] not in _PIECES:
        return None
    which: list[object] = []
    node: Any = value
    for step in path:
        if isinstance(node, dict):
            which += [node[name] for name in _WHICH if isinstance(node.get(name), (int, str))]
        node = node[step]
    return (path, *which)


def _joined(redactor: Redactor, found: Sequence[tuple[int, _Leaf]]) -> Iterator[tuple[int, _Leaf]]:
    """The pieces of one text that change."""
    pieces = [text for _, (_, text) in found]
    whole = "".join(pieces)
    made = redactor.text(whole)
    if made == whole:
        return
    new = across(pieces, redactor.cuts(whole))
    if "".join(new) != made:  # something stood behind escapes: then it cannot be told which piece held it
        new = [made, *([""] * (len(pieces) - 1))]
    for (number, (path, text)), piece in zip(found, new, strict=True):
        if piece != text:
            yield number, (path, piece)


def _edited(value: JsonValue, edits: Sequence[_Leaf], names: Sequence[tuple[Path, str, str]]) -> JsonValue:
    """A copy with those texts and names; what has not changed is shared with the value."""
    if not edits and not names:
        return value
    if edits and not edits[0][0]:
        return edits[0][1]
    copies: dict[Path, Any] = {(): copy(value)}
    for path, text in edits:
        _copied(copies, path[:-1])[path[-1]] = text
    for path, old, new in sorted(names, key=lambda each: -len(each[0])):
        _rename(_copied(copies, path), old, new)
    return copies[()]  # type: ignore[no-any-return]


def _copied(copies: dict[Path, Any], path: Path) -> Any:
    """The copy of the container at that path, made on the way there."""
    for length in range(len(path)):
        above, step = copies[path[:length]], path[length]
        if path[: length + 1] not in copies:
            copies[path[: length + 1]] = above[step] = copy(above[step])
    return copies[path]


def _rename(holder: dict[str, JsonValue], old: str, new: str) -> None:
    """Give a member another name in its place; two that come to bear one name stay two."""
    taken, number = new, 2
    while taken in holder:
        taken, number = f"{new}_{number}", number + 1
    entries = [(taken if name == old else name, held) for name, held in holder.items()]
    holder.clear()
    holder.update(entries)
