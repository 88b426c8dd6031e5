"""The model providers: where each is, which variables point an SDK to it, how it words an error.

A client is pointed to the edge by its base URL: `http://127.0.0.1:PORT/openai/v1`. The first segment names
the provider; what follows is the path at the provider's host, which is also the path on the tape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import OptionError

ErrorBody: TypeAlias = Callable[[int, str, str], JsonValue]
"""The body of an error, for a status, a kind (`not_found_error`) and a sentence."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider as its SDKs know it.

    `base` is what the SDKs take for the base URL where nothing is set; text in braces stands for an
    environment variable. `variables` point them elsewhere.
    """

    name: str
    base: str | None
    variables: tuple[str, ...]
    error: ErrorBody


@dataclass(frozen=True, slots=True)
class Upstream:
    """A provider as this run reaches it; `base` is the base URL, `variables` are set for the agent."""

    name: str
    base: str
    variables: tuple[str, ...]
    error: ErrorBody

    @property
    def host(self) -> str:
        """Scheme and authority, as requests need them."""
        parts = urlsplit(self.base)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def path(self) -> str:
        """The path of the base URL, without a slash at its end."""
        return urlsplit(self.base).path.rstrip("/")

    @property
    def shown(self) -> str:
        """The base URL without credentials, as it may stand on a tape."""
        parts = urlsplit(self.base)
        authority = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{authority}{self.path}"


_NOT_FOUND: Final = 404


def _openai_error(status: int, kind: str, message: str) -> JsonValue:
    return {"error": {"message": message, "type": kind, "param": None, "code": status}}


def _anthropic_error(_: int, kind: str, message: str) -> JsonValue:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _google_error(status: int, kind: str, message: str) -> JsonValue:
    name = kind.removesuffix("_error").upper()
    return {"error": {"code": status, "message": message, "status": name}}


def _mistral_error(status: int, kind: str, message: str) -> JsonValue:
    return {"object": "error", "message": message, "type": kind, "param": None, "code": str(status)}


def _bedrock_error(status: int, _: str, message: str) -> JsonValue:
    kind = "ResourceNotFoundException" if status == _NOT_FOUND else "ServiceUnavailableException"
    return {"__type": kind, "message": message}


def _plain_error(_: int, kind: str, message: str) -> JsonValue:
    return {"message": message, "type": kind}


def _ollama_error(_: int, __: str, message: str) -> JsonValue:
    return {"error": message}


PROVIDERS: Final = (
    Provider("openai", "https://api.openai.com/v1", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), _openai_error),
    Provider("anthropic", "https://api.anthropic.com", ("ANTHROPIC_BASE_URL",), _anthropic_error),
    Provider(
        "gemini", "https://generativelanguage.googleapis.com", ("GOOGLE_GEMINI_BASE_URL",), _google_error
    ),
    Provider("mistral", "https://api.mistral.ai/v1", ("MISTRAL_BASE_URL",), _mistral_error),
    Provider("cohere", "https://api.cohere.com", ("CO_API_URL",), _plain_error),
    Provider("groq", "https://api.groq.com", ("GROQ_BASE_URL",), _openai_error),
    Provider("ollama", "http://127.0.0.1:11434", ("OLLAMA_HOST",), _ollama_error),
    Provider(
        "openrouter",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_BASE_URL", "OPENROUTER_API_BASE"),
        _openai_error,
    ),
    Provider(
        "bedrock",
        "https://bedrock-runtime.{AWS_REGION}.amazonaws.com",
        ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME",),
        _bedrock_error,
    ),
    Provider("azure", None, ("AZURE_OPENAI_ENDPOINT",), _openai_error),
)

_BEDROCK: Final = "bedrock"
_PASSES_BEDROCK: Final = ("AWS_BEARER_TOKEN_BEDROCK", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME")
"""Without these, requests are signed for the host they are sent to, and refused by any other."""

_REGIONS: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")
_USUAL_REGION: Final = "us-east-1"
_PROXIES: Final = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def upstreams(
    environment: Mapping[str, str],
    *,
    named: Iterable[str] = (),
    variables: Iterable[str] = (),
    recorded: Mapping[str, str] | None = None,
) -> dict[str, Upstream]:
    """Every provider by its name: what the agent's environment says of it counts, else what the SDKs do.

    `named` are `NAME=URL`, `variables` `VAR=NAME`, and both count before anything else. `recorded`, of a
    replay, are base URLs by name that its tape was recorded with: they count where the path is another one,
    since a request is looked up by its path. Raises OptionError.
    """
    found = {each.name: each for each in _known(environment)}
    if recorded is None and not any(environment.get(name) for name in _PASSES_BEDROCK):
        found.pop(_BEDROCK, None)
    for name, base in (recorded or {}).items():
        there = _at(found, name, base)
        if name not in found or found[name].path != there.path:
            found[name] = there
    for given in named:
        name, base = _pair(given, "--upstream", "NAME=URL")
        found[name] = _at(found, name, _checked(base, f"--upstream {name}"))
    for given in variables:
        variable, name = _pair(given, "--env", "VAR=NAME")
        if name not in found:
            raise OptionError(f'--env {given}: there is no provider "{name}": name it with --upstream')
        found[name] = replace(found[name], variables=(*found[name].variables, variable))
    return found


def agent_variables(found: Mapping[str, Upstream], url: str) -> dict[str, str]:
    """The variables that point an agent's SDKs to the edge at `url`."""
    return {
        variable: f"{url}/{upstream.name}{upstream.path}"
        for upstream in found.values()
        for variable in upstream.variables
    }


def agent_environment(
    environment: Mapping[str, str], found: Mapping[str, Upstream], url: str
) -> dict[str, str]:
    """The environment of the agent: its own, pointed to the edge, and past any proxy on the way there."""
    made = {**environment, **agent_variables(found, url)}
    if any(made.get(name) for name in _PROXIES):
        for name in ("no_proxy", "NO_PROXY"):
            made[name] = ",".join(filter(None, (made.get(name), "127.0.0.1")))
    return made


def _known(environment: Mapping[str, str]) -> Iterable[Upstream]:
    for provider in PROVIDERS:
        said = next(((name, environment[name]) for name in provider.variables if environment.get(name)), None)
        if said is not None:
            base = said[1] if "://" in said[1] else f"http://{said[1]}"  # OLLAMA_HOST may be a bare host
            yield Upstream(provider.name, _checked(base, said[0]), provider.variables, provider.error)
        elif provider.base is not None:
            base = provider.base.replace("{AWS_REGION}", _region(environment))
            yield Upstream(provider.name, base, provider.variables, provider.error)


def _region(environment: Mapping[str, str]) -> str:
    return next((environment[name] for name in _REGIONS if environment.get(name)), _USUAL_REGION)


def _at(found: Mapping[str, Upstream], name: str, base: str) -> Upstream:
    """The provider of that name at another place; one that nobody knows words its errors as OpenAI does."""
    if name in found:
        return replace(found[name], base=base)
    for known in PROVIDERS:
        if known.name == name:
            return Upstream(name, base, known.variables, known.error)
    return Upstream(name, base, (), _openai_error)


def _pair(given: str, option: str, form: str) -> tuple[str, str]:
    left, sign, right = given.partition("=")
    if not (left and sign and right) or "/" in left:
        raise OptionError(f"{option} wants {form}, not {given!r}")
    return left, right


def _checked(base: str, where: str) -> str:
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        usable = usable and not any(sign.isspace() for sign in base)
    except ValueError:
        usable = False
    if not usable:
        raise OptionError(f"{where}: this is no URL that a provider can be reached at")
    return base
