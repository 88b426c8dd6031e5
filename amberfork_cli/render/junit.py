"""A diff as JUnit XML, which CI servers show: a suite a conversation, a test case an exchange."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
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
from amberfork_cli.render.junit_xml import Suite, element, failure, to_xml
from amberfork_cli.render.labels import command, loud_word, sentence, shown
from amberfork_cli.render.lines import plain_text
from amberfork_cli.render.page import Page
from amberfork_cli.render.spots import spot_lines

if TYPE_CHECKING:
    from amberfork_cli.core.tools.run_report import RunReport

_CLASS = "amberfork"


def to_junit(report: DiffReport, *, full: bool = False, tools: RunReport | None = None) -> bytes:
    """The report as UTF-8 XML; `full` shows whole values and every difference.

    The run of tools beside it, if there was one, is one more suite.
    """
    beside = [_tools(tools, full=full)] if tools else []
    return to_xml(
        f"amberfork {'check' if tools or report.command else 'diff'}",
        [*_suites_of(report, full=full), *beside],
    )


def _tools(tools: RunReport, *, full: bool) -> Suite:
    from amberfork_cli.render import run_junit  # and what running tools needs, which a diff alone does not

    return run_junit.suite(tools, full=full)


def _suites_of(report: DiffReport, *, full: bool) -> Iterator[Suite]:
    """A suite for each conversation, or one for all."""
    title, summary = command(report), shown(sentence(report))
    for name, exchanges in _suites(report):
        class_name = f"{_CLASS}.{name}" if name else _CLASS
        cases = [_case(exchange, class_name, full=full) for exchange in exchanges]
        yield Suite(f"{title}: {name}" if name else title, summary, cases)


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


def _case(exchange: ExchangeDiff, class_name: str, *, full: bool) -> ET.Element:
    number = recorded_numbers([exchange]) if exchange.reissued is None else f"#{exchange.reissued}"
    case = element("testcase", classname=class_name, name=f"{number} {exchange.endpoint}".strip())
    if exchange.state is State.CARRIED:
        case.append(element("skipped", message=f"carried: repeats the change at #{exchange.carried_from}"))
    elif exchange.state is not State.MATCH:
        case.append(_failure(exchange, full=full))
    return case


def _failure(exchange: ExchangeDiff, *, full: bool) -> ET.Element:
    """What differs."""
    kinds = ",".join(dict.fromkeys(difference.kind.value for difference in exchange.differences))
    return failure(kinds or exchange.state.value, shown(_message(exchange)), _block(exchange, full=full))


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
