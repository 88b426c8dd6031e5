"""Whom the edge trusts to say that a provider is what it says: whom the SDKs would, whose place it takes.

Those are the authorities of the system, and the ones in files that the environment names. Python finds the
system's by itself, except on macOS and Windows, where they are in no file.
"""

from __future__ import annotations

import ssl
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

_NAMED: Final = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)
_NO_ISSUER: Final = frozenset({18, 19, 20, 21})  # OpenSSL's reasons for which an authority is missing


def provider_trust(environment: Mapping[str, str]) -> ssl.SSLContext | bool:
    """What connections to providers are verified by: `True` for what Python does by itself."""
    named = tuple(environment[name] for name in _NAMED if environment.get(name))
    return True if _python_knows() and not named else _trusting(named)


def untrusted(error: ssl.SSLCertVerificationError) -> str:
    """What is wrong with a certificate, in a few words, and what to do about it."""
    why = getattr(error, "verify_message", None) or str(error)
    told = f"its certificate is not trusted ({why.rstrip('.')})"
    if getattr(error, "verify_code", None) in _NO_ISSUER:
        return f"{told}: SSL_CERT_FILE can name a file with the authority that issued it"
    return told


def _python_knows() -> bool:
    if sys.platform in ("darwin", "win32"):
        return False
    paths = ssl.get_default_verify_paths()
    return bool(paths.cafile or paths.capath)


@cache
def _trusting(named: tuple[str, ...]) -> ssl.SSLContext:
    """A context that trusts the system and what is named; a file that cannot be read changes nothing."""
    context = ssl.create_default_context() if _python_knows() else _trusting_the_system()
    for place in named:
        path = Path(place)
        with suppress(OSError):
            if path.is_dir():
                context.load_verify_locations(capath=path)
            else:
                context.load_verify_locations(cafile=path)
    return context


def _trusting_the_system() -> ssl.SSLContext:
    from truststore import SSLContext

    return SSLContext(ssl.PROTOCOL_TLS_CLIENT)
