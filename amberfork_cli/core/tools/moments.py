"""When an exchange was recorded, as far as its own members say."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from amberfork_cli.core.tape import Exchange, JsonValue

_EXTRA = ("timestamp", "time", "recorded_at", "startedDateTime")  # members that recorders add to an exchange
_BODY = ("created", "created_at", "createTime")  # of a response: OpenAI's, Ollama's and Gemini's
_EARLIEST = datetime(2015, 1, 1, tzinfo=UTC).timestamp()  # below this, a number is no time but a duration


def recorded_at(exchange: Exchange) -> datetime | None:
    """When the response came, or `None` where the tape does not say."""
    return next((moment for moment in _moments(exchange) if moment is not None), None)


def _moments(exchange: Exchange) -> Iterator[datetime | None]:
    for name in _EXTRA:
        yield _moment(exchange.extra.get(name))
    response = exchange.response
    if response is None:
        return
    for name, value in response.headers:
        if name.lower() == "date":
            yield _header(value)
    body = response.body.value
    if isinstance(body, dict):
        for name in _BODY:
            yield _moment(body.get(name))


def _moment(value: JsonValue) -> datetime | None:
    """Seconds, or milliseconds, since 1970, or ISO 8601."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= _EARLIEST:
            return datetime.fromtimestamp(value / 1000 if value >= _EARLIEST * 1000 else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _header(value: str) -> datetime | None:
    try:
        return parsedate_to_datetime(value)
    except ValueError:
        return None
