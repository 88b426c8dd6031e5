"""What writing a report of 500 exchanges costs, beside the same report as JSON, and how long a page loads.

python benchmarks/reports.py
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import process_time

from measuring import interleaved, table

from amberfork_cli.core.compare.report import (
    Conversation,
    Difference,
    DiffReport,
    ExchangeDiff,
    Kind,
    Origin,
    Spot,
    State,
    TapeFacts,
    ours,
    quoted,
)
from amberfork_cli.core.tape import Body, Exchange, Request
from amberfork_cli.render.html import to_html
from amberfork_cli.render.json import to_json
from amberfork_cli.render.junit import to_junit
from amberfork_cli.render.lines import plain_text
from amberfork_cli.render.markdown import to_markdown
from amberfork_cli.render.text import lay_out

sys.path.append(str(Path(__file__).parents[1] / "tests" / "render"))  # the tests' way to a browser
import chromium

EXCHANGES = 500
ROUNDS = 7
BODY = {"model": "m", "messages": [{"role": "user", "content": "Plan a weekend for two in Porto. " * 8}] * 90}


def main() -> None:
    """Measure every form of each report, then how long a browser takes for the page."""
    for title, report in reports().items():
        forms = forms_of(report)
        sizes = {name: len(make()) for name, make in forms.items()}
        spreads = interleaved({name: partial(_seconds, make) for name, make in forms.items()}, rounds=ROUNDS)
        base = spreads["json"].median
        rows = [
            (name, f"{sizes[name]:,}", f"{spread.median * 1000:.1f}", f"{spread.median / base:.1f}")
            for name, spread in spreads.items()
        ]
        print(f"\n{title}\n\n{table(('form', 'bytes', 'ms', 'to JSON'), rows)}")
    print(f"\n{_pages()}")


def reports() -> dict[str, DiffReport]:
    """One fork and what it carries; five conversations of which two forked; a fork everywhere."""
    return {
        "one fork": report(one_fork()),
        "five conversations, two forks": report(five_conversations()),
        "500 different forks of five differences": report(fork(n, n) for n in range(EXCHANGES)),
    }


def forms_of(one: DiffReport) -> dict[str, Callable[[], bytes]]:
    """How to write a report in each form; HTML without and with the bodies of what changed."""
    return {
        "json": lambda: to_json(one),
        "text": lambda: "\n".join(map(plain_text, lay_out(one, width=None))).encode(),
        "markdown": lambda: to_markdown(one).encode(),
        "junit": lambda: to_junit(one),
        "html": lambda: to_html(one),
        "html with bodies": lambda: to_html(one, reread=_reread),
    }


def report(exchanges: Iterator[ExchangeDiff]) -> DiffReport:
    """A report of two tapes."""
    told = tuple(replace(one, endpoint="POST /v1/chat/completions") for one in exchanges)
    numbers = sorted({one.conversation for one in told})
    conversations = tuple(Conversation(number, f"Plan weekend {number} for two") for number in numbers)
    facts = [TapeFacts(name, len(told)) for name in ("recorded.jsonl", "reissued.jsonl")]
    return DiffReport(facts[0], facts[1], told, conversations)


def one_fork() -> Iterator[ExchangeDiff]:
    """137 exchanges match, one forks, the others carry its change."""
    yield from (ExchangeDiff(State.MATCH, n, n) for n in range(137))
    yield fork(137, 0)
    yield from (ExchangeDiff(State.CARRIED, n, n, carried_from=137) for n in range(138, EXCHANGES))


def five_conversations() -> Iterator[ExchangeDiff]:
    """Interleaved; the second forks at #71, the fourth at #233."""
    forks = {1: 71, 3: 233}
    for n in range(EXCHANGES):
        number = n % 5
        at = forks.get(number, EXCHANGES)
        if n == at:
            yield fork(n, number)
        elif n > at:
            yield ExchangeDiff(State.CARRIED, n, n, conversation=number, carried_from=at)
        else:
            yield ExchangeDiff(State.MATCH, n, n, conversation=number)


def fork(number: int, conversation: int) -> ExchangeDiff:
    """A fork of five differences that no other has."""
    call = f"get_weather_{number}"
    differences = tuple(
        Difference(
            Kind.VALUE,
            ("items", item, "name"),
            ("messages", 8, "content"),
            ("messages", 8, "content"),
            f"an old value, {number}.{item}",
            f"a new value, {number}.{item}",
            ("items", item, "name"),
        )
        for item in range(5)
    )
    who = (ours("result of "), quoted(f'{call}(city="Porto")'))
    return ExchangeDiff(
        State.FORK,
        number,
        number,
        conversation=conversation,
        origin=Origin.TOOL_RESULT,
        cause=(ours("the "), *who, ours(" changed")),
        spots=(Spot("messages[8]", who, differences),),
    )


def _reread(exchange: ExchangeDiff) -> tuple[Exchange | None, Exchange | None]:
    """Tapes whose bodies have about 25 kB each."""
    request = Request("POST", "/v1/chat/completions", body=Body.json(BODY))  # type: ignore[arg-type]
    return tuple(  # type: ignore[return-value]
        None if number is None else Exchange(number, request)
        for number in (exchange.recorded, exchange.reissued)
    )


def _seconds(make: Callable[[], bytes]) -> float:
    begun = process_time()
    make()
    return process_time() - begun


def _pages() -> str:
    """Elements of each page, and milliseconds until it is loaded, the middle of three times."""
    if chromium.program() is None:
        return "No Chromium: how long the pages load was not measured."
    with tempfile.TemporaryDirectory() as folder, chromium.running(Path(folder)) as browser:
        rows = []
        for title, one in reports().items():
            file = Path(folder) / "page.html"
            file.write_bytes(to_html(one, reread=_reread))
            taken = sorted(_loading_ms(browser, file.as_uri()) for _ in range(3))
            elements = browser.run("document.querySelectorAll('*').length")
            rows.append((title, f"{elements:,}", f"{taken[1]:.0f}"))
    return table(("page with bodies", "elements", "ms to load"), rows)


def _loading_ms(browser: chromium.Browser, url: str) -> float:
    browser.open(url)
    taken: float = browser.run("performance.getEntriesByType('navigation')[0].loadEventEnd")
    return taken


if __name__ == "__main__":
    main()
