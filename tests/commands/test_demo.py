"""`amberfork demo`: a diff to look at before one has tapes."""

from pathlib import Path

from amberfork_cli.commands.demo import sample_folder


def test_the_demo_shows_a_fork_and_exits_0(installed):
    """Tapes that differ are what it is there to show; the last line says how to go on."""
    shown = installed("demo")

    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("recorded   weather-stock.jsonl")
    assert "\n◆ #1     FORK  model output\n" in shown.out
    assert shown.out.endswith("\n\nYour own tapes: amberfork diff RECORDED REISSUED\n")


def test_the_settings_of_a_project_do_not_change_it(installed, write):
    """It is about amberfork, not about the folder that one happens to be in."""
    shown = installed("demo").out
    write("amberfork.toml", 'ignore = ["messages"]\nformat = "json"\n')

    assert installed("demo").out == shown


def test_the_sample_tapes_are_found_in_a_checkout() -> None:
    """In a wheel they stand in the package."""
    assert {"weather-stock.jsonl", "README.md"} <= {path.name for path in Path(sample_folder()).iterdir()}
