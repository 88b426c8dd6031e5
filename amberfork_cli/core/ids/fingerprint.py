"""One short text for each request, equal where two runs asked the same.

A fingerprint covers method, path and canonical body, exactly: `true`, `1` and `1.0` are three values. IDs are
taken out of band: the body is digested with every ID site empty, and what the IDs mean is digested beside it,
so that a body which happens to hold a token's text never meets one in which an ID stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias

from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.credential_names import FINGERPRINTED_WITHOUT
from amberfork_cli.core.ids.histories import Histories
from amberfork_cli.core.ids.id_rules import CLASSES, HISTORIES, IdClass, IdRules, Role
from amberfork_cli.core.ids.linkage import Minted
from amberfork_cli.core.ids.minted import (
    MintedIds,
    conversations_of,
    given_out,
    given_out_by_stream,
    path_ids,
)
from amberfork_cli.core.ids.parts import Part, Parts, content_digest
from amberfork_cli.core.ids.threads import Thread
from amberfork_cli.core.tape import Body, Exchange, JsonValue, Response

RULES_VERSION = "af1"
"""Stands before every fingerprint; those of other versions were made by other rules: compare none of them."""

_THREAD_BYTES = 2 << 20

_FAILED = 400  # the least status that says so


@dataclass(frozen=True, slots=True)
class Sketch:
    """What one exchange of a tape compares by.

    `fingerprint` decides equality. The rest serves to find out what happened where it differs: `endpoint` is
    method and path; `messages` are the digests of the history, IDs and cache hints set aside, `prefixes`
    those of its first one, two, three … messages, `links` what the IDs of each message mean, counted from
    where it begins; `rest` is the digest of all that is no message, `hints` that of the cache hints in the
    messages, counted from the last. `follows` is the number of the exchange whose response the request names
    as what it goes on from, or that went on last with the conversation it names. `unexplained` are handles
    and orphans that nothing on the tape explains; `mentions` says that IDs stand in its texts, whose meaning
    the digests of messages do not tell.
    """

    fingerprint: str
    endpoint: bytes
    messages: tuple[bytes, ...] = ()
    prefixes: tuple[bytes, ...] = ()
    links: tuple[bytes, ...] = ()
    rest: bytes = b""
    hints: bytes = b""
    follows: int | None = None
    unexplained: frozenset[str] = frozenset()
    mentions: bool = False


def fingerprint(exchange: Exchange, *, rules: IdRules = IdRules.ALL) -> str:
    """`af1:` and 64 hexadecimal digits: equal for two requests that ask the same, in every process.

    An exchange on its own: handles that earlier responses minted go by value. See `fingerprints`.
    """
    return Sketcher(rules).fingerprint(exchange)


def fingerprints(exchanges: Iterable[Exchange], *, rules: IdRules = IdRules.ALL) -> Iterator[str]:
    """The fingerprint of each exchange of a tape, in order.

    Work is shared between the turns, and handles stand for the exchange whose response minted them. Messages
    are known again by their objects: one that was given must not be changed before the next exchange is.
    """
    sketcher = Sketcher(rules)
    return (sketcher.fingerprint(exchange) for exchange in exchanges)


class Sketcher:
    """Sketches the exchanges of one tape, in their order.

    Without `endpoints`, method and path do not count: a tape of bare bodies has none.
    """

    def __init__(self, rules: IdRules = IdRules.ALL, *, endpoints: bool = True) -> None:
        self._rules = rules
        self._endpoints = endpoints
        self._parts = Parts(rules)
        self._minted = MintedIds()
        self._threads = Histories(self._parts, self._thread, most_bytes=_THREAD_BYTES)
        self._begun = blake2b(digest_size=32)
        for piece in (RULES_VERSION, rules.value):
            self._begun.update(b"%d:%b" % (len(piece), piece.encode()))

    @property
    def minted(self) -> MintedIds:
        """What the responses sketched so far gave out, for looking at one of the exchanges again."""
        return self._minted

    @property
    def minted_in_paths(self) -> Minted:
        """The same for IDs in URL paths, which count as they stand where the rules leave handles alone."""
        return self._minted if IdClass.ITEM in CLASSES[self._rules] else {}

    def sketch(self, exchange: Exchange) -> Sketch:
        """What that exchange compares by; its response explains handles of the exchanges after it."""
        read = self._read(exchange)
        if read.thread is None:
            return Sketch(read.fingerprint, read.endpoint, rest=read.rest)
        story = read.thread.story()
        return Sketch(
            read.fingerprint,
            read.endpoint,
            tuple(story.digests),
            tuple(story.prefixes),
            tuple(story.links),
            read.rest,
            _hints(read.thread),
            read.follows,
            read.unexplained,
            read.mentions,
        )

    def fingerprint(self, exchange: Exchange) -> str:
        """The fingerprint in its sketch, which alone is found out faster."""
        return self._read(exchange).fingerprint

    def _read(self, exchange: Exchange) -> _Read:
        value = json_of(exchange.request.body)
        if isinstance(value, Absent):
            self._minted.go_on_from(None)
            read, handles = self._opaque(self._endpoint(exchange), exchange.request.body), _NO_HANDLES
        else:
            name, history, rest = _split(value)
            remainder = self._parts.of(rest, ())
            handles = _handles(remainder)
            self._minted.go_on_from(self._minter((*handles.before, *handles.conversations)))
            thread = self._threads.of(name, history)
            read = self._whole(
                self._endpoint(exchange),
                thread,
                remainder,
                follows=self._minter((*handles.before, *handles.conversations)),
            )
        self._learn(exchange, read.fingerprint, handles, stateless=_carries_its_history(value))
        return read

    def _endpoint(self, exchange: Exchange) -> bytes:
        if not self._endpoints:
            return b""
        return endpoint_key(exchange.request.method, exchange.request.path, self.minted_in_paths)

    def _minter(self, handles: Iterable[str]) -> int | None:
        """The exchange whose response gave out the first of those handles that any did."""
        return next((self._minted.minter(handle) for handle in handles if handle in self._minted), None)

    def _whole(self, endpoint: bytes, thread: Thread, rest: Part, *, follows: int | None) -> _Read:
        end = thread.ended_by(rest)
        size = b"%d" % len(thread.parts)
        digest = self._digest(endpoint, b"json", thread.name.encode(), size, end.digest)
        return _Read(digest, endpoint, thread, rest.digest, follows, end.unexplained, end.mentions)

    def _learn(self, exchange: Exchange, by: str, handles: _Handles, *, stateless: bool) -> None:
        """Take in what the request named and the response gave out. One that failed gave out nothing."""
        request, response = exchange.request, exchange.response
        if self._rules is IdRules.SEED:
            return
        if handles.named:
            self._minted.take(exchange.number, f"{by} named", handles.named, but=())
        if response is None or (response.status or 0) >= _FAILED:
            return
        known = [name for name in conversations_of(request.method, request.path) if name in self._minted]
        named = {*path_ids(request.path), *handles.all, *(value for _, value in handles.named)}
        self._minted.take(exchange.number, by, _given_out(response, stateless=stateless), but=named)
        self._minted.move_on(exchange.number, by, (*handles.conversations, *known))

    def _opaque(self, endpoint: bytes, body: Body) -> _Read:
        """A body that is no JSON compares verbatim, and one that is absent equals only another absent one."""
        content = body.value if isinstance(body.value, bytes) else _bytes(str(body.value or ""))
        digest = self._digest(endpoint, body.kind.value.encode(), content)
        return _Read(digest, endpoint, None, content_digest(content))

    def _digest(self, *pieces: bytes) -> str:
        hashed = self._begun.copy()
        for piece in pieces:
            hashed.update(b"%d:%b" % (len(piece), piece))
        return f"{RULES_VERSION}:{hashed.hexdigest()}"

    def _thread(self, name: str) -> Thread:
        return Thread(name, self._rules, self._minted)


@dataclass(frozen=True, slots=True)
class _Read:
    """What was found out about an exchange: as in a sketch, but its messages are still in their thread."""

    fingerprint: str
    endpoint: bytes
    thread: Thread | None
    rest: bytes
    follows: int | None = None
    unexplained: frozenset[str] = frozenset()
    mentions: bool = False


def _hints(thread: Thread) -> bytes:
    """Where cache hints stand, counted from the last message: they move on with the conversation."""
    if not thread.hints:
        return _NO_HINTS
    count = len(thread.parts)
    return content_digest(*(b"%d %s" % (count - at, hint) for at, hint in thread.hints))


_NO_HINTS = content_digest()
_Split: TypeAlias = tuple[str, list[JsonValue], JsonValue]


def _split(value: JsonValue) -> _Split:
    """The name and the messages of the history, and the body without it."""
    if isinstance(value, dict):
        for name in HISTORIES:
            history = value.get(name)
            if isinstance(history, list):
                return name, history, {key: member for key, member in value.items() if key != name}
    return "", [], value


def endpoint_key(method: str, path: str, minted: Minted) -> bytes:
    """Method and path as they compare: the query sorted and without credentials, IDs of the tape set aside.

    A segment of the path counts as an ID only where an earlier response of the tape gave it out.
    """
    ids = [minted[segment][0] if segment in minted else None for segment in path_ids(path)]
    return _endpoint_key(method, path, tuple(ids))


@lru_cache(maxsize=256)
def _endpoint_key(method: str, path: str, ids: tuple[bytes | None, ...]) -> bytes:
    """The same, given what each segment of the path means that is an ID."""
    segments = (
        b"s" + _bytes(segment) if meaning is None else b"m" + meaning
        for segment, meaning in zip(path_ids(path), ids, strict=True)
    )
    return content_digest(_bytes(method.upper()), _bytes("&".join(query_pairs(path))), *segments)


def query_pairs(path: str) -> list[str]:
    """What a query asks, `name=value` each, sorted and without credentials."""
    query = path.partition("?")[2]
    return sorted(pair for pair in query.split("&") if pair and not _is_credential(pair))


def _is_credential(pair: str) -> bool:
    return pair.partition("=")[0].lower() in FINGERPRINTED_WITHOUT


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


@dataclass(frozen=True, slots=True)
class _Handles:
    """The handles of a body outside its messages: what it goes on from, its conversation, all there are.

    `named` are the IDs that it gives itself to the one item that it adds, as a Realtime event may.
    """

    before: tuple[str, ...]
    conversations: tuple[str, ...]
    all: tuple[str, ...]
    named: tuple[tuple[IdClass, str], ...] = ()


_NO_HANDLES = _Handles((), (), ())
_NAMES = frozenset({Role.VALUE, Role.DECLARES})
_GOES_ON = frozenset({"previous_response_id", "previous_interaction_id"})


def _handles(rest: Part) -> _Handles:
    if not rest.sites:
        return _NO_HANDLES
    found = [site for site in rest.sites if site.id_class is IdClass.ITEM and site.role is Role.POINTS]
    return _Handles(
        tuple(site.value for site in found if site.path[-1] in _GOES_ON),
        tuple(site.value for site in found if site.path[0] == "conversation"),
        tuple(site.value for site in found),
        tuple(
            (site.id_class, site.value)
            for site in rest.sites
            if site.path[0] == "item" and len(site.path) == 2 and site.role in _NAMES
        ),
    )


def _carries_its_history(value: JsonValue | Absent) -> bool:
    """Whether a request sends all messages, as one does to a provider that remembers nothing."""
    return isinstance(value, dict) and isinstance(value.get("contents") or value.get("messages"), list)


def _given_out(response: Response, *, stateless: bool) -> Iterable[tuple[IdClass, str]]:
    """The IDs that later requests may point to.

    Where the history is sent whole, it declares its own calls, and nothing but a container has a name.
    """
    answer = json_of(response.body)
    if not isinstance(answer, Absent):
        named = not stateless or (isinstance(answer, dict) and "container" in answer)
        return given_out(answer) if named else ()
    text = response.body.value
    named = isinstance(text, str) and (not stateless or '"container"' in text)
    return given_out_by_stream(text) if named and isinstance(text, str) else ()
