"""Which form a report is written in."""

from pathlib import Path

import pytest

from amberfork_cli.commands.reporting import FileForm, form_of, refuse_what_cannot_be_written
from amberfork_cli.errors import OptionError, OutputError


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.txt", FileForm.TEXT),
        ("a.b.json", FileForm.JSON),
        ("A.JSONL", FileForm.JSONL),
        ("x/y.html", FileForm.HTML),
        ("report.MD", FileForm.MARKDOWN),
        ("junit.xml", FileForm.JUNIT),
    ],
)
def test_the_name_of_a_file_tells_its_form(name: str, form: FileForm) -> None:
    """By its last suffix, in letters of either size."""
    assert form_of(Path(name)) is form


@pytest.mark.parametrize("name", ["report", "report.pdf", ".json", "json", "report.json.gz"])
def test_a_name_that_tells_no_form_is_trouble(name: str) -> None:
    """With the names that do."""
    with pytest.raises(OptionError) as trouble:
        form_of(Path(name))

    assert str(trouble.value) == (
        f"{name}: the name does not tell the form of the report: "
        "end it in .txt, .json, .jsonl, .md, .html, .xml"
    )


def test_what_could_not_be_written_is_told_before_the_work(tmp_path: Path) -> None:
    """A folder that is not there, as well as a name without a form."""
    refuse_what_cannot_be_written([tmp_path / "report.md"], read=())

    with pytest.raises(OutputError, match=r"there is no folder .*nowhere$"):
        refuse_what_cannot_be_written([tmp_path / "nowhere" / "report.md"], read=())


def test_no_tape_that_is_read_is_written_over(tmp_path: Path) -> None:
    """By whatever name: a report of lines ends as a tape does."""
    tape, link, other = (tmp_path / name for name in ("run.jsonl", "link.jsonl", "other.jsonl"))
    for file in (tape, other):
        file.touch()
    link.symlink_to(tape)

    refuse_what_cannot_be_written([other, tmp_path / "new.jsonl"], read=[tape, Path("-")])
    for file in (tape, link):
        with pytest.raises(OptionError, match="is a tape that is read: the report needs a file of its own"):
            refuse_what_cannot_be_written([file], read=[Path("-"), tape])
