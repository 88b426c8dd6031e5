"""What can be imported from the package, and what importing it costs."""

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import amberfork_cli

PACKAGE = Path(amberfork_cli.__file__)


@pytest.mark.parametrize("name", amberfork_cli.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    """Each name of `__all__` can be imported, and has a docstring of its own."""
    found = getattr(amberfork_cli, name)

    assert inspect.getdoc(found)
    assert found.__name__ == name


def test_type_checkers_see_the_same_names_at_the_same_places() -> None:
    """The imports that only a type checker reads are those that are made on use."""
    tree = ast.parse(PACKAGE.read_text(encoding="utf-8"))
    read = {
        (str(node.module), alias.name)
        for branch in tree.body
        if isinstance(branch, ast.If)
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    made = {
        (f"amberfork_cli.{home}", name)
        for home, names in amberfork_cli._HOMES.items()
        for name in names.split()
    }

    assert read == made
    assert sorted(name for _, name in made) == sorted(amberfork_cli.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """As with any module, so that `hasattr` and `from … import` behave."""
    with pytest.raises(AttributeError, match="module 'amberfork_cli' has no attribute 'difff'"):
        _ = amberfork_cli.difff  # type: ignore[attr-defined]


def test_a_name_loads_its_own_module_and_no_other_part() -> None:
    """An error class costs no comparison, and the package alone costs no part of itself."""
    code = (
        "import json, sys; import amberfork_cli; amberfork_cli.AmberforkError; "
        "print(json.dumps(sorted(name for name in sys.modules if name.startswith('amberfork_cli'))))"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert json.loads(ran.stdout) == ["amberfork_cli", "amberfork_cli.errors"]


def test_all_names_are_listed_before_any_is_loaded() -> None:
    """`dir` shows what completion in an editor or a shell should offer."""
    assert set(amberfork_cli.__all__) <= set(dir(amberfork_cli))
