"""The pytest plugin: `@pytest.mark.tape` runs a test against its tape, and fails it where they disagree.

The first run records, later ones are answered from the tape: without network, and without cost. A test that
is not marked costs nothing, and neither does a run without such a test: all that is heavy is imported when
the first marked test begins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from amberfork_cli.core.compare.diffing import DiffOptions
    from amberfork_cli.proxy.edge.stage import Stage
    from amberfork_cli.proxy.replaying.choices import TapeMode
    from amberfork_cli.proxy.runs.taped_run import Ending, TapedRun

FIXTURE: Final = "amberfork_tape"
MARKER: Final = "tape"
_MODES: Final = ("none", "once", "new", "all")
_CELLS: Final = 100  # the width of a report in the output of pytest
_NAME_BYTES: Final = 150  # of the name of a tape; file systems take 255, and a recording needs some more
_DIGEST_BYTES: Final = 4
_RUN: Final = pytest.StashKey["TapedRun"]()
_STAGE: Final = pytest.StashKey["Stage"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option and the settings."""
    when = (
        "When tests with a tape are recorded: never (none, the default under CI), when they have no tape "
        "(once, the default elsewhere), what their tape does not have (new), or every time (all)."
    )
    parser.getgroup("amberfork", "tapes of LLM agents").addoption("--tape-mode", choices=_MODES, help=when)
    parser.addini("tape_mode", f"{when} The option counts before it.", default="")
    parser.addini("tape_dir", "The folder of the tapes, beside each file of tests.", default="tapes")
    parser.addini("tape_redact", "Record with placeholders for credentials in bodies.", type="bool")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(path=None, *, mode=None, ignore=(), upstream=()): run the test against a tape, "
        "named after the test where no path is given",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give marked tests the fixture, before any other: clients read the variables when they are made.

    Each its own list of fixtures, which the tests of one function share; and late, for a `conftest.py` may
    mark tests as well.
    """
    for item in items:
        names = getattr(item, "fixturenames", None)
        if names is not None and (FIXTURE in names or item.get_closest_marker(MARKER)):
            item.fixturenames = [FIXTURE, *(name for name in names if name != FIXTURE)]  # type: ignore[attr-defined]


@pytest.fixture
def amberfork_tape(request: pytest.FixtureRequest) -> Iterator[TapedRun]:
    """The tape of this test: its `path`, its `mode`, and the `url` of each provider."""
    from amberfork_cli.errors import AmberforkError

    try:
        run = _taped_run(request.node, request.config)
        run.open(_stage(request.config))
    except AmberforkError as error:
        raise _failure(f"amberfork: {error}") from None
    request.node.stash[_RUN] = run
    with pytest.MonkeyPatch.context() as patch:
        variables = run.variables
        for name in os.environ.keys() - variables.keys():
            patch.delenv(name)
        for name, value in variables.items():
            if os.environ.get(name) != value:
                patch.setenv(name, value)
        yield run
    del request.node.stash[_RUN]
    ending = run.finish()
    if ending.problem is not None:
        raise _failure(_text(ending))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run the test; fail it where it did not ask what is on its tape."""
    run = item.stash.get(_RUN, None)
    if run is None:
        return (yield)
    try:
        result = yield
    except BaseException:
        item.add_report_section("call", "amberfork", _text(run.judge(passed=False), _hints(item, run)))
        raise
    ending = run.judge(passed=True)
    if ending.problem is not None:
        raise _failure(_text(ending, _hints(item, run)))
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_recording_configure(config: pytest.Config, vcr: Any) -> None:  # noqa: ARG001 - pytest-recording's names
    """Let those who stay with pytest-recording name the matcher in `match_on`."""
    from amberfork_cli.vcr import NAME, body

    vcr.register_matcher(NAME, body)


def _failure(text: str) -> BaseException:
    """What fails a test with that text, and with no traceback of ours."""
    return pytest.fail.Exception(text, pytrace=False)


def _stage(config: pytest.Config) -> Stage:
    """The edge of this session, which goes up with the first marked test."""
    if _STAGE not in config.stash:
        from amberfork_cli.proxy.edge.stage import Stage

        config.stash[_STAGE] = stage = Stage()
        config.add_cleanup(stage.close)
    return config.stash[_STAGE]


def _taped_run(item: pytest.Item, config: pytest.Config) -> TapedRun:
    """The run that the marker of a test describes."""
    from amberfork_cli.proxy.runs.taped_run import TapedRun

    path, more = _described(item)
    file = _tape_file(item, config, path)
    return TapedRun(
        file,
        _mode(config, more["mode"]),
        _options(config.rootpath, _texts(more["ignore"])),
        name=os.path.relpath(file, config.invocation_params.dir),
        environment=os.environ,
        named=_texts(more["upstream"]),
        talks=_is_meant_itself(item),
        redacted=bool(config.getini("tape_redact")),
    )


def _described(item: pytest.Item) -> tuple[str | os.PathLike[str] | None, dict[str, Any]]:
    """The path that the marker of a test names, and what else it says; raises OptionError."""
    from amberfork_cli.errors import OptionError

    marker = item.get_closest_marker(MARKER) or pytest.mark.tape.mark
    try:
        return _arguments(*marker.args, **marker.kwargs)
    except TypeError as error:
        problem = str(error).removeprefix("_arguments() ")
        raise OptionError(f"@pytest.mark.{MARKER}: {problem}") from None


def _arguments(
    path: str | os.PathLike[str] | None = None,
    *,
    mode: str | None = None,
    ignore: str | Sequence[str] = (),
    upstream: str | Sequence[str] = (),
) -> tuple[str | os.PathLike[str] | None, dict[str, Any]]:
    """What a marker says; Python itself refuses what it cannot."""
    return path, {"mode": mode, "ignore": ignore, "upstream": upstream}


def _texts(given: str | Sequence[str]) -> tuple[str, ...]:
    """One text, or several."""
    return (given,) if isinstance(given, str) else tuple(given)


def _is_meant_itself(item: pytest.Item) -> bool:
    """Whether this very test is to have a tape: of a class or module some tests may need none."""
    return any(marker.name == MARKER for marker in item.own_markers) or not item.get_closest_marker(MARKER)


def _mode(config: pytest.Config, marked: str | None) -> TapeMode:
    """The mode by option, marker, setting or environment, in that order; raises OptionError."""
    from amberfork_cli.errors import OptionError
    from amberfork_cli.proxy.replaying.choices import TapeMode

    mode = config.getoption("--tape-mode") or marked or config.getini("tape_mode") or _usual_mode()
    if mode not in _MODES:
        raise OptionError(f'there is no tape mode "{mode}": choose of {", ".join(_MODES)}')
    return TapeMode(mode)


def _usual_mode() -> str:
    in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    return "none" if in_ci else "once"


def _tape_file(item: pytest.Item, config: pytest.Config, path: str | os.PathLike[str] | None) -> Path:
    """The file that was named, or one named after the test; both are looked for beside the test."""
    if path is not None:
        return item.path.parent / path
    within, bracket, parameters = item.nodeid.partition("::")[2].partition("[")
    name = _file_name(within.replace("::", ".") + bracket + parameters)
    beside, folder = item.path.parent, Path(str(config.getini("tape_dir")))
    if folder.is_absolute():
        folder /= os.path.relpath(beside, config.rootpath).replace(os.pardir, "_")
    return beside / folder / item.path.stem / f"{name}.jsonl"


def _file_name(test: str) -> str:
    """A name that any file system takes, and that no other test has."""
    from hashlib import blake2b

    name = re.sub(r"[^\w.\-\[\]]+", "_", test).encode()[:_NAME_BYTES].decode(errors="ignore")
    if name == test:
        return name
    return f"{name}-{blake2b(test.encode(errors='surrogatepass'), digest_size=_DIGEST_BYTES).hexdigest()}"


def _options(root: Path, ignore: tuple[str, ...]) -> DiffOptions:
    """What counts: the project's settings, as with every command, and what the marker leaves out."""
    from amberfork_cli.comparing import comparing
    from amberfork_cli.config import load_settings
    from amberfork_cli.core.compare.diffing import DiffOptions

    counts = comparing(load_settings(root), ignore=ignore)
    return DiffOptions(counts.rules, counts.adjustments)


def _hints(item: pytest.Item, run: TapedRun) -> Iterator[str]:
    """What may be the reason that a test does not ask what is on its tape."""
    changed = [name for name, value in run.base_urls.items() if os.environ.get(name) != value]
    if changed:
        names = ", ".join(changed)
        yield f"something else was put into {names} after the tape began: what is asked there is not seen"
    others = [other.nodeid for other in item.session.items if other is not item and _shares(other, run.path)]
    if others:
        yield f"other tests have the same tape, and must ask the same: {', '.join(others)}"


def _shares(item: pytest.Item, tape: Path) -> bool:
    """Whether a test has that tape; names that differ in their case are one file on some systems."""
    from amberfork_cli.errors import OptionError

    if not item.get_closest_marker(MARKER):
        return False
    try:
        file = _tape_file(item, item.config, _described(item)[0])
    except OptionError:
        return False
    return os.path.abspath(file).casefold() == os.path.abspath(tape).casefold()  # noqa: PTH100 - links are kept


def _text(ending: Ending, hints: Iterable[str] = ()) -> str:
    """What there is to read: what is wrong, what was told on the way, what may be the reason, the report."""
    from amberfork_cli.render.lines import plain_text
    from amberfork_cli.render.text import lay_out

    sentences = ending.told if ending.problem is None else (ending.problem, *ending.told, *hints)
    said = [f"amberfork: {sentence}" for sentence in sentences]
    if ending.report is None or ending.report.same:
        return "\n".join(said)
    return "\n".join([*said, "", *(plain_text(line) for line in lay_out(ending.report, width=_CELLS))])
