"""The pytest plugin: `@pytest.mark.tape` runs a test against its tape, and fails it where they disagree.

The first run records, later ones are answered from the tape: without network, and without cost. A test that
is not marked costs nothing, and neither does a run without such a test: all that is heavy is imported when
the first marked test begins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from amberfork_cli.core.compare.diffing import DiffOptions
    from amberfork_cli.proxy.taped_run import Ending, TapedRun

FIXTURE: Final = "amberfork_tape"
MARKER: Final = "tape"
_MODES: Final = ("none", "once", "new", "all")
_CELLS: Final = 100  # the width of a report in the output of pytest
_RUN: Final = pytest.StashKey["TapedRun"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option and the setting."""
    group = parser.getgroup("amberfork", "tapes of LLM agents")
    group.addoption(
        "--tape-mode",
        choices=_MODES,
        help="When tests with a tape are recorded: never (none, the default under CI), when they have no "
        "tape (once, the default elsewhere), what their tape does not have (new), or every time (all).",
    )
    parser.addini("tape_dir", "The folder of the tapes, beside each file of tests.", default="tapes")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(path=None, *, mode=None, ignore=(), upstream=()): run the test against a tape, "
        "named after the test where no path is given",
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give marked tests the fixture, before any other: clients read the variables when they are made."""
    names = getattr(item, "fixturenames", None)
    if names is not None and FIXTURE not in names and item.get_closest_marker(MARKER):
        names.insert(0, FIXTURE)


@pytest.fixture
def amberfork_tape(request: pytest.FixtureRequest) -> Iterator[TapedRun]:
    """The tape of this test: its `path`, its `mode`, and the `url` of each provider."""
    from amberfork_cli.errors import AmberforkError

    try:
        run = _taped_run(request.node, request.config)
        run.open()
    except AmberforkError as error:
        pytest.fail(f"amberfork: {error}", pytrace=False)
    request.node.stash[_RUN] = run
    with pytest.MonkeyPatch.context() as patch:
        for name, value in run.variables.items():
            if os.environ.get(name) != value:
                patch.setenv(name, value)
        yield run
    if _RUN in request.node.stash:  # another fixture failed, so that the test itself never ran
        request.node.stash[_RUN].finish(passed=False)
        del request.node.stash[_RUN]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run the test; fail it where it did not ask what is on its tape."""
    if _RUN not in item.stash:
        return (yield)
    try:
        result = yield
    except BaseException:
        ending = _finished(item, passed=False)
        item.add_report_section("call", "amberfork", _text(ending))
        raise
    ending = _finished(item, passed=True)
    if ending.problem is not None:
        pytest.fail(_text(ending), pytrace=False)
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_recording_configure(config: pytest.Config, vcr: Any) -> None:  # noqa: ARG001 - pytest-recording's names
    """Let those who stay with pytest-recording name the matcher in `match_on`."""
    from amberfork_cli.vcr import NAME, body

    vcr.register_matcher(NAME, body)


def _taped_run(item: pytest.Item, config: pytest.Config) -> TapedRun:
    """The run that the marker of a test describes."""
    from amberfork_cli.proxy.choices import TapeMode
    from amberfork_cli.proxy.taped_run import TapedRun

    marker = item.get_closest_marker(MARKER) or pytest.mark.tape.mark
    path, more = _arguments(*marker.args, **marker.kwargs)
    mode = config.getoption("--tape-mode") or more["mode"] or ("none" if _in_ci() else "once")
    file = _tape_file(item, config, path)
    return TapedRun(
        file,
        TapeMode(mode),
        _options(config.rootpath, more["ignore"]),
        name=os.path.relpath(file, config.invocation_params.dir),
        environment=os.environ,
        named=tuple(more["upstream"]),
    )


def _arguments(
    path: str | os.PathLike[str] | None = None,
    *,
    mode: str | None = None,
    ignore: tuple[str, ...] = (),
    upstream: tuple[str, ...] = (),
) -> tuple[str | os.PathLike[str] | None, dict[str, Any]]:
    """What a marker says; Python itself refuses what it cannot."""
    return path, {"mode": mode, "ignore": ignore, "upstream": upstream}


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def _tape_file(item: pytest.Item, config: pytest.Config, path: str | os.PathLike[str] | None) -> Path:
    """The file that was named, or one named after the test; both are looked for beside the test."""
    if path is not None:
        return item.path.parent / path
    within = item.nodeid.partition("::")[2].replace("::", ".")
    name = re.sub(r"[^\w.\-\[\]]+", "_", within)[:150]
    return item.path.parent / str(config.getini("tape_dir")) / item.path.stem / f"{name}.jsonl"


def _options(root: Path, ignore: tuple[str, ...]) -> DiffOptions:
    """What counts: the project's settings, as with every command, and what the marker leaves out."""
    from amberfork_cli.config import load_settings
    from amberfork_cli.core.adjusting import Adjustments
    from amberfork_cli.core.compare.diffing import DiffOptions
    from amberfork_cli.core.ids.id_rules import IdRules
    from amberfork_cli.core.paths import PathPattern, Replacement
    from amberfork_cli.core.presets import Preset, adjustments_of

    settings = load_settings(root)
    known = adjustments_of(tuple(Preset(name) for name in settings.preset))
    return DiffOptions(
        IdRules(settings.ids or IdRules.ALL),
        Adjustments(
            (*known.ignore, *map(PathPattern.parse, (*settings.ignore, *ignore))),
            (*known.replace, *(Replacement.parse(*pair) for pair in settings.replace)),
        ),
    )


def _finished(item: pytest.Item, *, passed: bool) -> Ending:
    """End the run of a test, once."""
    from amberfork_cli.errors import AmberforkError
    from amberfork_cli.proxy.taped_run import Ending

    run = item.stash[_RUN]
    del item.stash[_RUN]
    try:
        return run.finish(passed=passed)
    except AmberforkError as error:
        return Ending(problem=str(error))


def _text(ending: Ending) -> str:
    """What there is to read: what is wrong, what was told on the way, the report."""
    from amberfork_cli.render.lines import plain_text
    from amberfork_cli.render.text import lay_out

    problem = [ending.problem] if ending.problem else []
    said = [f"amberfork: {sentence}" for sentence in (*problem, *ending.told)]
    if ending.report is None or ending.report.same:
        return "\n".join(said)
    return "\n".join([*said, "", *(plain_text(line) for line in lay_out(ending.report, width=_CELLS))])
