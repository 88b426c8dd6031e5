"""A diff as Markdown: whole texts, and what GitHub's own parser makes of hostile ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from diff_samples import (
    all_same,
    carried,
    changed_argument,
    every_kind,
    fork,
    forked_alike,
    left_out,
    long_texts,
    many_conversations,
    missing_extra,
    report,
    said,
    setting,
    stopped,
    two_conversations,
)
from hostile import reports, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_reading import read_markdown

from amberfork_cli.core.compare.report import Conversation, DiffReport, Origin
from amberfork_cli.render.markdown import to_markdown
from amberfork_cli.render.markdown_text import LIMIT, code, fence


def test_a_fork_reads_as_it_should() -> None:
    """The verdict, the sentence, the tapes, the counts, what differs, and the command that shows all."""
    assert to_markdown(changed_argument()) == (
        "### amberfork: forked\n"
        "\n"
        "**Forked at `#4` (recorded `#4`): the model called `get_weather` "
        'with city=`"Porto"`, not `"Lisbon"`.**\n'
        "\n"
        "| | tape | `POST /v1/chat/completions` |\n"
        "|---|---|---|\n"
        "| recorded | `monday.jsonl` | 12 exchanges |\n"
        "| re-issued | `tuesday.jsonl` | 12 exchanges |\n"
        "\n"
        "4 match · **1 changed** · 7 carried · 0 missing · 0 extra\n"
        "\n"
        "**`#4` Fork**, model output\n"
        "\n"
        "```diff\n"
        "  messages[8]  assistant calls get_weather\n"
        '-   arguments.city: "Lisbon"\n'
        '+   arguments.city: "Porto"\n'
        "```\n"
        "\n"
        "All of it: `amberfork diff monday.jsonl tuesday.jsonl`\n"
    )


def test_where_all_is_the_same_it_is_short() -> None:
    """The sentence and the tapes, with what was left out of them and set aside."""
    assert to_markdown(all_same()).split("\n\n")[0:2] == [
        "### amberfork: same",
        "**Same: all 12 exchanges match.**",
    ]
    assert to_markdown(left_out()).split("\n\n", 2)[2] == (
        "| | tape | `POST /v1/chat/completions` |\n"
        "|---|---|---|\n"
        "| recorded | `backups/2026/05/monday-of-the-long-week.jsonl` "
        "| 3 exchanges, 3 bad lines left out, torn last line left out |\n"
        "| re-issued | `backups/2026/05/tuesday-of-the-long-week.jsonl` "
        "| 3 exchanges, 1 bad line left out |\n"
        "\n"
        "- ignored values: 12 recorded, 0 re-issued\n"
        "- replaced values: 0 recorded, 2 re-issued\n"
        "- IDs that no response on the tape explains: 0 recorded, 1 re-issued\n"
        "- members written twice: 1 recorded, 0 re-issued\n"
        "- ID rules: `calls`\n"
        "- settings: `amberfork.toml`\n"
        "- `bodies only`\n"
    )


def test_several_forks_have_a_table() -> None:
    """Each with where it came from and its cause, before the details."""
    text = to_markdown(many_conversations())

    assert (
        "| fork | from | what |\n"
        "|---|---|---|\n"
        "| `#11` | tool result | the result of `list_files()` changed |\n"
        "| `#13` | settings | the temperature changed |\n"
    ) in text
    assert "#### Conversation 6: `Letter 5: sort my mail`\n\n**`#11` Fork**, tool result\n" in text
    assert "**`#13` Fork**, settings, recorded `#14`, `Letter 6: sort my mail`\n" in text


def test_the_first_changes_are_open_and_the_others_folded() -> None:
    """A summary is HTML, where no Markdown is read."""
    spot = setting("temperature", 1, 2)
    forks = [
        replace(fork(n, Origin.SETTINGS, said("the temperature changed"), [spot]), conversation=n)
        for n in range(5)
    ]
    text = to_markdown(report(forks, conversations=tuple(Conversation(n, f"<b>`{n}`") for n in range(5))))

    assert text.count("\n**`#") == 3
    assert text.count("<details>") == text.count("</details>") == 2
    assert (
        "<details><summary><b><code>#3</code> Fork</b>, settings, <code>&lt;b&gt;`3`</code></summary>\n"
        "\n```diff\n- temperature: 1\n+ temperature: 2\n```\n\n</details>"
    ) in text


def test_exchanges_of_one_tape_are_listed() -> None:
    """With what tells them apart; of many in a row the first few and a count."""
    text = to_markdown(missing_extra())

    assert '- **recorded `#5` Missing**, last message: `"And which of the two is nearer?"`\n' in text
    assert (
        '- **`#5` Extra**, last message: `"Tell me what you know so far."`, '
        "nearest recorded: `#5`, with another last message\n"
    ) in text
    assert '`"step 12"`\n- recorded `#13–#20`: 8 more missing\n' in to_markdown(stopped())


def test_conversations_that_forked_alike_are_told_once() -> None:
    """The first with its difference, the others counted."""
    text = to_markdown(forked_alike())

    assert text.count("```diff") == 1
    assert "\n59 others forked alike, at `#1–#59`\n" in text


def test_kinds_and_places_of_every_sort_have_their_lines() -> None:
    """A kind that the values do not show stands behind them, a trace below."""
    text = to_markdown(every_kind())

    assert '-   rows: 12\n+   rows: "twelve"  (type: number, now text)\n' in text
    assert "  messages[5]–[7]  tool results\n    the same 3 results in another order\n" in text
    assert "-   answers: save()\n+   answers: a call that nobody made  (orphan)\n" in text
    assert "\n  3 more differences (--full shows them)\n```\n" in text
    assert "\n`bk_91f3c0` first stood in `#1`: result of `book()`\n" in text
    assert "**`#3` Changed**, user prompt, recorded `#4`, as at `#2`\n" in text


def test_all_is_shown_when_asked_for() -> None:
    """Whole values and every difference."""
    text = to_markdown(every_kind(), full=True)

    assert "- option_3: 3\n+ option_3: 4\n" in text
    assert "--full" not in text
    assert to_markdown(long_texts(), full=True).count("\n+   Rule ") == 6


def test_what_does_not_fit_into_a_comment_is_counted_and_no_fence_is_cut() -> None:
    """500 different forks: as many as fit, then how many are left out and what shows them."""
    forks = [
        replace(fork(n, Origin.BODY, said("x"), [setting("n", n, f"{n} and more")] * 5), conversation=n)
        for n in range(500)
    ]

    text = to_markdown(report(forks))

    assert LIMIT - 1000 < len(text) < LIMIT
    assert _fences(text) % 2 == 0
    shown = text.count("```diff")
    assert text.endswith(
        f"**{500 - shown} exchanges more to tell: left out here to stay short, shown by** "
        "`amberfork diff monday.jsonl tuesday.jsonl`\n"
    )


@settings(max_examples=30, deadline=None)
@given(reports(), st.booleans())
def test_no_report_is_too_long(report: DiffReport, full: bool) -> None:
    """Whatever stands on the tapes, and even if all of it was asked for."""
    assert len(to_markdown(report, full=full)) < LIMIT


@settings(max_examples=150, deadline=None)
@given(texts | st.text("`| \\<>&", max_size=12))
def test_code_is_shown_as_it_is(text: str) -> None:
    """Ticks, bars, backslashes and markup come out of GitHub's parser as they went in."""
    shown = read_markdown(f"x {code(text)} y\n\n| a |\n|---|\n| {code(text).replace('|', chr(92) + '|')} |\n")

    assert shown.tags == ["p", "code", "table", "thead", "tr", "th", "tbody", "tr", "td", "code"]
    assert shown.codes[0] == shown.codes[1] != ""


@settings(max_examples=100, deadline=None)
@given(st.lists(texts | st.text("`~-+ ", max_size=9), max_size=6))
def test_a_fence_holds_whatever_is_in_it(lines: list[str]) -> None:
    """No line of a tape ends the block, and what stands behind it is prose."""
    shown = read_markdown(f"{fence(lines)}\n\nafter\n")

    assert shown.tags == ["pre", "code", "p"]


@settings(max_examples=60, deadline=None)
@given(reports())
def test_no_tape_adds_an_element(report: DiffReport) -> None:
    """Only what amberfork writes is markup, and everything of a tape is code."""
    shown = read_markdown(to_markdown(report))

    assert set(shown.tags) <= {
        *("h3", "h4", "p", "strong", "b", "code", "pre", "ul", "li", "details", "summary"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert [prose for prose in shown.prose if re.search(r"#\d|@|bold\]|long/", prose)] == []


def test_a_name_of_a_megabyte_is_cut() -> None:
    """A comment stays a comment."""
    long = "name" * 250_000
    one = fork(0, Origin.SETTINGS, said("the ", long, " changed"), [setting(long, 1, 2)])

    text = to_markdown(report([one, *carried([1], origin=0)]))

    assert len(text) < 2000
    assert "-" in text


@pytest.mark.parametrize("text", ["`", "``", " `x` ", "", " ", "a``b`"])
def test_code_of_ticks_and_blanks(text: str) -> None:
    """The corner cases of a code span."""
    assert read_markdown(code(text)).codes == [text or " "]


def test_conversations_have_headings_of_their_own() -> None:
    """Those that did not change are only counted."""
    text = to_markdown(two_conversations())

    assert re.findall("^#### .*", text, re.MULTILINE) == [
        "#### Conversation 1: `Find a hotel for two nights in Porto, near a tram stop, please`"
    ]


def _fences(text: str) -> int:
    return sum(1 for line in _lines(text) if re.fullmatch("`{3,}(diff)?", line))


def _lines(text: str) -> Iterator[str]:
    yield from text.split("\n")
