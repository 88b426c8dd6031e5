"""Names that say how long something took are told from names that only mention time."""

from __future__ import annotations

import pytest

from amberfork_cli.core.tools.volatile import Freshness, Moments, Volatile, volatile_number, volatile_text

NO_MOMENTS = Moments()


@pytest.mark.parametrize(
    "name",
    [
        *("duration", "durationMs", "duration_ms", "duration-seconds", "total_duration", "callDurationMs"),
        *(
            "elapsed",
            "elapsedTime",
            "elapsed_time_ms",
            "ELAPSED_MS",
            "latency",
            "latencyMs",
            "took",
            "took_ms",
        ),
        *(
            "runtime",
            "execution_time",
            "executionTimeMs",
            "response_time",
            "query_time_us",
            "duration_in_seconds",
        ),
    ],
)
def test_a_measured_duration_is_known_by_its_name(name: str) -> None:
    """In every spelling of names, with and without a unit."""
    assert volatile_number(("data", name), 12, 15.5, NO_MOMENTS) is Volatile.DURATION


@pytest.mark.parametrize(
    "name",
    [
        *(
            "time",
            "timestamp",
            "ms",
            "seconds",
            "",
            "price",
            "durations",
            "duration_type",
            "is_elapsed_known",
        ),
        *(
            "max_duration",
            "durationLimit",
            "min_latency",
            "expected_duration",
            "estimatedDurationMs",
            "timeout",
        ),
        *("departure_time", "runtime_version", "mistook", "arrivalTime"),
    ],
)
def test_other_names_are_data(name: str) -> None:
    """A plan, a bound, a time of day, or a word that only contains one of those."""
    assert volatile_number(("data", name), 12, 15.5, NO_MOMENTS) is None


def test_only_the_member_itself_names_it() -> None:
    """An item of a list, a member below, a whole result have no such name; and no time is below nothing."""
    assert volatile_number(("took", 0), 12, 15, NO_MOMENTS) is None
    assert volatile_number(("took", "rows"), 12, 15, NO_MOMENTS) is None
    assert volatile_number((), 12, 15, NO_MOMENTS) is None
    assert volatile_number(("took",), 12, -15, NO_MOMENTS) is None


def test_a_uuid_keeps_its_partner() -> None:
    """One ID stands for one ID through the whole of two results."""
    a, b, c = (f"{digit}0000000-0000-4000-8000-000000000000" for digit in "abc")
    fresh = Freshness.of([a, a], [b, c])

    first = volatile_text((), a, b, NO_MOMENTS, fresh)
    again = volatile_text((), a, b, NO_MOMENTS, fresh)
    other = volatile_text((), a, c, NO_MOMENTS, fresh)

    assert first == again != ()
    assert other is None
