"""AWS, which wants its requests signed: what one says of its signature, and how one is made.

An agent at the edge is not left with an API key of Bedrock: botocore refuses to send one by anything but
HTTPS, and signs where it has none.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

from amberfork_cli.core.tape import Headers

API_KEY: Final = "AWS_BEARER_TOKEN_BEDROCK"
KEY_ID: Final = "AWS_ACCESS_KEY_ID"
SECRET: Final = "AWS_SECRET_ACCESS_KEY"  # noqa: S105 - the name of a variable
SESSION: Final = "AWS_SESSION_TOKEN"
_PLACEHOLDERS: Final = {KEY_ID: "AMBERFORK", SECRET: "a placeholder: the edge signs"}
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
    if any(environment.get(name) for name in (KEY_ID, *_ELSEWHERE)):
        return True
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or ".")
    return Path(environment.get("AWS_SHARED_CREDENTIALS_FILE") or home / ".aws" / "credentials").exists()


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
