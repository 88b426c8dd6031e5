"""A diff as a page: what it is made of, that its links lead somewhere, and that no tape gets a word in."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pkgutil import get_data

import pytest
from diff_samples import (
    SITUATIONS,
    all_same,
    changed_argument,
    every_kind,
    fork,
    forked_alike,
    left_out,
    long_prompt,
    many_conversations,
    matches,
    message,
    missing_extra,
    model_changed,
    report,
    said,
    same_at_another_place,
    setting,
    stopped,
    swapped_results,
    system_prompt,
    two_conversations,
    unseen_changes,
    value,
)
from hostile import reports
from hypothesis import given, settings
from pages import Element, Page, assert_sound

from amberfork_cli.core.compare.report import (
    Conversation,
    DiffReport,
    ExchangeDiff,
    Kind,
    Origin,
    Spot,
    State,
)
from amberfork_cli.core.tape import Body, Exchange, Request, Response
from amberfork_cli.render.html import to_html


def test_the_answer_is_the_title_and_the_counts_explain_the_marks() -> None:
    """Whoever opens the page reads verdict and cause first; what stands on a tape is code."""
    page = _page(changed_argument())

    assert [each.text for each in page.all("h1")] == [
        'Forked at #4 (recorded #4): the model called get_weather with city="Porto", not "Lisbon".'
    ]
    assert [each.text for each in page.all("code")][:3] == ["get_weather", '"Porto"', '"Lisbon"']
    assert [
        each.text for each in page.all("li") if "counts" in str(each.inside) or "header" in each.inside
    ] == [
        "4 match",
        "1 changed",
        "7 carried",
        "0 missing",
        "0 extra",
    ]
    assert page.all("title")[0].text == "Forked: monday.jsonl and tuesday.jsonl, amberfork"


def test_a_change_is_an_article_with_a_table_a_place() -> None:
    """Rows have headers and a name to link to; the sides are deleted and inserted text."""
    page = _page(changed_argument())
    (article,) = page.all("article")

    assert (article.attributes["id"], article.attributes["aria-labelledby"]) == ("x4", "x4-h")
    assert page.by_id("x4-h").text == "#4 Fork model output"
    assert [each.text for each in page.all("h3")] == [
        "messages[8] assistant calls get_weather /messages/8/tool_calls/0/function/arguments"
    ]
    assert [(each.text, each.attributes["scope"]) for each in page.all("th")] == [
        ("where", "col"),
        ("recorded", "col"),
        ("re-issued", "col"),
        ("arguments.city#", "row"),
    ]
    assert page.by_id("x4-d1").tag == "tr"
    assert [each.text for each in page.all("del")] == ['"Lisbon"']
    assert [each.text for each in page.all("ins")] == ['"Porto"']
    assert [each.attributes["data-side"] for each in page.all("td")] == ["recorded", "re-issued"]


def test_what_matches_and_what_is_carried_is_folded() -> None:
    """A line a run; inside, every exchange by its number, so that a link finds it."""
    page = _page(changed_argument())

    assert [each.text for each in page.all("summary")] == ["#0–#3 match", "#5–#11 7 carried"]
    assert page.by_id("x2").inside[-3:] == ("main", "details", "ol")
    assert [each.text for each in page.all("li") if "ol" in each.inside and "main" in each.inside][:5] == [
        "#0",
        "#1",
        "#2",
        "#3",
        "#5",
    ]


def test_values_without_a_place_share_a_table() -> None:
    """Settings need no heading each; what one side has not is left out, and said."""
    page = _page(model_changed())

    assert len(page.all("table")) == 1
    assert [each.text for each in page.all("th") if each.attributes["scope"] == "row"] == [
        "model#",
        "temperature#",
        "parallel_tool_calls#removed",
    ]
    assert [each.text for each in page.all("td")] == ['"gpt-4.1"', '"gpt-4.1-mini"', "0.7", "0.2", "true", ""]
    assert [each.text for each in page.all("ins")] == ["-mini", "0.2"]


def test_only_the_changed_words_of_a_long_text_are_marked_and_all_of_it_is_behind_a_fold() -> None:
    """The line that changed in both, then the whole text with both words in it."""
    page = _page(system_prompt())
    old, new = long_prompt("always"), long_prompt("never")

    (whole,) = page.all("pre", "whole")

    assert [each.text for each in page.all("del")] == ["always", "always"]
    assert [each.text for each in page.all("ins")] == ["never", "never"]
    assert whole.text == old.replace("always", "alwaysnever")
    assert f"Whole text, {len(old):,} and {len(new):,} characters" in [
        each.text for each in page.all("summary")
    ]
    assert "1 word differs, line 41 of 60" in [each.text for each in page.all("small")]


def test_kinds_that_the_values_do_not_show_are_told() -> None:
    """Types, links, an order, where a value came from, where the same was told before."""
    page = _page(every_kind())

    text = page.all("main")[0].text
    assert "type: number, now text" in text
    assert "the same 3 results in another order" in text
    assert "orphan" in text
    assert "bk_91f3c0 first stood in #1: result of book()" in text
    assert [each.attributes["href"] for each in page.all("a") if each.text == "as at #2"] == ["#x2"]
    assert "more difference" not in text


def test_links_name_what_is_answered() -> None:
    """Two results that were swapped show the calls, not IDs."""
    page = _page(swapped_results())

    assert [each.text for each in page.all("del")] == ["Lisbon", "Porto"]
    assert [each.text for each in page.all("th") if each.attributes["scope"] == "row"] == [
        "answers#link",
        "answers#link",
    ]


def test_unseen_changes_are_spelled_out() -> None:
    """A Cyrillic letter, a second space, a line break that is new."""
    page = _page(unseen_changes())

    text = page.all("main")[0].text
    assert '"\\u0430pple"' in text
    assert '"a\\u0020\\u0020b"' in text
    assert "say \\u001b[2J \\u202e no" in text


def test_each_conversation_is_a_section_and_one_that_is_the_same_a_fold() -> None:
    """With the first words of its user."""
    page = _page(two_conversations())

    assert [each.text for each in page.all("h2")] == [
        "Conversation 1 Find a hotel for two nights in Porto, near a tram stop, please 8 exchanges#"
    ]
    assert page.by_id("c1").attributes["aria-label"] == "Conversation 1"
    assert page.by_id("c2").tag == "details"
    assert "Conversation 2 Which museums are open on Monday? 4 exchanges match" in [
        each.text for each in page.all("summary")
    ]


def test_more_than_three_conversations_without_a_change_share_a_fold() -> None:
    """Each is a fold inside it."""
    page = _page(many_conversations())

    assert page.by_id("c3").inside[-2:] == ("main", "details")
    assert "5 conversations, 10 exchanges match" in [each.text for each in page.all("summary")]
    assert page.by_id("x13-h").text == "#13 Fork settings recorded #14 Letter 6: sort my mail"


def test_what_forked_alike_is_told_once() -> None:
    """The others are a fold of numbers."""
    page = _page(forked_alike())

    assert len(page.all("article")) == 1
    assert "59 others forked alike, at #1–#59" in [each.text for each in page.all("summary")]
    assert page.by_id("x59").tag == "li"


def test_exchanges_of_one_tape_are_articles_with_what_tells_them_apart() -> None:
    """The first of many, the others in a fold."""
    page, many = _page(missing_extra()), _page(stopped())

    assert [each.text for each in page.all("h2")] == [
        "recorded #5 Missing#",
        "recorded #6 Missing#",
        "#5 Extra#",
        "recorded #9 Missing#",
    ]
    assert "nearest recorded: #5, with another last message" in [each.text for each in page.all("p")]
    assert "recorded #13–#20 8 more missing" in [each.text for each in many.all("summary")]
    assert "details" in many.by_id("m13").inside


def test_where_all_is_the_same_all_is_folded() -> None:
    """Moved exchanges have a fold of their own."""
    assert [each.text for each in _page(all_same()).all("summary")] == ["#0–#11 match"]
    assert [each.text for each in _page(same_at_another_place()).all("summary")] == [
        "#0–#3 match",
        "#4 match, moved, recorded #3",
        "#5–#6 match",
    ]


def test_what_was_left_out_of_the_tapes_is_told_line_by_line() -> None:
    """Beside each tape; what was set aside stands below."""
    page = _page(left_out())

    assert [each.text for each in page.all("li") if each.text.startswith("line")] == [
        "line 2: x",
        "line 4: y",
        "line 9: z",
        "line 12: t",
        "line 7: x",
    ]
    assert "ignored values: 12 recorded, 0 re-issued; " in page.all("header")[0].text


def test_a_hundred_differences_of_an_exchange_are_shown_unless_all_are_wanted() -> None:
    """A list of a thousand rows stays a page."""
    spot = Spot("messages[1]", said("user"), tuple(value(("rows", n), n, -n) for n in range(1, 131)))
    one = report([fork(0, Origin.USER_PROMPT, said("x"), [spot])])

    assert len(_rows(_page(one))) == 100
    assert "30 more differences (--full shows them)" in _page(one).all("main")[0].text
    assert len(_rows(_page(one, full=True))) == 130


def test_a_message_that_one_side_has_is_told_and_whole_behind_a_fold() -> None:
    """Its value as JSON, in the colour of its side."""
    gone = message(Kind.REMOVED, 7, "assistant calls", 'f(a="x")', content={"role": "assistant", "n": [1]})
    spot = Spot("messages[7]", said("not in the re-issued request"), (gone,))
    page = _page(report([fork(0, Origin.MODEL_OUTPUT, said("x"), [spot])]))

    assert [each.text for each in _rows(page)] == ["assistant calls#removed"]
    assert [each.text for each in page.all("del")] == ['f(a="x")']
    (whole,) = page.all("pre")
    assert whole.text == '{\n  "role": "assistant",\n  "n": [\n    1\n  ]\n}'
    assert whole.classes == {"whole", "old"}


def test_a_text_that_is_too_long_for_a_page_is_said_to_be() -> None:
    """The change is shown all the same."""
    old = "many words and more " * 5000
    page = _page(report([fork(0, Origin.SETTINGS, said("x"), [setting("prompt", old, f"{old}end")])]))

    assert page.all("pre") == []
    assert "Whole text, 100,000 and 100,003 characters: too long for this report, the tapes have it." in (
        page.all("main")[0].text
    )
    assert [each.text for each in page.all("ins")] == ["end"]


def test_both_bodies_are_one_click_away() -> None:
    """As they stand on the tapes, indented, side by side."""
    page = _page(changed_argument(), reread=_Tapes({"model": "m", "text": "<b>\u202e"}))
    panes = page.all("pre", "whole")

    assert [each.attributes["aria-label"] for each in panes] == ["recorded request", "re-issued request"]
    assert panes[0].text == '{\n  "model": "m",\n  "text": "<b>\\u202e"\n}'
    assert "recorded request, 36 characters" in [each.text for each in page.all("p")]
    assert "Bodies as on the tapes" in [each.text for each in page.all("summary")]


def test_an_exchange_of_one_tape_has_one_body() -> None:
    """The other tape has none to show."""
    page = _page(missing_extra(), reread=_Tapes({}))

    assert [each.attributes["aria-label"] for each in page.all("pre")] == [
        "recorded request",
        "recorded request",
        "re-issued request",
        "recorded request",
    ]


def test_responses_are_shown_where_they_differ() -> None:
    """Below the requests."""
    spot = Spot("response.status", (), (value((), 200, 429, Kind.STATUS),))
    one = report([fork(0, Origin.RESPONSE, said("x"), [spot])])

    page = _page(one, reread=_Tapes({}))

    assert [each.attributes["aria-label"] for each in page.all("pre")] == [
        "recorded request",
        "re-issued request",
        "recorded response",
        "re-issued response",
    ]


def test_bodies_are_cut_and_left_out_where_they_are_too_long() -> None:
    """The page says so, and no tape is read again for bodies that have no room."""
    exchanges = [fork(n, Origin.BODY, said("x"), [setting("n", n, -n)], conversation=n) for n in range(9)]
    tapes = _Tapes("x" * 300_000)

    page = to_html(report(exchanges), reread=tapes)

    assert len(page) < 2_000_000
    assert page.count(b"the first 250,000 of 300,002 characters") == 3
    assert page.count(b"This report has no more room for bodies; the tapes have them.") == 1 + 7
    assert tapes.asked == 2


def test_there_is_one_script_and_one_style_and_a_policy_that_knows_them() -> None:
    """The browser runs and draws these and nothing else; no element carries code or style of its own."""
    page = _page(two_conversations())
    (policy,) = [each.attributes["content"] for each in page.all("meta") if "http-equiv" in each.attributes]
    (script,), (style,) = page.all("script"), page.all("style")

    assert policy == (
        f"default-src 'none'; script-src '{_hash(script.text)}'; style-src '{_hash(style.text)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    names = {name for each in page.elements for name in each.attributes}
    assert [name for name in names if name == "style" or name.startswith("on")] == []


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_every_link_leads_to_one_place_and_headings_skip_no_level(situation: object) -> None:
    """Every exchange and every difference can be linked to, from the map as from elsewhere."""
    one = situation()  # type: ignore[operator]
    page = _page(one, reread=_Tapes({}))

    _assert_sound(page, one)
    levels = [int(each.tag[1]) for each in page.elements if re.fullmatch("h[1-6]", each.tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@settings(max_examples=60, deadline=None)
@given(reports())
def test_no_tape_adds_an_element_or_an_address(one: DiffReport) -> None:
    """Whatever stands on the tapes: the elements are ours, links stay in the page, nothing is unseen."""
    page = _page(one, reread=_Tapes("\x1b[2J</pre><script>1</script>\u202e"))

    _assert_sound(page, one)
    assert {each.tag for each in page.elements} <= {
        *("html", "head", "meta", "title", "style", "body", "a", "nav", "div", "i", "ol", "li", "b", "span"),
        *(
            "header",
            "h1",
            "p",
            "code",
            "ul",
            "dl",
            "dt",
            "dd",
            "small",
            "details",
            "summary",
            "label",
            "input",
        ),
        *(
            "output",
            "button",
            "fieldset",
            "legend",
            "main",
            "section",
            "h2",
            "h3",
            "h4",
            "q",
            "article",
            "em",
        ),
        *("table", "thead", "tbody", "tr", "th", "td", "del", "ins", "pre", "footer", "kbd", "script"),
    }
    assert (
        re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page.source)
        == []
    )


def test_500_exchanges_are_a_small_page_and_a_run_of_them_is_one_line_of_the_map() -> None:
    """Under 3 MB with 500 forks of five differences each; the map has an element a run."""
    run = report([*matches(range(499)), fork(499, Origin.BODY, said("x"), [setting("n", 1, 2)])])
    spot = Spot(
        "messages[3]", said("user"), tuple(value(("items", n, "name"), "old", "new") for n in range(5))
    )
    forks = [
        replace(fork(n, Origin.BODY, said("x"), [spot, setting("n", n, -n)]), conversation=n)
        for n in range(500)
    ]
    words = tuple(Conversation(n, f"Letter {n}") for n in range(500))

    assert len(to_html(report(forks, conversations=words))) < 3_000_000
    assert [each.text for each in _map(_page(run))] == ["#0–#498 match", "#499 fork: body"]
    assert [each.text for each in _map(_page(report(forks, conversations=words)))] == ["#0–#499 fork"]


def test_the_map_says_in_words_what_it_draws() -> None:
    """A link a run, to its first exchange; the fork parts the recorded from the re-issued line."""
    page = _page(two_conversations())

    assert [(each.text, each.attributes["href"], each.attributes["title"]) for each in _map(page)][:3] == [
        ("#0–#1, #3 match", "#x0", "#0–#1, #3 match"),
        ("#5 fork: model output", "#x5", "#5 fork: model output"),
        ("#7–#8 carried", "#x7", "#7–#8 carried"),
    ]
    assert [
        each.attributes["class"]
        for each in page.all("i")
        if "lanes" not in each.classes and each.inside[-1] == "l0"
    ] == [
        "spine",
        "ghost",
        "branch",
    ]
    assert [each.text for each in page.all("b") if "nav" in each.inside] == [
        "Conversation 1",
        "Conversation 2",
    ]


def test_places_on_the_map_are_numbers_of_exchanges() -> None:
    """Rules of the style give position and length; the lines go from mark to mark."""
    page = _page(changed_argument())
    style = page.all("style")[0].text
    fork_mark = next(each for each in _map(page) if "fork" in each.classes)
    branch = next(each for each in page.all("i", "branch"))

    assert ".map{--count:12;--lanes:1}" in style
    assert f"#{fork_mark.attributes['id']}{{--a:4}}" in style
    assert f"#{branch.attributes['id']}{{--a:4;--n:7}}" in style


def test_the_map_has_no_more_than_eight_lanes_and_twelve_ticks() -> None:
    """Further conversations share the last lane."""
    exchanges = [replace(one, conversation=number % 20) for number, one in enumerate(matches(range(200)))]
    page = _page(report(exchanges, conversations=tuple(Conversation(n, "x") for n in range(20))))

    lanes = [each for each in page.all("li") if each.inside[-2:] == ("nav", "ol")]
    ticks = [each.text for each in page.all("i") if each.inside[-2:] == ("nav", "div")]

    assert len(lanes) == 8
    assert lanes[7].text.startswith("Other exchanges")
    assert ticks == [f"#{number}" for number in range(0, 200, 20)]


def test_of_many_conversations_the_longest_have_a_lane() -> None:
    """In the order in which they began."""
    sizes = [2, 3, 9, 2, 8, 7, 2, 6, 5, 4]
    numbers = [number for number, size in enumerate(sizes) for _ in range(size)]
    exchanges = [
        replace(one, conversation=number) for number, one in zip(numbers, matches(range(48)), strict=True)
    ]

    page = _page(report(exchanges))
    lanes = [each.text for each in page.all("b") if "nav" in each.inside]

    assert lanes == [f"Conversation {number}" for number in (2, 3, 5, 6, 8, 9, 10)] + ["Other exchanges…"]


def test_marks_that_would_lie_on_each_other_are_one() -> None:
    """In a long run neighbours of one kind share a mark; in a short one each has its own."""

    def changes(count: int) -> DiffReport:
        spot = setting("n", 1, 2)
        later = [
            ExchangeDiff(State.CHANGED, n, n, origin=Origin.BODY, spots=(spot,)) for n in range(1, count)
        ]
        return report([fork(0, Origin.BODY, said("x"), [spot]), *later])

    assert len(_map(_page(changes(5)))) == 5
    assert [each.text for each in _map(_page(changes(80)))] == ["#0 fork: body", "#1–#79 changed"]


def test_a_recorded_run_that_goes_on_alone_is_dotted() -> None:
    """Where the re-issued run stopped, nothing stands beside the recorded one."""
    lines = [each.attributes["class"] for each in _page(stopped()).all("i") if each.inside[-1] == "l0"]

    assert lines == ["spine", "ghost"]


def test_colours_can_be_read_on_both_grounds() -> None:
    """4.5 to 1 for text, 3 to 1 for lines, by the formula of the accessibility guidelines."""
    text = [
        ("text", "ground"),
        ("muted", "ground"),
        ("accent", "ground"),
        ("muted", "soft"),
        ("text", "soft"),
    ]
    text += [
        ("old", "old-tint"),
        ("new", "new-tint"),
        ("text", "old-word"),
        ("text", "new-word"),
        ("text", "found"),
    ]
    lines = [("line", "ground"), ("focus", "ground"), ("old", "old-word"), ("new", "new-word")]

    ratios = {
        (one, other, ground): _contrast(_colours()[one][ground], _colours()[other][ground])
        for one, other in (*text, *lines)
        for ground in (0, 1)
    }

    assert {pair: ratio for pair, ratio in ratios.items() if ratio < (4.5 if pair[:2] in text else 3)} == {}


class _Tapes:
    """Tapes that have the same body everywhere; counts how often they are asked."""

    def __init__(self, body: object) -> None:
        self._body = Body.json(body)  # type: ignore[arg-type]
        self.asked = 0

    def __call__(self, exchange: ExchangeDiff) -> tuple[Exchange | None, Exchange | None]:
        self.asked += 1
        old, new = (
            None
            if number is None
            else Exchange(number, Request("POST", "/", body=self._body), Response(200, body=self._body))
            for number in (exchange.recorded, exchange.reissued)
        )
        return old, new


def _page(one: DiffReport, *, reread: _Tapes | None = None, full: bool = False) -> Page:
    return Page(to_html(one, reread=reread, full=full).decode())


def _map(page: Page) -> list[Element]:
    return [each for each in page.all("a") if "nav" in each.inside]


def _rows(page: Page) -> list[Element]:
    return [each for each in page.all("th") if each.attributes["scope"] == "row"]


def _assert_sound(page: Page, one: DiffReport) -> None:
    """Every address is one inside the page, every name is there once, and every exchange has one."""
    assert_sound(page)
    assert set(_anchors(one)) <= {each.attributes.get("id") for each in page.elements}


def _anchors(one: DiffReport) -> Iterator[str]:
    for exchange in one.exchanges:
        yield f"m{exchange.recorded}" if exchange.reissued is None else f"x{exchange.reissued}"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _colours() -> dict[str, tuple[str, str]]:
    css = (get_data("amberfork_cli.render.html", "report.css") or b"").decode()
    named = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", css)
    return {name: (light, dark) for name, light, dark in named}


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    channels = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
