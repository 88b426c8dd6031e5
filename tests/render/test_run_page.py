"""A run of tools as a page: what it is made of, that its links lead somewhere, that nobody gets a word in."""

from __future__ import annotations

from diff_samples import all_same, changed_argument
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import Page, assert_sound
from run_samples import a_run, all_well, every_end, plan, runs
from tool_run_samples import Asked, ok, run_report

from amberfork_cli.core.tools.run_report import RunReport
from amberfork_cli.render.html import to_html as diff_to_html
from amberfork_cli.render.html.run_page import to_html


def test_the_answer_is_the_title_and_the_counts_explain_the_marks() -> None:
    """Below them: where calls and tools come from, and what would run more of them."""
    page = page_of(a_run())

    assert [each.text for each in page.all("h1")] == [
        "3 calls: 1 same, 1 changed (search), 1 skipped (refund: side effect)."
    ]
    assert [each.text for each in page.all("li") if "header" in each.inside] == [
        "1 changed",
        "1 skipped: side effect",
        "1 same",
    ]
    assert [each.text for each in page.all("dd")] == ["run.jsonl 3 calls in 2 turns", "mytools.py"]
    assert page.all("title")[0].text == "Tools answer otherwise: run.jsonl, amberfork"
    assert [each.text for each in page.all("p", "note")] == ["To run more of them: --allow refund"]
    assert page.all("footer")[0].text.endswith("amberfork run-tools run.jsonl --registry mytools.py")


def test_a_call_that_changed_is_an_article_and_what_is_well_is_folded() -> None:
    """The recorded value beside what the tool answers now."""
    page = page_of(a_run())
    (article,) = page.all("article")

    assert (article.attributes["id"], article.attributes["class"]) == ("t1", "fork")
    assert page.by_id("t1-h").text == '#0 search(city="Seoul") changed 7 ms'
    assert [each.text for each in page.all("th")] == ["where", "recorded", "now", "result.t#/t"]
    assert [(each.text, each.attributes["data-side"]) for each in page.all("td")] == [
        ("17", "recorded"),
        ("18", "now"),
    ]
    assert [each.text for each in page.all("summary")] == [
        "#0 refund() skipped: side effect",
        "#1 search() same",
    ]


def test_whatever_a_call_came_to_its_article_says_why() -> None:
    """What was recorded beside what came instead, all faults, notes, output and traceback."""
    page = page_of(every_end())
    articles = {each.attributes["id"]: each.text for each in page.all("article")}

    assert [*articles] == ["t3", "t4", "t5", "t7", "t8", "t9", "t10", "t13"]
    assert '"sunny""ValueError: no luck"' in articles["t4"]
    assert "Traceback:\n  line 7" in articles["t4"]
    assert "/a: Field required/b: Extra" in articles["t7"]
    assert "the fresh result is not faithful as JSON: the whole value: repr" in articles["t13"]
    assert "one\ntwo\nthree\nfour" in page.by_id("t1").text
    assert "Printed by one of the calls at #3a stray line" in page.all("main")[0].text


def test_every_call_is_on_the_map_under_the_number_of_its_exchange() -> None:
    """Neighbours that are well share a line."""
    page = page_of(a_run())
    marks = [each for each in page.all("a") if "nav" in each.inside]

    assert [(each.attributes["title"], each.attributes["href"]) for each in marks] == [
        ("#0 changed", "#t1"),
        ("#0 skipped: side effect", "#t2"),
        ("#1 same", "#t3"),
    ]
    assert [each.text for each in page.all("i") if "ticks" in str(each.inside) or each.text] == ["#0", "#1"]


def test_a_plan_is_a_page_as_well() -> None:
    """What would run is well."""
    page = page_of(plan(), is_plan=True)

    assert page.all("h1")[0].text == "2 calls: 1 would run, 1 skipped: side effect."
    assert page.all("article") == []


def test_a_run_without_calls_has_no_map() -> None:
    """There is nothing on it."""
    page = page_of(run_report([], []))

    assert_sound(page)
    assert (page.all("nav"), page.all("h1")[0].text) == ([], "No tool call to run.")


def test_a_thousand_calls_that_are_well_are_one_fold() -> None:
    """The page stays small."""
    asked = [[Asked("search", {"n": number}, "x")] for number in range(1_200)]

    source = to_html(run_report(asked, [ok("x")] * 1_200))

    assert len(source) < 200_000
    assert Page(source.decode()).all("summary")[0].text == "#0–#1199 1,200 calls same"


def test_beside_a_diff_it_is_a_part_of_the_page() -> None:
    """The head leads there; where tools answer otherwise, the answer says so."""
    well = Page(diff_to_html(changed_argument(), tools=all_well()).decode())
    otherwise = Page(diff_to_html(all_same(), tools=a_run()).decode())

    assert_sound(well)
    assert_sound(otherwise)
    assert [each.text for each in well.all("section")][-1].startswith("Tools 2 calls in 1 turn")
    assert "Tools" not in well.all("h1")[0].text
    assert otherwise.all("h1")[0].text == (
        "Same: all 12 exchanges match. "
        "Tools: 3 calls: 1 same, 1 changed (search), 1 skipped (refund: side effect)."
    )
    assert "t1" in {each.attributes["id"] for each in otherwise.all("article")}


@settings(max_examples=40, deadline=None)
@given(runs(), st.booleans())
def test_no_run_adds_an_element_that_acts(report: RunReport, is_plan: bool) -> None:
    """One script and one style, both ours; every address is inside the page."""
    page = page_of(report, is_plan=is_plan)

    assert_sound(page)
    assert (len(page.all("script")), len(page.all("style"))) == (1, 1)
    assert [name for each in page.elements for name in each.attributes if name.startswith("on")] == []
    assert {each.tag for each in page.elements} <= TAGS


TAGS = {
    *("html", "head", "meta", "title", "style", "body", "a", "nav", "div", "i", "ol", "ul", "li", "span"),
    *("header", "h1", "h2", "h3", "p", "b", "dl", "dt", "dd", "small", "code", "label", "input", "button"),
    *("output", "fieldset", "legend", "main", "details", "summary", "article", "em", "table", "thead"),
    *("tbody", "tr", "th", "td", "del", "ins", "pre", "footer", "kbd", "script"),
}


def page_of(report: RunReport, *, is_plan: bool = False) -> Page:
    return Page(to_html(report, is_plan=is_plan).decode())
