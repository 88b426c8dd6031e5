"""A diff as JUnit XML, which CI servers show: a suite a conversation, a test case an exchange.

XML has no controls, not even as references: every text goes through `escaped`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff, State, Words, ours
from amberfork_cli.render.exchange_words import (
    conversation_name,
    last_message,
    nearest,
    place_notes,
    recorded_numbers,
    traced,
)
from amberfork_cli.render.labels import command, loud_word, sentence, shown
from amberfork_cli.render.lines import plain_text
from amberfork_cli.render.page import Page
from amberfork_cli.render.spots import spot_lines
from amberfork_cli.render.visible import escaped

_CLASS = "amberfork"


def to_junit(report: DiffReport, *, full: bool = False) -> bytes:
    """The report as UTF-8 XML; `full` shows whole values and every difference."""
    root = _element("testsuites", name="amberfork diff", **_counts(report.exchanges))
    title, summary = command(report), shown(sentence(report))
    for name, exchanges in _suites(report):
        suite = _element("testsuite", name=f"{title}: {name}" if name else title, **_counts(exchanges))
        properties = _element("properties")
        properties.append(_element("property", name="summary", value=summary))
        suite.append(properties)
        class_name = f"{_CLASS}.{name}" if name else _CLASS
        suite.extend(_case(exchange, class_name, full=full) for exchange in exchanges)
        root.append(suite)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _suites(report: DiffReport) -> Iterator[tuple[str, Sequence[ExchangeDiff]]]:
    """The exchanges of each conversation under its name; all in one where no conversation has several."""
    conversations: dict[int, list[ExchangeDiff]] = {}
    for exchange in report.exchanges:
        conversations.setdefault(exchange.conversation, []).append(exchange)
    real = [own for number, own in conversations.items() if number >= 0]
    if len(real) < 2 or all(len(own) == 1 for own in real):
        yield "", report.exchanges
        return
    for number, own in conversations.items():
        yield _conversation(number), own


def _conversation(number: int) -> str:
    return conversation_name(number) if number >= 0 else "no conversation"


def _counts(exchanges: Sequence[ExchangeDiff]) -> dict[str, str]:
    states = [exchange.state for exchange in exchanges]
    skipped = states.count(State.CARRIED)
    failures = len(states) - states.count(State.MATCH) - skipped
    return {"tests": str(len(states)), "failures": str(failures), "errors": "0", "skipped": str(skipped)}


def _case(exchange: ExchangeDiff, class_name: str, *, full: bool) -> ET.Element:
    number = recorded_numbers([exchange]) if exchange.reissued is None else f"#{exchange.reissued}"
    case = _element("testcase", classname=class_name, name=f"{number} {exchange.endpoint}".strip())
    if exchange.state is State.CARRIED:
        case.append(_element("skipped", message=f"carried: repeats the change at #{exchange.carried_from}"))
    elif exchange.state is not State.MATCH:
        case.append(_failure(exchange, full=full))
    return case


def _failure(exchange: ExchangeDiff, *, full: bool) -> ET.Element:
    """What differs; the message stands in the text too, since some servers show nothing else."""
    message = shown(_message(exchange))
    kinds = ",".join(dict.fromkeys(difference.kind.value for difference in exchange.differences))
    failure = _element("failure", type=kinds or exchange.state.value, message=message)
    failure.text = "\n".join(["", escaped(message), *map(escaped, _block(exchange, full=full)), ""])
    return failure


def _message(exchange: ExchangeDiff) -> Words:
    told = exchange.cause or last_message(exchange)
    if not told and exchange.origin:
        told = (ours(exchange.origin.value),)
    word = loud_word(exchange).lower() if exchange.spots else exchange.state.value
    return (ours(f"{word}: "), *told) if told else (ours(word),)


def _block(exchange: ExchangeDiff, *, full: bool) -> Iterator[str]:
    yield from place_notes(exchange)
    for line in spot_lines(exchange.spots, page=Page(None, full=full)):
        yield plain_text(line)
    yield from (shown(words) for words in (traced(exchange), nearest(exchange)) if words)


def _element(name: str, /, **attributes: str) -> ET.Element:
    return ET.Element(name, {key: escaped(value) for key, value in attributes.items()})
