"""What the responses of a tape gave out: the IDs that later requests point to, and what each of them means.

A handle stands for the exchange that minted it, so that two conversations in which the user says "yes" after
different answers are two. What a request names itself, its response merely repeats. Only a conversation that
a request goes on with is another one afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

from amberfork_cli.core.ids.id_rules import IdClass, Role, sites
from amberfork_cli.core.tape import JsonValue

_READS = frozenset({"GET", "HEAD"})
_CONVERSATIONS = frozenset({"threads", "conversations"})
_STREAMED_ID = re.compile(r'"(id|call_id|container_id)"\s*:\s*"([^"\\]+)"')


class MintedIds(Mapping[str, tuple[bytes, ...]]):
    """The IDs that the responses so far gave out, each with what it means.

    A meaning is the fingerprint of the exchange, a blank, and which of the IDs of its response it was.
    A call ID that one response gave to several calls has several meanings. Where several responses gave out
    the same ID, the one that the request goes on from counts (`go_on_from`), else the latest.
    """

    def __init__(self) -> None:
        self._known: dict[str, _Minting] = {}
        self._again: dict[str, dict[int, tuple[bytes, ...]]] = {}
        self._opened: dict[str, int] = {}
        self._from: int | None = None

    def __getitem__(self, value: str) -> tuple[bytes, ...]:
        meanings = self._known[value][1]
        again = self._again.get(value)
        return again.get(self._from, meanings) if again and self._from is not None else meanings

    def __contains__(self, value: object) -> bool:
        return value in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def minter(self, value: str) -> int | None:
        """The number of the exchange whose response gave that ID out, where one did."""
        minting = self._known.get(value)
        return minting[0] if minting else None

    def giver(self, value: str) -> int | None:
        """The number of the exchange whose response gave that ID out first, though others went on with it."""
        return self._opened.get(value, self.minter(value))

    def go_on_from(self, number: int | None) -> None:
        """Say which exchange the request continues that is read next."""
        self._from = number

    def take(
        self, number: int, by: str, given: Iterable[tuple[IdClass, str]], *, but: Collection[str]
    ) -> None:
        """Learn what the response of an exchange gave out, but for what its request named itself."""
        counts = dict.fromkeys(IdClass, 0)
        meanings: dict[str, list[bytes]] = {}
        for id_class, value in given:
            if value in but or (id_class is not IdClass.CALL and value in meanings):
                continue
            meaning = f"{by} {id_class} {counts[id_class]}".encode()
            meanings.setdefault(value, []).append(meaning)
            counts[id_class] += 1
        for value, several in meanings.items():
            minting = number, tuple(several)
            if value in self._known:
                self._again.setdefault(value, dict([self._known[value]])).update([minting])
            self._known[value] = minting

    def move_on(self, number: int, by: str, conversations: Iterable[str]) -> None:
        """Learn that a request went on with those conversations."""
        for value in conversations:
            opener = self.giver(value)
            self._opened[value] = number if opener is None else opener
            self._known[value] = number, (f"{by} conversation".encode(),)


_Minting: TypeAlias = tuple[int, tuple[bytes, ...]]


def path_ids(path: str) -> list[str]:
    """The segments of a URL path, any of which may be an ID."""
    return path.partition("?")[0].split("/")


def conversations_of(method: str, path: str) -> list[str]:
    """The conversations that a URL path names and the request may add to."""
    segments = path_ids(path)
    if method.upper() in _READS:
        return []
    return [value for kind, value in pairwise(segments) if kind in _CONVERSATIONS]


def given_out(answer: JsonValue) -> Iterator[tuple[IdClass, str]]:
    """The IDs that a response body of JSON gives out, in their order: its calls and its handles.

    A list is one of events, and gives out each ID once.
    """
    found = sites(answer, response=True)
    calls = {site.value for site in found if site.role is Role.DECLARES}
    given = (
        (site.id_class, site.value)
        for site in found
        if site.role is Role.DECLARES or (site.id_class is IdClass.ITEM and site.value not in calls)
    )
    yield from dict.fromkeys(given) if isinstance(answer, list) else given


def given_out_by_stream(text: str) -> Iterator[tuple[IdClass, str]]:
    """The IDs that the text of an event stream gives out, each once."""
    found = dict.fromkeys(_STREAMED_ID.findall(text))
    calls = {value for name, value in found if name == "call_id"}
    given = {value: IdClass.CALL if value in calls else IdClass.ITEM for _, value in found}
    for value, id_class in given.items():
        yield id_class, value
