"""Random changes to a conversation and to its body: such as agents make, and such as nobody foresees."""

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from wire_samples import Call, Id, Mint, Result, Round, Rounds, constant, counted, empty, fresh, restarting

Json = Any
TEXTS = (
    "light rain",
    "ok",
    '{"id": "x", "rows": [1, 2]}',
    '[1, {"a": 3}]',
    '{"rows":[{"n":1},{"n":2}],"t":1.0}',
    "",
)
VALUES = (
    *(None, True, 1, 1.0, 0, -0.0, "", "x", "1", [], {}, [1, 1, 2], 2**70),
    *({"type": "text", "text": "x"}, [{"type": "text", "text": "x"}], '{"a": 1}', '{"a":1}'),
)
KEYS = ("extra", "__x", "a.b", "", "content", "new\nline", "cache_control", "temperature")


def minted(draw: Random) -> Mint:
    """A way in which some host mints its IDs."""
    return draw.choice((fresh(draw.choice("ABQ")), counted(draw.randrange(90)), restarting, constant, empty))


def edited(rounds: Rounds, draw: Random) -> list[Round]:
    """The conversation after a few changes such as another run of an agent brings."""
    changed = list(rounds)
    for _ in range(draw.choice((0, 1, 1, 2, 3))):
        draw.choice(_EDITS)(changed, draw)
    return changed


def disturbed(body: Json, draw: Random) -> Json:
    """The body after a few changes anywhere but to its IDs."""
    changed = deepcopy(body)
    for _ in range(draw.choice((0, 1, 1, 2, 4))):
        places = [(holder, key) for holder in _containers(changed) for key in _keys(holder)]
        places = [(holder, key) for holder, key in places if not isinstance(holder[key], Id)]
        if places:
            draw.choice(_DISTURBANCES)(*draw.choice(places), draw)
    return changed


def _round(draw: Random) -> Round:
    calls = [_call(draw) for _ in range(draw.choice((1, 1, 2, 3)))]
    places = list(range(len(calls)))
    draw.shuffle(places)
    return Round(tuple(calls), tuple(Result(place, draw.choice(TEXTS)) for place in places))


def _call(draw: Random) -> Call:
    arguments = {key: draw.choice(VALUES) for key in draw.sample(("city", "id", "call_id", "type"), k=2)}
    return Call(draw.choice(("look", "get_weather", "call")), arguments)


def _insert(rounds: list[Round], draw: Random) -> None:
    rounds.insert(draw.randrange(len(rounds) + 1), _round(draw))


def _repeat(rounds: list[Round], draw: Random) -> None:
    if rounds:
        rounds.insert(draw.randrange(len(rounds)), draw.choice(rounds))


def _drop(rounds: list[Round], draw: Random) -> None:
    if rounds:
        del rounds[draw.randrange(len(rounds))]


def _in_one(change: Callable[[Round, Random], Round]) -> Callable[[list[Round], Random], None]:
    def edit(rounds: list[Round], draw: Random) -> None:
        if rounds:
            at = draw.randrange(len(rounds))
            rounds[at] = change(rounds[at], draw)

    return edit


def _other_call(one: Round, draw: Random) -> Round:
    calls = list(one.calls)
    calls[draw.randrange(len(calls))] = _call(draw)
    return Round(tuple(calls), one.results)


def _more_calls(one: Round, draw: Random) -> Round:
    place = len(one.calls)
    return Round((*one.calls, _call(draw)), (*one.results, Result(place, draw.choice(TEXTS))))


def _other_result(one: Round, draw: Random) -> Round:
    results = list(one.results)
    if results:
        at = draw.randrange(len(results))
        results[at] = Result(results[at].place, draw.choice(TEXTS))
    return Round(one.calls, tuple(results))


def _fewer_results(one: Round, _: Random) -> Round:
    return Round(one.calls, one.results[:-1])


def _reordered(one: Round, draw: Random) -> Round:
    return Round(one.calls, tuple(draw.sample(one.results, k=len(one.results))))


def _swapped(one: Round, draw: Random) -> Round:
    places = draw.sample([result.place for result in one.results], k=len(one.results))
    return Round(
        one.calls,
        tuple(Result(place, result.text) for place, result in zip(places, one.results, strict=True)),
    )


_EDITS: Sequence[Callable[[list[Round], Random], None]] = (
    _insert,
    _repeat,
    _drop,
    *map(_in_one, (_other_call, _more_calls, _other_result, _fewer_results, _reordered, _swapped)),
)


def _containers(value: Json) -> Iterator[Json]:
    if isinstance(value, (dict, list)):
        yield value
        for child in value.values() if isinstance(value, dict) else value:
            yield from _containers(child)


def _keys(holder: Json) -> list[Any]:
    return list(holder) if isinstance(holder, dict) else list(range(len(holder)))


def _delete(holder: Json, key: Any, _: Random) -> None:
    del holder[key]


def _replace(holder: Json, key: Any, draw: Random) -> None:
    holder[key] = deepcopy(draw.choice(VALUES))


def _add(holder: Json, key: Any, draw: Random) -> None:
    value = deepcopy(draw.choice((*VALUES, holder[key])))
    if isinstance(holder, dict):
        holder[draw.choice(KEYS)] = value
    else:
        holder.insert(key, value)


def _write_as_part(holder: Json, key: Any, _: Random) -> None:
    if isinstance(holder[key], str):
        holder[key] = [{"type": "text", "text": holder[key]}]


def _spell_otherwise(holder: Json, key: Any, _: Random) -> None:
    value = holder[key]
    if isinstance(value, str) and value[:1] in ("{", "["):
        holder[key] = json.dumps(json.loads(value), separators=(",", ":"))
    elif type(value) is int:
        holder[key] = float(value)


def _shuffle(holder: Json, _: Any, draw: Random) -> None:
    if isinstance(holder, list):
        draw.shuffle(holder)
    else:
        members = list(holder.items())
        draw.shuffle(members)
        holder.clear()
        holder.update(members)


_DISTURBANCES: Sequence[Callable[[Json, Any, Random], None]] = (
    _delete,
    _replace,
    _add,
    _write_as_part,
    _spell_otherwise,
    _shuffle,
)
