"""`--registry`: which module is imported, how, and which tools it offers."""

from __future__ import annotations

import asyncio
import os
import sys
from textwrap import dedent

import pytest

from amberfork_cli.core.tools.tool import Effect
from amberfork_cli.errors import RegistryLoadError
from amberfork_cli.worker.discovery import load_registry
from amberfork_cli.worker.loader import Reference

READ, EFFECT, UNSAID = Effect.READ_ONLY, Effect.SIDE_EFFECT, Effect.UNDECLARED


@pytest.fixture
def load(tmp_path, monkeypatch):
    """What a reference leads to, as names and effects; the interpreter is put back afterwards."""
    modules = dict(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def load(reference: str) -> dict[str, Effect]:
        return {tool.name: tool.effect for tool in load_registry(reference, asyncio.run).registry}

    yield load
    for name in sys.modules.keys() - modules.keys():
        del sys.modules[name]


@pytest.fixture
def write(tmp_path):
    """Write a file of this text."""

    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))

    return write


@pytest.fixture
def error(load):
    """The error of a reference that cannot be loaded."""

    def error(reference: str) -> RegistryLoadError:
        with pytest.raises(RegistryLoadError) as raised:
            load(reference)
        return raised.value

    return error


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("mytools.py", Reference("mytools.py")),
        ("mytools.py:attr", Reference("mytools.py", "attr")),
        ("mytools.py:holder.tools", Reference("mytools.py", "holder.tools")),
        ("pkg.mod", Reference("pkg.mod")),
        ("pkg.mod:attr", Reference("pkg.mod", "attr")),
        ("odd:name/my-tools.py", Reference("odd:name/my-tools.py")),
    ],
)
def test_a_reference_is_a_target_and_perhaps_an_attribute(text, reference):
    """A colon inside a path is part of the path."""
    parsed = Reference.parse(text)

    assert parsed == reference


@pytest.mark.parametrize(
    "reference",
    ["mytools.py", "./mytools.py", "mytools", "mytools.py:tools", "mytools:tools", "mytools:make"],
)
def test_every_form_of_reference_leads_to_the_tools(load, write, reference):
    """By path or by name, with and without an attribute."""
    write("mytools.py", "def f(): ...\ntools = [f]\ndef make():\n    return tools\n")

    tools = load(reference)

    assert tools == {"f": READ}


def test_a_file_outside_the_current_folder_finds_its_siblings(load, write):
    """As `python path/to/mytools.py` would."""
    write("far/away/helper.py", "answer = 42\n")
    write("far/away/mytools.py", "import helper\ndef f() -> int:\n    return helper.answer\n")

    tools = load("far/away/mytools.py")

    assert tools == {"f": UNSAID}


def test_a_file_in_a_package_is_imported_as_part_of_it(load, write):
    """Relative imports work, and nothing is imported twice under two names."""
    write("src/pkg/__init__.py", "from pkg.sub import tools\n")
    write("src/pkg/helper.py", "answer = 42\n")
    write("src/pkg/sub/__init__.py", "")
    write("src/pkg/sub/tools.py", "from ..helper import answer\ndef f(): ...\n")

    tools = load("src/pkg/sub/tools.py")

    assert tools == {"f": UNSAID}
    assert sorted(name for name in sys.modules if name.endswith("tools") and "pkg" in name) == [
        "pkg.sub.tools"
    ]


@pytest.mark.parametrize("reference", ["src/pkg", "src/pkg/__init__.py"])
def test_a_package_is_a_module_too(load, write, reference):
    """By its folder or by its file."""
    write("src/pkg/__init__.py", "from .inner import g\ndef f(): ...\n")
    write("src/pkg/inner.py", "def g(): ...\n")

    tools = load(reference)

    assert tools == {"f": UNSAID}


@pytest.mark.parametrize("name", ["json.py", "my-tools.py", "pytest.py", "2tools.py"])
def test_a_name_that_is_taken_or_no_name_does_not_matter(load, write, name):
    """The standard library and what is loaded stay what they are."""
    write(name, "import json\ndef f(): ...\nassert json.dumps\n")

    tools = load(name)

    assert tools == {"f": UNSAID}
    assert sys.modules["pytest"] is pytest


def test_a_module_is_known_by_its_name_while_it_runs(load, write):
    """Data classes with postponed annotations look there, and so does pickle."""
    write(
        "mytools.py",
        """
        from __future__ import annotations
        import pickle, sys
        from dataclasses import dataclass, field
        from typing import ClassVar

        @dataclass
        class Point:
            x: int
            origin: ClassVar[int] = 0

        assert pickle.loads(pickle.dumps(Point(1))) == Point(1)
        assert sys.argv == [__file__] and __name__ != "__main__"
        def f(): ...
        """,
    )

    tools = load("mytools.py")

    assert tools == {"f": UNSAID}


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        (
            "registry = ToolRegistry(); registry.tool(f); registry.tool(read_only=False)(g)",
            {"f": READ, "g": EFFECT},
        ),
        ("whatever = ToolRegistry(); whatever.tool(f)", {"f": READ}),
        ("one = ToolRegistry(); registry = ToolRegistry(); registry.tool(g)", {"g": READ}),
        ("tools = [f, g]", {"f": READ, "g": READ}),
        ("registry = {'first': f, 'second': g}", {"first": READ, "second": READ}),
        (
            "tools = [{'type': 'function', 'function': {'name': 'f'}}]",
            {"f": UNSAID, "g": UNSAID, "h": UNSAID},
        ),
        ("tools = []", {"f": UNSAID, "g": UNSAID, "h": UNSAID}),
        ("alias = f", {"f": UNSAID, "g": UNSAID, "h": UNSAID}),
        ("made = function_tool(g, effect=Effect.UNDECLARED)", {"g": UNSAID}),
    ],
)
def test_a_module_offers_its_registry_or_its_lists_or_its_functions(load, write, text, tools):
    """In this order. What is listed is read-only by its author's word; of functions nobody said anything."""
    write("mytools.py", MODULE + text + "\n")

    assert load("mytools.py") == tools


MODULE = """
from functools import cache
from os.path import join
from typing import Any
from amberfork_cli.core.tools.registry import Effect, ToolRegistry, function_tool
def f(): ...
async def g(): ...
@cache
def h(): ...
def _hidden(): ...
class Thing: ...
"""


@pytest.mark.parametrize(
    ("attribute", "tools"),
    [
        ("f", {"f": READ}),
        ("listed", {"f": READ, "g": READ}),
        ("named", {"other": READ}),
        ("make", {"g": READ}),
        ("make_later", {"f": READ}),
        ("Holder.registry", {"f": EFFECT}),
    ],
)
def test_an_attribute_is_a_registry_a_list_a_dict_or_makes_one(load, write, attribute, tools):
    """Or one function that takes arguments: that is a tool itself."""
    write(
        "mytools.py",
        """
        from amberfork_cli.core.tools.registry import ToolRegistry
        def f(n: int): ...
        def g(): ...
        listed = (f, g)
        named = {"other": f}
        def make():
            return [g]
        async def make_later():
            return [f]
        class Holder:
            registry = ToolRegistry()
            registry.tool(read_only=False)(f)
        """,
    )

    assert load(f"mytools.py:{attribute}") == tools


@pytest.mark.usefixtures("load")
def test_functions_that_cannot_be_tools_are_left_out_and_said(write):
    """A helper that takes a socket must not keep the others from being tools."""
    write(
        "mytools.py",
        "import socket\ndef f(): ...\ndef helper(s: socket.socket): ...\ndef spread(x, /): ...\n",
    )

    offer = load_registry("mytools.py", asyncio.run)

    assert [tool.name for tool in offer.registry] == ["f"]
    assert [name for name, _ in offer.left_out] == ["helper", "spread"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("def f(:", "SyntaxError: invalid syntax"),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("sys.exit('no key')", "exits while it is loaded: sys.exit('no key')"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("r.register('a b', '', {}, p)", "tool 'a b': the name must match [a-zA-Z0-9_-]{1,64}"),
        ("r.tool(f); r.tool(f)", "tool 'f': registered already; replace=True takes its place"),
        ("r.register('a', '', {'type': 7}, p)", "tool 'a': the schema must be of type object, not 7"),
        (
            "r.register('a', '', 7, p)",
            "tool 'a': the schema is no JSON Schema and has no validate(arguments)",
        ),
    ],
)
def test_a_module_that_cannot_be_loaded_is_told_with_its_own_line(write, error, line, said):
    """One message each, that shows where to look."""
    write("mytools.py", REGISTRATION + line + "\n")

    assert str(error("mytools.py")) == f"mytools.py:6: {said}\n    {line}"


REGISTRATION = """import sys
from amberfork_cli.core.tools.registry import ToolRegistry
r = ToolRegistry()
def f(): ...
def p(arguments, context): ...
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "holds no tools; define functions, or a ToolRegistry named registry"),
        ("def f(x, /): ...\n", "holds no tools: f is none, parameter 'x' cannot be given by name; wrap it"),
        (
            "def f(x, /): ...\ndef g(x, /): ...\n",
            "holds no tools: f is none, parameter 'x' cannot be given by name; wrap it (and 1 more)",
        ),
        (
            "from amberfork_cli import ToolRegistry\nregistry = ToolRegistry()\n",
            "its registry holds no tools",
        ),
        (f"{REGISTRATION}q = ToolRegistry()\n", "holds 2 registries (r, q); name one, as in mytools.py:r"),
    ],
)
def test_a_module_that_offers_nothing_or_too_much_says_what_to_do(write, error, text, said):
    """Nothing is guessed."""
    write("mytools.py", text)

    assert str(error("mytools.py")) == f"mytools.py: {said}"


def test_an_error_further_down_shows_the_calls_from_the_users_first_line(write, error):
    """And none of those that lead there."""
    write("helper.py", "def check(value):\n    return 1 // value\n")
    write("mytools.py", "from helper import check\n\ncheck(0)\n")

    shown = error("mytools.py")

    assert (shown.line, shown.code) == (3, "check(0)")
    assert shown.traceback.splitlines()[0].endswith('mytools.py", line 3, in <module>')
    assert "importlib" not in shown.traceback


def test_a_syntax_error_in_a_sibling_is_shown_there(write, error, tmp_path):
    """Not where it was imported."""
    write("helper.py", "x = (\n")
    write("mytools.py", "import helper\n")

    shown = str(error("mytools.py"))

    assert shown == f"{tmp_path}/helper.py:1: SyntaxError: '(' was never closed\n    x = ("


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("missing.py", "missing.py: no such file"),
        ("data.json", "data.json: not a Python file"),
        ("folder", "folder: a folder without __init__.py is no package"),
        ("missing", f"missing: module not found (searched by {sys.executable})"),
        ("mytools:nothing", "mytools: has no 'nothing'"),
        ("mytools.py:lots", "mytools.py: has no 'lots' (did you mean lot?)"),
        ("mytools.py:lot", "mytools.py: lot is no tools but of type int"),
        ("mytools.py:makes_text", "mytools.py: makes_text() gave no tools but type str"),
        (
            "mytools.py:empty",
            "mytools.py: empty holds no tools",
        ),
        ("mytools.py:odd", "mytools.py: type int is no tool"),
        ("mytools.py:bad_name", "mytools.py:7: tool '<lambda>': the name must match [a-zA-Z0-9_-]{1,64}"),
        ("sub.deep", "sub.deep: module not found (did you mean sub/deep.py?)"),
        ("broken.part", "broken/__init__.py:1: ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_a_reference_that_leads_nowhere_says_what_is_missing(write, error, reference, said, tmp_path):
    """A module that misses something else is not “not found”."""
    write(
        "mytools.py",
        """
        lot = 3
        def makes_text():
            return "text"
        empty = []
        odd = [1]
        bad_name = [lambda: 1]
        """,
    )
    write("sub.py", "")
    write("sub/deep.py", "")
    write("broken/__init__.py", "import nowhere\n")
    write("data.json", "{}")
    write("folder/data.json", "{}")
    write("broken/part.py", "")

    shown = str(error(reference))

    assert shown.replace(f"{tmp_path}{os.sep}", "").splitlines()[0] == said
