"""What an agent did, drawn by a seed: words, tool calls and results without any ID, and changes to them."""

import random
from dataclasses import dataclass, replace
from typing import Any

import orjson

WORDS = (
    "account address amount archive batch branch budget build cache carrier change check city client "
    "cluster column commit config contract copy count country customer database date delivery deploy "
    "depot device disk document draft error event export failure field file filter folder forecast "
    "gateway group header host image import index invoice issue item job key label latency ledger limit "
    "line link list log market memory message metric migration model module month network node note "
    "number offer order owner package page parcel patch path payment plan policy price process product "
    "project proxy queue quota range rate record refund region release report request result retry review "
    "role route row rule sample schedule schema score search section segment server service session shard "
    "signal size source stage state status step stock store stream summary supplier table target task "
    "team test threshold ticket time token total trace transfer type unit update usage user value vendor "
    "version view volume warehouse week window worker zone für straße naïve 서울 東京 été"
).split()
TOOLS = ("search_orders", "read_file", "get_metrics", "list_tickets", "run_query", "fetch_page")
ARGUMENTS = ("query", "path", "limit", "region", "since", "fields")
ROUND_BYTES = 3_000  # what a round adds to a request: a call or two, and results of some rows


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call and what the tool gave back."""

    name: str
    arguments: dict[str, Any]
    result: str


@dataclass(frozen=True, slots=True)
class Round:
    """What one response and the client's reaction add: words, calls made at once, at times a new question."""

    words: str
    calls: tuple[Call, ...]
    question: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an agent: the same for every issue of it and for every API."""

    system: str
    question: str
    rounds: tuple[Round, ...]
    answer: str


def run(seed: int, *, turns: int, round_bytes: int = ROUND_BYTES) -> Run:
    """A run of `turns` requests, all but the last answered by calls."""
    draw = random.Random(seed)
    return Run(
        system=_words(draw, 3_000),
        question=_words(draw, 200),
        rounds=tuple(_round(draw, round_bytes) for _ in range(turns - 1)),
        answer=_words(draw, 400),
    )


def dropped(before: Run, turn: int) -> Run:
    """The run without one round: its calls and their results are gone; IndexError where there is no such."""
    rounds = list(before.rounds)
    del rounds[turn]
    return replace(before, rounds=tuple(rounds))


def with_argument(before: Run, turn: int) -> Run:
    """The run with one argument of the first call of one round changed."""
    call, *others = before.rounds[turn].calls
    changed = replace(call, arguments={**call.arguments, "region": "elsewhere"})
    return _with_calls(before, turn, (changed, *others))


def with_swapped_results(before: Run, turn: int) -> Run:
    """The run with the results of the first two calls of one round swapped; ValueError where it has one."""
    calls = before.rounds[turn].calls
    if len(calls) < 2:
        message = f"round {turn} makes one call, so it has no two results to swap"
        raise ValueError(message)
    first, second, *others = calls
    swapped = (replace(first, result=second.result), replace(second, result=first.result))
    return _with_calls(before, turn, (*swapped, *others))


def _round(draw: random.Random, size: int) -> Round:
    count = draw.choices((1, 2, 3), weights=(6, 3, 1))[0]
    return Round(
        words=_words(draw, size // 10),
        calls=tuple(_call(draw, size * 8 // 10 // count) for _ in range(count)),
        question=_words(draw, size // 10) if draw.random() < 0.1 else None,
    )


def _call(draw: random.Random, size: int) -> Call:
    arguments: dict[str, Any] = {"region": draw.choice(WORDS), "limit": draw.randint(1, 200)}
    arguments |= {name: _words(draw, 24) for name in draw.sample(ARGUMENTS[:2], k=draw.randint(0, 2))}
    rows = [_row(draw) for _ in range(max(1, size // 100))]
    return Call(draw.choice(TOOLS), arguments, orjson.dumps({"rows": rows, "total": len(rows)}).decode())


def _row(draw: random.Random) -> dict[str, Any]:
    return {
        "id": draw.randint(1, 10**9),
        "name": _words(draw, 30),
        "price": draw.randint(100, 99_999) / 100,
        "active": draw.random() < 0.5,
    }


def _words(draw: random.Random, size: int) -> str:
    return " ".join(draw.choices(WORDS, k=max(1, size // 7)))


def _with_calls(before: Run, turn: int, calls: tuple[Call, ...]) -> Run:
    changed = replace(before.rounds[turn], calls=calls)
    return replace(before, rounds=(*before.rounds[:turn], changed, *before.rounds[turn + 1 :]))
