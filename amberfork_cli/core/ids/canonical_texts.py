"""Canonical request bodies as JSON text, written once for all requests of a tape that repeat it.

The tokens of a message do not change as its conversation goes on, unless something is said of an ID where
none stands: in running text, or outside the messages. Such bodies are left to `canonicalize`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Self

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.histories import Histories, History
from amberfork_cli.core.ids.id_rules import HISTORIES, IdRules, Site, sites
from amberfork_cli.core.ids.linkage import Linker, Token, token_text
from amberfork_cli.core.ids.mentioning import MentionSearch
from amberfork_cli.core.ids.parts import Part, Parts, with_texts_at
from amberfork_cli.core.ids.rewriting import LOOKALIKE, rewritten
from amberfork_cli.core.jsonwriter import spelled
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_BYTES = 4 << 20
_LOOKALIKE = b"__amberfork_"


class CanonicalTexts:
    """The canonical texts of request bodies, in the order of their tape.

    Messages are known again by their objects: none that was given may be changed before the next body is.
    """

    def __init__(self, rules: IdRules, *, sort_keys: bool = False) -> None:
        self._sort_keys = sort_keys
        self._parts = Parts(rules)
        begin = partial(_Written, rules=rules, sort_keys=sort_keys)
        self._histories = Histories(self._parts, begin, most_bytes=_MOST_BYTES, ordered=not sort_keys)
        self._latest: _Written | None = None

    def of(self, body: JsonValue) -> bytes | None:
        """What `canonicalize` makes of that body, as JSON; `None` where it takes a look at all of it.

        A body with a text that looks like a token is such a case, too.
        """
        name = next((name for name in HISTORIES if isinstance(_member(body, name), list)), "")
        messages = _member(body, name)
        if not isinstance(body, dict) or not isinstance(messages, list) or not messages:
            return None
        rest = {key: value for key, value in body.items() if key != name}
        around = self._parts.of(rest, ())
        if around.sites or _LOOKALIKE in around.text:
            return None
        history = self._histories.of(name, messages)
        if history.needs_a_look(around):
            return None
        self._latest = history
        written = {**body, name: spelled(b"[%b]" % history.canonical)}
        return jsontext.dumps(written, sort_keys=self._sort_keys, finite=True)  # as its parts were before

    def of_answer(self, answer: JsonValue) -> bytes | None:
        """The same for the response body to the request whose text was given last."""
        return self._latest.answered_by(answer) if self._latest else None


class _Written(History):
    """The messages of a conversation so far; `canonical` is their canonical text, without brackets."""

    def __init__(self, name: str, *, rules: IdRules, sort_keys: bool) -> None:
        super().__init__(name)
        self.canonical = b""
        self._rules, self._sort_keys = rules, sort_keys
        self._linker = Linker(rules, calls=set())
        self._mentions = MentionSearch()
        self._first: tuple[Part, int] | None = None
        self._odd = False

    def copy(self) -> Self:
        """A history of the same messages that goes its own way from here."""
        twin = type(self)(self.name, rules=self._rules, sort_keys=self._sort_keys)
        twin.canonical, twin._first, twin._odd = self.canonical, self._first, self._odd
        twin._linker, twin._mentions = self._linker.copy(), self._mentions.copy(self._linker.telling)
        return twin

    def take(self, message: JsonValue, part: Part) -> None:
        """Take in one more message."""
        tokens = self._linker.tokens(part.sites)
        self._mentions.take(part)
        self._odd = self._odd or _LOOKALIKE in part.blank or _left_alone(part.sites, tokens)
        made = with_texts_at(message, _texts(part.sites, tokens))
        text = jsontext.dumps(made, sort_keys=self._sort_keys, finite=True)
        self.canonical = b"%b,%b" % (self.canonical, text) if self._first else text
        self._first = self._first or (part, len(text))
        self.weight += 2 * len(part.text)

    def renew(self, message: JsonValue, part: Part) -> bool:
        """Take another first message in place of the one that there is, unless either has IDs."""
        if self._first is None or part.sites or self._first[0].sites:
            return False
        self._mentions.renew(part)
        self._odd = self._odd or _LOOKALIKE in part.blank
        text = jsontext.dumps(message, sort_keys=self._sort_keys)
        self.canonical = text + self.canonical[self._first[1] :]
        self._first = part, len(text)
        return True

    def answered_by(self, answer: JsonValue) -> bytes | None:
        """The canonical text of a response to these messages, which goes on with their numbers."""
        linker = self._linker.copy()
        found = sites(answer, self._rules, response=True)
        tokens = linker.tokens(found)
        copy = rewritten(answer, found, tokens, telling=linker.telling, text_of=token_text)
        if linker.doubtful or copy.lookalikes:
            return None
        return jsontext.dumps(copy.value, sort_keys=self._sort_keys)

    def needs_a_look(self, around: Part) -> bool:
        """Whether more than where IDs stand decides what becomes of the body that has this around it."""
        linker = self._linker
        mentioned = self._mentions.found(around, linker.telling, linker.odd)
        return self._odd or linker.doubtful or mentioned


def _left_alone(sites: Sequence[Site], tokens: Sequence[Token | None]) -> bool:
    """Whether an ID that the rules leave alone looks like a token."""
    pairs = zip(sites, tokens, strict=True)
    return any(token is None and LOOKALIKE.search(site.value) for site, token in pairs)


def _texts(sites: Sequence[Site], tokens: Sequence[Token | None]) -> dict[Path, str]:
    """What stands at each site in canonical form; the two IDs of a composite are one text."""
    texts: dict[Path, str] = {}
    for site, token in zip(sites, tokens, strict=True):
        text = site.value if token is None else token_text(token)
        texts[site.path] = f"{texts[site.path]}|{text}" if site.part == 2 else text
    return texts


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None
