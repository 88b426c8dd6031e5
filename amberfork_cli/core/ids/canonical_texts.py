"""Canonical request bodies as JSON text, written once for all requests of a tape that repeat it.

The tokens of a message do not change as its conversation goes on, unless something is said of an ID where
none stands: in running text, or outside the messages. Such bodies are left to `canonicalize`.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.id_rules import HISTORIES, IdRules, Path, Site
from amberfork_cli.core.ids.linkage import Linker, Token, token_text
from amberfork_cli.core.ids.mentioning import MentionSearch
from amberfork_cli.core.ids.parts import Part, Parts, with_texts_at
from amberfork_cli.core.ids.rewriting import LOOKALIKE
from amberfork_cli.core.jsonwriter import spelled
from amberfork_cli.core.tape import JsonValue

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST = 16  # conversations that may be interleaved
_MOST_BYTES = 4 << 20
_LOOKALIKE = b"__amberfork_"


class CanonicalTexts:
    """The canonical texts of request bodies, in the order of their tape.

    Messages are known again by their objects: none that was given may be changed before the next body is.
    """

    def __init__(self, rules: IdRules, *, sort_keys: bool = False) -> None:
        self._rules, self._sort_keys = rules, sort_keys
        self._parts = Parts(rules)
        self._histories: list[_History] = []

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
        history = self._history(name, messages)
        if history.needs_a_look(around):
            return None
        written = {**body, name: spelled(b"[%b]" % history.text)}
        return jsontext.dumps(written, sort_keys=self._sort_keys)

    def _history(self, name: str, messages: list[JsonValue]) -> _History:
        """The history that these messages go on with, or a new one, with all of them taken in."""
        begun = [history for history in self._histories if history.goes_on(name, messages)]
        history = max(begun, key=lambda one: len(one.messages), default=None) or _History(name, self._rules)
        for message in messages[len(history.messages) :]:
            history.take(message, self._parts.of(message, (name, 0)), sort_keys=self._sort_keys)
        self._histories = [history, *[one for one in self._histories if one is not history][: _MOST - 1]]
        while len(self._histories) > 1 and sum(len(one.text) for one in self._histories) > _MOST_BYTES:
            self._histories.pop()
        return history


class _History:
    """The messages of a conversation so far, and their canonical text without brackets."""

    def __init__(self, name: str, rules: IdRules) -> None:
        self.name = name
        self.messages: list[JsonValue] = []
        self.text = b""
        self._linker = Linker(rules, calls=set())
        self._mentions = MentionSearch()
        self._odd = False

    def goes_on(self, name: str, messages: list[JsonValue]) -> bool:
        """Whether messages begin with the very objects of this history."""
        own = self.messages
        return (
            own[0] is messages[0]
            and len(own) <= len(messages)
            and self.name == name
            and all(map(is_, own, messages))
        )

    def take(self, message: JsonValue, part: Part, *, sort_keys: bool) -> None:
        """Take in one more message."""
        tokens = self._linker.tokens(part.sites)
        self._mentions.take(part, self._linker.telling)
        self._odd = self._odd or _LOOKALIKE in part.blank or _left_alone(part.sites, tokens)
        made = with_texts_at(message, _texts(part.sites, tokens))
        text = jsontext.dumps(made, sort_keys=sort_keys)
        self.text = b"%b,%b" % (self.text, text) if self.messages else text
        self.messages.append(message)

    def needs_a_look(self, around: Part) -> bool:
        """Whether more than where IDs stand decides what becomes of the body that has this around it."""
        linker = self._linker
        mentioned = self._mentions.with_rest(around, linker.telling, linker.odd)
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
