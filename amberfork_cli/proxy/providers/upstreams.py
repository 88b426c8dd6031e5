"""The providers as one run reaches them, and how its agent is pointed to the edge instead.

A client is pointed to the edge by its base URL: `http://127.0.0.1:PORT/openai/v1`. The first segment names
the provider; what follows is the path at the provider's host, which is also the path on the tape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final
from urllib.parse import urlsplit

from amberfork_cli.errors import OptionError
from amberfork_cli.proxy.providers.aws import able_to_sign
from amberfork_cli.proxy.providers.known import (
    BEDROCK,
    MANTLE,
    PROVIDERS,
    ErrorBody,
    Provider,
    Variable,
    openai_error,
)


@dataclass(frozen=True, slots=True)
class Upstream:
    """A provider as this run reaches it; `base` is the base URL, `variables` are set for the agent.

    It is `usual` where the agent's SDKs take it to be where it always is, whatever `base` says. Where the
    edge signs requests with what the agent's environment has, `ticket` shows that one comes from the agent.
    """

    name: str
    base: str
    variables: tuple[Variable, ...]
    error: ErrorBody
    usual: bool = False
    ticket: str = ""

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

    @property
    def segment(self) -> str:
        """What a path at the edge begins with for it."""
        return f"{self.name}-{self.ticket}" if self.ticket else self.name

    def at(self, edge: str) -> str:
        """Its base URL at the edge."""
        return f"{edge}/{self.segment}{self.path}"


_SIGNED: Final = frozenset({BEDROCK, MANTLE})
_REGIONS: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")
_USUAL_REGION: Final = "us-east-1"
_PROXIES: Final = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_BY_NAME: Final = {provider.name: provider for provider in PROVIDERS}


def upstreams(
    environment: Mapping[str, str],
    *,
    named: Iterable[str] = (),
    variables: Iterable[str] = (),
    recorded: Mapping[str, str] | None = None,
) -> dict[str, Upstream]:
    """Every provider by its name: what the agent's environment says of it counts, else what the SDKs do.

    Where two variables say different things of one provider, each goes where it says: the second place is
    `openai-2`.

    `named` are `NAME=URL`, `variables` `VAR=NAME` or `VAR=NAME/PATH`, and both count before anything else.
    `recorded`, of a replay, are base URLs by name that its tape was recorded with: they count where the path
    is another one, since a request is looked up by its path. Raises OptionError.
    """
    found = {each.name: each for each in _known(environment)}
    usual = {name for name, each in found.items() if each.usual}
    for name, base in (recorded or {}).items():
        found[name] = _as_recorded(found, name, base)
    for given in named:
        name, base = _pair(given, "--upstream", "NAME=URL")
        found[name] = replace(_at(found, name, _checked(base, f"--upstream {name}")), usual=name in usual)
    for given in variables:
        variable, place = _pair(given, "--env", "VAR=NAME")
        name, slash, beyond = place.partition("/")
        if name not in found:
            raise OptionError(f'--env {given}: there is no provider "{name}": name it with --upstream')
        added = Variable(variable, slash + beyond)
        found[name] = replace(found[name], variables=(*found[name].variables, added))
    return found


def agent_variables(found: Mapping[str, Upstream], url: str) -> dict[str, str]:
    """The variables that point an agent's SDKs to the edge at `url`."""
    return {
        variable.name: f"{upstream.at(url)}{variable.beyond}"
        for upstream in found.values()
        for variable in upstream.variables
    }


def agent_environment(
    environment: Mapping[str, str], found: Mapping[str, Upstream], url: str, *, answered: Iterable[str] = ()
) -> dict[str, str]:
    """The environment of the agent: its own, pointed to the edge, and past any proxy on the way there.

    `answered` are the providers on the tape that it is answered from, for which it needs no keys of its own.
    """
    made = {**environment, **agent_variables(found, url)}
    if BEDROCK in found:
        made = able_to_sign(made, answered=not _SIGNED.isdisjoint(answered))
    if any(made.get(name) for name in _PROXIES):
        for name in ("no_proxy", "NO_PROXY"):
            made[name] = ",".join(filter(None, (made.get(name), "127.0.0.1")))
    return made


def _known(environment: Mapping[str, str]) -> Iterator[Upstream]:
    for provider in PROVIDERS:
        places = _said(provider, environment)
        unset = tuple(
            each for each in provider.variables if not each.respected and not environment.get(each.name)
        )
        usual = _usual_base(provider, environment)
        first = next(iter(places), usual)
        if first is None:
            continue
        places[first] = places.get(first, ()) + unset
        for number, (base, variables) in enumerate(places.items(), 1):
            name = provider.name if number == 1 else f"{provider.name}-{number}"
            yield _upstream(name, base, variables, provider, usual=base == usual)


def _said(provider: Provider, environment: Mapping[str, str]) -> dict[str, tuple[Variable, ...]]:
    """Where the agent's environment has a provider, and by which variables."""
    places: dict[str, tuple[Variable, ...]] = {}
    for variable in provider.variables:
        if value := environment.get(variable.name):
            url = _checked(_with_scheme(value, provider.port), variable.name).rstrip("/")
            beyond = variable.beyond if url.endswith(variable.beyond) else ""
            base = url.removesuffix(beyond)
            places[base] = (*places.get(base, ()), replace(variable, beyond=beyond))
    return places


def _usual_base(provider: Provider, environment: Mapping[str, str]) -> str | None:
    if provider.general and (base := environment.get(provider.general)):
        return _checked(base, provider.general).rstrip("/")
    return provider.base and provider.base.replace("{AWS_REGION}", _region(environment))


def _upstream(
    name: str, base: str, variables: tuple[Variable, ...], provider: Provider, *, usual: bool = False
) -> Upstream:
    ticket = _ticket() if provider.name in _SIGNED else ""
    return Upstream(name, base, variables, provider.error, usual, ticket)


@cache
def _ticket() -> str:
    """What only the agent knows, and the clients that it made: the same as long as this process lives."""
    from secrets import token_hex

    return token_hex(8)


def _region(environment: Mapping[str, str]) -> str:
    return next((environment[name] for name in _REGIONS if environment.get(name)), _USUAL_REGION)


def _as_recorded(found: Mapping[str, Upstream], name: str, base: str) -> Upstream:
    """A provider that is on the tape: all of its variables lead there, as nobody else is to be asked."""
    there = _at(found, name, base)
    known = _BY_NAME.get(name)
    usual = there.usual and known is not None and base == known.base
    upstream = found[name] if name in found and found[name].path == there.path else there
    has = {variable.name for variable in upstream.variables}
    more = tuple(each for each in known.variables if each.name not in has) if known else ()
    return replace(upstream, variables=upstream.variables + more, usual=usual)


def _at(found: Mapping[str, Upstream], name: str, base: str) -> Upstream:
    """The provider of that name at another place; one that nobody knows words its errors as OpenAI does."""
    if name in found:
        return replace(found[name], base=base)
    if name in _BY_NAME:
        return _upstream(name, base, _BY_NAME[name].variables, _BY_NAME[name])
    return Upstream(name, base, (), openai_error)


def _pair(given: str, option: str, form: str) -> tuple[str, str]:
    left, sign, right = given.partition("=")
    if not (left and sign and right) or "/" in left:
        raise OptionError(f"{option} wants {form}, not {given!r}")
    return left, right


def _with_scheme(value: str, port: int | None) -> str:
    """The URL that a variable holds, also where that is a host alone, or with a port."""
    if "://" in value:
        return value
    authority, slash, path = value.partition("/")
    host, colon, said = authority.rpartition(":")
    if not said.isdecimal() or (host.startswith("[") and not host.endswith("]")):
        host, colon, said = authority, "", ""
    if port is not None and not said:
        colon, said = ":", str(port)
    return f"http://{host or '127.0.0.1'}{colon}{said}{slash}{path}"


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
