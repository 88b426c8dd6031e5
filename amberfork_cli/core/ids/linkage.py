"""Which ID means which call: every site of a body gets the token of what it stands for.

Occurrence counts, not the text of an ID. Some servers start again at every turn (`exec_0`), some send one
constant, some nothing at all, and still two runs must compare by what answers what. So each declaration is a
call of its own, and a result answers the earliest call of its ID that has no answer yet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from amberfork_cli.core.ids.id_rules import CLASSES, IdClass, IdRules, Role, Site

Token: TypeAlias = tuple[IdClass, "int | bytes"]
"""What an ID stands for: a number within its class or, on a tape, the exchange that minted it."""

Minted: TypeAlias = Mapping[str, tuple[bytes, ...]]
"""What each ID means that earlier responses gave out: several things where it names several calls."""

_LEAST_TEXT_ID = 8
_RUN = "[A-Za-z0-9_-]"
_WORD = re.compile(r"[a-z]+([_.\-:][a-z]+)*([_.\-:]?\d{1,3})?")
_HAS_DIGIT = re.compile(r"[0-9]")
_ONE_RUN = re.compile(rf"{_RUN}*")
_LONG_RUN = re.compile(rf"{_RUN}{{{_LEAST_TEXT_ID},}}")
_HAS_BOTH_CASES = re.compile(r"(?=.*[a-z])(?=.*[A-Z])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Links:
    """What the sites of one body mean.

    `tokens` go with the sites, one each, `None` where the rules leave a site's class alone. `orphans` are the
    tokens of references whose declaration is not in the body, with the ID that stands there. `telling` maps
    each ID that may be looked for in running text to its token.
    """

    tokens: tuple[Token | None, ...]
    orphans: Mapping[Token, str]
    telling: Mapping[str, Token]


def link(sites: Iterable[Site], rules: IdRules = IdRules.ALL) -> Links:
    """The token of each site, numbered from 0 in each class in the order of the sites."""
    sites = tuple(sites)
    linker = Linker(rules, calls={site.value for site in sites if site.id_class is IdClass.CALL})
    tokens = tuple(linker.token(site) for site in sites)
    return Links(
        tokens, {(IdClass.CALL, number): value for value, number in linker.orphans.items()}, linker.telling
    )


@lru_cache(maxsize=4096)
def tells(value: str) -> bool:
    """Whether an ID can be told from a word of running text: long enough, and no plain word with a number."""
    if len(value) < _LEAST_TEXT_ID or _WORD.fullmatch(value):
        return False
    return bool(_HAS_DIGIT.search(value) or _HAS_BOTH_CASES.match(value))


def token_text(token: Token) -> str:
    """The token as it stands in a canonical body: at most 40 characters, which every provider accepts."""
    return f"__amberfork_{token[0].value}_{token[1]!s}__"


class Mentions:
    """Finds IDs in running text where they stand whole, in time that does not grow with their number."""

    def __init__(self, telling: Collection[str]) -> None:
        self._telling = telling
        odd = sorted((value for value in telling if not _ONE_RUN.fullmatch(value)), key=len, reverse=True)
        alternatives = "|".join(map(re.escape, odd))
        self._pattern = (
            re.compile(rf"(?<!{_RUN})(?:{alternatives})(?!{_RUN})|{_LONG_RUN.pattern}") if odd else _LONG_RUN
        )

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Each place where an ID stands, from left to right."""
        if self._telling:
            yield from (found for found in self._pattern.finditer(text) if found[0] in self._telling)

    def replaced(self, text: str, change: Callable[[str], str]) -> str:
        """The text with each ID changed."""
        pieces: list[str] = []
        end = 0
        for found in self.find(text):
            pieces += (text[end : found.start()], change(found[0]))
            end = found.end()
        return "".join(pieces) + text[end:] if pieces else text


class Linker:
    """The IDs of one body as they come by, in the order in which they are numbered.

    `calls` are the IDs that a call has anywhere in the body: a handle or blob with such a text points to the
    call. `minted` explains what the body itself does not declare; `asked` are the IDs that were looked up
    there, each with what was found. `telling` and `orphans` are as in `Links`; `odd` are telling IDs that
    `Part.words` leaves out; `unexplained` are the handles and orphans that nothing explains. `doubtful` says
    that a call's ID was taken for a handle or blob before: then all must be linked again.
    """

    def __init__(self, rules: IdRules, *, calls: set[str], minted: Minted | None = None) -> None:
        self.calls = calls
        self.asked: dict[str, tuple[bytes, ...]] = {}
        self.orphans: dict[str, int] = {}
        self.telling: dict[str, Token] = {}
        self.odd: set[str] = set()
        self.unexplained: set[str] = set()
        self.doubtful = False
        self._rules = rules
        self._classes = CLASSES[rules]
        self._minted = minted if minted is not None else {}
        self._others: set[str] = set()
        self._declared: dict[str, list[int]] = {}
        self._answered: dict[str, int] = {}
        self._values: dict[IdClass, dict[str, int]] = {id_class: {} for id_class in IdClass}
        self._numbers = 0

    def copy(self) -> Linker:
        """A linker that has seen the same IDs and goes its own way from here."""
        twin = Linker(self._rules, calls=set(self.calls), minted=self._minted)
        twin.asked, twin.orphans = self.asked.copy(), self.orphans.copy()
        twin.telling = self.telling.copy()
        twin.odd, twin.unexplained = self.odd.copy(), self.unexplained.copy()
        twin.doubtful = self.doubtful
        twin._others = self._others.copy()
        twin._declared = {value: numbers.copy() for value, numbers in self._declared.items()}
        twin._answered = self._answered.copy()
        twin._values = {id_class: known.copy() for id_class, known in self._values.items()}
        twin._numbers = self._numbers
        return twin

    def stands(self) -> bool:
        """Whether the tape still explains what was asked as it did then."""
        return all(self._minted.get(value, ()) == answer for value, answer in self.asked.items())

    def tokens(self, sites: Sequence[Site]) -> list[Token | None]:
        """What the sites of one more part stand for."""
        self.calls.update([site.value for site in sites if site.id_class is IdClass.CALL])
        return [self.token(site) for site in sites]

    def token(self, site: Site) -> Token | None:
        """What that site stands for, or None where the rules leave its class alone."""
        id_class, role, value = site.id_class, site.role, site.value
        if id_class is IdClass.CALL:
            self.doubtful = self.doubtful or value in self._others
        elif value in self.calls:
            id_class, role = IdClass.CALL, Role.POINTS
        else:
            self._others.add(value)
        if id_class not in self._classes:
            return None
        if id_class is IdClass.CALL and role is not Role.VALUE:
            return id_class, self._call(role, value)
        return id_class, self._handle(value) if role is Role.POINTS else self._by_value(id_class, value)

    def _handle(self, value: str) -> int | bytes:
        meanings = self._ask(value)
        if not meanings:
            self.unexplained.add(value)
            return self._by_value(IdClass.ITEM, value)
        self._tell(value, (IdClass.ITEM, meanings[0]))
        return meanings[0]

    def _by_value(self, id_class: IdClass, value: str) -> int:
        known = self._values[id_class]
        if value not in known:
            known[value] = len(known)
            if id_class is IdClass.ITEM:
                self._tell(value, (id_class, known[value]))
        return known[value]

    def _call(self, role: Role, value: str) -> int | bytes:
        if role is Role.DECLARES:
            return self._declare(value)
        declared = self._declared.get(value)
        meanings = () if declared else self._ask(value)
        candidates = declared or meanings
        if not candidates:
            return self._orphan(value)
        if len(meanings) == 1:
            self._tell(value, (IdClass.CALL, meanings[0]))
        return candidates[-1 if role is Role.POINTS else self._answer(value, len(candidates))]

    def _answer(self, value: str, calls: int) -> int:
        """Which call of that ID a result answers: the earliest that has no answer yet, else the last."""
        answered = self._answered.get(value, 0)
        self._answered[value] = min(answered + 1, calls)
        return min(answered, calls - 1)

    def _declare(self, value: str) -> int:
        orphan = self.orphans.pop(value, None)
        self.unexplained.discard(value)
        number = self._next() if orphan is None else orphan
        if value in self._declared or self.asked.get(value):
            self.odd.discard(value)
            self.telling.pop(value, None)  # it names two calls: nobody can say which one a text means
        else:
            self._tell(value, (IdClass.CALL, number))
        if value not in self._declared:
            self._answered.pop(value, None)  # those answered calls of the tape
        self._declared.setdefault(value, []).append(number)
        return number

    def _orphan(self, value: str) -> int:
        if value not in self.orphans:
            self.orphans[value] = self._next()
            self.unexplained.add(value)
            self._tell(value, (IdClass.CALL, self.orphans[value]))
        return self.orphans[value]

    def _ask(self, value: str) -> tuple[bytes, ...]:
        if value not in self.asked:
            self.asked[value] = self._minted.get(value, ())
        return self.asked[value]

    def _tell(self, value: str, token: Token) -> None:
        if self._rules is not IdRules.SEED and tells(value):
            self.telling[value] = token
            if not _ONE_RUN.fullmatch(value) or (value.isalpha() and value.istitle()):
                self.odd.add(value)

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers - 1
