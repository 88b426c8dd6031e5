"""Which ID means which call: every site of a body gets the token of what it stands for.

Occurrence counts, not the text of an ID. Some servers start again at every turn (`exec_0`), some send one
constant, some nothing at all, and still two runs must compare by what answers what. So each declaration is a
call of its own, and a result answers the earliest call of its ID that has no answer yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from amberfork_cli.core.id_rules import CLASSES, IdClass, IdRules, Role, Site

Token: TypeAlias = tuple[IdClass, "int | bytes"]
"""What an ID stands for: a number within its class or, on a tape, the exchange that minted it."""

_LEAST_TEXT_ID = 8
_WORD = re.compile(r"[a-z]+([_.\-:][a-z]+)*([_.\-:]?\d{1,3})?")
_HAS_DIGIT = re.compile(r"[0-9]")
_ONE_RUN = re.compile(r"[A-Za-z0-9_-]*")
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


def mention_pattern(telling: Iterable[str]) -> re.Pattern[str]:
    """What finds those IDs in running text where they stand whole; without IDs it finds nothing."""
    longest_first = "|".join(re.escape(value) for value in sorted(telling, key=len, reverse=True))
    return re.compile(
        rf"(?<![A-Za-z0-9_-])(?:{longest_first})(?![A-Za-z0-9_-])" if longest_first else r"(?!)"
    )


def token_text(token: Token) -> str:
    """The token as it stands in a canonical body: at most 40 characters, which every provider accepts."""
    return f"__amberfork_{token[0].value}_{token[1]!s}__"


class Linker:
    """The IDs of one body as they come by, in the order in which they are numbered.

    `calls` are the IDs that a call has anywhere in the body: a handle or blob with such a text points to the
    call. `minted` maps IDs that earlier responses of the tape gave out to where that was; they explain what
    the body itself does not declare. `telling` and `orphans` are as in `Links`; `odd` are telling IDs with a
    character that could end a word; `unexplained` are the handles and orphans that nothing explains.
    """

    def __init__(self, rules: IdRules, *, calls: set[str], minted: Mapping[str, bytes] | None = None) -> None:
        self.calls = calls
        self.orphans: dict[str, int] = {}
        self.telling: dict[str, Token] = {}
        self.odd: set[str] = set()
        self.unexplained: set[str] = set()
        self._rules = rules
        self._classes = CLASSES[rules]
        self._minted = minted if minted is not None else {}
        self._declared: dict[str, list[int]] = {}
        self._answered: dict[str, int] = {}
        self._values: dict[IdClass, dict[str, int]] = {id_class: {} for id_class in IdClass}
        self._numbers = 0

    def copy(self) -> Linker:
        """A linker that has seen the same IDs and goes its own way from here."""
        twin = Linker(self._rules, calls=set(self.calls), minted=self._minted)
        twin.orphans = self.orphans.copy()
        twin.telling = self.telling.copy()
        twin.odd, twin.unexplained = self.odd.copy(), self.unexplained.copy()
        twin._declared = {value: numbers.copy() for value, numbers in self._declared.items()}
        twin._answered = self._answered.copy()
        twin._values = {id_class: known.copy() for id_class, known in self._values.items()}
        twin._numbers = self._numbers
        return twin

    def counts(self) -> dict[IdClass, int]:
        """How many tokens each class has given out so far."""
        counts = {id_class: len(known) for id_class, known in self._values.items()}
        counts[IdClass.CALL] += self._numbers
        return counts

    def changes_its_mind(self, site: Site) -> bool:
        """Whether that call's ID was taken for a handle or blob before: then all must be linked again."""
        values = self._values
        return site.id_class is IdClass.CALL and (
            site.value in values[IdClass.ITEM] or site.value in values[IdClass.BLOB]
        )

    def token(self, site: Site) -> Token | None:
        """What that site stands for, or None where the rules leave its class alone."""
        id_class, role = site.id_class, site.role
        if id_class is not IdClass.CALL and site.value in self.calls:
            id_class, role = IdClass.CALL, Role.POINTS
        if id_class not in self._classes:
            return None
        if id_class is IdClass.CALL and role is not Role.VALUE:
            return id_class, self._call(role, site.value)
        if role is Role.POINTS and site.value in self._minted:
            return id_class, self._minted[site.value]
        if role is Role.POINTS:
            self.unexplained.add(site.value)
        return id_class, self._by_value(id_class, site.value)

    def _by_value(self, id_class: IdClass, value: str) -> int:
        known = self._values[id_class]
        if value not in known:
            known[value] = len(known)
            if id_class is IdClass.ITEM:
                self._tell(value, (id_class, known[value]))
        return known[value]

    def _call(self, role: Role, value: str) -> int | bytes:
        declared = self._declared.get(value)
        if role is Role.DECLARES:
            return self._declare(value, declared)
        if declared is None:
            return self._minted[value] if value in self._minted else self._orphan(value)
        if role is Role.POINTS:
            return declared[-1]
        answered = self._answered.get(value, 0)
        self._answered[value] = answered + 1
        return declared[min(answered, len(declared) - 1)]

    def _declare(self, value: str, declared: list[int] | None) -> int:
        if declared is not None:
            declared.append(self._next())
            self.odd.discard(value)
            self.telling.pop(value, None)  # declared twice: nobody can say which call a text means
            return declared[-1]
        orphan = self.orphans.pop(value, None)
        self.unexplained.discard(value)
        number = self._next() if orphan is None else orphan
        self._declared[value] = [number]
        self._tell(value, (IdClass.CALL, number))
        return number

    def _orphan(self, value: str) -> int:
        if value not in self.orphans:
            self.orphans[value] = self._next()
            self.unexplained.add(value)
            self._tell(value, (IdClass.CALL, self.orphans[value]))
        return self.orphans[value]

    def _tell(self, value: str, token: Token) -> None:
        if self._rules is not IdRules.SEED and tells(value):
            self.telling[value] = token
            if not _ONE_RUN.fullmatch(value):
                self.odd.add(value)

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers - 1
