"""What differs between the methods and URLs of two requests: what their fingerprints cover, and no more.

The order of a query says nothing, credentials in it are never told, and an ID of a path that a response of
the tape gave out is another one in every run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.report import MISSING, Difference, Kind, Origin, Side, Spot
from amberfork_cli.core.ids.fingerprint import query_pairs
from amberfork_cli.core.ids.linkage import Minted
from amberfork_cli.core.ids.minted import path_ids
from amberfork_cli.core.tape import JsonValue, Request


def endpoint_text(request: Request) -> str:
    """Method and path as a display shows them, without the query, which may hold a key."""
    return f"{request.method.upper()} {_bare(request.path)}".strip()


def endpoint_findings(old: Request, new: Request, minted: tuple[Minted, Minted]) -> list[Finding]:
    """The differences of method, path and query; `minted` are the IDs that each tape gave out."""
    found = []
    if old.method.upper() != new.method.upper():
        found.append(_setting("method", Difference(Kind.VALUE, (), (), (), old.method, new.method)))
    if _segments(old.path, minted[0]) != _segments(new.path, minted[1]):
        found.append(_setting("path", Difference(Kind.VALUE, (), (), (), _bare(old.path), _bare(new.path))))
    in_query = tuple(_query_differences(_query(old.path), _query(new.path)))
    return [*found, _setting("query", *in_query)] if in_query else found


def _setting(label: str, *differences: Difference) -> Finding:
    return Finding(Spot(label, (), differences), Origin.SETTINGS)


def _bare(path: str) -> str:
    return path.partition("?")[0]


def _segments(path: str, minted: Minted) -> list[str | None]:
    return [None if segment in minted else segment for segment in path_ids(path)]


def _query(path: str) -> dict[str, Side]:
    """The values by their names; `null` where a name stands alone, a list where it stands several times."""
    named: dict[str, list[JsonValue]] = defaultdict(list)
    for pair in query_pairs(path):
        name, sign, value = pair.partition("=")
        named[name].append(value if sign else None)
    return {name: values[0] if len(values) == 1 else values for name, values in named.items()}


def _query_differences(old: dict[str, Side], new: dict[str, Side]) -> Iterator[Difference]:
    for name in dict.fromkeys([*old, *new]):
        left, right = old.get(name, MISSING), new.get(name, MISSING)
        if left != right:
            kind = Kind.ADDED if left is MISSING else Kind.REMOVED if right is MISSING else Kind.VALUE
            places = None if left is MISSING else (), None if right is MISSING else ()
            yield Difference(kind, (name,), *places, left, right)
