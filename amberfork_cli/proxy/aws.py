"""Requests to AWS: each is signed for the host that it was sent to, so the edge signs it anew.

That takes the keys of the agent's environment, or an API key of Bedrock in it, which needs no signature. The
agent itself is not left with an API key: botocore refuses to send one by anything but HTTPS, and signs where
it has none.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from amberfork_cli.core.tape import Headers

if TYPE_CHECKING:
    from amberfork_cli.proxy.calls import Call

API_KEY: Final = "AWS_BEARER_TOKEN_BEDROCK"
_KEY_ID, _SECRET, _SESSION = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"
_PLACEHOLDERS: Final = {_KEY_ID: "AMBERFORK", _SECRET: "a placeholder: the edge signs"}
_ELSEWHERE: Final = (
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_CREDENTIAL: Final = re.compile(
    rf"{_ALGORITHM} Credential=(?P<key>[^/]+)/\d+/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request"
)
_MADE_ANEW: Final = frozenset({"authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"})
_HOSTS: Final = re.compile(r"https://[a-z0-9.-]+\.(amazonaws\.com|api\.aws)")


class SigningError(Exception):
    """A request that AWS would refuse, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a request says of the signature that it came with: who signed it, for where."""

    key: str
    region: str
    service: str


def signature_of(headers: Headers) -> Signature | None:
    """What a request is signed as, if it is signed as AWS wants it."""
    said = next((value for name, value in headers if name.lower() == "authorization"), "")
    found = _CREDENTIAL.match(said)
    return Signature(found["key"], found["region"], found["service"]) if found else None


def able_to_sign(environment: Mapping[str, str], *, answered: bool) -> dict[str, str]:
    """The environment of an agent whose SDKs sign what they ask of AWS, with placeholders if need be.

    `answered` says that it is answered from a tape, where no keys are needed.
    """
    made = {name: value for name, value in environment.items() if name != API_KEY}
    if (answered or environment.get(API_KEY)) and not _has_keys(environment):
        made |= _PLACEHOLDERS
    return made


def _has_keys(environment: Mapping[str, str]) -> bool:
    if any(environment.get(name) for name in (_KEY_ID, *_ELSEWHERE)):
        return True
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or ".")
    return Path(environment.get("AWS_SHARED_CREDENTIALS_FILE") or home / ".aws" / "credentials").exists()


class Signer:
    """Signs calls with what an environment has."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._api_key = environment.get(API_KEY)
        self._key, self._secret = environment.get(_KEY_ID), environment.get(_SECRET)
        self._session = environment.get(_SESSION)

    def signed(self, call: Call) -> Call:
        """The call as its provider takes it; raises SigningError.

        One that comes without the ticket of the agent, or is not signed, stays as it is, and so does one to a
        place that is not AWS where there are no keys to sign it with.
        """
        signature = signature_of(call.headers)
        if signature is None:
            return call
        if not call.upstream.ticket:
            raise SigningError(
                "this base URL is not the one that the agent was given, which alone is signed for"
            )
        bare = [pair for pair in call.headers if pair[0].lower() not in _MADE_ANEW]
        if self._api_key:
            return replace(call, headers=(*bare, ("authorization", f"Bearer {self._api_key}")))
        if self._key == signature.key and self._secret:
            return replace(call, headers=(*bare, *self._signing(call, bare, signature)))
        if not _HOSTS.fullmatch(call.upstream.host):
            return call
        raise SigningError(self._why_not)

    @property
    def _why_not(self) -> str:
        """Why a request to AWS cannot be signed anew, and what to do."""
        whose = (
            "keys that are not in the environment"
            if self._key is None
            else "other keys than the environment has"
        )
        return (
            f"requests to Bedrock are signed for the host that they are sent to, and these with {whose}: set "
            f'{API_KEY}, or put the keys there with eval "$(aws configure export-credentials --format env)"'
        )

    def _signing(self, call: Call, headers: Iterable[tuple[str, str]], signature: Signature) -> Headers:
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        added = (("x-amz-date", now), *((("x-amz-security-token", self._session),) if self._session else ()))
        covered = [pair for pair in (*headers, *added) if pair[0].lower().startswith("x-amz-")]
        authorization = authorized(
            call.method,
            f"{call.upstream.host}{call.target}",
            covered,
            call.body,
            keys=(self._key or "", self._secret or ""),
            scope=(now, signature.region, signature.service),
        )
        return *added, ("authorization", authorization)


def authorized(
    method: str,
    url: str,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    *,
    keys: tuple[str, str],
    scope: tuple[str, str, str],
) -> str:
    """The `Authorization` of a request: signature version 4 over it, its host and these headers.

    `keys` are the ID and the secret; `scope` is the moment (`20150830T123600Z`), the region and the service.
    """
    moment, *place = scope
    parts = urlsplit(url)
    names, lines = _canonical_headers((("host", _host(url)), *headers))
    query = "&".join(sorted(pair if "=" in pair else f"{pair}=" for pair in parts.query.split("&") if pair))
    path = quote(parts.path or "/", safe="/~")
    request = "\n".join((method, path, query, *lines, "", names, hashlib.sha256(body).hexdigest()))
    covers = "/".join((moment[:8], *place, "aws4_request"))
    text = "\n".join((_ALGORITHM, moment, covers, hashlib.sha256(request.encode()).hexdigest()))
    key = f"AWS4{keys[1]}".encode()
    for part in covers.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    seal = hmac.digest(key, text.encode(), "sha256").hex()
    return f"{_ALGORITHM} Credential={keys[0]}/{covers}, SignedHeaders={names}, Signature={seal}"


def _canonical_headers(headers: Iterable[tuple[str, str]]) -> tuple[str, list[str]]:
    """The names of headers, and a line for each."""
    told = sorted((name.lower(), " ".join(value.split())) for name, value in headers)
    return ";".join(name for name, _ in told), [f"{name}:{value}" for name, value in told]


def _host(url: str) -> str:
    """The `Host` that a request to there has."""
    parts = urlsplit(url)
    authority = parts.netloc.rpartition("@")[2]
    return authority.removesuffix({"https": ":443", "http": ":80"}[parts.scheme])
