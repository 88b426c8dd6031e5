"""References that mean other things on the two sides, and in words what each of them means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from amberfork_cli.core.compare.reading import Element, Id, Reading
from amberfork_cli.core.compare.report import Difference, Kind, Words, ours, plain, quoted
from amberfork_cli.core.compare.words import call_words
from amberfork_cli.core.dialects.model import ToolCall, ToolResult
from amberfork_cli.core.ids.id_rules import Role
from amberfork_cli.core.ids.linkage import Token
from amberfork_cli.core.paths import Path, to_text


class Links:
    """Tells of references that stand at one place of two bodies and mean different things."""

    def __init__(self, old: Reading, new: Reading) -> None:
        self._old, self._new = _Meant(old, "recorded #"), _Meant(new, "#")

    def link(
        self, old: Id, new: Id, old_at: Element | None = None, new_at: Element | None = None
    ) -> Difference:
        """The difference; the IDs' paths lead from the messages, or from the bodies where there are none."""
        before, after = (at.result_at(one.path) if at else None for at, one in ((old_at, old), (new_at, new)))
        old_path, new_path = (
            (*(at.path if at else ()), *one.path) for at, one in ((old_at, old), (new_at, new))
        )
        words = self._old.words(old, old_path, before), self._new.words(new, new_path, after)
        if plain(words[0]) == plain(words[1]):
            words = self._old.placed(words[0], before), self._new.placed(words[1], after)
        return Difference(
            Kind.ORPHAN if old.orphan is not new.orphan else Kind.LINK,
            new.path if new_at and not (before or after) else (),
            old_path,
            new_path,
            recorded_words=words[0],
            reissued_words=words[1],
        )

    def of_other_exchanges(self, partner: Callable[[int], int | None]) -> Iterator[Difference]:
        """References at one place that exchanges gave out which are not each other's partners.

        The bodies are the same but for what their IDs mean.
        """
        there = dict(self._new.references())
        for path, old in self._old.references():
            new = there.get(path)
            minters = old.minter, new.minter if new else None
            if new is not None and minters[0] != (None if minters[1] is None else partner(minters[1])):
                words = self._old.words(old, path, None), self._new.words(new, path, None)
                yield Difference(
                    Kind.LINK, path, path, path, recorded_words=words[0], reissued_words=words[1]
                )


class _Meant:
    """What the IDs of one body mean; `tape` stands before the numbers of its exchanges."""

    def __init__(self, reading: Reading, tape: str) -> None:
        self._reading, self._tape = reading, tape

    def references(self) -> Iterator[tuple[Path, Id]]:
        """Each reference with its path from the body."""
        return ((path, one) for path, one in self._ids() if one.role is not Role.DECLARES)

    def words(self, one: Id, path: Path, result: ToolResult | None) -> Words:
        """What an ID means: a call with its arguments, another place, another exchange."""
        if one.orphan:
            return (ours("a call that nobody made"),)
        if result is not None:
            return call_words(result.answers) if result.answers else (ours("a call of an earlier response"),)
        if one.minter is not None and isinstance(one.token[1], bytes):
            return (ours(f"{_which(one.token[1])} of {self._tape}{one.minter}"),)
        first = self._firsts.get(one.token, path)
        return (ours("a new one"),) if first == path else (ours("the one of "), quoted(to_text(first[:2])))

    def placed(self, words: Words, result: ToolResult | None) -> Words:
        """The words with where the call stands that they name, if it is in this body."""
        call = result.answers if result else None
        return (*words, ours(f" of {to_text(call.path)}")) if call and self._holds(call) else words

    def _holds(self, call: ToolCall) -> bool:
        return bool(self._reading.name) and call.path[:1] == (self._reading.name,)

    @cached_property
    def _firsts(self) -> dict[Token, Path]:
        """Where each meaning stands first."""
        firsts: dict[Token, Path] = {}
        for path, one in self._ids():
            firsts.setdefault(one.token, path)
        return firsts

    def _ids(self) -> Iterator[tuple[Path, Id]]:
        for element in self._reading.elements:
            yield from (((*element.path, *one.path), one) for one in element.ids)
        yield from ((one.path, one) for one in self._reading.rest_ids)


def _which(minted: bytes) -> str:
    """Which of the IDs of a response one was, counted from 1."""
    _, kind, *number = minted.decode().split(" ")
    return f"ID {int(number[0]) + 1}" if number else f"the {kind}"
