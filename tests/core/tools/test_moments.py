"""When an exchange was recorded."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from amberfork_cli.core.tape import Body, Exchange, Request, Response
from amberfork_cli.core.tools.moments import recorded_at

MOMENT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECONDS = int(MOMENT.timestamp())


@pytest.mark.parametrize(
    ("extra", "headers", "body", "moment"),
    [
        ({}, (), {"created": SECONDS}, MOMENT),
        ({}, (), {"created_at": SECONDS}, MOMENT),
        ({}, (), {"created_at": "2026-03-01T12:00:00Z"}, MOMENT),
        ({}, (("Date", "Sun, 01 Mar 2026 12:00:00 GMT"),), {}, MOMENT),
        ({"timestamp": SECONDS * 1000}, (), {}, MOMENT),
        ({"timestamp": "2026-03-01T12:00:00"}, (), {"created": 1}, MOMENT),
        ({}, (("date", "yesterday"),), {"created": True}, None),
        ({"time": 12.5}, (), {"created": "no time"}, None),
        ({}, (), [1, 2], None),
        ({}, (), {"created": 1e300}, None),
    ],
)
def test_the_moment_is_where_the_exchange_says_it(extra, headers, body, moment):
    """In the members of recorders and providers; what is no time is none."""
    exchange = Exchange(
        0, Request("POST", "/v1"), Response(200, headers=headers, body=Body.json(body)), extra=extra
    )

    assert recorded_at(exchange) == moment


def test_without_a_response_there_is_no_moment():
    """Nothing came."""
    assert recorded_at(Exchange(0, Request("POST", "/v1"))) is None
