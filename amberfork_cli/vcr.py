"""The matcher for those who stay with vcrpy: bodies are equal where amberfork finds no difference.

Name it in `match_on` in place of `body`. With pytest-recording it is registered by itself; with vcrpy alone:
`my_vcr.register_matcher(amberfork_cli.vcr.NAME, amberfork_cli.vcr.body)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

NAME: Final = "amberfork_cli.vcr.body"
"""What the matcher is called in `match_on`."""


def body(asked: Any, recorded: Any) -> None:
    """Raises AssertionError, with the first difference, where two requests of vcrpy ask different things.

    Method, path and body count, with fresh IDs set aside.
    """
    from amberfork_cli.core.compare.diffing import DiffOptions
    from amberfork_cli.core.ids.fingerprint import fingerprint
    from amberfork_cli.proxy.misses import first_difference

    new, old = _exchange(asked), _exchange(recorded)
    if fingerprint(new) != fingerprint(old):
        raise AssertionError(f"the recorded request {first_difference(old, new, DiffOptions())}")


def _exchange(request: Any) -> Any:
    """A request of vcrpy as an exchange of a tape."""
    from urllib.parse import urlsplit

    from amberfork_cli.core.tape import Exchange, Request
    from amberfork_cli.proxy.wire import body_of

    parts = urlsplit(request.uri)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    headers = tuple((str(name), _text(value)) for name, value in request.headers.items())
    return Exchange(0, Request(request.method, path, headers, body_of(_bytes(request.body), headers)))


def _bytes(content: bytes | str | Iterable[bytes] | None) -> bytes:
    if content is None:
        return b""
    if isinstance(content, str):
        return content.encode()
    return content if isinstance(content, bytes) else b"".join(content)


def _text(value: object) -> str:
    """The value of a header, of which vcrpy may have several."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return ", ".join(map(_text, value)) if isinstance(value, (list, tuple)) else str(value)
