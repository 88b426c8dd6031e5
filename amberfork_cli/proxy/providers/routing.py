"""Which provider a request at the edge is for, and what it asks for there.

The first segment of its path says so. Where SDKs do not agree on what a base URL is, that is made up for:
what one adds to the usual URL alone, whom one takes for another, the region that one puts into the host.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from amberfork_cli.core.tape import Headers
from amberfork_cli.proxy.providers.aws import signature_of
from amberfork_cli.proxy.providers.known import AZURE, OPENAI, PROVIDERS, VERTEX, openai_error
from amberfork_cli.proxy.providers.upstreams import Upstream


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes: the provider, and path and query at its host; or, with a status, why nowhere."""

    upstream: Upstream
    target: str
    refused: tuple[int, str] | None = None


_ANONYMOUS: Final = Upstream("amberfork", "http://127.0.0.1", (), openai_error)
_PREFIXES: Final = {each.name: (each.prefix, each.bare) for each in PROVIDERS if each.prefix}
_FIRST: Final = re.compile(r"/([a-z]+)(?=[/?:]|$)")
_LOCATION: Final = re.compile(r"/locations/([a-z0-9-]+)/")
_MULTIPLE: Final = frozenset({"us", "eu"})  # locations of Vertex AI that are more than one region
_VERTEX: Final = "https://aiplatform.googleapis.com"
_IN_REGION: Final = re.compile(r"(https://bedrock-[a-z]+\.)[a-z0-9-]+(\.amazonaws\.com|\.api\.aws)")
_NO_AZURE: Final = (
    "this is a request to Azure, whose endpoint is not known: set AZURE_OPENAI_ENDPOINT where amberfork is "
    "started, or name it with --upstream azure=URL"
)


def routed(found: Mapping[str, Upstream], path: str, headers: Headers) -> Route:
    """The route of a request to the edge: `path` is its path and query there."""
    segment, _, rest = path.removeprefix("/").partition("/")
    upstream = _named(found, segment)
    if upstream is None:
        known = ", ".join(found)
        return Route(
            _ANONYMOUS, "", (404, f'"{segment}" is no provider: the path begins with one of {known}')
        )
    target = f"/{rest}"
    if upstream.usual and upstream.name == OPENAI and _is_for_azure(target):
        return _to_azure(found, upstream, target)
    return Route(_in_its_region(upstream, target, headers), _whole(upstream, target))


def _named(found: Mapping[str, Upstream], segment: str) -> Upstream | None:
    if segment in found:
        return replace(found[segment], ticket="")
    return next((each for each in found.values() if each.segment == segment), None)


def _is_for_azure(target: str) -> bool:
    """Whether this is for Azure, whose client for JavaScript takes OPENAI_BASE_URL for its own."""
    return any(pair.startswith("api-version=") for pair in target.partition("?")[2].split("&"))


def _to_azure(found: Mapping[str, Upstream], upstream: Upstream, target: str) -> Route:
    azure = found.get(AZURE)
    if azure is None:
        return Route(upstream, target, (400, _NO_AZURE))
    return Route(azure, f"{azure.path}/openai{target.removeprefix(upstream.path)}")


def _whole(upstream: Upstream, target: str) -> str:
    """The target with what an SDK leaves to the base URL, which the provider's own has for it."""
    prefix, bare = _PREFIXES.get(upstream.name, ("", ()))
    below = target.removeprefix(upstream.path)
    first = _FIRST.match(below)
    if upstream.usual and first is not None and first[1] in bare:
        return f"{upstream.path}{prefix}{below}"
    return target


def _in_its_region(upstream: Upstream, target: str, headers: Headers) -> Upstream:
    """The provider in the region that a request is for, where it has a host for each."""
    if upstream.name == VERTEX and upstream.base == _VERTEX and (place := _LOCATION.search(target)):
        return replace(upstream, base=_vertex(place[1]))
    at_aws = _IN_REGION.fullmatch(upstream.base)
    if at_aws is not None and (signature := signature_of(headers)) is not None:
        return replace(upstream, base=f"{at_aws[1]}{signature.region}{at_aws[2]}")
    return upstream


def _vertex(location: str) -> str:
    if location == "global":
        return _VERTEX
    if location in _MULTIPLE:
        return f"https://aiplatform.{location}.rep.googleapis.com"
    return f"https://{location}-aiplatform.googleapis.com"
