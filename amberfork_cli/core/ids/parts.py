"""One part of a request body, read once: a message, or all that is no message.

In a tape every request repeats the conversation so far, so most parts have been seen before. A part is known
by its exact text; what costs time (finding its IDs, blanking them, looking for words that could be IDs) is
done when it is first met.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeAlias

from xxhash import xxh3_64_intdigest

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.id_rules import IdClass, IdRules, Role, Site, sites
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

DIGEST_SIZE = 16
_MEMO_BYTES = 4 << 20  # what a tape repeats lies close together: this much holds a few conversations
_PLAIN = re.compile("[A-Za-z0-9_-]+")
_PART_BYTES = 1500  # what a part takes beside its texts
_FEW = 16  # IDs, and steps to each, that are worth remembering


@dataclass(slots=True)
class Part:
    """A part of a body as it compares: its text without the IDs, and the IDs beside it.

    `text` is the exact JSON with sorted members, `blank` the same with every ID site empty. `digest` covers
    `blank` and where the sites are; `thread` leaves cache hints out as well, and is what tells whether one
    request continues another; `hints` is the JSON of those hints, empty where there is none. Sites' paths
    lead from the part. `emptied` is kept by who looks for mentions: for some IDs, the digest without them and
    those that stood in the texts, in their order.
    """

    text: bytes
    blank: bytes
    sites: tuple[Site, ...]
    places: bytes
    digest: bytes
    thread: bytes
    hints: bytes = b""
    emptied: tuple[frozenset[str], bytes, tuple[str, ...]] | None = field(default=None, repr=False)
    _words: frozenset[str] | None = field(default=None, repr=False)

    @property
    def words(self) -> frozenset[str]:
        """The runs of letters, digits, `_` and `-` that could be an ID in running text."""
        if self._words is None:
            self._words = _words(self.blank)
        return self._words


class Parts:
    """The parts of a tape that were met lately."""

    def __init__(self, rules: IdRules) -> None:
        self._rules = rules
        self._known: dict[tuple[Path, int], Part] = {}
        self._weight = 0

    def of(self, value: JsonValue, at: Path) -> Part:
        """The part that stands at `at` in its body, from memory where its text is known there."""
        text = jsontext.dumps(value, sort_keys=True)
        key = at, xxh3_64_intdigest(text)
        part = self._known.get(key)
        if part is None or part.text != text:
            part = read_part(value, text, at=at, rules=self._rules)
            self._remember(key, part)
        return part

    def _remember(self, key: tuple[Path, int], part: Part) -> None:
        self._weight += _PART_BYTES + len(part.text) + (0 if part.blank is part.text else len(part.blank))
        if self._weight > _MEMO_BYTES:
            self._known.clear()
            self._weight = len(part.text)
        self._known[key] = part


def read_part(value: JsonValue, text: bytes, *, at: Path, rules: IdRules) -> Part:
    """A part from its value and exact text."""
    found = tuple(sites(value, rules, at=at))
    blank_text = (_blank_by_text(text, found) or _blank_by_value(value, found)) if found else text
    places = _places(found) if found else b""
    digest = content_digest(blank_text, places)
    if b'"cache_control"' not in blank_text:
        return Part(text, blank_text, found, places, digest, digest)
    plain, hints = _without_hints(with_texts_at(value, {site.path: "" for site in found}))
    thread = content_digest(jsontext.dumps(plain, sort_keys=True), places)
    return Part(text, blank_text, found, places, digest, thread, jsontext.dumps(hints, sort_keys=True))


_Place: TypeAlias = "tuple[Path, int, IdClass, Role]"


def _places(found: tuple[Site, ...]) -> bytes:
    """Where IDs stand and what they do there, as bytes: most messages are like others in this."""
    places = tuple([(site.path, site.part, site.id_class, site.role) for site in found])
    few = len(places) <= _FEW and max([len(path) for path, *_ in places]) <= _FEW
    return _few_places(places) if few else _all_places(places)


def _all_places(places: tuple[_Place, ...]) -> bytes:
    """What `ascii` makes of the list of places, in time that does not grow with the square of their depth."""
    spelled = bytearray(b"[")
    last: Path = ("",)
    way = ""
    for path, part, id_class, role in places:
        at = len(last) - 1 if path[: len(last) - 1] == last[:-1] else 0  # a place mostly leads on to the next
        way = (way if at else "") + "".join([f"{key!a}, " for key in path[at:-1]])
        end = f"{path[-1]!a}," if len(path) == 1 else f"{path[-1]!a}"
        comma = ", " if len(spelled) > 1 else ""
        spelled += f"{comma}(({way}{end}), {part}, {id_class.value!a}, {role.value!a})".encode()
        last = path
    spelled += b"]"
    return bytes(spelled)


_few_places = lru_cache(maxsize=512)(_all_places)


def _blank_by_text(text: bytes, found: tuple[Site, ...]) -> bytes | None:
    """The text with empty strings in place of IDs; `None` where one may stand as a string elsewhere, too.

    An ID of plain letters in quotes is a whole string, or the end of one that quotes it; if there are as many
    as there are sites of this ID, they are those.
    """
    values = [site.value for site in found]
    for value in dict.fromkeys(values):
        string = b'"%b"' % value.encode(errors="replace")
        if not _PLAIN.fullmatch(value) or text.count(string) != values.count(value):
            return None
        text = text.replace(string, b'""')
    return text


def _blank_by_value(value: JsonValue, found: tuple[Site, ...]) -> bytes:
    """The same by way of the value."""
    made = with_texts_at(value, {site.path: "" for site in found})
    return jsontext.dumps(made, sort_keys=True, finite=True)  # as the text of the value is there already


def content_digest(*pieces: bytes) -> bytes:
    """A digest of the pieces, each with its length, so that no two lists of pieces run together."""
    hashed = blake2b(digest_size=DIGEST_SIZE)
    for piece in pieces:
        hashed.update(b"%d:" % len(piece))
        hashed.update(piece)
    return hashed.digest()


def with_texts(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    """A copy with `change` made to every string that is a value, in array order and by sorted key."""
    if isinstance(value, str):
        return change(value)
    root = _copy(value)
    stack = [root]
    while stack:
        here = stack.pop()
        for key, child in (
            sorted(_entries(here), key=lambda entry: entry[0]) if isinstance(here, dict) else _entries(here)
        ):
            if isinstance(child, str):
                _set(here, key, change(child))
            elif isinstance(child, (dict, list)):
                new = _copy(child)
                _set(here, key, new)
                stack.append(new)
    return root


def with_texts_at(value: JsonValue, texts: Mapping[Path, str]) -> JsonValue:
    """The value with other strings at those paths; what none of them leads into is shared with the value."""
    root = _copy(value)
    here: Any = root
    copies = {id(root)}
    last: Path = ("",)
    for path, text in texts.items():
        at = len(last) - 1 if path[: len(last) - 1] == last[:-1] else 0  # a text mostly leads on to the next
        here = here if at else root
        for key in path[at:-1]:
            child = here[key]
            if id(child) not in copies:
                child = here[key] = child.copy()
                copies.add(id(child))
            here = child
        here[path[-1]] = text
        last = path
    return root


def _copy(value: JsonValue) -> JsonValue:
    return value.copy() if isinstance(value, (dict, list)) else value


def _set(container: JsonValue, key: str | int, value: JsonValue) -> None:
    if isinstance(container, (dict, list)):
        container[key] = value  # type: ignore[index]


def _without_hints(value: JsonValue) -> tuple[JsonValue, list[JsonValue]]:
    """The value without `cache_control`, which says what to cache and nothing of what is said; and those."""
    hints: list[JsonValue] = []
    root = _copy(value)
    stack = [root]
    while stack:
        here = stack.pop()
        if isinstance(here, dict):
            hints.extend([here.pop("cache_control")] if "cache_control" in here else [])
        for key, child in _entries(here):
            if isinstance(child, (dict, list)):
                new = _copy(child)
                _set(here, key, new)
                stack.append(new)
    return root, hints


def _entries(container: JsonValue) -> Iterator[tuple[str | int, JsonValue]]:
    if isinstance(container, dict):
        yield from list(container.items())
    elif isinstance(container, list):
        yield from enumerate(container)


_RUN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_TO_RUNS = bytes(code if code in _RUN else 32 for code in range(256))
_LEAST = 8
_CODE_ESCAPE = re.compile(rb"\\u[0-9a-fA-F]{4}")


def _words(text: bytes) -> frozenset[str]:
    """Words of a JSON text that are long enough and no plain words; its escapes are no part of a word."""
    if b"\\" in text:
        text = text.replace(b"\\\\", b"  ")
        for escape in (b"\\n", b"\\t", b"\\r", b"\\f", b"\\b"):
            text = text.replace(escape, b"  ")
        if b"\\u" in text:
            text = _CODE_ESCAPE.sub(b"      ", text)
    return frozenset(
        word.decode()
        for word in text.translate(_TO_RUNS).split()
        if len(word) >= _LEAST and not _is_plain(word)
    )


def _is_plain(word: bytes) -> bool:
    return word.isalpha() and (word.islower() or word.isupper() or word.istitle())
