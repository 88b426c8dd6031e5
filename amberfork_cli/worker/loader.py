"""Find and import the user's module: `--registry mytools.py`, `mytools.py:attr`, `pkg.mod`, `pkg.mod:attr`.

A file is imported as its neighbours expect: under the dotted name that its packages give it, with their root
first on the search path and the module known by its name before it runs. Whatever goes wrong, exits included,
becomes one RegistryLoadError that shows the user's own line.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, TypeVar

from amberfork_cli.errors import AmberforkError, RegistryLoadError

_T = TypeVar("_T")
_HERE = f"{Path(__file__).parents[1]}{os.sep}"


@dataclass(frozen=True, slots=True)
class Reference:
    """What `--registry` names: a file or a module, and perhaps an attribute in it (which may be dotted)."""

    target: str
    attribute: str | None = None

    @classmethod
    def parse(cls, text: str) -> Reference:
        """The parts of `TARGET[:ATTRIBUTE]`; a colon that no name follows belongs to the target."""
        target, colon, attribute = text.rpartition(":")
        if colon and target and all(part.isidentifier() for part in attribute.split(".")):
            return cls(target, attribute)
        return cls(text)

    @property
    def is_file(self) -> bool:
        """Whether the target is a path, not the dotted name of a module."""
        path = Path(self.target)
        return (
            self.target.endswith(".py")
            or os.sep in self.target
            or path.is_dir()
            or (path.suffix != "" and path.is_file())
        )


def import_target(reference: Reference) -> ModuleType:
    """The module that the reference names, imported; raises RegistryLoadError."""
    return _import_file(reference.target) if reference.is_file else _import_name(reference.target)


def find_attribute(module: ModuleType, reference: Reference) -> Any:
    """What the attribute of the reference names; raises RegistryLoadError with the names that are close."""
    found: Any = module
    for name in (reference.attribute or "").split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            close = difflib.get_close_matches(name, vars(module))
            hint = f" (did you mean {' or '.join(close)}?)" if close else ""
            problem = f"has no {reference.attribute!r}{hint}"
            raise RegistryLoadError(problem, source=reference.target) from None
    return found


def run_user_code(function: Callable[[], _T], *, source: str, files: tuple[str, ...] = ()) -> _T:
    """What the function gives back; raises RegistryLoadError for anything that it raises, exits included.

    The error shows the last line of `files` that was running, and the calls from the first one on.
    """
    with _told_as_load_error(source, files):
        return function()


def _import_file(target: str) -> ModuleType:
    path = Path(target).absolute()
    if path.is_dir():
        path = path / "__init__.py"
        if not path.is_file():
            raise RegistryLoadError("a folder without __init__.py is no package", source=target)
    if not path.is_file():
        raise RegistryLoadError("no such file", source=target)
    if path.suffix != ".py":
        raise RegistryLoadError("not a Python file", source=target)
    root, name = _dotted_name(path)
    sys.path.insert(0, str(root))
    sys.argv = [str(path)]
    with _told_as_load_error(target, (str(path),)):
        return _import_as(name, path)


def _dotted_name(path: Path) -> tuple[Path, str]:
    """The folder to search from, and the name by which modules there know the file."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


def _import_as(name: str, path: Path) -> ModuleType:
    if "." in name or path.name == "__init__.py":
        module = importlib.import_module(name)
        if module.__file__ and Path(module.__file__).samefile(path):
            return module
    return _execute(_free_name(name), path)


def _free_name(name: str) -> str:
    """The name itself, unless it is no identifier or means another module already."""
    taken = name in sys.stdlib_module_names or name in sys.modules
    return f"amberfork_registry_{name.replace('.', '_')}" if taken or not name.isidentifier() else name


def _execute(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs: dataclasses and pickle look their module up
    spec.loader.exec_module(module)
    return module


def _import_name(target: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    sys.argv = [target]
    spec = _find(target)
    with _told_as_load_error(target, (spec,) if spec else ()):
        return importlib.import_module(target)


def _find(target: str) -> str | None:
    """The file of that module; raises RegistryLoadError where there is none of that name."""
    with _told_as_load_error(target, ()):
        try:
            spec = importlib.util.find_spec(target)
        except ModuleNotFoundError as error:
            if not error.name or not f"{target}.".startswith(f"{error.name}."):
                raise  # one of its packages misses something else
            spec = None
    if spec is None:
        raise RegistryLoadError(f"module not found{_meant(target)}", source=target)
    return spec.origin


def _meant(target: str) -> str:
    path = Path(*target.split(".")).with_suffix(".py")
    return f" (did you mean {path}?)" if path.is_file() else f" (searched by {sys.executable})"


@contextmanager
def _told_as_load_error(source: str, files: tuple[str, ...]) -> Iterator[None]:
    try:
        yield
    except RegistryLoadError:
        raise
    except BaseException as error:
        raise _load_error(error, source, files) from error


def _load_error(error: BaseException, source: str, files: tuple[str, ...]) -> RegistryLoadError:
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).is_file():
        return RegistryLoadError(
            f"{type(error).__name__}: {error.msg}",
            source=_shown(error.filename, source, files),
            line=error.lineno,
            code=(error.text or "").strip(),
        )
    frames = _own_frames(error.__traceback__, files)
    own = [frame for frame in frames if frame.filename in files] or frames[:1]
    return RegistryLoadError(
        _in_words(error),
        source=_shown(own[-1].filename, source, files) if own else source,
        line=own[-1].lineno if own else None,
        code=(own[-1].line or "") if own else "",
        traceback="".join(traceback.format_list(frames)) if len(frames) > 1 else "",
    )


def _shown(filename: str, source: str, files: tuple[str, ...]) -> str:
    """The file as the user named it, or else as it is called."""
    return source if filename in files else filename


def _own_frames(start: TracebackType | None, files: tuple[str, ...]) -> list[traceback.FrameSummary]:
    """The calls from the first line of the user's own file on, without those that are amberfork's."""
    linecache.checkcache()
    frames = [frame for frame in traceback.extract_tb(start) if not _is_machinery(frame.filename)]
    first = next((place for place, frame in enumerate(frames) if frame.filename in files), 0)
    return frames[first:]


def _is_machinery(filename: str) -> bool:
    return filename.startswith(("<frozen ", _HERE)) or filename == importlib.__file__


def _in_words(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"exits while it is loaded: sys.exit({error.code!r})"
    if isinstance(error, AmberforkError):
        return str(error)
    return "".join(traceback.format_exception_only(error)).strip()
