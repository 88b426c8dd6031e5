"""What one tool is, and what it is told about the call it runs for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Protocol

from amberfork_cli.core.tape import JsonValue

DEFAULT_TIMEOUT_MS: Final = 10_000
_KEY_LENGTH = 32  # hexadecimal digits; providers take at most 64 characters


class Effect(StrEnum):
    """What is known of a tool's effect on the world outside, and so whether it may run unasked."""

    READ_ONLY = "read-only"
    SIDE_EFFECT = "side-effect"
    UNDECLARED = "undeclared"


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may ask about its call.

    `values` is whatever the caller gave, `call_id` the ID of the call, `recorded_result` what the tape holds
    as its result. `idempotency_key` is the same for one call of one tape in every run, and of no other call;
    `None` where the call comes from no tape.
    """

    values: Any = field(default_factory=dict)
    call_id: str = ""
    recorded_result: JsonValue = None
    idempotency_key: str | None = None

    @classmethod
    def of(cls, context: object) -> ToolContext:
        """The context as it is, or one that holds the caller's values."""
        if isinstance(context, ToolContext):
            return context
        return cls() if context is None else cls(values=context)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def get(self, name: str, default: Any = None) -> Any:
        """One of the caller's values, by its name."""
        return self.values.get(name, default)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with the arguments of a call; `path` is a JSON Pointer into them."""

    path: str
    message: str

    def to_json(self) -> JsonValue:
        """As the details of a message carry it."""
        return {"path": self.path, "message": self.message}

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


@dataclass(frozen=True, slots=True)
class Checked:
    """Arguments after the check: as the tool takes them, or what is wrong with them."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[JsonValue, ...] = ()


class ArgumentSchema(Protocol):
    """What the arguments of a tool must be."""

    @property
    def parameters(self) -> dict[str, JsonValue]:
        """A JSON Schema of type object, with `properties` and `required`; the caller may keep it."""
        ...

    def validate(self, arguments: Mapping[str, Any]) -> list[JsonValue]:
        """Every fault of the arguments; none where they fit."""
        ...

    def check(self, arguments: Mapping[str, Any], *, coerce: bool = False) -> Checked:
        """The arguments as the tool takes them, or the faults; `coerce` reads `"3"` as 3 where 3 is due."""
        ...


Execute = Callable[[Any, ToolContext], Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One of the user's functions, as a model may call it. `timeout_ms` is in milliseconds."""

    name: str
    description: str
    schema: ArgumentSchema
    execute: Execute
    timeout_ms: float = DEFAULT_TIMEOUT_MS
    effect: Effect = Effect.READ_ONLY

    @property
    def read_only(self) -> bool:
        """Whether its author said, by word or by listing it, that it changes nothing."""
        return self.effect is Effect.READ_ONLY

    @property
    def declared(self) -> bool:
        """Whether anybody said anything about its effect; nobody did for a function merely found."""
        return self.effect is not Effect.UNDECLARED


class Toolbox(Protocol):
    """Tools by name: all that running one needs of a registry."""

    def get(self, name: str) -> Tool | None:
        """The tool of that name, if there is one."""
        ...

    def __iter__(self) -> Iterator[Tool]: ...


def idempotency_key(*parts: object) -> str:
    """A key made of what tells a call from all others: tape digest, exchange, position in the turn, call ID.

    The call ID alone would not do: some servers start again at every turn.
    """
    text = "".join(f"{len(part)}:{part}" for part in map(str, parts))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_LENGTH]
