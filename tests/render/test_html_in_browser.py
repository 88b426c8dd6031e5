"""The page in a real browser: folds, map, links, keys, search, colours, two widths, and nothing leaves it.

Where there is no Chromium these tests are skipped; `.ci/run` installs one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import Browser, program, running
from diff_samples import (
    SITUATIONS,
    carried,
    changed_argument,
    every_kind,
    fork,
    matches,
    report,
    said,
    setting,
    stopped,
    system_prompt,
    two_conversations,
    value,
)

from amberfork_cli.core.compare.report import (
    MISSING,
    Conversation,
    DiffReport,
    ExchangeDiff,
    Kind,
    Origin,
    Spot,
    State,
    TapeFacts,
    Trace,
)
from amberfork_cli.core.tape import Body, Exchange, Request
from amberfork_cli.render.html import to_html

pytestmark = pytest.mark.skipif(
    program() is None, reason="no Chromium on the path; AMBERFORK_CHROMIUM may name one"
)

Show = Callable[..., str]
WIDTHS = (1280, 480)
NAME = "(one) => one.getAttribute('aria-label') ?? (one.labels?.[0] ?? one).textContent.trim()"
TOP = "(cell) => cell.getClientRects().length && Math.round(cell.getBoundingClientRect().top)"
INJECTION = (
    '</code></script><script>document.title = "owned"; fetch("https://example.com/")</script>'
    '<img src="https://example.com/x" onerror="document.title = 1"><svg onload=alert(1)>'
    '"\'><style>* { display: none }</style><base href="https://example.com/"><!-- -->&lt;b&gt;${1}`'
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of this file."""
    with running(tmp_path_factory.mktemp("browser")) as one:
        yield one


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Show:
    """Writes a report as a page and opens it; gives back its address."""

    def open_page(one: DiffReport, *, at: str = "", **how: Any) -> str:
        file = tmp_path / "report.html"
        file.write_bytes(to_html(one, reread=_tapes))
        browser.open(f"{file.as_uri()}{at}", **how)
        return file.as_uri()

    return open_page


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_every_situation_fits_the_window_and_nothing_leaves_the_page(
    situation: Callable[[], DiffReport], browser: Browser, show: Show
) -> None:
    """Light and dark, wide and narrow: no scrolling sideways, no word in the console, no further request."""
    address = show(situation())
    browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    widths = []

    for dark in (False, True):
        browser.prefer("dark" if dark else "light")
        for width in WIDTHS:
            browser.resize(width, 800)
            widths.append(browser.run("document.documentElement.scrollWidth"))

    assert widths == [*WIDTHS, *WIDTHS]
    assert browser.complaints == []
    assert browser.requests == [address]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_tape_cannot_inject_anything(width: int, browser: Browser, show: Show) -> None:
    """Markup and script of a tape are text: nothing runs, loads, hides or speaks."""
    address = show(_hostile(), width=width)

    counts = browser.run(
        "['script', 'style', 'img', 'svg', 'base'].map((name) => document.querySelectorAll(name).length)"
    )

    assert counts == [1, 1, 0, 0, 0]
    assert browser.run("document.title").startswith("Forked: ")
    assert browser.run("getComputedStyle(document.querySelector('h1')).display") == "block"
    assert browser.run("document.querySelector('main').textContent").count(INJECTION) > 5
    assert browser.run("document.documentElement.scrollWidth") == width
    assert browser.complaints == []
    assert browser.requests == [address]
    assert browser.told("Page.javascriptDialogOpening") == []


def test_the_policy_stops_what_would_be_injected_all_the_same(browser: Browser, show: Show) -> None:
    """If an element got in, the browser would not run it, draw with it, or fetch for it; and it says so."""
    show(changed_argument())

    browser.run(
        "document.querySelector('h1').insertAdjacentHTML('beforeend',"
        ' \'<img src="https://example.com/x" onerror="document.title = 1"><b style="color: red">x</b>\')'
    )

    assert browser.run("getComputedStyle(document.querySelector('h1 b')).color") != "rgb(255, 0, 0)"
    assert browser.run("document.title") == "Forked: monday.jsonl and tuesday.jsonl, amberfork"
    assert len(browser.complaints) == 3
    assert [failed["blockedReason"] for failed in browser.told("Network.loadingFailed")] == ["csp"]


def test_folds_open_one_by_one_and_all_at_once(browser: Browser, show: Show) -> None:
    """By a click, by the keys o and c, by the buttons; bodies stay closed, they are long."""
    show(changed_argument())
    states = "[...document.querySelectorAll('main details')].map((fold) => fold.open)"

    closed = browser.run(states)
    browser.click("details.match summary")
    one = browser.run(states)
    browser.press("o")
    all_runs = browser.run(states)
    browser.press("c")
    none = browser.run(states)
    browser.click("#open")

    assert (closed, one, all_runs, none) == (
        [False, False, False],
        [True, False, False],
        [True, False, True],
        [False, False, False],
    )
    assert browser.run(states) == all_runs


def test_bodies_are_one_click_away(browser: Browser, show: Show) -> None:
    """Both, side by side in a wide window and below each other in a narrow one."""
    show(changed_argument())

    browser.click("article > details > summary")
    boxes = (
        "[...document.querySelectorAll('.panes > div')].map((pane) => pane.getBoundingClientRect().toJSON())"
    )
    left, right = browser.run(boxes)
    browser.resize(480, 800)
    upper, lower = browser.run(boxes)

    assert (left["top"], left["right"] < right["left"]) == (right["top"], True)
    assert (upper["left"], upper["bottom"] < lower["top"]) == (lower["left"], True)
    assert '"text": "of #4"' in browser.run("document.querySelector('.panes pre').innerText")


def test_a_link_opens_the_fold_that_it_leads_into(browser: Browser, show: Show) -> None:
    """On arrival and from the map; a difference can be linked to as well."""
    address = show(changed_argument(), at="#x9")
    opened = browser.run("document.querySelector('#x9').closest('details').open")
    in_view = _in_view(browser, "#x9")

    browser.click(".map a[href='#x0']")
    by_map = browser.run("[location.hash, document.querySelector('#x0').closest('details').open]")
    show(_long_run(), at="#x150-d1")

    assert (opened, in_view, by_map) == (True, True, ["#x0", True])
    assert _in_view(browser, "#x150-d1")
    assert address.endswith("report.html")


def test_the_link_of_a_difference_shows_where_it_is_pointed_at_or_has_the_focus(
    browser: Browser, show: Show
) -> None:
    """And it says where it leads."""
    show(changed_argument())
    link = "document.querySelector('tr .link')"

    hidden = browser.run(f"getComputedStyle({link}).opacity")
    browser.press("Tab")
    browser.run(f"{link}.focus()")

    assert hidden == "0"
    assert browser.run(f"getComputedStyle({link}).opacity") == "1"
    assert browser.run(f"[{link}.hash, {link}.ariaLabel]") == [
        "#x4-d1",
        "Link to the difference arguments.city",
    ]


def test_the_map_stands_at_the_side_and_draws_the_fork_where_it_is(browser: Browser, show: Show) -> None:
    """Positions follow the run: #4 of 12 a third of the way down; the lines part there."""
    show(changed_argument())
    box = "getBoundingClientRect().toJSON()"
    lanes = browser.run(f"document.querySelector('.lanes').{box}")
    mark = browser.run(f"document.querySelector('.map a.fork').{box}")
    branch = browser.run(f"document.querySelector('.map .branch').{box}")
    carried_on = browser.run(f"document.querySelector('.map a.carried').{box}")

    assert mark["top"] == pytest.approx(lanes["top"] + lanes["height"] * 4.5 / 12, abs=1)
    assert branch["height"] == pytest.approx(lanes["height"] * 7 / 12, abs=1)
    assert carried_on["left"] == mark["left"] + 7
    assert lanes["right"] < browser.run(f"document.querySelector('h1').{box}")["left"]


def test_the_map_lies_along_the_top_of_a_narrow_window(browser: Browser, show: Show) -> None:
    """The same elements, from left to right."""
    show(changed_argument(), width=480)
    box = "getBoundingClientRect().toJSON()"
    lanes = browser.run(f"document.querySelector('.lanes').{box}")
    mark = browser.run(f"document.querySelector('.map a.fork').{box}")

    assert mark["left"] == pytest.approx(lanes["left"] + lanes["width"] * 4.5 / 12, abs=1)
    assert (
        browser.run(f"document.querySelector('.map').{box}")["bottom"]
        < browser.run(f"document.querySelector('h1').{box}")["top"]
    )


def test_the_map_stays_in_view_and_is_as_high_as_the_window_for_500_exchanges(
    browser: Browser, show: Show
) -> None:
    """However far down the reader is."""
    show(_long_run(500))

    browser.run("scrollTo(0, document.body.scrollHeight)")
    box = browser.run("document.querySelector('.map').getBoundingClientRect().toJSON()")

    assert (box["top"], box["height"]) == (0, 800)
    assert browser.run("scrollY") > 1000


def test_every_mark_can_be_clicked_where_it_is_drawn(browser: Browser, show: Show) -> None:
    """A fork among matches, and its neighbours."""
    show(two_conversations())

    for anchor in ("x5", "x9", "x0"):
        browser.click(f".map a[href='#{anchor}']")
        assert browser.run("location.hash") == f"#{anchor}"


def test_keys_go_from_change_to_change(browser: Browser, show: Show) -> None:
    """J and k, into folds too; the address follows, and the focus, so that a reader aloud goes along."""
    show(stopped())
    where = "[location.hash, document.activeElement.id]"
    visited = []

    for key in ("j", "j", "j", "j", "j", "k"):
        browser.press(key)
        visited.append(browser.run(where))

    assert visited == [[f"#m{n}", f"m{n}"] for n in (9, 10, 11, 12, 13, 12)]
    assert browser.run("document.querySelector('#m13').closest('details').open")


def test_keys_are_letters_where_somebody_writes(browser: Browser, show: Show) -> None:
    """The search takes the key; with Control or Alt it is the browser's."""
    show(changed_argument())

    browser.press("/")
    browser.press("j")
    browser.press("o")

    assert browser.run("[document.activeElement.id, document.activeElement.value, location.hash]") == [
        "search",
        "jo",
        "",
    ]
    assert browser.run("document.querySelectorAll('details[open]').length") == 0


def test_search_counts_goes_from_hit_to_hit_and_opens_folds(browser: Browser, show: Show) -> None:
    """Marked words do not divide what is searched; Enter goes on, Shift back."""
    show(system_prompt())

    browser.press("/")
    browser.ask("Input.insertText", text="pay,  ALWAYS read")
    _settle(browser)
    counted = browser.run("document.querySelector('#found').textContent")
    browser.press("Enter")
    first = browser.run(
        "[document.querySelector('#found').textContent, ...CSS.highlights.get('here')].map(String)"
    )
    browser.press("Enter", shift=True)

    assert counted == "2"
    assert first == ["1 of 2", "pay, always read"]
    assert browser.run("document.querySelector('#found').textContent") == "2 of 2"
    assert browser.run("document.querySelector('.all details').open") is True


def test_search_opens_the_fold_that_has_the_hit(browser: Browser, show: Show) -> None:
    """And says where nothing is found."""
    show(system_prompt())

    browser.press("/")
    browser.ask("Input.insertText", text="60. Keep every")
    _settle(browser)
    browser.press("Enter")
    opened = browser.run("document.querySelector('.all details').open")
    browser.ask("Input.insertText", text="nowhere")
    _settle(browser)

    assert opened is True
    assert browser.run("document.querySelector('#found').textContent") == "nothing found"


@pytest.mark.parametrize(("dark", "ground"), [(False, "rgb(255, 255, 255)"), (True, "rgb(20, 22, 25)")])
def test_colours_follow_the_reader(dark: bool, ground: str, browser: Browser, show: Show) -> None:
    """By what the system prefers."""
    show(changed_argument(), dark=dark)

    assert browser.run("getComputedStyle(document.body).backgroundColor") == ground


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_switch_turns_the_colours(script: bool, browser: Browser, show: Show) -> None:
    """With and without script; with it the choice is kept."""
    show(changed_argument(), script=script)
    ground = _ground(browser)

    browser.click("#theme-dark + span")
    dark = _ground(browser)
    browser.click("#theme-light + span")
    light = _ground(browser)
    browser.click("#theme-dark + span")
    if script:
        show(two_conversations())
        kept = browser.run("document.querySelector('#theme-dark').checked")
        browser.run("localStorage.clear()")
        assert kept is True

    assert ground == light
    assert dark < light


def test_the_page_reads_without_script(browser: Browser, show: Show) -> None:
    """All text is there, folds open, links lead; what needs the script is not shown."""
    show(changed_argument(), script=False)

    browser.click("details.match summary")
    shown = _visible_text(browser)

    assert 'city="Porto"' in shown
    assert "#2" in shown
    assert "Search" not in shown
    assert "next change" not in shown


def test_tab_goes_through_the_page_in_reading_order(browser: Browser, show: Show) -> None:
    """The way past the map first, the map, the fork, the controls, then what is in the report."""
    show(changed_argument())
    names = []

    for _ in range(14):
        browser.press("Tab")
        names.append(browser.run(f"(({NAME}))(document.activeElement)"))

    assert names == [
        "Skip the map",
        "#0–#3 match",
        "#4 fork: model output",
        "#5–#11 carried",
        "Go to the first fork",
        "Search",
        "Open all",
        "Close all",
        "as the system",
        "#0–#3 match",
        "Link to #4",
        "Link to the difference arguments.city",
        "Bodies as on the tapes",
        "#5–#11 7 carried",
    ]


def test_the_way_past_the_map_shows_when_it_has_the_focus(browser: Browser, show: Show) -> None:
    """And leads to the report."""
    show(changed_argument())

    browser.press("Tab")
    shown = browser.run("document.activeElement.getBoundingClientRect().left >= 0")
    browser.press("Enter")

    assert shown is True
    assert browser.run("[location.hash, document.activeElement.id]") == ["#main", "main"]


def test_a_reader_aloud_is_told_what_the_page_shows(browser: Browser, show: Show) -> None:
    """Landmarks, headings, rows and marks have the names that the accessibility tree gives them."""
    show(every_kind())
    told = _tree(browser)

    assert ("navigation", "Map of the run") in told
    assert ("main", "") in told
    assert ("heading", "Forked at #1 (recorded #1): the result of count() changed.") in told
    assert {name for role, name in told if role == "article"} == {
        "#1 Fork tool result",
        "#2 Changed user prompt recorded #3",
        "#3 Changed user prompt recorded #4 as at #2",
    }
    assert ("columnheader", "re-issued") in told
    assert ("rowheader", "rows Link to the difference rows type: number, now text") in told
    assert ("deletion", "") in told
    assert ("insertion", "") in told
    assert ("link", "#1 fork: tool result") in told
    assert ("searchbox", "Search") in told
    assert ("radio", "dark") in told


def test_text_can_be_copied_without_what_is_not_part_of_it(browser: Browser, show: Show) -> None:
    """A value as it stands; the links at the side are not copied along."""
    show(changed_argument())

    browser.run("getSelection().selectAllChildren(document.querySelector('tbody tr'))")

    assert (
        browser.run("getSelection().toString().replaceAll(/\\s+/g, ' ').trim()")
        == 'arguments.city "Lisbon" "Porto"'
    )


def test_sides_can_be_told_apart_without_colour(browser: Browser, show: Show) -> None:
    """Changed words are underlined, dotted where they were recorded."""
    show(system_prompt())
    line = "getComputedStyle(document.querySelector('td {}')).borderBottomStyle"

    assert [browser.run(line.replace("{}", side)) for side in ("del", "ins")] == ["dotted", "solid"]


def test_what_is_printed_is_the_report_alone(browser: Browser, show: Show) -> None:
    """Black on white for a reader of dark pages too, without map and controls, long texts whole."""
    show(system_prompt(), dark=True)
    browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")

    browser.ask("Emulation.setEmulatedMedia", media="print")
    printed = _visible_text(browser)
    ground = browser.run("getComputedStyle(document.body).backgroundColor")
    whole = browser.run(
        "((text) => text.scrollHeight <= text.clientHeight + 1)(document.querySelector('pre'))"
    )
    browser.ask("Emulation.setEmulatedMedia", media="")

    assert (ground, whole) == ("rgb(255, 255, 255)", True)
    assert "Search" not in printed
    assert "60. " in printed


@pytest.mark.parametrize("width", WIDTHS)
def test_rows_become_blocks_in_a_narrow_window(width: int, browser: Browser, show: Show) -> None:
    """Each side with its label, below each other; an absent side is left out."""
    show(_settings(), width=width)
    tops = browser.run(f"[...document.querySelectorAll('tbody td')].map({TOP})")
    label = browser.run("getComputedStyle(document.querySelector('td[data-side]'), '::before').content")

    if width > 760:
        assert tops[0] == tops[1]
        assert label == "none"
    else:
        assert 0 < tops[0] < tops[1]
        assert tops[3] == 0
        assert "recorded" in label


def _tapes(exchange: ExchangeDiff) -> tuple[Exchange | None, Exchange | None]:
    """Tapes that have a small body everywhere."""
    old, new = (
        None
        if number is None
        else Exchange(number, Request("POST", "/", body=Body.json({"text": f"of #{number}"})))
        for number in (exchange.recorded, exchange.reissued)
    )
    return old, new


def _settings() -> DiffReport:
    """One setting with another value, one that the re-issued run does not have."""
    return report(
        [fork(0, Origin.SETTINGS, said("x"), [setting("temperature", 1, 2), setting("seed", 7, MISSING)])]
    )


def _hostile() -> DiffReport:
    """A report whose every text tries to get in."""
    spot = Spot(
        INJECTION,
        said("", INJECTION),
        (
            value((INJECTION,), INJECTION * 9, f"{INJECTION * 9} more"),
            value(("x",), INJECTION, [INJECTION], Kind.TYPE),
        ),
        note=said("", INJECTION),
    )
    first = fork(
        0,
        Origin.SETTINGS,
        said("", INJECTION),
        [setting(INJECTION, INJECTION, f"{INJECTION}!"), spot],
        trace=Trace(INJECTION, 0, said("", INJECTION)),
    )
    extra = ExchangeDiff(
        State.EXTRA, None, 1, words=said("", INJECTION), nearest=0, nearest_words=said("", INJECTION)
    )
    return report(
        [first, extra],
        endpoint=INJECTION,
        conversations=(Conversation(0, INJECTION),),
        recorded=TapeFacts(INJECTION, 1),
        reissued=TapeFacts(INJECTION, 2),
        ids=INJECTION,
        settings=INJECTION,
        notes=(INJECTION,),
    )


def _long_run(count: int = 200) -> DiffReport:
    """A fork, and so many later changes that the page is long."""
    spot = Spot("messages[3]", said("user"), tuple(value(("items", n), n, -n - 1) for n in range(5)))
    later = [
        ExchangeDiff(State.CHANGED, n, n, origin=Origin.TOOL_RESULT, spots=(spot,))
        for n in range(11, count - 1)
    ]
    first = fork(10, Origin.TOOL_RESULT, said("the result of ", "f()", " changed"), [spot])
    return report([*matches(range(10)), first, *later, *carried([count - 1], origin=10)])


def _in_view(browser: Browser, selector: str) -> bool:
    seen: bool = browser.run(
        f"((box) => box.height > 0 && box.top >= 0 && box.bottom <= innerHeight)"
        f"(document.querySelector('{selector}').getBoundingClientRect())"
    )
    return seen


def _ground(browser: Browser) -> int:
    """How light the page is, by the red of its ground."""
    found: int = browser.run("Number(getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0])")
    return found


def _visible_text(browser: Browser) -> str:
    text: str = browser.run("document.body.innerText")
    return text


def _settle(browser: Browser) -> None:
    """Wait until the search, which waits for the next letter, has looked."""
    browser.run("new Promise((done) => setTimeout(done, 250))")


def _tree(browser: Browser) -> set[tuple[str, str]]:
    """Role and name of everything that a reader aloud is told."""
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    return {
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"] and "role" in node
    }
