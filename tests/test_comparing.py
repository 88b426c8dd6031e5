"""What counts, by the settings of a project and the options of a command together."""

from pathlib import Path

import pytest

from amberfork_cli.comparing import Comparing, comparing, project_settings
from amberfork_cli.config import Settings
from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.paths import PathPattern, Replacement
from amberfork_cli.core.presets import Preset, adjustments_of
from amberfork_cli.errors import OptionError

NOTHING = {"ids": None, "ignore": None, "replace": (), "preset": None}


def test_without_settings_and_options_everything_counts() -> None:
    """All IDs are set aside, and nothing else."""
    assert comparing(Settings(), **NOTHING) == Comparing(IdRules.ALL, Adjustments())


def test_options_add_to_what_the_settings_leave_out() -> None:
    """Presets first, each once; of ID rules the option's count."""
    settings = Settings(
        ignore=("a",),
        replace=(("x", "y"),),
        preset=("codex", "dates"),
        ids="calls",
        file=Path("amberfork.toml"),
    )

    counts = comparing(
        settings, ids=IdRules.SEED, ignore=["b"], replace=[("z", "")], preset=[Preset.CODEX, Preset.PATHS]
    )

    presets = (Preset.CODEX, Preset.DATES, Preset.PATHS)
    known = adjustments_of(presets)
    assert counts == Comparing(
        IdRules.SEED,
        Adjustments(
            (*known.ignore, PathPattern.parse("a"), PathPattern.parse("b")),
            (*known.replace, Replacement.parse("x", "y"), Replacement.parse("z", "")),
        ),
        presets,
        "amberfork.toml",
    )


def test_the_settings_rules_hold_where_no_option_says_otherwise() -> None:
    """They need not stand in every command."""
    assert comparing(Settings(ids="items"), **NOTHING).rules is IdRules.ITEMS


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (Settings(ids="all"), True),
        (Settings(ignore=("a",)), True),
        (Settings(replace=(("a", ""),)), True),
        (Settings(preset=("dates",)), True),
        (Settings(format="json"), False),
        (Settings(), False),
    ],
    ids=str,
)
def test_a_settings_file_is_named_only_if_it_says_what_counts(tmp_path, monkeypatch, settings, named) -> None:
    """From the working directory, as a person finds it."""
    monkeypatch.chdir(tmp_path)
    found = Settings(
        settings.ignore,
        settings.replace,
        settings.preset,
        settings.ids,
        settings.format,
        tmp_path.parent / "x.toml",
    )

    assert comparing(found, **NOTHING).settings == ("../x.toml" if named else None)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ids": "none"}, 'x.toml: "ids" cannot be "none": choose of all, items, calls, seed'),
        ({"preset": ("vim",)}, 'x.toml: "preset" cannot be "vim": choose of claude-code, '),
        ({"ignore": ("a[",)}, "x.toml: path 'a[', character 2: "),
        ({"replace": (("(", ""),)}, "x.toml: cannot replace '(' by '': "),
    ],
)
def test_settings_that_mean_nothing_are_trouble_and_their_file_is_named(
    tmp_path, monkeypatch, settings, said
) -> None:
    """A person must know where to look."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(OptionError) as trouble:
        comparing(Settings(**settings, file=tmp_path / "x.toml"), **NOTHING)

    assert str(trouble.value).startswith(said)


def test_the_settings_are_those_of_the_working_directory(tmp_path, monkeypatch) -> None:
    """Found upward from it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "amberfork.toml").write_text('ids = "seed"\n')

    assert project_settings() == Settings(ids="seed", file=tmp_path / "amberfork.toml")
