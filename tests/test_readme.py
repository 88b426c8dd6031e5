"""Every command that the README and docs/ show prints what they show.

`AMBERFORK_UPDATE_DOCS=1` writes what is printed into the documents instead.
"""

import os
from pathlib import Path

import pytest
from readme_runner import ROOT, differences, hidden_commands, rewrite, run, steps

DOCUMENTS = [ROOT / "README.md", ROOT / "sample_tapes" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EVERY_DOCUMENT = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


@EVERY_DOCUMENT
def test_the_commands_print_what_the_document_shows(document: Path, tmp_path: Path) -> None:
    """What stands below a command is what it prints, to the letter."""
    text = document.read_text(encoding="utf-8")
    found = steps(text)

    printed = run(found, tmp_path)

    if os.environ.get("AMBERFORK_UPDATE_DOCS") == "1":
        document.write_text(rewrite(text, found, printed), encoding="utf-8")
    elif wrong := differences(document.name, found, printed):
        pytest.fail("\n\n".join(wrong), pytrace=False)


@EVERY_DOCUMENT
def test_no_command_is_shown_where_it_is_not_run(document: Path) -> None:
    """A command stands in a console block, or below a marker that says why it is not run."""
    assert hidden_commands(document.read_text(encoding="utf-8")) == []


def test_a_wrong_output_is_found_and_named(tmp_path: Path) -> None:
    """The command, its line, what is shown and what is printed."""
    found = steps("# Title\n\n```console\n$ echo one\none\n$ echo two\nthree\n```\n")

    wrong = differences("guide.md", found, run(found, tmp_path))

    assert wrong == ["guide.md:6: $ echo two\n--- shown\nthree\n--- printed\ntwo"]


@pytest.mark.parametrize("shown", ["one", "one \ntwo", "one\n\ntwo", "one\ntwo\nthree", ""])
def test_nothing_but_the_exact_output_will_do(shown: str, tmp_path: Path) -> None:
    """A missing, added or blank line, or a space at an end, is a difference."""
    found = steps(f"```console\n$ printf 'one\\ntwo\\n'\n{shown}\n```")

    assert len(differences("guide.md", found, run(found, tmp_path))) == 1


def test_commands_share_a_folder_and_the_status_of_the_one_before(tmp_path: Path) -> None:
    """State is kept across blocks, in document order; the sample tapes are at hand."""
    text = (
        "```console\n$ echo kept > file\n$ ls\nfile\nsample_tapes\n```\n"
        "Then:\n\n   ```console\n   $ cat file; exit 7\n   kept\n   $ echo $?\n   7\n   ```\n"
    )

    found = steps(text)

    assert differences("guide.md", found, run(found, tmp_path)) == []
    assert len(found) == 4


def test_streams_merge_in_the_order_of_their_writing(tmp_path: Path) -> None:
    """Standard error stands where a terminal would show it; the width is 80 and colour is off."""
    script = "import os, sys; print('a'); print('b', file=sys.stderr); print(os.environ['COLUMNS'], end='')"
    found = steps(f'```console\n$ python -c "{script}"\na\nb\n80\n$ echo "$NO_COLOR"\n1\n```')

    assert differences("guide.md", found, run(found, tmp_path)) == []


def test_a_command_may_go_on_over_several_lines(tmp_path: Path) -> None:
    """Lines below a command that begin with `> ` belong to it."""
    found = steps("```console\n$ cat <<END\n> x\n> END\nx\n```")

    assert [step.command for step in found] == ["cat <<END\nx\nEND"]
    assert differences("guide.md", found, run(found, tmp_path)) == []


def test_only_a_reason_exempts_a_block() -> None:
    """A marker without its why, or further up, changes nothing; other languages are not run."""
    block = "```console\n$ false\n```\n"

    assert steps(f"<!-- not run: needs the network -->\n{block}") == ()
    assert len(steps(f"<!-- not run: -->\n{block}")) == 1
    assert len(steps(f"<!-- not run: needs the network -->\n\n{block}")) == 1
    assert steps("```json\n$ false\n```\n````md\n```console\n$ false\n```\n````\n") == ()


def test_commands_in_other_blocks_are_found() -> None:
    """A shell block is no way around the check, unless it says why it is not run."""
    assert hidden_commands("```sh\namberfork canon x\n```") == ["amberfork canon x"]
    assert hidden_commands("  ```\n  $ amberfork diff a b\n  ```") == ["$ amberfork diff a b"]
    assert hidden_commands("<!-- not run: set-up -->\n```sh\npip install . && amberfork demo\n```") == []
    assert hidden_commands("```console\n$ amberfork canon x\n```\n```python\namberfork = 1\n```") == []


def test_an_update_writes_what_is_printed(tmp_path: Path) -> None:
    """All else of the document stays; a second update finds nothing to do."""
    text = "Intro.\n\n  ```console\n  $ printf 'a\\n\\nb\\n'\n  old\n  $ true\n  gone\n  ```\n\nEnd.\n"

    found = steps(text)
    updated = rewrite(text, found, run(found, tmp_path))

    assert (
        updated == "Intro.\n\n  ```console\n  $ printf 'a\\n\\nb\\n'\n  a\n\n  b\n  $ true\n  ```\n\nEnd.\n"
    )
    assert [step.shown for step in steps(updated)] == ["a\n\nb", ""]
