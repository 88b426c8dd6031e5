"""The matcher for those who stay with vcrpy: bodies are equal where amberfork finds no difference.

Name it in `match_on` in place of `body`. With pytest-recording it is registered by itself; with vcrpy alone:
`my_vcr.register_matcher(amberfork_cli.vcr.NAME, amberfork_cli.vcr.body)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from amberfork_cli.core.compare.diffing import DiffOptions
    from amberfork_cli.core.tape import Body, Exchange, Headers

NAME: Final = "amberfork_cli.vcr.body"
"""What the matcher is called in `match_on`."""

_FORM: Final = "application/x-www-form-urlencoded"


def body(asked: Any, recorded: Any) -> None:
    """Raises AssertionError, with the first difference, where two requests of vcrpy ask different things.

    Method, path and body count, with fresh IDs set aside, and what the settings of the project leave out.
    Raises OptionError where these cannot be meant.
    """
    from amberfork_cli.core.ids.fingerprint import fingerprint
    from amberfork_cli.proxy.replaying.misses import first_difference

    options = _options(Path.cwd())
    new, old = _exchange(asked), _exchange(recorded)
    sketches = (
        fingerprint(options.adjustments.of(each).exchange, rules=options.rules) for each in (new, old)
    )
    if next(sketches) != next(sketches):
        raise AssertionError(f"the recorded request {first_difference(old, new, options)}")


@lru_cache(maxsize=1)
def _options(folder: Path) -> DiffOptions:
    """What counts in a folder, read once: a request is compared with many."""
    from amberfork_cli.comparing import comparing
    from amberfork_cli.config import load_settings
    from amberfork_cli.core.compare.diffing import DiffOptions

    counts = comparing(load_settings(folder))
    return DiffOptions(counts.rules, counts.adjustments)


def _exchange(request: Any) -> Exchange:
    """A request of vcrpy as an exchange of a tape."""
    from urllib.parse import urlsplit

    from amberfork_cli.core.tape import Exchange, Request, Response
    from amberfork_cli.proxy.providers.credentials import kept_path

    parts = urlsplit(request.uri)
    path = kept_path(f"{parts.path}?{parts.query}" if parts.query else parts.path)
    headers = tuple((str(name), _text(value)) for name, value in request.headers.items())
    return Exchange(0, Request(request.method, path, headers, _body(request.body, headers)), Response())


def _body(content: object, headers: Headers) -> Body:
    """What a request carries, in whatever form its client handed it over; a form as its fields."""
    from urllib.parse import parse_qs

    from amberfork_cli.core.tape import Body, BodyKind
    from amberfork_cli.proxy.edge.wire import body_of

    if isinstance(content, Mapping):
        return Body.json({str(name): value for name, value in content.items()})
    found = body_of(_bytes(content), headers)
    kinds = [value for name, value in headers if name.lower() == "content-type"]
    if found.kind is BodyKind.TEXT and any(value.startswith(_FORM) for value in kinds):
        return Body.json(dict[str, Any](parse_qs(str(found.value), keep_blank_values=True)))
    return found


def _bytes(content: Any) -> bytes:
    if content is None:
        return b""
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, Iterable) and not isinstance(content, (bytes, bytearray, memoryview)):
        return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in content)
    return bytes(content)


def _text(value: object) -> str:
    """The value of a header, of which vcrpy may have several."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return ", ".join(map(_text, value)) if isinstance(value, (list, tuple)) else str(value)
