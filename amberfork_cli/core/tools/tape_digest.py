"""What tells one tape from all others: a digest of all that was asked and answered on it.

A request repeats what was said before it, and each message is digested once, whoever repeats it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from typing import Protocol

from amberfork_cli.core import jsontext
from amberfork_cli.core.dialects.histories import Histories
from amberfork_cli.core.ids.id_rules import HISTORIES
from amberfork_cli.core.tape import Body, Exchange, JsonValue


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...


_hash: Callable[[], _Hash] = partial(blake2b, digest_size=16)


class TapeDigest:
    """Takes in the exchanges of a tape in their order."""

    def __init__(self) -> None:
        self._all = _hash()
        self._histories: Histories[_Hash] = Histories(_hash)

    def add(self, exchange: Exchange) -> None:
        """The next exchange."""
        _add(self._all, self._of_request(exchange.request.body))
        if exchange.response is not None:
            _add(self._all, _text(exchange.response.body.value))

    def hexdigest(self) -> str:
        """The digest of all exchanges so far."""
        return self._all.hexdigest()

    def _of_request(self, body: Body) -> bytes:
        value = body.value
        name = next((each for each in HISTORIES if isinstance(value, dict) and each in value), None)
        messages = value[name] if name is not None and isinstance(value, dict) else None
        if not isinstance(messages, list) or not isinstance(value, dict):
            return _text(value)
        said, known = self._histories.of(messages, key=name)
        for message in messages[known:]:
            _add(said, _text(message))
        return b"%s %d %s" % (said.digest(), len(messages), _text({**value, str(name): None}))


def _add(digest: _Hash, text: bytes) -> None:
    """With its length, so that no two lists of texts run together."""
    digest.update(b"%d:" % len(text))
    digest.update(text)


def _text(value: JsonValue | bytes) -> bytes:
    return value if isinstance(value, bytes) else jsontext.dumps(value)
