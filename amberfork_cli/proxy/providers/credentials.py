"""What may stand on a tape of headers and queries: a credential reaches the provider and nothing else.

Of headers those are kept that are known to be harmless and to say something; a new one is left out until it
is listed here. Of a query everything is kept but what is known, or looks, like a credential.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from amberfork_cli.core.credential_names import names_credential
from amberfork_cli.core.tape import Headers

_KEPT: Final = frozenset(
    """
    accept content-encoding content-language content-type date retry-after retry-after-ms
    user-agent x-should-retry
    anthropic-beta anthropic-version openai-beta openai-processing-ms openai-version
    request-id x-request-id x-amzn-requestid x-amzn-errortype x-amzn-bedrock-accept
    x-stainless-lang x-stainless-package-version x-goog-api-client
    """.split()
)


def kept_headers(headers: Iterable[tuple[str, str]]) -> Headers:
    """The headers that a tape may hold, in their order, their names in lower case."""
    return tuple((name.lower(), value) for name, value in headers if name.lower() in _KEPT)


def kept_path(path: str) -> str:
    """A path without the members of its query that carry a credential."""
    bare, sign, query = path.partition("?")
    kept = "&".join(pair for pair in query.split("&") if not _is_credential(pair))
    return f"{bare}{sign}{kept}" if kept else bare


def _is_credential(pair: str) -> bool:
    from urllib.parse import unquote_plus

    return names_credential(unquote_plus(pair.partition("=")[0]))
