"""How well IDs of recorded traffic are set aside: none missed, none invented, no other change hidden.

    python benchmarks/canonical_on_corpus.py [CORPUS]

CORPUS holds `*.jsonl.gz`, one exchange a line: `source`, `api`, `request`, and `gold`, which labels by hand
what is an ID in the request; and `natural_pairs.jsonl`, pairs of sources that record one turn twice. Every
labelled ID is minted anew, one to one, and what was equal must stay equal, as a canonical body and by its
fingerprint; then single values are changed and results swapped, and what differs must differ. Exits 1 where
any figure is not what it should be, and says at which exchange.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import string
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path as FilePath
from typing import Any

from measuring import table

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.canonical import canonicalize
from amberfork_cli.core.ids.fingerprint import fingerprint
from amberfork_cli.core.ids.id_rules import IdClass, IdRules, sites
from amberfork_cli.core.ids.linkage import link, tells
from amberfork_cli.core.paths import from_pointer, resolve, to_pointer
from amberfork_cli.core.tape import Body, Exchange, Request

Json = Any

GOLD = {"call": IdClass.CALL, "item": IdClass.ITEM, "blob": IdClass.BLOB}
RESULT_KEYS = {"tool_call_id", "toolUseId", "tool_use_id", "call_id", "id"}
RESULT_TYPES = ("_output", "_result")
RESULT_HOLDERS = {"toolResult", "functionResponse", "function_response", "functionResponses"}
MOST_SWAPS = 5
HEADS = [
    *("API", "exchanges", "seed, calls", "calls", "all classes", "labelled", "missed", "extra"),
    *("changes seen", "swaps seen", "undeclared", "natural pairs"),
]


@dataclass(slots=True)
class Figures:
    """What was counted for one API, and what is not as it should be."""

    count: Counter[str] = field(default_factory=Counter)
    odd: list[str] = field(default_factory=list)

    def expect(self, name: str, truth: bool, source: str) -> None:
        """Count a check of that name, and keep where it failed."""
        self.count[name] += 1
        self.count[f"{name} ok"] += truth
        if not truth:
            self.odd.append(f"{name}: {source}")

    def share(self, name: str) -> str:
        """How many of the checks of that name went well."""
        return f"{self.count[f'{name} ok']}/{self.count[name]}" if self.count[name] else ""


def main() -> int:
    """Measure, and print a table and whatever is odd."""
    parser = argparse.ArgumentParser(description="Measure canonicalization on recorded traffic.")
    parser.add_argument("corpus", nargs="?", type=FilePath, default=FilePath("../shared/corpus"))
    parser.add_argument("--changes", type=int, default=6, help="how many values to change in each request")
    parser.add_argument("--seed", type=int, default=1, help="which values, and which fresh IDs")
    options = parser.parse_args()
    files = sorted(options.corpus.glob("*.jsonl.gz"))
    if not files:
        print(f"no corpus at {options.corpus}: nothing was measured", file=sys.stderr)
        return 2
    draw = random.Random(options.seed)
    figures: dict[str, Figures] = defaultdict(Figures)
    bodies: dict[str, Json] = {}
    for line in lines(files):
        bodies[line["source"]] = line["request"]["body"]
        measure(figures[line["api"]], line, draw, changes=options.changes)
    measure_pairs(figures, options.corpus / "natural_pairs.jsonl", bodies)
    print(table(HEADS, [row(api, each) for api, each in [*figures.items(), ("all", total(figures))]]))
    odd = [f"{api}: {text}" for api, each in figures.items() for text in each.odd]
    print(*odd, sep="\n", end="\n" if odd else "")
    return 1 if odd else 0


def lines(files: list[FilePath]) -> Iterator[dict[str, Json]]:
    """Every exchange of the corpus."""
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            yield from map(json.loads, stream)


def measure(figures: Figures, line: Mapping[str, Json], draw: random.Random, *, changes: int) -> None:
    """All that one exchange can show."""
    body, gold, source = line["request"]["body"], line["gold"], line["source"]
    calls = {pointer: name for pointer, name in gold.items() if name == "call"}
    if calls:
        minted = reminted(body, calls, draw)
        figures.count["seed"] += 1
        figures.count["seed ok"] += same(body, minted, IdRules.SEED)
        figures.expect("calls", same(body, minted, IdRules.CALLS), source)
    if gold:
        figures.expect("all", same(body, reminted(body, gold, draw), IdRules.ALL), source)
    measure_sites(figures, body, gold, source)
    leaves = [path for path in paths(body) if to_pointer(path) not in gold]
    for path in draw.sample(leaves, min(changes, len(leaves))):
        seen = differ(body, changed(body, path))
        figures.expect("changes", seen, f"{source} {to_pointer(path)}")
    measure_swaps(figures, body, calls, source)
    figures.count["exchanges"] += 1


def measure_sites(figures: Figures, body: Json, gold: Mapping[str, str], source: str) -> None:
    """What is labelled must be a site, and nothing else may be one."""
    found = sites(body)
    tokens = link(found).tokens
    taken = {to_pointer(site.path) for site, token in zip(found, tokens, strict=True) if token is not None}
    figures.count["labelled"] += len(gold)
    for name, pointers in (("missed", gold.keys() - taken), ("extra", taken - gold.keys())):
        figures.count[name] += len(pointers)
        figures.odd += [f"{name}: {source} {pointer}" for pointer in sorted(pointers)]


def measure_swaps(figures: Figures, body: Json, calls: Mapping[str, str], source: str) -> None:
    """Two results answer each other's call: seen, unless the body declares one of the calls nowhere."""
    results = [pointer for pointer in calls if is_result(body, from_pointer(pointer))]
    declared = {at(body, pointer) for pointer in calls.keys() - set(results)}
    pairs = [(a, b) for a, b in combinations(results, 2) if at(body, a) != at(body, b)]
    for one, other in pairs[:MOST_SWAPS]:
        if not {at(body, one), at(body, other)} <= declared:
            figures.count["undeclared"] += 1
            continue
        swapped = deepcopy(body)
        put(swapped, one, at(body, other))
        put(swapped, other, at(body, one))
        figures.expect("swaps", differ(body, swapped), f"{source} {one} {other}")


def measure_pairs(figures: Mapping[str, Figures], file: FilePath, bodies: Mapping[str, Json]) -> None:
    """Two recordings of one turn are the same."""
    for text in file.read_text(encoding="utf-8").splitlines():
        pair = json.loads(text)
        equal = same(bodies[pair["a"]], bodies[pair["b"]], IdRules.ALL)
        figures[pair["api"]].expect("pairs", equal, f"{pair['a']} {pair['b']}")


def same(one: Json, other: Json, rules: IdRules) -> bool:
    """Whether two bodies are one under those rules, both by their canonical form and by their fingerprint."""
    first, second = (canonicalize(body, rules=rules).value for body in (one, other))
    return jsontext.same(first, second) and digest(one, rules) == digest(other, rules)


def differ(one: Json, other: Json) -> bool:
    """Whether two bodies differ, both by their canonical form and by their fingerprint."""
    first, second = (canonicalize(body).value for body in (one, other))
    return not jsontext.same(first, second) and digest(one, IdRules.ALL) != digest(other, IdRules.ALL)


def digest(body: Json, rules: IdRules) -> str:
    """The fingerprint of a request with that body."""
    return fingerprint(Exchange(0, Request("POST", "/", body=Body.json(body))), rules=rules)


def reminted(body: Json, gold: Mapping[str, str], draw: random.Random) -> Json:
    """The body with a fresh text for each labelled ID, also where another string mentions it whole."""
    minted = deepcopy(body)
    names: dict[str, str] = {}
    for pointer in gold:
        parts = at(body, pointer).split("|") if is_composite(at(body, pointer)) else [at(body, pointer)]
        put(minted, pointer, "|".join(names.setdefault(part, fresh(part, draw, names)) for part in parts))
    telling = sorted((name for name in names if tells(name)), key=len, reverse=True)
    if not telling:
        return minted
    whole = re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(map(re.escape, telling))})(?![A-Za-z0-9_-])")
    return with_texts(minted, lambda text: whole.sub(lambda found: names[found[0]], text))


def is_composite(text: str) -> bool:
    """Whether a string is a call ID and an item ID with a bar between them."""
    return re.fullmatch(r"call_[^|]*\|fc_[^|]*", text) is not None


def fresh(name: str, draw: random.Random, taken: Mapping[str, str]) -> str:
    """Another ID that can be told from words as well as that one can; an empty ID stays empty."""
    while name:
        drawn = "".join(draw.choices(string.ascii_letters, k=draw.randrange(12, 30)))
        other = name[:5] + drawn + "9Zz" if tells(name) else f"w{draw.randrange(1000)}"
        if other not in taken.values() and tells(other) is tells(name):
            return other
    return name


def with_texts(value: Json, change: Any) -> Json:
    """A copy with `change` made to every string that is a value."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: with_texts(member, change) for key, member in value.items()}
    return [with_texts(item, change) for item in value] if isinstance(value, list) else value


def is_result(body: Json, path: tuple[str, ...]) -> bool:
    """Whether an ID is that of a result, by its key and what stands around it."""
    holder = resolve(body, path[:-1])
    kind = str(holder.get("type", "")) if isinstance(holder, dict) else ""
    around = {step for step in path[-3:-1] if not step.isdigit()}
    if path[-1] == "tool_call_id" or (path[-1] in RESULT_KEYS and around & RESULT_HOLDERS):
        return True
    return path[-1] in ("tool_use_id", "call_id") and kind.endswith(RESULT_TYPES)


def paths(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value that holds no other."""
    if isinstance(value, dict) and value:
        for key, member in value.items():
            yield from paths(member, (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from paths(item, (*path, index))
    else:
        yield path


def changed(body: Json, path: tuple[str | int, ...]) -> Json:
    """The body with another value there, as near to the old one as can be."""
    value = resolve(body, path)
    other: Json = [value]
    if isinstance(value, str):
        other = value + "x"
    elif isinstance(value, bool):
        other = not value
    elif isinstance(value, int):
        other = value + 1
    altered = deepcopy(body)
    put(altered, to_pointer(path), other)
    return altered


def at(body: Json, pointer: str) -> Json:
    """What stands there."""
    return resolve(body, from_pointer(pointer))


def put(body: Json, pointer: str, value: Json) -> None:
    """Put another value there."""
    *before, last = from_pointer(pointer)
    holder = resolve(body, tuple(before))
    holder[int(last) if isinstance(holder, list) else last] = value


def row(api: str, figures: Figures) -> list[str]:
    """One line of the table."""
    count = figures.count
    shares = [figures.share(name) for name in ("seed", "calls", "all")]
    sited = [str(count[name]) for name in ("labelled", "missed", "extra")]
    seen = [
        figures.share("changes"),
        figures.share("swaps"),
        str(count["undeclared"]),
        figures.share("pairs"),
    ]
    return [api, str(count["exchanges"]), *shares, *sited, *seen]


def total(figures: Mapping[str, Figures]) -> Figures:
    """All APIs together."""
    return Figures(sum((each.count for each in figures.values()), Counter()))


if __name__ == "__main__":
    sys.exit(main())
