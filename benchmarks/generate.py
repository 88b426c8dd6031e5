"""Tapes of any length to measure with: seeded, in the wire shapes of four APIs, with fresh IDs on demand.

An agent works through rounds of tool calls, and request k carries all that happened in the k rounds before.
What is said depends on the seed alone and the IDs on theirs alone, so that two tapes of one seed are one run
issued twice:

    python benchmarks/generate.py --turns 100 -o recorded.jsonl
    python benchmarks/generate.py --turns 100 --ids 2 --drop 40 -o reissued.jsonl
"""

import argparse
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import orjson
from agent_runs import ROUND_BYTES, Round, Run, dropped, run, with_argument, with_swapped_results
from wires import APIS, Json, Mint

UNITS = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000}


def exchanges(issued: Run, api: str, *, ids: int = 1, habit: str = "none") -> Iterator[bytes]:
    """The tape of a run without a header, line by line; an item is serialised once for all that carry it.

    `habit` is one of `HABITS`: what the client does to the history that it sends.
    """
    wire = APIS[api](Mint(ids))
    rest, member = orjson.dumps(wire.rest(issued))[1:-1], orjson.dumps(wire.history)
    history = [orjson.dumps(item) for item in wire.opening(issued)]
    for number, turn in enumerate((*issued.rounds, Round(issued.answer, ()))):
        response, added = wire.respond(turn.words, turn.calls)
        sent = HABITS[habit](history, number)
        yield _line(wire.path, b"{%s,%s:[%s]}" % (rest, member, b",".join(sent)), response)
        history += [orjson.dumps(item) for item in added]
        if turn.question:
            history.append(orjson.dumps(wire.ask(turn.question)))


def _as_it_is(history: list[bytes], _: int) -> list[bytes]:
    return history


def _with_hints(history: list[bytes], _: int) -> list[bytes]:
    """The last two messages of the user ask to be cached, as SDKs of Anthropic do it: the hints move on."""
    sent = history.copy()
    for at in [at for at, text in enumerate(history) if b'"role":"user"' in text[:20]][-2:]:
        item = orjson.loads(history[at])
        if isinstance(item["content"], str):
            item["content"] = [{"type": "text", "text": item["content"]}]
        item["content"][-1]["cache_control"] = {"type": "ephemeral"}
        sent[at] = orjson.dumps(item)
    return sent


def _with_the_time(history: list[bytes], number: int) -> list[bytes]:
    """The first message tells the time, which is another one in every request."""
    first = orjson.loads(history[0])
    first["content"] += f" It is {9 + number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}."
    return [orjson.dumps(first), *history[1:]]


HABITS = {"none": _as_it_is, "hints": _with_hints, "clock": _with_the_time}


def write(file: BinaryIO, lines: Iterable[bytes], *, size: int = 0) -> int:
    """Write a tape and give its size in bytes; with a `size`, stop at the first line that reaches it."""
    written = file.write(b'{"tape_version":"1","id":"generated"}\n')
    for line in lines:
        written += file.write(line)
        if size and written >= size:
            break
    return written


def main() -> None:
    """Write the tape that the command line asks for."""
    parser = _parser()
    asked = parser.parse_args()
    conversations = itertools.count() if asked.size else range(asked.conversations)
    lines = itertools.chain.from_iterable(_conversation(asked, number) for number in conversations)
    try:
        with asked.output.open("wb") as file:
            written = write(file, lines, size=asked.size)
    except (IndexError, ValueError) as error:
        parser.error(f"no such edit: {error}")
    print(f"{asked.output}: {written:,} bytes")


def _conversation(asked: argparse.Namespace, number: int) -> Iterator[bytes]:
    issued = run(asked.seed + number, turns=asked.turns, round_bytes=asked.round_bytes)
    edits = ((with_argument, asked.argument), (with_swapped_results, asked.swap), (dropped, asked.drop))
    for edit, turn in edits:
        if turn is not None:
            issued = edit(issued, turn)
    return exchanges(issued, asked.api, ids=asked.ids + 1_000_003 * number, habit=asked.habit)


def _line(path: str, body: bytes, response: Json) -> bytes:
    headers = b'"headers":[["content-type","application/json"]]'
    return (
        b'{"request":{"method":"POST","path":%s,%s,"body":%s},"response":{"status":200,%s,"body":%s}}\n'
        % (
            orjson.dumps(path),
            headers,
            body,
            headers,
            orjson.dumps(response),
        )
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Write a tape to measure with.")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where to write it")
    parser.add_argument("--api", choices=APIS, default="openai-chat")
    parser.add_argument("--turns", type=int, default=100, help="requests of one conversation")
    parser.add_argument("--conversations", type=int, default=1, help="how many, one after another")
    parser.add_argument("--size", type=_size, default=0, help="as many conversations as reach it, such as 1G")
    parser.add_argument("--round-bytes", type=int, default=ROUND_BYTES, help="what a round adds to a request")
    parser.add_argument("--seed", type=int, default=1, help="what is said")
    parser.add_argument("--ids", type=int, default=1, help="which IDs are minted")
    parser.add_argument("--habit", choices=HABITS, default="none", help="what the client does to a history")
    parser.add_argument("--drop", type=int, help="leave out this round of each conversation")
    parser.add_argument("--argument", type=int, help="change an argument in this round")
    parser.add_argument("--swap", type=int, help="swap two results of this round")
    return parser


def _size(text: str) -> int:
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


if __name__ == "__main__":
    main()
