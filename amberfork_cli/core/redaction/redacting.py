"""Texts with something taken out of them: what is to go, what must stay, and what stands in its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from json import JSONDecodeError, JSONDecoder
from typing import Final, Self, TypeAlias

from amberfork_cli.core.ids.linkage import Mentions, Token
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.redaction.secrets import Secret, secrets_in
from amberfork_cli.errors import OptionError

PATTERN: Final = "REDACTED"
"""What stands for what a user's pattern matched."""

_PLACEHOLDER: Final = re.compile(rf"{PATTERN}(?:_[A-Z]+)*")
_LITERAL: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_DECODE: Final = JSONDecoder(strict=False).decode
_MOST_KNOWN: Final = 200_000  # texts that are remembered as harmless


Find: TypeAlias = Callable[[str], Sequence[Secret]]
"""How the credentials of a text are found."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A stretch of a text that is to go, and what comes in its place; `kind` is how it is counted."""

    start: int
    end: int
    text: str
    kind: str


@dataclass(slots=True)
class Counts:
    """What was taken out, by kind; `in_ids` are matches that were left because they are, or touch, an ID."""

    taken: Counter[str] = field(default_factory=Counter)
    in_ids: int = 0
    in_names: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """What is to go: credentials always, and what the patterns of a user match."""

    patterns: tuple[re.Pattern[str], ...] = ()

    @classmethod
    def parse(cls, patterns: Iterable[str]) -> Self:
        """Regular expressions as a user writes them.

        Raises OptionError for one that is none, or that matches the empty text, which is everywhere.
        """
        return cls(tuple(_compiled(text) for text in patterns))

    def cuts(self, text: str, secrets: Sequence[Secret]) -> list[Cut]:
        """What is to go from a text with those credentials, from left to right, without overlaps."""
        found = [Cut(each.start, each.end, each.instead, each.kind.name) for each in secrets]
        kept = [match.span() for match in _PLACEHOLDER.finditer(text)] if PATTERN in text else []
        for pattern in self.patterns:
            for match in pattern.finditer(text):
                start, end = match.span()
                if start < end and not any(start < stop and begin < end for begin, stop in kept):
                    found.append(Cut(start, end, PATTERN, "pattern"))
        return _apart(found)


class Redactor:
    """Redacts one text after the other; what is found is counted, what is harmless is remembered."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.counts = rules, Counts()
        self._harmless: set[int] = set()
        self._telling: Callable[[], Mapping[str, Token]] = dict
        self._mentions: Mentions | None = None

    def protect(self, telling: Callable[[], Mapping[str, Token]]) -> None:
        """Leave these IDs alone wherever they stand whole in a text, and no others, from now on.

        They are asked for when something is to go: most exchanges hold nothing.
        """
        self._telling, self._mentions = telling, None

    def text(self, text: str, *, find: Find = secrets_in) -> str:
        """The text without what is to go; JSON in it is looked into, whatever its escapes."""
        return text if self._is_known(text, find) else self._redacted(text, find)[0]

    def touches(self, text: str, *, find: Find = secrets_in) -> bool:
        """Whether anything in a text is to go, were it not for the IDs in it; nothing is counted."""
        if self._is_known(text, find):
            return False
        counts, self.counts = self.counts, Counts()
        harmless = self._redacted(text, find)[1]
        self.counts = counts
        return not harmless

    def cuts(self, text: str) -> list[Cut]:
        """What is to go from a text, around the IDs in it."""
        return self._spared(text, self.rules.cuts(text, secrets_in(text)))

    def _is_known(self, text: str, find: Find) -> bool:
        return find is secrets_in and hash(text) in self._harmless

    def _redacted(self, text: str, find: Find) -> tuple[str, bool]:
        """The text without what is to go, and whether there was nothing, in IDs neither."""
        found, in_ids = self.rules.cuts(text, find(text)), self.counts.in_ids
        made = self._literals(self._cut(text, self._spared(text, found)))
        harmless = not found and made == text and self.counts.in_ids == in_ids
        if harmless and find is secrets_in:
            if len(self._harmless) >= _MOST_KNOWN:
                self._harmless.clear()
            self._harmless.add(hash(text))
        return made, harmless

    def _spared(self, text: str, found: list[Cut]) -> list[Cut]:
        """The cuts without the IDs in them."""
        if not found:
            return found
        if self._mentions is None:
            self._mentions = Mentions(self._telling())
        spans = [match.span() for match in self._mentions.find(text)]
        return [part for cut in found for part in self._around(cut, spans)] if spans else found

    def _around(self, cut: Cut, spans: Sequence[tuple[int, int]]) -> Iterator[Cut]:
        """The parts of a cut that are no ID."""
        inside = [(begin, end) for begin, end in spans if begin < cut.end and cut.start < end]
        self.counts.in_ids += bool(inside)
        at = cut.start
        for begin, end in inside:
            if at < begin:
                yield Cut(at, begin, cut.text, cut.kind)
            at = max(at, end)
        if at < cut.end:
            yield Cut(at, cut.end, cut.text, cut.kind)

    def _cut(self, text: str, cuts: Sequence[Cut]) -> str:
        self.counts.taken.update(cut.kind for cut in cuts)
        return without(text, cuts)

    def _literals(self, text: str) -> str:
        """The text with the strings of JSON in it redacted as what they spell: escapes hide a name."""
        if "\\" not in text or text.lstrip()[:1] not in ("{", "["):
            return text
        return _LITERAL.sub(self._literal, text)

    def _literal(self, found: re.Match[str]) -> str:
        if "\\" not in found[0]:
            return found[0]
        try:
            value = _DECODE(found[0])
        except JSONDecodeError:
            return found[0]
        made = self.text(value)
        return found[0] if made == value else dumps(made).decode(errors="surrogatepass")


def without(text: str, cuts: Iterable[Cut]) -> str:
    """The text with those cuts made."""
    pieces, end = [], 0
    for cut in cuts:
        pieces += [text[end : cut.start], cut.text]
        end = cut.end
    return "".join([*pieces, text[end:]]) if end else text


def across(pieces: Sequence[str], cuts: Iterable[Cut]) -> list[str]:
    """The pieces of a text with cuts of the whole made: what comes in goes where a cut begins."""
    made, starts, at = [""] * len(pieces), [], 0
    for piece in pieces:
        starts.append(at)
        at += len(piece)
    bounds = [*cuts]
    for number, (piece, start) in enumerate(zip(pieces, starts, strict=True)):
        end, inner = start + len(piece), []
        for cut in bounds:
            if cut.start < end and start < cut.end:
                begins = start <= cut.start
                inner.append(
                    Cut(
                        max(cut.start - start, 0),
                        min(cut.end, end) - start,
                        cut.text if begins else "",
                        cut.kind,
                    )
                )
        made[number] = without(piece, inner)
    return made


def _compiled(text: str) -> re.Pattern[str]:
    try:
        pattern = re.compile(text)
        everywhere = pattern.search("") is not None
    except (re.error, OverflowError, RecursionError) as error:
        raise OptionError(f"the pattern {text!r} is no regular expression: {error}") from None
    if everywhere:
        raise OptionError(f"the pattern {text!r} matches the empty text, which is everywhere")
    return pattern


def _apart(found: Collection[Cut]) -> list[Cut]:
    """The same without overlaps: where two meet, one that takes both, in the words of the first."""
    order = {id(cut): at for at, cut in enumerate(found)}
    apart: list[Cut] = []
    for cut in sorted(found, key=lambda each: (each.start, order[id(each)])):
        if not apart or cut.start >= apart[-1].end:
            apart.append(cut)
            continue
        last = apart[-1]
        first = cut if cut.kind != "pattern" and last.kind == "pattern" else last
        apart[-1] = Cut(last.start, max(last.end, cut.end), first.text, first.kind)
    return apart
