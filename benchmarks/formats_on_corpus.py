"""Whether people's own recordings are read without loss: counts and bodies against an independent reading.

    python benchmarks/formats_on_corpus.py RAW

RAW is a folder of recordings as their projects keep them. Each is read as a tape, and a second time without
any of the code that is measured: by PyYAML's plain loader or the standard library's, with the bodies unpacked
here. Both must hold as many interactions, and the same bodies in the same order. Then each tape is written in
every format and read again: fingerprints, statuses and answers must be the same. Prints a table of file,
layout, exchanges and tool calls; exits 1 if anything is lost, 2 where there is nothing to measure.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import brotli
import yaml
import zstandard
from measuring import table

from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.ids.fingerprint import fingerprints
from amberfork_cli.core.tape import ABSENT, Body, BodyKind, Exchange
from amberfork_cli.errors import AmberforkError
from amberfork_cli.tapes import open_tape
from amberfork_cli.tapes.exporting import EXPORTS, Export

Json = Any
Pair = tuple[Json, Json]


def main() -> int:
    """Print the table, then whatever was lost."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print(f"no folder of recordings at {' '.join(sys.argv[1:]) or 'RAW'}: nothing was measured")
        return 2
    files = [path for path in sorted(Path(sys.argv[1]).iterdir()) if path.suffix != ".tsv" and path.is_file()]
    if not files:
        print(f"no recording in {sys.argv[1]}: nothing was measured")
        return 2
    rows: list[tuple[str, ...]] = []
    lost: list[str] = []
    for path in files:
        row, problems = measured(path)
        rows.append(row)
        lost += [f"{path.name}: {problem}" for problem in problems]
    totals = [str(sum(int(row[column]) for row in rows)) for column in (2, 3, 4)]
    print(table(("file", "layout", "exchanges", "not to a model", "tool calls"), [*rows, ("", "", *totals)]))
    print(f"\n{len(files)} files, {sum(kinds.values())} bodies: {dict(kinds)}")
    print("\n".join(lost) or "nothing is lost")
    return 1 if lost else 0


kinds: Counter[str] = Counter()


def measured(path: Path) -> tuple[tuple[str, ...], list[str]]:
    """The row of one file, and what reading it as a tape loses."""
    layout, pairs = plainly(path)
    told: list[str] = []
    try:
        with open_tape(path, notice=told.append) as tape:
            exchanges = list(tape)
    except AmberforkError as error:
        return (called(path), layout, "0", "0", "0"), [str(error)]
    problems = [*told]
    if len(exchanges) != len(pairs):
        problems.append(f"{len(exchanges)} exchanges for {len(pairs)} interactions")
    for exchange, pair in zip(exchanges, pairs, strict=False):
        problems += differences(exchange, pair)
    problems += [problem for export in EXPORTS for problem in round_trip(exchanges, export)]
    calls = sum(len(turn.calls) for turn in tool_turns(exchanges))
    elsewhere = sum(exchange.request.extra.get("to_model") is False for exchange in exchanges)
    return (called(path), layout, str(len(exchanges)), str(elsewhere), str(calls)), problems


def round_trip(exchanges: list[Exchange], export: Export) -> Iterator[str]:
    """What is not the same when a tape was written in a format and read again."""
    output = io.BytesIO()
    export.write(exchanges, {}, output)
    with open_tape(io.BytesIO(output.getvalue())) as tape:
        again = list(tape)
    if list(fingerprints(again)) != list(fingerprints(exchanges)):
        yield f"as {export.name}, what was asked does not come back the same"
    for one, other in zip(exchanges, again, strict=False):
        if answer(one) != answer(other):
            yield f"as {export.name}, #{one.number}: what was answered does not come back the same"


def answer(exchange: Exchange) -> Json:
    """Status and body of a response, to compare."""
    response = exchange.response
    return None if response is None else (response.status, spelled(content(response.body)))


def called(path: Path) -> str:
    """The project, and the end of the name."""
    project, _, name = path.name.partition("__")
    return f"{project} {name if len(name) < 40 else f'…{name[-38:]}'}"


def differences(exchange: Exchange, pair: Pair) -> Iterator[str]:
    """Where the bodies of an exchange are not those of the interaction."""
    response = exchange.response
    bodies = (exchange.request.body, ABSENT if response is None else response.body)
    for name, body, expected in zip(("request", "response"), bodies, pair, strict=True):
        kinds[body.kind.value] += 1
        if spelled(content(body)) != spelled(as_read(expected)):
            yield f"#{exchange.number}: the {name} is not the one that was recorded"


def spelled(value: Json) -> Json:
    """A value to compare type for type: 1, 1.0 and true are three."""
    return value if isinstance(value, bytes) else json.dumps(value, sort_keys=True)


def content(body: Body) -> Json:
    """A body to compare: its JSON value, its text or its bytes as they crossed the wire."""
    return body.wire if body.wire is not None else None if body.kind is BodyKind.ABSENT else body.value


def as_read(data: Json) -> Json:
    """What was recorded, to compare: compressed bytes expanded, JSON parsed, text decoded."""
    if not isinstance(data, bytes):
        return data
    for magic, expand in EXPANDERS:
        if data.startswith(magic):
            data = expand(data)
    if not data:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    try:
        return json.loads(text) if text.lstrip()[:1] in ("{", "[") else text
    except ValueError:
        return text


def _by_zstd(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


EXPANDERS: tuple[tuple[bytes, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", gzip.decompress),
    (b"\x28\xb5\x2f\xfd", _by_zstd),
)


def plainly(path: Path) -> tuple[str, list[Pair]]:
    """The layout of a file, and the bodies of each interaction in it."""
    data = path.read_bytes()
    if path.suffix == ".httprr":
        return "httprr", list(of_httprr(data))
    value = json.loads(data) if path.suffix in (".har", ".json") else yaml.load(data, PlainLoader)  # noqa: S506
    if isinstance(value, list):
        return "nock", [of_nock(item) for item in value]
    if "log" in value:
        entries = value["log"]["entries"]
        return f"HAR, {value['log']['creator']['name']}", [of_har(entry) for entry in entries]
    items = value.get("interactions") or value.get("http_interactions")
    pairs = [(of_vcr(item["request"]), of_vcr(item["response"])) for item in items]
    return vcr_layout(value, items[0]), pairs


class PlainLoader(yaml.SafeLoader):
    """PyYAML's own loader, which knows nothing of amberfork; Ruby writes the tag of bytes in its own way."""


PlainLoader.add_constructor("!binary", lambda _, node: base64.b64decode(node.value))


def vcr_layout(value: Json, item: Json) -> str:
    """Which of the VCR tools seems to have written a cassette."""
    if "http_interactions" in value:
        return f"VCR, {value['recorded_with']}"
    if "code" in item["response"]:
        return (
            "VCR, go-vcr"
            if "form" in item["request"] or "remote_addr" in item["request"]
            else "VCR, docker agent"
        )
    parsed = [name for name in ("request", "response") if "parsed_body" in item[name]]
    return f"VCR, vcrpy{', parsed_body' if parsed else ''}{bytes_in(item)}"


def bytes_in(item: Json) -> str:
    """Whether a response is written as bytes."""
    body = item["response"].get("body")
    return ", !!binary" if isinstance(body, dict) and isinstance(body.get("string"), bytes) else ""


def of_vcr(message: Json) -> Json:
    """The body of a request or response of a cassette: bytes, or JSON that was parsed before."""
    if "parsed_body" in message:
        return message["parsed_body"]
    body = message.get("body")
    if isinstance(body, dict):
        body = base64.b64decode(body["base64_string"]) if "base64_string" in body else body.get("string")
    return encoded(body)


def encoded(body: Json) -> bytes | None:
    """Text as the bytes that it was."""
    return body.encode() if isinstance(body, str) else body


def of_har(entry: Json) -> Pair:
    """The bodies of an entry."""
    answered = entry["response"]["content"]
    text = answered.get("text")
    if answered.get("encoding") == "base64":
        pieces = json.loads(text) if text.startswith("[") else [text]
        packed = b"".join(base64.b64decode(piece) for piece in pieces)
        return encoded(entry["request"].get("postData", {}).get("text")), unpacked(packed, entry)
    return encoded(entry["request"].get("postData", {}).get("text")), encoded(text)


def unpacked(data: bytes, entry: Json) -> bytes:
    """Brotli, which has no first bytes of its own, as the headers say."""
    headers = {header["name"].lower(): header["value"] for header in entry["response"]["headers"]}
    return brotli.decompress(data) if headers.get("content-encoding") == "br" else data


def of_nock(item: Json) -> Pair:
    """The bodies of a fixture, which nock has parsed where they are JSON."""
    reply = item["response"]
    if item.get("responseIsBinary"):
        return item["body"], bytes.fromhex(reply)
    if isinstance(reply, list) and all(
        isinstance(one, str) and re.fullmatch("[0-9a-f]+", one) for one in reply
    ):
        return item["body"], bytes.fromhex("".join(reply))
    return item["body"], encoded(reply)


def of_httprr(data: bytes) -> Iterator[Pair]:
    """The bodies of each pair in a trace."""
    rest = data.partition(b"\n")[2]
    while rest:
        sizes, _, rest = rest.partition(b"\n")
        asked, answered = map(int, sizes.split())
        yield (
            after_head(rest[:asked]),
            after_head(rest[asked : asked + answered]),
        )
        rest = rest[asked + answered :]


def after_head(message: bytes) -> bytes:
    """What follows the blank line."""
    return message.partition(b"\r\n\r\n")[2]


if __name__ == "__main__":
    sys.exit(main())
