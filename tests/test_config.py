"""Defaults are found upward, taken exactly, and refused where they say something else."""

from pathlib import Path

import pytest

from amberfork_cli.config import Settings, load_settings
from amberfork_cli.errors import OptionError

FULL = """
ignore = ["metadata.user_id", "tools[*].cache_control"]
replace = [['\\d{4}-\\d\\d-\\d\\d', "DATE"], ["/home/[a-z]+", "HOME"]]
preset = ["claude-code"]
ids = "calls"
format = "json"
"""
TAKEN = {
    "ignore": ("metadata.user_id", "tools[*].cache_control"),
    "replace": ((r"\d{4}-\d\d-\d\d", "DATE"), ("/home/[a-z]+", "HOME")),
    "preset": ("claude-code",),
    "ids": "calls",
    "format": "json",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder two levels below the one that tests write into."""
    deep = tmp_path / "project" / "src" / "deep"
    deep.mkdir(parents=True)
    return deep


def test_nothing_is_set_where_no_file_says_so(folder: Path) -> None:
    """The defaults of the defaults."""
    assert load_settings(folder) == Settings()
    assert Settings() == Settings(ignore=(), replace=(), preset=(), ids=None, format=None, file=None)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_own_file_is_found_upward(level: int, folder: Path) -> None:
    """From the working directory to the root."""
    file = [folder, *folder.parents][level] / "amberfork.toml"
    file.write_text(FULL, "utf-8")

    assert load_settings(folder) == Settings(**TAKEN, file=file)


def test_the_shared_file_has_a_table(folder: Path) -> None:
    """Beside those of other tools."""
    file = folder.parent / "pyproject.toml"
    file.write_text(f"[project]\nname = 'x'\n[tool.amberfork]{FULL}[tool.ruff]\nline-length = 1\n", "utf-8")

    assert load_settings(folder) == Settings(**TAKEN, file=file)


@pytest.mark.parametrize(
    "shared",
    [
        "[project]\nname = 'x'\n",
        "[tool.ruff]\n",
        "tool = 1\n# amberfork",
        "[tool]\namber = 'amberfork'\n",
        "this is no TOML",
    ],
)
def test_a_shared_file_that_says_nothing_of_amberfork_is_passed_by(shared: str, folder: Path) -> None:
    """The search goes on above it, even where it is broken: that is not amberfork's to say."""
    (folder / "pyproject.toml").write_text(shared, "utf-8")
    file = folder.parent / "amberfork.toml"
    file.write_text('ids = "seed"', "utf-8")

    assert load_settings(folder) == Settings(ids="seed", file=file)


@pytest.mark.parametrize("nearest", ["amberfork.toml", "pyproject.toml"])
def test_the_nearest_file_is_the_only_one(nearest: str, folder: Path) -> None:
    """Settings are not mixed from several files; an empty one is one too."""
    (folder.parent / "amberfork.toml").write_text(FULL, "utf-8")
    (folder / nearest).write_text("[tool.amberfork]\n" if nearest == "pyproject.toml" else "", "utf-8")

    assert load_settings(folder) == Settings(file=folder / nearest)


def test_the_own_file_goes_before_the_shared_one(folder: Path) -> None:
    """In one folder."""
    (folder / "amberfork.toml").write_text('ids = "seed"', "utf-8")
    (folder / "pyproject.toml").write_text('[tool.amberfork]\nids = "all"', "utf-8")

    assert load_settings(folder) == Settings(ids="seed", file=folder / "amberfork.toml")


def test_a_byte_order_mark_changes_nothing(folder: Path) -> None:
    """Some editors write one."""
    (folder / "amberfork.toml").write_text('ids = "seed"', "utf-8-sig")

    assert load_settings(folder).ids == "seed"


def test_a_folder_of_that_name_is_no_file(folder: Path) -> None:
    """The search goes on."""
    (folder / "amberfork.toml").mkdir()

    assert load_settings(folder) == Settings()


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("ingore = []", 'unknown key "ingore": only ignore, replace, preset, ids, format may stand here'),
        ("output = 'x'", 'unknown key "output": only ignore, replace, preset, ids, format may stand here'),
        ("ignore = 'a'", '"ignore" must be a list of strings'),
        ("ignore = [1]", '"ignore" must be a list of strings'),
        ("preset = 'codex'", '"preset" must be a list of strings'),
        ("replace = ['a', 'b']", '"replace" must be a list of [regular expression, text] pairs'),
        ("replace = [['a']]", '"replace" must be a list of [regular expression, text] pairs'),
        ("replace = [['a', 'b', 'c']]", '"replace" must be a list of [regular expression, text] pairs'),
        ("replace = [['a', 1]]", '"replace" must be a list of [regular expression, text] pairs'),
        ("replace = {a = 'b'}", '"replace" must be a list of [regular expression, text] pairs'),
        ("ids = true", '"ids" must be a string'),
        ("format = ['json']", '"format" must be a string'),
    ],
)
@pytest.mark.parametrize(
    ("name", "table"), [("amberfork.toml", ""), ("pyproject.toml", "[tool.amberfork]\n")]
)
def test_what_may_not_stand_there_is_named(
    written: str, problem: str, name: str, table: str, folder: Path
) -> None:
    """The file and the key, so that a slip of the pen does not change what is compared."""
    file = folder / name
    file.write_text(table + written, "utf-8")

    with pytest.raises(OptionError) as caught:
        load_settings(folder)

    assert str(caught.value) == f"{file}: {problem}"


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (b"[tool.amberfork]\nids = 'all'", 'unknown key "tool": '),
        (b"ids = ", "not TOML: "),
        (b"ids = 'a'\nids = 'b'", "not TOML: "),
        (b"ids = '\xff'", "not UTF-8: invalid start byte at byte 7"),
        (b"ignore = " + b"[" * 100_000, "not TOML: "),
    ],
)
def test_what_cannot_be_taken_is_one_clear_line(written: bytes, problem: str, folder: Path) -> None:
    """Not a traceback."""
    (folder / "amberfork.toml").write_bytes(written)

    with pytest.raises(OptionError) as caught:
        load_settings(folder)

    assert str(caught.value).startswith(f"{folder / 'amberfork.toml'}: {problem}")


def test_the_table_must_be_a_table(folder: Path) -> None:
    """As `amberfork = "json"` under [tool] is not."""
    file = folder / "pyproject.toml"
    file.write_text("[tool]\namberfork = 'json'\n", "utf-8")

    with pytest.raises(OptionError) as caught:
        load_settings(folder)

    assert str(caught.value) == f"{file}: [tool.amberfork] must be a table"
