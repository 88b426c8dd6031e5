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


def test_equal_texts_differ_in_nothing() -> None:
    """Which is not the same as differing in something that counts."""
    fresh = Freshness.of("one", "one")

    assert volatile_text((), "one", "one", NO_MOMENTS, fresh) == ()
    assert volatile_text((), "one", "one more", NO_MOMENTS, fresh) is None


def test_a_text_that_differs_elsewhere_pairs_no_ids() -> None:
    """The UUIDs in it say nothing about those of other texts."""
    one, two, three = (f"3f2b8c1e-1f0a-4a5e-9c3e-00000000000{number}" for number in (1, 2, 3))
    fresh = Freshness.of(one, f"{two} {three}")

    changed = volatile_text((), f"{one} at noon", f"{two} at night", NO_MOMENTS, fresh)

    assert (changed, fresh.pairs) == (None, {})
    assert volatile_text((), one, three, NO_MOMENTS, fresh) is not None
