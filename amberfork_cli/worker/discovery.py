"""Which tools a module offers: its registry, what its author lists, its tool objects, or its functions.

Who said what about side effects comes out with them. What is registered or listed by hand has its author's
word for being read-only; a framework's hints count before that; of what was merely found nobody said a word.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from amberfork_cli.core.tools.registry import ToolRegistry, function_tool
from amberfork_cli.core.tools.schema import read_schema
from amberfork_cli.core.tools.tool import DEFAULT_TIMEOUT_MS, Effect, Tool
from amberfork_cli.errors import RegistryError, RegistryLoadError
from amberfork_cli.worker.adapters import Adapted, Wait, adapter_for
from amberfork_cli.worker.loader import Reference, find_attribute, import_target, run_user_code

_LISTS = ("registry", "tools")  # names under which a list or dict of tools is looked for


@dataclass(frozen=True, slots=True)
class Offer:
    """What a reference leads to; `left_out` are functions that cannot be tools, each with the reason."""

    registry: ToolRegistry
    left_out: tuple[tuple[str, str], ...] = ()


def load_registry(text: str, wait: Wait) -> Offer:
    """The tools that `--registry TEXT` names; raises RegistryLoadError.

    `wait` gives what a coroutine gives: servers list their tools that way, and a function may make them so.
    """
    reference = Reference.parse(text)
    module = import_target(reference)
    finder = _Finder(reference, module, wait)
    return run_user_code(finder.offer, source=reference.target, files=(module.__file__ or "",))


@dataclass(slots=True)
class _Finder:
    """One look into one module."""

    reference: Reference
    module: ModuleType
    wait: Wait
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def offer(self) -> Offer:
        if self.reference.attribute is None:
            registry = self._whole_module()
        else:
            registry = self._named(find_attribute(self.module, self.reference))
        if not len(registry):
            raise self._error(self._nothing())
        return Offer(registry, tuple(self.left_out))

    def _nothing(self) -> str:
        """Why there are no tools."""
        if self.left_out:
            (name, reason), *others = self.left_out
            more = f" (and {len(others)} more)" if others else ""
            return f"holds no tools: {name} is none, {reason}{more}"
        if self.reference.attribute is not None:
            return f"{self.reference.attribute} holds no tools"
        if any(True for _ in self._members(lambda _, found: isinstance(found, ToolRegistry))):
            return "its registry holds no tools"
        return "holds no tools; define functions, or a ToolRegistry named registry"

    def _named(self, found: Any) -> ToolRegistry:
        """What the reference names by attribute; a function without arguments makes it."""
        if (listed := self._listed(found)) is not None:
            return listed
        if not inspect.isroutine(found):
            raise self._error(f"{self.reference.attribute} is no tools but of type {type(found).__name__}")
        if inspect.signature(found).parameters:
            return ToolRegistry(self._tools(found, None, Effect.READ_ONLY))
        made = found()
        made = self.wait(made) if inspect.isawaitable(made) else made
        if (listed := self._listed(made)) is None:
            raise self._error(f"{self.reference.attribute}() gave no tools but type {type(made).__name__}")
        return listed

    def _listed(self, found: Any) -> ToolRegistry | None:
        """The registry, list, dict or tool object; None where it is none of these."""
        if isinstance(found, ToolRegistry):
            return found
        if isinstance(found, (list, tuple, AbstractSet, Mapping)):
            return ToolRegistry(self._of_list(found))
        if _is_tool_object(found):
            return ToolRegistry(self._tools(found, None, Effect.READ_ONLY))
        return None

    def _whole_module(self) -> ToolRegistry:
        if registries := dict(self._members(lambda _, found: isinstance(found, ToolRegistry))):
            return self._one_of(registries)
        for name in _LISTS:
            found: Any = getattr(self.module, name, None)
            if self._is_list_of_tools(found):
                return ToolRegistry(self._of_list(found))
        objects = list(self._members(lambda _, found: _is_tool_object(found)))
        if objects:
            return ToolRegistry(
                tool for _, found in objects for tool in self._tools(found, None, Effect.UNDECLARED)
            )
        return ToolRegistry(self._functions())

    def _members(self, wanted: Callable[[str, Any], bool]) -> Iterator[tuple[str, Any]]:
        """The public members of the module that are wanted, each once however many names it has."""
        seen: set[int] = set()
        for name, found in vars(self.module).items():
            if not name.startswith("_") and id(found) not in seen and wanted(name, found):
                seen.add(id(found))
                yield name, found

    def _one_of(self, registries: Mapping[str, ToolRegistry]) -> ToolRegistry:
        named = getattr(self.module, "registry", None)
        if isinstance(named, ToolRegistry):
            return named
        if len(registries) > 1:
            first = next(iter(registries))
            problem = f"holds {len(registries)} registries ({', '.join(registries)})"
            raise self._error(f"{problem}; name one, as in {self.reference.target}:{first}")
        return next(iter(registries.values()))

    def _is_list_of_tools(self, found: Any) -> bool:
        """Whether all of it are tools; a list of JSON definitions goes by the same name in many programs."""
        items = found.values() if isinstance(found, Mapping) else found
        if not found or not isinstance(found, (list, tuple, AbstractSet, Mapping)):
            return False
        return all(inspect.isroutine(item) or _is_tool_object(item) for item in items)

    def _of_list(self, found: Iterable[Any]) -> Iterator[Tool]:
        named = found.items() if isinstance(found, Mapping) else ((None, item) for item in found)
        for name, item in named:
            yield from self._tools(item, name, Effect.READ_ONLY)

    def _functions(self) -> Iterator[Tool]:
        """The public functions that the module itself defines, but for those that no call could fit."""
        for name, found in self._members(self._is_own_function):
            try:
                yield function_tool(found, name=name, effect=Effect.UNDECLARED)
            except RegistryError as error:
                self.left_out.append((name, error.problem))

    def _is_own_function(self, _name: str, found: Any) -> bool:
        is_function = inspect.isfunction(found) or inspect.isfunction(getattr(found, "__wrapped__", None))
        return is_function and getattr(found, "__module__", None) == self.module.__name__

    def _tools(self, found: Any, name: str | None, effect: Effect) -> Iterator[Tool]:
        """The tools that one thing is or holds; `effect` is what counts where it says nothing itself."""
        if isinstance(found, Tool):
            yield found if name is None else replace(found, name=name)
        elif (adapter := adapter_for(found)) is not None:
            adapted = adapter(found, self.wait)
            for one in adapted:
                yield _tool(one, name if len(adapted) == 1 else None, effect)
        elif callable(found):
            yield self._function(found, name, effect)
        else:
            raise RegistryError(f"type {type(found).__name__} is no tool", tool=name)

    def _function(self, function: Any, name: str | None, effect: Effect) -> Tool:
        try:
            tool = function_tool(function, name=name, effect=effect)
            ToolRegistry([tool])
        except RegistryError as error:
            raise self._error_at(function, str(error)) from error
        return tool

    def _error(self, problem: str) -> RegistryLoadError:
        return RegistryLoadError(problem, source=self.reference.target)

    def _error_at(self, function: Any, problem: str) -> RegistryLoadError:
        """The error at the line where the function begins."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is None:
            return self._error(problem)
        source = self.reference.target if code.co_filename == self.module.__file__ else code.co_filename
        line = linecache.getline(code.co_filename, code.co_firstlineno).strip()
        return RegistryLoadError(problem, source=source, line=code.co_firstlineno, code=line)


def _is_tool_object(found: object) -> bool:
    return isinstance(found, Tool) or adapter_for(found) is not None


def _tool(adapted: Adapted, name: str | None, effect: Effect) -> Tool:
    if adapted.held:
        effect = Effect.UNDECLARED
    if adapted.read_only is not None:
        effect = Effect.READ_ONLY if adapted.read_only else Effect.SIDE_EFFECT
    return Tool(
        name or adapted.name,
        adapted.description,
        read_schema(adapted.schema, tool=adapted.name),
        adapted.execute,
        adapted.timeout_ms or DEFAULT_TIMEOUT_MS,
        effect,
    )
