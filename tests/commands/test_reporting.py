"""Which form a report is written in."""

from pathlib import Path

import pytest

from amberfork_cli.commands.reporting import DIFF_FORMS, SUFFIXES, Format, format_of, suffix_of
from amberfork_cli.errors import OptionError


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.txt", Format.TEXT), ("a.b.json", Format.JSON), ("A.JSONL", Format.JSONL), ("x/y.json", Format.JSON)],
)
def test_the_name_of_a_file_tells_its_form(name: str, form: Format) -> None:
    """By its last suffix, in letters of either size."""
    assert format_of(Path(name)) is form


@pytest.mark.parametrize("name", ["report", "report.pdf", ".json", "json", "report.json.gz"])
def test_a_name_that_tells_no_form_is_trouble(name: str) -> None:
    """With the names that do."""
    with pytest.raises(OptionError) as trouble:
        format_of(Path(name))

    assert str(trouble.value) == (
        f"{name}: the name does not tell the form of the report: end it in {', '.join(SUFFIXES)}"
    )


def test_a_diff_has_more_forms_than_stdout() -> None:
    """Those that people pass on."""
    assert [*DIFF_FORMS] == [".txt", ".json", ".jsonl", ".md", ".html", ".xml"]
    assert suffix_of(Path("report.MD"), DIFF_FORMS) == ".md"
    with pytest.raises(OptionError, match=r"end it in \.txt, \.json, \.jsonl, \.md, \.html, \.xml"):
        suffix_of(Path("report.pdf"), DIFF_FORMS)
