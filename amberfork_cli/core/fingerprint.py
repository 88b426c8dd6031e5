"""One short text for each request, equal where two runs asked the same.

A fingerprint covers method, path and canonical body, exactly: `true`, `1` and `1.0` are three values. IDs are
taken out of band: the body is digested with every ID site empty, and what the IDs mean is digested beside it,
so that a body which happens to hold a token's text never meets one in which an ID stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from typing import TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.id_rules import HISTORIES, IdClass, IdRules, Role, sites
from amberfork_cli.core.parts import Part, Parts, content_digest
from amberfork_cli.core.tape import Body, BodyKind, Exchange, JsonValue, Response
from amberfork_cli.core.threads import Thread
from amberfork_cli.errors import JsonError

RULES_VERSION = "af1"
"""Stands before every fingerprint; those of other versions were made by other rules: compare none of them."""

_THREAD_BYTES = 16 << 20
_MOST_THREADS = 16

_GOES_ON = (("previous_response_id",), ("previous_interaction_id",))

_CREDENTIALS = frozenset(
    """
    key api_key api-key apikey access_token auth_token token sig signature subscription-key x-api-key
    x-amz-signature x-amz-credential x-amz-security-token x-goog-api-key
    """.split()
)


@dataclass(frozen=True, slots=True)
class Sketch:
    """What one exchange of a tape compares by.

    `fingerprint` decides equality. The rest serves to find out what happened where it differs: `endpoint` is
    method and path; `messages` are the digests of the history, IDs and cache hints set aside, `prefixes`
    those of its first one, two, three … messages, `links` what the IDs of each message mean, counted from
    where it begins; `rest` is the digest of all that is no message. `follows` is the number of the exchange
    whose response the request names as what it goes on from. `unexplained` are handles and orphans that
    nothing on the tape explains.
    """

    fingerprint: str
    endpoint: bytes
    messages: tuple[bytes, ...] = ()
    prefixes: tuple[bytes, ...] = ()
    links: tuple[bytes, ...] = ()
    rest: bytes = b""
    follows: int | None = None
    unexplained: frozenset[str] = frozenset()


def fingerprint(exchange: Exchange, *, rules: IdRules = IdRules.ALL) -> str:
    """`af1:` and 64 hexadecimal digits: equal for two requests that ask the same, in every process.

    An exchange on its own: handles that earlier responses minted go by value. See `fingerprints`.
    """
    return Sketcher(rules).sketch(exchange).fingerprint


def fingerprints(exchanges: Iterable[Exchange], *, rules: IdRules = IdRules.ALL) -> Iterator[str]:
    """The fingerprint of each exchange of a tape, in order.

    Work is shared between the turns, and handles stand for the exchange whose response minted them.
    """
    sketcher = Sketcher(rules)
    return (sketcher.sketch(exchange).fingerprint for exchange in exchanges)


class Sketcher:
    """Sketches the exchanges of one tape, in their order.

    Without `endpoints`, method and path do not count: a tape of bare bodies has none.
    """

    def __init__(self, rules: IdRules = IdRules.ALL, *, endpoints: bool = True) -> None:
        self._rules = rules
        self._endpoints = endpoints
        self._parts = Parts(rules)
        self._threads: list[Thread] = []
        self._minted: dict[str, bytes] = {}
        self._minted_by: dict[str, int] = {}

    def sketch(self, exchange: Exchange) -> Sketch:
        """What that exchange compares by; its response explains handles of the exchanges after it."""
        request = exchange.request
        endpoint = endpoint_key(request.method, request.path, self._minted) if self._endpoints else b""
        value = json_of(request.body)
        if isinstance(value, Absent):
            sketch = self._opaque(endpoint, request.body)
        else:
            sketch = self._sketch(endpoint, value)
        if _keeps_state(value, exchange.response):
            minted = dict(_minted(exchange.response, sketch.fingerprint))
            self._minted.update(minted)
            self._minted_by.update(dict.fromkeys(minted, exchange.number))
        return sketch

    def _sketch(self, endpoint: bytes, value: JsonValue) -> Sketch:
        name, history, rest = _split(value)
        thread = self._thread(name, history)
        remainder = self._parts.of(rest, ())
        end = thread.ended_by(remainder)
        digest = self._digest(endpoint, b"json", name.encode(), b"%d" % len(history), end.digest)
        return Sketch(
            f"{RULES_VERSION}:{digest}",
            endpoint,
            tuple(part.thread for part in thread.parts),
            tuple(thread.prefixes),
            tuple(thread.links),
            remainder.digest,
            self._follows(remainder),
            end.unexplained,
        )

    def _follows(self, rest: Part) -> int | None:
        """The exchange that minted a handle by which the body goes on from it."""
        for site in rest.sites:
            if site.path[-1:] in _GOES_ON and site.value in self._minted_by:
                return self._minted_by[site.value]
        return None

    def _opaque(self, endpoint: bytes, body: Body) -> Sketch:
        """A body that is no JSON compares verbatim, and one that is absent equals only another absent one."""
        content = body.value if isinstance(body.value, bytes) else _bytes(str(body.value or ""))
        digest = self._digest(endpoint, body.kind.value.encode(), content)
        return Sketch(f"{RULES_VERSION}:{digest}", endpoint, (), (), (), content_digest(content))

    def _digest(self, *pieces: bytes) -> str:
        hashed = blake2b(digest_size=32)
        for piece in (RULES_VERSION.encode(), self._rules.value.encode(), *pieces):
            hashed.update(b"%d:" % len(piece))
            hashed.update(piece)
        return hashed.hexdigest()

    def _thread(self, name: str, history: list[JsonValue]) -> Thread:
        """The thread of that history, grown from the longest one met lately that it begins with."""
        text = jsontext.dumps(history, sort_keys=True)[:-1] if history else b""
        begun = [thread for thread in self._threads if thread.begins(name, text)]
        thread = max(begun, key=lambda thread: len(thread.text), default=None)
        thread = thread or Thread(name, self._rules, self._minted)
        thread.text = text
        for message in history[len(thread.parts) :]:
            thread.add(self._parts.of(message, (name, 0)))
        self._threads = [thread, *(other for other in self._threads if other is not thread)]
        self._forget()
        return thread

    def _forget(self) -> None:
        """Keep the threads that fit in memory: the latest always, of the others as many as are light."""
        weight = 0
        for count, thread in enumerate(self._threads):
            weight += len(thread.text)
            if count and (weight > _THREAD_BYTES or count >= _MOST_THREADS):
                del self._threads[count:]
                return


class Absent(Enum):
    """What stands for the JSON value of a body that has none."""

    VALUE = "absent"


def json_of(body: Body) -> JsonValue | Absent:
    """The JSON value that a body carries. Text that spells an object or array counts as what it spells."""
    if body.kind is BodyKind.JSON and not isinstance(body.value, bytes):
        return body.value
    if body.kind is BodyKind.TEXT and isinstance(body.value, str) and body.value.lstrip()[:1] in ("{", "["):
        try:
            return jsontext.loads(body.value)
        except JsonError:
            return Absent.VALUE
    return Absent.VALUE


_Split: TypeAlias = tuple[str, list[JsonValue], JsonValue]


def _split(value: JsonValue) -> _Split:
    """The name and the messages of the history, and the body without it."""
    if isinstance(value, dict):
        for name in HISTORIES:
            history = value.get(name)
            if isinstance(history, list):
                return name, history, {key: member for key, member in value.items() if key != name}
    return "", [], value


def endpoint_key(method: str, path: str, minted: Mapping[str, bytes]) -> bytes:
    """Method and path as they compare: the query sorted and without credentials, IDs of the tape set aside.

    A segment of the path counts as an ID only where an earlier response of the tape gave it out.
    """
    place, _, query = path.partition("?")
    segments = place.split("/")
    signs = [b"\0" + minted[segment] if segment in minted else _bytes(segment) for segment in segments]
    pairs = sorted(pair for pair in query.split("&") if pair and not _is_credential(pair))
    return b" ".join((_bytes(method.upper()), b"/".join(signs), _bytes("&".join(pairs))))


def _is_credential(pair: str) -> bool:
    return pair.partition("=")[0].lower() in _CREDENTIALS


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _keeps_state(value: JsonValue | Absent, response: Response | None) -> bool:
    """Whether later requests may point to what this one's response minted.

    A body that carries its whole history declares its own calls; only a provider that remembers hands out
    names for what it keeps, and only a container is named where the history is sent whole.
    """
    if not isinstance(value, dict) or not isinstance(value.get("contents") or value.get("messages"), list):
        return True
    answer = response.body.value if response else None
    return isinstance(answer, dict) and "container" in answer


_STREAMED_ID = re.compile(r'"(id|call_id|container_id)"\s*:\s*"([^"\\]+)"')


def _minted(response: Response | None, by: str) -> Iterator[tuple[str, bytes]]:
    """The IDs that a response gave out, each with what it stands for: the exchange, its class, which one."""
    counts: dict[str, int] = {}
    seen: set[str] = set()
    for name, value in _given_out(response):
        if value not in seen:
            seen.add(value)
            number = counts[name] = counts.get(name, -1) + 1
            yield value, f"{by} {name} {number}".encode(errors="surrogatepass")


def _given_out(response: Response | None) -> Iterator[tuple[str, str]]:
    if response is None:
        return
    value = json_of(response.body)
    if isinstance(value, (dict, list)):
        for site in sites(value, response=True):
            if site.role is Role.DECLARES or site.id_class is IdClass.ITEM:
                yield site.id_class.value, site.value
    elif isinstance(response.body.value, str):
        for name, found in _STREAMED_ID.findall(response.body.value):
            yield IdClass.CALL.value if name == "call_id" else IdClass.ITEM.value, found
