"""What the arguments of a tool must be: a JSON Schema, a typed signature, or a check of the user's own.

Only this module imports jsonschema and pydantic, and only where a tool needs them. Checks are strict: `"3"`
is no 3 and `true` no 1, since a model that writes one for the other has not understood the tool. `coerce`
reads them all the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args, get_origin

from amberfork_cli.core import jsontext
from amberfork_cli.core.paths import Path, to_pointer
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.parameters import JsonObject, dangling, object_schema
from amberfork_cli.core.tools.results import to_json
from amberfork_cli.core.tools.signature import Parameter, Signature
from amberfork_cli.core.tools.tool import ArgumentSchema, Checked, Fault
from amberfork_cli.errors import JsonError, RegistryError

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator
    from pydantic import BaseModel
    from pydantic import ValidationError as ModelError
    from pydantic_core import ErrorDetails

LONGEST_MESSAGE: Final = 300  # characters; jsonschema quotes the whole value in its messages


def read_schema(schema: object, *, tool: str) -> ArgumentSchema:
    """What a user gave as a tool's schema, ready to check arguments.

    A JSON Schema (Gemini's upper-case types too), a pydantic model, or anything with `validate(arguments)`
    that gives a list of errors. Raises RegistryError for what is none of these, or is no valid schema.
    """
    if isinstance(schema, type) and hasattr(schema, "model_json_schema"):
        return ModelSchema(schema, tool=tool)
    if callable(_part(schema, "validate")):
        return CustomSchema(schema)
    if schema is None or isinstance(schema, Mapping):
        return JsonSchema(schema or {}, tool=tool)
    raise RegistryError("the schema is no JSON Schema and has no validate(arguments)", tool=tool)


class _Schema(ABC):
    """What all of them have: a JSON Schema to show, and a check."""

    def __init__(self, parameters: JsonObject) -> None:
        self._parameters = parameters

    @property
    def parameters(self) -> JsonObject:
        """A copy of the JSON Schema: of type object, with properties and required."""
        return deepcopy(self._parameters)

    def validate(self, arguments: Mapping[str, Any]) -> list[JsonValue]:
        """Every fault of the arguments; none where they fit."""
        return list(self.check(arguments).faults)

    @abstractmethod
    def check(self, arguments: Mapping[str, Any], *, coerce: bool = False) -> Checked:
        """The arguments as the tool takes them, or what is wrong with them."""


class JsonSchema(_Schema):
    """Arguments checked by JSON Schema, Draft 2020-12 unless the schema itself names another."""

    def __init__(self, schema: Mapping[str, Any], *, tool: str) -> None:
        super().__init__(object_schema(schema, tool=tool))
        self._validator = _validator(self._parameters, tool)

    def check(self, arguments: Mapping[str, Any], *, coerce: bool = False) -> Checked:
        """The arguments as they came, or every fault in the order of their places.

        With `coerce`, texts that spell the number or truth value that is due are read as such.
        """
        try:
            read = self._coerced(deepcopy(dict(arguments))) if coerce else arguments
            errors = sorted(self._validator.iter_errors(read), key=_place)
        except Exception as error:  # a $ref to another document, or one that goes round and round
            return Checked(faults=(_fault((), f"the schema cannot be applied: {_first_line(error)}"),))
        return Checked(read, tuple(_fault(_place(error), error.message) for error in errors))

    def _coerced(self, arguments: dict[str, Any]) -> dict[str, Any]:
        while True:
            wrong = list(_type_errors(self._validator.iter_errors(arguments)))
            if not [error for error in wrong if _put_right(arguments, error)]:
                return arguments


class ModelSchema(_Schema):
    """Arguments checked by a pydantic model; the tool gets them as they came, or as `coerce` read them."""

    def __init__(self, model: type[BaseModel], *, tool: str) -> None:
        super().__init__(_model_parameters(model, tool))
        self._model = model

    def check(self, arguments: Mapping[str, Any], *, coerce: bool = False) -> Checked:
        """The arguments, or every fault in pydantic's order."""
        read = _read_by(self._model, arguments, coerce=coerce)
        if isinstance(read, tuple):
            return Checked(faults=read)
        return Checked(read.model_dump(mode="json", exclude_unset=True) if coerce else arguments)


class SignatureSchema(_Schema):
    """Arguments checked by the annotations of a function, and read as it wants them.

    The fields of the model have neutral names, so that a parameter may be called `json` or `model_config`;
    the parameter's own name is the alias. A parameter for the context is no part of it.
    """

    def __init__(self, signature: Signature, *, tool: str) -> None:
        self._names = {f"p{number}": parameter.name for number, parameter in enumerate(signature.asked)}
        self._model = _model_of(signature, tool)
        super().__init__(_model_parameters(self._model, tool))

    def check(self, arguments: Mapping[str, Any], *, coerce: bool = False) -> Checked:
        """The keywords that the call sets, each as its annotation wants it; defaults stay the function's."""
        read = _read_by(self._model, arguments, coerce=coerce)
        if isinstance(read, tuple):
            return Checked(faults=read)
        given = [field for field in self._names if field in read.model_fields_set]
        return Checked(
            {**{self._names[field]: getattr(read, field) for field in given}, **(read.model_extra or {})}
        )


class CustomSchema(_Schema):
    """Arguments checked by an object of the user's: `validate`, perhaps `properties` and `required`."""

    def __init__(self, schema: object) -> None:
        properties, _ = to_json(_part(schema, "properties") or {})
        required, _ = to_json(_part(schema, "required") or [])
        super().__init__({"type": "object", "properties": properties, "required": required})
        self._validate: Callable[[Any], Any] = _part(schema, "validate")

    def check(self, arguments: Mapping[str, Any], *, coerce: bool = False) -> Checked:  # noqa: ARG002
        """The arguments as they came, or the errors that the user's check gives; what it raises is one."""
        try:
            errors = self._validate(arguments)
            if isinstance(errors, (str, bool)):
                errors = [] if errors in (True, "") else [errors or "the arguments do not fit"]
            return Checked(arguments, tuple(to_json(error)[0] for error in errors or ()))
        except Exception as error:
            return Checked(faults=(f"{type(error).__name__}: {error}".removesuffix(": "),))


def _part(schema: object, name: str) -> Any:
    return schema.get(name) if isinstance(schema, Mapping) else getattr(schema, name, None)


def _validator(schema: JsonObject, tool: str) -> Validator:
    """A validator that stays at home: a `$ref` to another document is not fetched."""
    from jsonschema import Draft202012Validator, SchemaError
    from jsonschema.validators import validator_for
    from referencing.jsonschema import EMPTY_REGISTRY

    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        fault = Fault(to_pointer(error.absolute_path), _short(error.message))
        raise RegistryError(f"the schema is not valid: {fault}", tool=tool) from error
    for reference in dangling(schema):
        raise RegistryError(f"the schema is not valid: $ref {reference!r} leads nowhere", tool=tool)
    return kind(schema, registry=EMPTY_REGISTRY)


def _place(error: ValidationError) -> Path:
    return tuple(error.absolute_path)


def _fault(path: Path, message: str) -> JsonValue:
    return Fault(to_pointer(path), _short(message)).to_json()


def _short(message: str) -> str:
    half = LONGEST_MESSAGE // 2
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:half]} … {message[-half:]}"


def _first_line(error: Exception) -> str:
    return _short((str(error).splitlines() or [type(error).__name__])[0])


def _type_errors(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    """The faults that are wrong types, those within the branches of an anyOf included."""
    for error in errors:
        if error.validator == "type":
            yield error
        yield from _type_errors(error.context or ())


def _put_right(arguments: dict[str, Any], error: ValidationError) -> bool:
    """Whether a text stood there that spells what is due; then that stands there now."""
    place = _place(error)
    due: Any = error.validator_value
    value = _spelled(error.instance, [due] if isinstance(due, str) else due) if place else None
    if value is None:
        return False
    holder: Any = arguments
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value
    return True


def _spelled(text: object, due: list[str]) -> int | float | bool | None:
    if not isinstance(text, str):
        return None
    try:
        value = jsontext.loads(text)
    except JsonError:
        return None
    kinds = {bool: {"boolean"}, int: {"integer", "number"}, float: {"number"}}
    fits = not kinds.get(type(value), set()).isdisjoint(due)
    return value if fits and isinstance(value, (bool, int, float)) else None


def _read_by(
    model: type[BaseModel], arguments: Mapping[str, Any], *, coerce: bool
) -> BaseModel | tuple[JsonValue, ...]:
    """The model of the arguments, or the faults.

    Read as JSON, since only there does a strict check take a date or a set as JSON has to write it. What
    pydantic's reader of JSON refuses, such as half a surrogate pair, is read as the values that it is.
    """
    from pydantic import ValidationError

    strict = not coerce
    try:
        return model.model_validate_json(jsontext.dumps(dict(arguments)), strict=strict)
    except ValidationError as error:
        if not _is_unreadable(error):
            return _model_faults(error, arguments)
    except TypeError:
        pass  # an argument that is no JSON, from a caller in Python
    try:
        return model.model_validate(dict(arguments), strict=strict)
    except ValidationError as error:
        return _model_faults(error, arguments)


def _is_unreadable(error: ModelError) -> bool:
    return [(detail["type"], detail["loc"]) for detail in error.errors()] == [("json_invalid", ())]


def _model_faults(error: ModelError, arguments: Mapping[str, Any]) -> tuple[JsonValue, ...]:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return tuple(_fault(_followed(detail, arguments), detail["msg"]) for detail in details)


def _followed(detail: ErrorDetails, arguments: Any) -> Path:
    """The place of a fault, without the names of union members that pydantic puts between."""
    path: list[str | int] = []
    here = arguments
    for step in detail["loc"]:
        try:
            here = here[step]
        except (LookupError, TypeError):
            continue
        path.append(step)
    missing = detail["loc"][-1:] if detail["type"] == "missing" else ()
    return (*path, *missing)


def _model_of(signature: Signature, tool: str) -> type[BaseModel]:
    from pydantic import ConfigDict, create_model

    config = ConfigDict(extra="allow" if signature.takes_more else "forbid", protected_namespaces=())
    fields: dict[str, Any] = {
        f"p{number}": (_described(parameter.annotation), _field(parameter))
        for number, parameter in enumerate(signature.asked)
    }
    try:
        return create_model(tool, __config__=config, **fields)
    except Exception as error:
        raise RegistryError(_unusable(signature.asked, error), tool=tool) from error


def _field(parameter: Parameter) -> Any:
    """A field that only its alias sets; its default is shown in the schema where JSON can show it."""
    from pydantic import Field

    if parameter.required:
        return Field(alias=parameter.name)
    shown, lossy = to_json(parameter.default)
    extra: Any = {} if lossy else {"default": shown}
    return Field(alias=parameter.name, default_factory=lambda: parameter.default, json_schema_extra=extra)


def _described(annotation: Any) -> Any:
    """`Annotated[str, "the city"]` as a field with that description."""
    from pydantic import Field

    if get_origin(annotation) is not Annotated:
        return annotation
    kind, *notes = get_args(annotation)
    described = tuple(Field(description=note) if isinstance(note, str) else note for note in notes)
    return Annotated[(kind, *described)]


def _unusable(parameters: Iterable[Parameter], error: Exception) -> str:
    """Which parameter it is that pydantic cannot check, and what it says."""
    from pydantic import TypeAdapter

    for parameter in parameters:
        try:
            TypeAdapter(parameter.annotation)
        except Exception as reason:
            return f"parameter {parameter.name!r} cannot be checked: {_first_line(reason)}"
    return f"the signature cannot be checked: {_first_line(error)}"


def _model_parameters(model: type[BaseModel], tool: str) -> JsonObject:
    """The model's JSON Schema, without the titles that pydantic gives to everything."""
    from pydantic.json_schema import GenerateJsonSchema

    class Untitled(GenerateJsonSchema):
        def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
            return False

    try:
        schema = model.model_json_schema(schema_generator=Untitled)
    except Exception as error:
        raise RegistryError(f"no JSON Schema can be made of it: {_first_line(error)}", tool=tool) from error
    schema.pop("title", None)
    return object_schema(schema, tool=tool)
