"""How well recorded traffic is read: calls found, results linked, none invented, streams put together.

    python benchmarks/dialects_on_corpus.py CORPUS

CORPUS holds `*.jsonl.gz`, one exchange a line: `source`, `api`, `request`, `response`, and `gold`, which
labels by hand what is an ID in the request. Every labelled slot must be that of a call or a result that was
read, and every ID that was read must be labelled. Calls are counted a second time, by looking for what a call
is written as anywhere in the history, without any of the code that is measured.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.dialects.calls import Turn, tool_turns
from amberfork_cli.core.dialects.model import Message, ToolCall, ToolResult
from amberfork_cli.core.paths import Path
from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import ABSENT, Body, Exchange, Request, Response

HISTORIES = ("messages", "input", "contents", "tool_outputs", "item", "tool_response")
CALL_TYPES = {
    *("tool_use", "server_tool_use", "mcp_tool_use", "function_call", "custom_tool_call", "mcp_call"),
    *("tool_search_call", "apply_patch_call", "local_shell_call", "computer_call", "web_search_call"),
    *("file_search_call", "code_interpreter_call", "image_generation_call"),
}
CALL_HOLDERS = {
    "tool_calls",
    "functionCall",
    "function_call",
    "toolCall",
    "tool_call",
    "toolUse",
    "executableCode",
}
NOT_A_CALL = ("approval_request_id", "tool_id")  # approvals, and which code made a call


@dataclass(slots=True)
class Figures:
    """What was counted for one API."""

    exchanges: int = 0
    dialects: Counter[str] = field(default_factory=Counter)
    count: Counter[str] = field(default_factory=Counter)
    odd: list[str] = field(default_factory=list)


def main() -> int:
    """Print the table, then everything that is not as it should be."""
    corpus = FilePath(sys.argv[1]) if len(sys.argv) > 1 else FilePath("corpus")
    files = sorted(corpus.glob("*.jsonl.gz"))
    if not files:
        print(f"no corpus at {corpus}: nothing was measured")
        return 2
    figures: dict[str, Figures] = defaultdict(Figures)
    tapes: dict[str, list[Exchange]] = defaultdict(list)
    for line in lines(files):
        exchange = exchange_of(line, number=int(line["source"].rpartition("#")[2]))
        measure(figures[line["api"]], line, exchange)
        tapes[line["api"], line["source"].rpartition("#")[0]].append(exchange)
    for (api, source), exchanges in tapes.items():
        measure_tape(figures[api], source, sorted(exchanges, key=lambda exchange: exchange.number))
    print_table(figures)
    return 0


def lines(files: list[FilePath]) -> Iterator[dict[str, Any]]:
    """Every exchange of the corpus."""
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            yield from map(json.loads, stream)


def exchange_of(line: dict[str, Any], *, number: int) -> Exchange:
    """A line of the corpus as an exchange of a tape."""
    request, response = line["request"], line["response"]
    asked = Request(request["method"], request["path"], (), body_of(request.get("body")))
    return Exchange(number, asked, Response(response.get("status"), (), body_of(response.get("body"))))


def body_of(value: Any) -> Body:
    """A recorded body: text where it is a string."""
    if value is None:
        return ABSENT
    return Body.text(value) if isinstance(value, str) else Body.json(value)


def measure(figures: Figures, line: dict[str, Any], exchange: Exchange) -> None:
    """Count what one exchange holds and what was read of it."""
    body = line["request"]["body"]
    dialect = dialect_of(exchange.request.path, body)
    figures.exchanges += 1
    figures.dialects[dialect.name if dialect else "none"] += 1
    if dialect is None:
        figures.odd.append(f"{line['source']}: no dialect")
        return
    history = dialect.history(body)
    measure_ids(figures, line, history)
    measure_links(figures, line, history)
    figures.count["tools"] += len(dialect.tools(body))
    measure_response(figures, line, exchange)


def measure_ids(figures: Figures, line: dict[str, Any], history: tuple[Message, ...]) -> None:
    """Whether what was read is what is labelled, and as much as is there."""
    body = line["request"]["body"]
    calls = [call for message in history for call in message.calls]
    results = [result for message in history for result in message.results]
    gold = {
        pointer
        for pointer, what in line["gold"].items()
        if what == "call" and not pointer.endswith(NOT_A_CALL)
    }
    read = {
        pointer_of(each.path)
        for each in (*calls, *results)
        if each.id is not None and labelled(body, each.path)
    }
    slots = {pointer.rpartition("/")[0] for pointer in gold}
    there = sum(count_calls(body.get(key), key) for key in HISTORIES)
    figures.count["calls"] += len(calls)
    figures.count["calls there"] += there
    figures.count["labelled"] += len(slots)
    figures.count["labelled read"] += len(slots & read)
    figures.count["invented"] += len(read - slots)
    figures.odd += [f"{line['source']}: not read {slot}" for slot in sorted(slots - read)]
    figures.odd += [f"{line['source']}: invented {slot}" for slot in sorted(read - slots)]
    if len(calls) != there:
        figures.odd.append(f"{line['source']}: {len(calls)} calls read, {there} there")


def labelled(body: Any, path: Path) -> bool:
    """Whether an item's ID is that of a call by the labels: what the provider runs itself has a handle."""
    if path[0] != "input":
        return True
    node = body
    for key in path:
        node = node[key]
    return isinstance(node.get("call_id"), str)


def count_calls(value: Any, key: str) -> int:
    """How many calls are written anywhere in a value, by type or by the key that they hang under."""
    found, waiting = 0, [(value, key)]
    while waiting:
        node, holder = waiting.pop()
        if isinstance(node, list):
            waiting += [(child, holder) for child in node]
        elif isinstance(node, dict):
            found += is_call(node, holder)
            waiting += [(child, inner) for inner, child in node.items()]
    return found


def is_call(node: dict[str, Any], holder: str) -> bool:
    """Whether an object is written as a call; a holder without a name is a placeholder."""
    if holder in CALL_HOLDERS:
        return bool(node.get("name") or node.get("function") or holder in ("toolCall", "tool_call"))
    return node.get("type") in CALL_TYPES


def measure_links(figures: Figures, line: dict[str, Any], history: tuple[Message, ...]) -> None:
    """Whether each result answers a call with its ID, where the body has one before it."""
    declared: set[str | None] = set()
    for message in history:
        declared |= {call.id for call in message.calls}
        for result in message.results:
            expected = result.id in declared or (result.id is None and bool(declared))
            linked = result.answers is not None
            figures.count["results"] += 1
            figures.count["linked"] += linked
            figures.count["orphans"] += not expected and not linked
            wrong = linked != expected or (result.answers is not None and not agree(result, result.answers))
            figures.count["wrong links"] += wrong
            if wrong:
                figures.odd.append(f"{line['source']}: {pointer_of(result.path)} answers {result.answers}")


def agree(result: ToolResult, call: ToolCall) -> bool:
    """Whether a result and its call have one ID, or one name where an ID is missing."""
    if result.id is not None and call.id is not None:
        return result.id == call.id
    return result.name in (None, call.name)


def measure_response(figures: Figures, line: dict[str, Any], exchange: Exchange) -> None:
    """Whether the answer was read, and put together where it is a stream."""
    raw = line["response"]["body"]
    assert exchange.response is not None
    dialect = dialect_of(exchange.request.path, line["request"]["body"])
    answer = response_json(exchange.response, dialect=dialect)
    streamed = isinstance(raw, (str, list))
    figures.count["streams"] += streamed
    if answer is None or dialect is None:
        figures.odd.append(f"{line['source']}: no answer read from {type(raw).__name__}")
        return
    reply = dialect.reply(answer.body, complete=answer.complete)
    figures.count["assembled"] += streamed and reply is not None
    figures.count["streams complete"] += streamed and answer.complete
    figures.count["answered calls"] += len(reply.calls) if reply else 0
    if streamed and not answer.complete:
        figures.odd.append(f"{line['source']}: stream not complete")
    if reply is None and exchange.response.status == 200:
        figures.odd.append(f"{line['source']}: no reply in {str(answer.body)[:90]}")


def measure_tape(figures: Figures, source: str, exchanges: list[Exchange]) -> None:
    """The exchanges of one recording as a tape: each call once."""
    turns = tool_turns(exchanges)
    calls = [call for turn in turns for call in turn.calls]
    figures.count["tapes"] += 1
    figures.count["turns"] += len(turns)
    figures.count["tape calls"] += len(calls)
    figures.count["tape results"] += sum(call.result is not None for call in calls)
    for twice in repeated(turns):
        figures.odd.append(f"{source}: twice on its tape {twice}")


def repeated(turns: tuple[Turn, ...]) -> list[str]:
    """The IDs under which a tape has more than one call."""
    ids = Counter(call.call.id for turn in turns for call in turn.calls if call.call.id)
    return [call_id for call_id, times in ids.items() if times > 1]


def pointer_of(path: Path) -> str:
    """A path as a JSON Pointer; the corpus has no key that needs an escape."""
    return "".join(f"/{key}" for key in path)


COLUMNS = {
    "calls": ("calls", "calls there"),
    "IDs read": ("labelled read", "labelled"),
    "invented": ("invented",),
    "linked": ("linked", "results"),
    "orphans": ("orphans",),
    "wrong": ("wrong links",),
    "streams": ("assembled", "streams"),
    "whole": ("streams complete",),
    "in answers": ("answered calls",),
    "tapes": ("tapes",),
    "turns": ("turns",),
    "tape calls": ("tape results", "tape calls"),
}


def print_table(figures: dict[str, Figures]) -> None:
    """One row an API, then what is odd. `a/b` is what was read of what is there."""
    print("api\texchanges\tdialects\t" + "\t".join(COLUMNS))
    for api, row in figures.items():
        cells = ["/".join(str(row.count[key]) for key in keys) for keys in COLUMNS.values()]
        dialects = ", ".join(f"{name} {count}" for name, count in row.dialects.most_common())
        print("\t".join((api, str(row.exchanges), dialects, *cells)))
    for api, row in figures.items():
        for odd in row.odd:
            print(f"{api}: {odd}")


if __name__ == "__main__":
    sys.exit(main())
