"""The messages of one conversation as they grow from request to request, and what their IDs mean.

Each request of an agent repeats the conversation so far. Its digest is built message by message, so that the
next request of the same conversation pays for what it adds and not for what it repeats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

from xxhash import xxh3_128

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.histories import History
from amberfork_cli.core.ids.id_rules import IdClass, IdRules, Site
from amberfork_cli.core.ids.linkage import Linker, Mentions, Minted, Token
from amberfork_cli.core.ids.mentioning import MentionSearch, as_text
from amberfork_cli.core.ids.parts import Part, content_digest, with_texts
from amberfork_cli.core.tape import JsonValue, LeftOut


@dataclass(frozen=True, slots=True)
class Ending:
    """What a whole body comes to: its digest, the IDs in it that nothing explains, and if it mentions IDs."""

    digest: bytes
    unexplained: frozenset[str]
    mentions: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """What the messages of a thread say, one by one, IDs and cache hints set aside.

    `digests` are those of the messages, `prefixes` those of the first one, two, three … of them; `links` say
    what the IDs of each message mean, counted from where it begins. `counts` says how many tokens of each
    class all of them have.
    """

    digests: list[bytes]
    prefixes: list[bytes]
    links: list[bytes]
    counts: dict[IdClass, int]

    def count(self, tokens: Iterable[Token | None]) -> None:
        """Count the tokens of one more message."""
        for token in tokens:
            if token is not None and isinstance(token[1], int):
                self.counts[token[0]] = max(self.counts[token[0]], token[1] + 1)

    def copy(self) -> Story:
        """The same story, to be told on another way."""
        return Story(self.digests.copy(), self.prefixes.copy(), self.links.copy(), self.counts.copy())


class Thread(History):
    """The messages of a conversation as they are digested, and the cache hints that they hold."""

    def __init__(self, name: str, rules: IdRules, minted: Minted) -> None:
        super().__init__(name)
        self.parts: list[Part] = []
        self.hints: list[tuple[int, bytes]] = []
        self._rules, self._minted = rules, minted
        self._linker = Linker(rules, calls=set(), minted=minted)
        self._digested: list[bytes] = []
        self._hash = blake2b(digest_size=32)
        self._mentions = MentionSearch()
        self._tokens: list[Sequence[Token | None]] = []
        self._story = Story([], [], [], dict(_FROM_START))
        self._prefix = xxh3_128()

    def copy(self) -> Self:
        """A thread of the same messages that goes its own way from here."""
        twin = type(self)(self.name, self._rules, self._minted)
        twin.parts, twin.hints = self.parts.copy(), self.hints.copy()
        twin._linker, twin._mentions = self._linker.copy(), self._mentions.copy(self._linker.telling)
        twin._digested, twin._hash = self._digested.copy(), self._hash.copy()
        twin._tokens = self._tokens.copy()
        twin._story, twin._prefix = self._story.copy(), self._prefix.copy()
        return twin

    def stands(self) -> bool:
        """Whether the tape still explains what was asked as it did then."""
        return self._linker.stands()

    def take(self, message: JsonValue, part: Part) -> None:  # noqa: ARG002 - a part says all of it
        """Take in one more message."""
        tokens = self._linker.tokens(part.sites) if part.sites else _NO_TOKENS
        digested = part.digest + _pattern(part.sites, tokens)
        self._digested.append(digested)
        self._hash.update(digested)
        self._mentions.take(part)
        if part.hints:
            self.hints.append((len(self.parts), part.hints))
        self.parts.append(part)
        self._tokens.append(tokens)
        self.weight += 2 * len(part.text)

    def renew(self, message: JsonValue, part: Part) -> bool:  # noqa: ARG002 - a part says all of it
        """Take another first message in place of the one that there is, unless either has IDs or hints."""
        if any(one.sites or one.hints for one in (part, self.parts[0])):
            return False
        self.parts[0] = part
        self._digested[0] = part.digest
        self._hash = blake2b(b"".join(self._digested), digest_size=32)
        self._mentions.renew(part)
        self._story.prefixes.clear()
        self._story.digests[:1] = [part.thread] if self._story.digests else []
        self._prefix = xxh3_128()
        return True

    def story(self) -> Story:
        """What the messages compare by where two conversations differ; only then one asks for it."""
        digests, prefixes, links = self._story.digests, self._story.prefixes, self._story.links
        told = len(digests)
        for part, tokens in zip(self.parts[told:], self._tokens[told:], strict=True):
            digests.append(part.thread)
            links.append(_pattern(part.sites, tokens, since=self._story.counts))
            self._story.count(tokens)
        for digest in digests[len(prefixes) :]:
            self._prefix.update(digest)
            prefixes.append(self._prefix.digest())
        return self._story

    def ended_by(self, rest: Part) -> Ending:
        """The digest of the messages and of the rest of the body, which is not taken in."""
        linker = self._linker.copy() if rest.sites else self._linker
        tokens = linker.tokens(rest.sites)
        if linker.doubtful or self._mentions.found(rest, linker.telling, linker.odd):
            return self._linked_again(rest)
        return Ending(
            content_digest(self._hash.digest(), rest.digest, _pattern(rest.sites, tokens)),
            frozenset(linker.unexplained),
        )

    def _linked_again(self, rest: Part) -> Ending:
        """The same digest the long way, with what can only be known once the whole body is read."""
        parts = (*self.parts, rest)
        calls = {site.value for part in parts for site in part.sites if site.id_class is IdClass.CALL}
        linker = Linker(self._rules, calls=calls, minted=self._minted)
        patterns = [_pattern(part.sites, [linker.token(site) for site in part.sites]) for part in parts]
        found = [_emptied(part, linker.telling, linker.odd) for part in parts]
        hashed = blake2b(digest_size=32)
        for (digest, mentioned), pattern in zip(found[:-1], patterns, strict=False):
            hashed.update(digest + pattern + mentioned)
        return Ending(
            content_digest(hashed.digest(), found[-1][0], patterns[-1] + found[-1][1]),
            frozenset(linker.unexplained),
            any(mentioned for _, mentioned in found),
        )


_LETTERS = {IdClass.CALL: b"c", IdClass.ITEM: b"i", IdClass.BLOB: b"b"}
_FROM_START: Mapping[IdClass, int] = dict.fromkeys(IdClass, 0)
_NO_TOKENS: Sequence[Token | None] = ()


def _pattern(
    found: Sequence[Site], tokens: Iterable[Token | None], *, since: Mapping[IdClass, int] = _FROM_START
) -> bytes:
    """What the IDs of a part mean, as bytes; an ID that the rules leave alone stands for itself."""
    if not found:
        return b""
    return b"".join([_sign(site.value, token, since) for site, token in zip(found, tokens, strict=True)])


def _sign(value: str, token: Token | None, since: Mapping[IdClass, int]) -> bytes:
    if token is None:
        verbatim = value.encode(errors="surrogatepass")
        return b"v%d:%s;" % (len(verbatim), verbatim)
    id_class, meaning = token
    if isinstance(meaning, bytes):
        return b"m%d:%s;" % (len(meaning), meaning)
    return b"%s%d;" % (_LETTERS[id_class], meaning - since[id_class])


_SIGN = re.compile(rb"v(\d+):|m(\d+):|([cib])(-?\d+);")


def refer_back(links: Iterable[bytes]) -> bool:
    """Whether an ID in messages with these links means what stood before the first of them."""
    known: Counter[bytes] = Counter()
    for pattern in links:
        news: Counter[bytes] = Counter()
        for letter, number in _counted(pattern):
            if number + known[letter] < 0:
                return True
            news[letter] = max(news[letter], number + 1)
        known += news
    return False


def _counted(pattern: bytes) -> Iterator[tuple[bytes, int]]:
    """The signs of a pattern that count: those of IDs that a body itself explains."""
    at = 0
    while found := _SIGN.match(pattern, at):
        text = found[1] or found[2]
        at = found.end() + (int(text) + 1 if text else 0)
        if not text:
            yield found[3], int(found[4])


def _emptied(part: Part, telling: Mapping[str, Token], odd: Iterable[str]) -> tuple[bytes, bytes]:
    """The part's digest with every mention of an ID empty, and what its mentions mean, in their order.

    IDs are taken out of running text, so that they are digested out of band like those at their sites.
    """
    ids = frozenset(part.words & telling.keys()) | {id_ for id_ in odd if as_text(id_) in part.blank}
    if not ids:
        return part.digest, b""
    if part.emptied is None or part.emptied[0] != ids:
        part.emptied = ids, *_Emptying(ids).of(part)
    _, digest, mentioned = part.emptied
    return digest, b"".join(_sign(id_, telling[id_], _FROM_START) for id_ in mentioned)


class _Emptying:
    """Takes some IDs out of the texts of one part."""

    def __init__(self, ids: frozenset[str]) -> None:
        self._mentions = Mentions(ids)
        self._ordinal = 0
        self._places: list[tuple[int, int]] = []
        self._found: list[str] = []

    def of(self, part: Part) -> tuple[bytes, tuple[str, ...]]:
        """The digest of what is left, and the IDs that stood there."""
        value = jsontext.loads(part.blank, left_out=LeftOut())
        left = jsontext.dumps(with_texts(value, self._without_mentions), sort_keys=True)
        if not self._found:
            return part.digest, ()
        return content_digest(left, part.places, repr(self._places).encode()), tuple(self._found)

    def _without_mentions(self, text: str) -> str:
        self._ordinal += 1
        taken_out = 0  # places count in the text that is left, which is the same however long the IDs are
        for found in self._mentions.find(text):
            self._places.append((self._ordinal, found.start() - taken_out))
            self._found.append(found[0])
            taken_out += len(found[0])
        return self._mentions.replaced(text, lambda _: "")
