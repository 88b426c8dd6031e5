"""The page of a run of tools in a real browser: it fits two widths, its keys work, and nothing leaves it.

Where there is no Chromium these tests are skipped; `.ci/run` installs one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chromium import Browser, program, running
from diff_samples import changed_argument
from run_samples import a_run, every_end
from tool_run_samples import Asked, ok, run_report

from amberfork_cli.render.html import to_html as diff_to_html
from amberfork_cli.render.html.run_page import to_html

pytestmark = pytest.mark.skipif(
    program() is None, reason="no Chromium on the path; AMBERFORK_CHROMIUM may name one"
)

Show = Callable[..., str]
WIDTHS = (1280, 480)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of this file."""
    with running(tmp_path_factory.mktemp("browser")) as one:
        yield one


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Show:
    """Writes a page and opens it; gives back its address."""

    def open_page(page: bytes) -> str:
        file = tmp_path / "report.html"
        file.write_bytes(page)
        browser.open(file.as_uri())
        return file.as_uri()

    return open_page


@pytest.mark.parametrize(
    "page",
    [
        lambda: to_html(every_end()),
        lambda: diff_to_html(changed_argument(), tools=every_end()),
        lambda: to_html(run_report([[Asked("search", {"q": "word " * 99}, "x" * 5_000)]], [ok("y" * 5_000)])),
    ],
    ids=["alone", "beside a diff", "long words"],
)
def test_a_run_fits_the_window_and_nothing_leaves_the_page(
    page: Callable[[], bytes], browser: Browser, show: Show
) -> None:
    """Wide and narrow, everything open: no scrolling sideways, no word in the console, no further request."""
    address = show(page())
    browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    widths = []

    for width in WIDTHS:
        browser.resize(width, 800)
        widths.append(browser.run("document.documentElement.scrollWidth"))

    assert widths == [*WIDTHS]
    assert browser.complaints == []
    assert browser.requests == [address]


def test_keys_go_from_one_call_that_changed_to_the_next(browser: Browser, show: Show) -> None:
    """As from change to change of a diff, and on to the tools beside one."""
    show(diff_to_html(changed_argument(), tools=a_run()))

    browser.press("j")
    first = browser.run("document.activeElement.id")
    browser.press("j")

    assert (first, browser.run("document.activeElement.id")) == ("x4", "t1")


def test_a_link_of_the_map_opens_the_fold_that_it_leads_into(browser: Browser, show: Show) -> None:
    """A call that is well is behind one."""
    show(to_html(a_run()))

    browser.run("document.querySelector('.map a[href=\"#t3\"]').click()")

    assert browser.run("document.getElementById('t3').closest('details').open") is True
