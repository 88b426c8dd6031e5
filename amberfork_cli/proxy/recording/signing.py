"""Requests to AWS: each is signed for the host that it was sent to, so the edge signs it anew.

That takes the keys of the agent's environment, or an API key of Bedrock in it, which needs no signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from amberfork_cli.core.tape import Headers
from amberfork_cli.proxy.edge.calls import Call
from amberfork_cli.proxy.providers.aws import (
    API_KEY,
    KEY_ID,
    SECRET,
    SESSION,
    Signature,
    authorized,
    signature_of,
)

_MADE_ANEW: Final = frozenset({"authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"})
_HOSTS: Final = re.compile(r"https://[a-z0-9.-]+\.(amazonaws\.com|api\.aws)")


class SigningError(Exception):
    """A request that AWS would refuse, and what to do about it."""


class Signer:
    """Signs calls with what an environment has."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._api_key = environment.get(API_KEY)
        self._key, self._secret = environment.get(KEY_ID), environment.get(SECRET)
        self._session = environment.get(SESSION)

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
