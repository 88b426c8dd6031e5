"""No report, whatever its tapes held, can break a display or drive a terminal."""

from __future__ import annotations

import re
import unicodedata

from hostile import reports
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.compare.report import DiffReport
from amberfork_cli.core.jsontext import loads
from amberfork_cli.render.json import to_json, to_jsonl
from amberfork_cli.render.lines import line_width, plain_text
from amberfork_cli.render.text import lay_out

UNFIT = re.compile("[\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff\U000e0000-\U000e007f]")


@settings(max_examples=40, deadline=None)
@given(reports(), st.integers(60, 200), st.booleans(), st.booleans())
def test_no_line_is_wider_than_the_terminal(report: DiffReport, width: int, full: bool, ascii: bool) -> None:
    """From 60 columns on every line fits, whole values and plain glyphs included."""
    lines = lay_out(report, width=width, full=full, ascii=ascii)

    assert [plain_text(line) for line in lines if line_width(line) > width] == []


@settings(max_examples=30, deadline=None)
@given(reports(), st.sampled_from([None, 60, 100, 140]), st.booleans(), st.booleans())
def test_nothing_in_a_line_is_unseen_or_drives_the_terminal(
    report: DiffReport, width: int | None, full: bool, ascii: bool
) -> None:
    """Controls, bidirectional marks, hidden tags and halves of characters come out as escapes."""
    text = "".join(plain_text(line) for line in lay_out(report, width=width, full=full, ascii=ascii))

    assert [char for char in text if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")] == []
    assert UNFIT.findall(text) == []
    assert text.isascii() or not ascii


@settings(max_examples=15, deadline=None)
@given(reports())
def test_data_is_valid_json_in_valid_utf8(report: DiffReport) -> None:
    """Whatever a tape held, other programs can read the document and every line."""
    document, lines = to_json(report), to_jsonl(report)

    assert isinstance(loads(document.decode()), dict)
    assert all(isinstance(loads(line.decode()), dict) for line in lines.splitlines())
