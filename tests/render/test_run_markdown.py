"""A run of tools as Markdown: whole texts, and what GitHub's own parser makes of hostile ones."""

from __future__ import annotations

import re

from diff_samples import changed_argument
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_reading import read_markdown
from run_samples import a_run, all_well, every_end, plan, runs
from tool_run_samples import Asked, ok, run_report

from amberfork_cli.core.tools.run_report import RunReport
from amberfork_cli.render.markdown import to_markdown as diff_to_markdown
from amberfork_cli.render.markdown_text import LIMIT
from amberfork_cli.render.run_markdown import to_markdown


def test_a_run_is_an_answer_a_table_and_what_changed() -> None:
    """What stands on the tape is code; what would run more is said."""
    assert (
        to_markdown(a_run())
        == """\
### amberfork: tools answer otherwise

**3 calls: 1 same, 1 changed (`search`), 1 skipped (`refund`: side effect).**

| | | |
|---|---|---|
| tape | `run.jsonl` | 3 calls in 2 turns |
| registry | `mytools.py` | |

| | call | |
|---|---|---|
| `#0` | `search(city="Seoul")` | **changed** |
| `#0` | `refund()` | skipped: side effect |
| `#1` | `search()` | same |

**`#0` `search(city="Seoul")`** changed

```diff
- result.t: 17
+ result.t: 18
```

To run more of them: `--allow refund`

All of it: `amberfork run-tools run.jsonl --registry mytools.py`
"""
    )


def test_a_run_without_a_difference_is_short() -> None:
    """Nothing more to look at."""
    text = to_markdown(all_well())

    assert text.startswith("### amberfork: tools answer as they did\n\n**2 calls: 2 same.**\n")
    assert "```" not in text
    assert "All of it" not in text


def test_a_plan_is_told_as_one() -> None:
    """What would run, and what would not."""
    text = to_markdown(plan(), is_plan=True)

    assert text.startswith(
        "### amberfork: plan of a run of tools\n\n**2 calls: 1 would run, 1 skipped: side effect.**\n"
    )
    assert "| `#0` | `search()` | would run |\n" in text


def test_every_call_that_went_wrong_is_told_the_first_three_open() -> None:
    """What was recorded, what came instead, every fault, what was printed; the table is folded."""
    text = to_markdown(every_end())

    assert "<details><summary>14 calls</summary>\n\n| | call | |\n" in text
    assert text.count("<summary><b><code>#") == 5
    assert "- sunny\n+ ValueError: no luck\n" in text
    assert (
        "- sunny\n+ the arguments do not fit: /a: Field required (and 1 more)\n"
        "  /a: Field required\n  /b: Extra\n" in text
    )
    assert "the fresh result is not faithful as JSON: the whole value: repr" in text
    assert "Traceback" not in text
    assert "```text\nTraceback:\n  line 7\n```" in to_markdown(every_end(), full=True)


def test_what_does_not_fit_into_a_comment_is_counted_and_no_fence_is_cut() -> None:
    """1,000 calls that changed: as many as fit, then how many are left out and what shows them."""
    asked = [[Asked("search", {"n": number}, f"{number} old " * 9)] for number in range(1_000)]

    text = to_markdown(run_report(asked, [ok(f"new {number} " * 9) for number in range(1_000)]))

    shown = text.count("```diff")
    assert LIMIT - 1_500 < len(text) < LIMIT
    assert len(re.findall("^`{3}", text, re.MULTILINE)) == 2 * shown
    assert "900 calls more." in text
    assert text.endswith(
        f"**{1_000 - shown} calls more to tell: left out here to stay short, shown by** "
        "`amberfork run-tools run.jsonl --registry mytools.py`\n"
    )


def test_beside_a_diff_it_has_its_part_of_the_room() -> None:
    """One comment holds both, below the length that it may have."""
    asked = [[Asked("search", {"n": number}, f"{number} old " * 9)] for number in range(1_000)]
    run = run_report(asked, [ok(f"new {number} " * 9) for number in range(1_000)])

    text = diff_to_markdown(changed_argument(), tools=run)

    assert LIMIT - 1_500 < len(text) < LIMIT
    assert re.findall("^### .*", text, re.MULTILINE) == [
        "### amberfork: forked",
        "### amberfork: tools answer otherwise",
    ]


@settings(max_examples=40, deadline=None)
@given(runs(), st.booleans(), st.booleans())
def test_no_run_adds_an_element_or_is_too_long(report: RunReport, is_plan: bool, full: bool) -> None:
    """Only what amberfork writes is markup, and everything of a tape and of a tool is code."""
    text = to_markdown(report, is_plan=is_plan, full=full)

    shown = read_markdown(text)

    assert len(text) < LIMIT
    assert set(shown.tags) <= {
        *("h3", "p", "strong", "b", "code", "pre", "details", "summary"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert [prose for prose in shown.prose if re.search(r"#\d|@|bold\]", prose)] == []
