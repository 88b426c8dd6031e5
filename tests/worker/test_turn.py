"""What is done next with the calls of one turn, without any process."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.worker.turn import START_LIMIT, End, Ending, Turn, Wanted

READ = Wanted(side_effect=False, limit=1.0)
EFFECT = Wanted(side_effect=True, limit=1.0)


def test_calls_without_side_effects_go_out_at_once_up_to_jobs():
    """As many as there are jobs, the next one when one ended."""
    turn = Turn([READ, READ, READ], jobs=2)

    first = turn.take(0.0)
    turn.started(0, 0.0)
    turn.finished(0, 0.1, "a")
    second = turn.take(0.1)

    assert (first, second) == ([0, 1], [2])
    assert turn.ends == {0: End(Ending.FINISHED, "a", took=0.1)}


def test_side_effects_wait_for_all_others_and_then_run_alone():
    """A stopped sibling must never cut a side effect."""
    turn = Turn([EFFECT, READ, EFFECT], jobs=3)

    order = [turn.take(0.0), turn.take(0.0)]
    _run(turn, 1)
    order += [turn.take(0.0), turn.take(0.0)]
    _run(turn, 0)
    order += [turn.take(0.0)]
    _run(turn, 2)

    assert order == [[1], [], [0], [], [2]]
    assert turn.done


def test_a_call_at_its_limit_is_timed_out_and_its_siblings_run_again():
    """The siblings keep their place in front of what was never sent; nothing else is told of them."""
    turn = Turn([READ, Wanted(side_effect=False, limit=9.0), READ, READ], jobs=3)
    turn.take(0.0)
    turn.started(0, 0.0)
    turn.started(1, 0.0)

    deadline = turn.deadline()
    turn.cut(1.0)
    again = turn.take(1.0)
    turn.started(1, 1.1)

    assert deadline == 1.0
    assert turn.ends == {0: End(Ending.TIMED_OUT, took=1.0)}
    assert again == [1, 2, 3]
    assert turn.runs == {0: 1, 1: 2}


def test_calls_that_are_late_in_a_deaf_worker_run_again_alone():
    """One of them may have held up the others, which then answer."""
    turn = Turn([READ, READ, READ], jobs=2)
    turn.take(0.0)
    turn.started(0, 0.0)
    turn.started(1, 0.0)

    turn.cut(1.0, responsive=False)
    order = [turn.take(1.0)]
    turn.started(0, 1.0)
    turn.cut(2.0, responsive=False)
    order += [turn.take(2.0)]
    _run(turn, 1)
    order += [turn.take(2.0)]

    assert order == [[0], [1], [2]]
    assert turn.ends == {0: End(Ending.TIMED_OUT, took=1.0), 1: End(Ending.FINISHED, "answer 1", took=0.1)}


def test_limits_that_end_together_are_waited_for():
    """Ten calls that hang on one dead server cost one stop, not ten."""
    turn = Turn([READ] * 10, jobs=10)
    turn.take(0.0)
    for number in range(10):
        turn.started(number, number / 250)

    deadline = turn.deadline()
    turn.cut(deadline)

    assert deadline == pytest.approx(1.036)
    assert {end.ending for end in turn.ends.values()} == {Ending.TIMED_OUT}
    assert turn.done


def test_an_answer_past_the_limit_is_a_time_out():
    """The limit does not hang on how busy the command was."""
    turn = Turn([READ], jobs=1)
    turn.take(0.0)
    turn.started(0, 0.0)

    turn.finished(0, 1.01, "late")

    assert turn.ends == {0: End(Ending.TIMED_OUT, took=1.01)}


def test_a_death_with_one_call_running_is_that_calls_doing():
    """Calls that had not started run in the next worker."""
    turn = Turn([READ, READ], jobs=2)
    turn.take(0.0)
    turn.started(0, 0.0)

    turn.died("exited with code 3", 0.5)

    assert turn.ends == {0: End(Ending.DIED, reason="exited with code 3", took=0.5)}
    assert turn.take(0.0) == [1]


def test_a_death_with_several_running_is_found_out_by_running_each_alone():
    """Only the one that kills the worker again is blamed."""
    turn = Turn([READ, READ, READ], jobs=2)
    turn.take(0.0)
    turn.started(0, 0.0)
    turn.started(1, 0.0)

    turn.died("crashed", 0.5)
    order = [turn.take(0.0)]
    _run(turn, 0)
    order += [turn.take(0.0)]
    turn.started(1, 0.0)
    turn.died("crashed", 0.5)
    order += [turn.take(0.0)]

    assert order == [[0], [1], [2]]
    assert turn.ends == {
        0: End(Ending.FINISHED, "answer 0", took=0.1),
        1: End(Ending.DIED, reason="crashed", took=0.5),
    }


def test_a_side_effect_that_was_cut_is_interrupted_and_never_runs_again():
    """It may have taken effect."""
    turn = Turn([EFFECT], jobs=1)
    turn.take(0.0)
    turn.started(0, 0.0)

    turn.died("was killed", 0.5)

    assert turn.ends == {0: End(Ending.INTERRUPTED, reason="was killed", took=0.5)}


def test_a_side_effect_that_had_not_started_is_sent_again():
    """Nothing happened, so nothing can happen twice."""
    turn = Turn([EFFECT], jobs=1)
    turn.take(0.0)

    turn.died("was killed", 0.5)

    assert turn.take(0.0) == [0]


def test_a_call_that_can_never_be_started_is_found_and_given_up():
    """Its siblings run: each is tried alone."""
    turn = Turn([READ, READ, EFFECT], jobs=2)

    turn.take(0.0)
    turn.died("gone", 0.0)
    order = []
    for _ in range(2):
        order += turn.take(0.0)
        turn.died("gone", 0.0)
    order += turn.take(0.0)
    _run(turn, 1)
    order += turn.take(0.0)

    assert order == [0, 0, 1, 2]
    assert turn.ends == {
        0: End(Ending.NEVER_STARTED, reason="gone"),
        1: End(Ending.FINISHED, "answer 1", took=0.1),
    }


def test_a_worker_that_never_starts_anything_is_given_up():
    """Five deaths in a row; a thousand calls must not cost two thousand."""
    turn = Turn([READ] * 1000, jobs=1000)

    for _ in range(5):
        turn.take(0.0)
        turn.died("gone", 0.0)

    assert turn.done
    assert turn.ends[999] == End(Ending.NEVER_STARTED, reason="gone")


def test_a_worker_that_starts_nothing_counts_as_dead_in_the_end():
    """An idle worker has ten seconds; a busy one has as long as the call that keeps it busy."""
    turn = Turn([READ], jobs=1)
    turn.take(5.0)

    deadline = turn.deadline()
    turn.cut(deadline)

    assert deadline == 5.0 + START_LIMIT
    assert turn.take(deadline) == [0]


@given(
    st.lists(
        st.builds(Wanted, side_effect=st.booleans(), limit=st.sampled_from([1.0, 1.02, 3.0])), max_size=8
    ),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
)
def test_every_call_ends_once_and_side_effects_start_once(calls, jobs, chance):
    """Whatever a worker does, the turn ends, and no side effect begins twice or beside another call."""
    turn, now = Turn(calls, jobs=jobs), 0.0

    while not turn.done:
        turn.take(now)
        now += 0.01
        _something_happens(turn, now, chance)

    assert sorted(number for number, _ in turn.new_ends()) == list(range(len(calls)))
    assert all(turn.runs.get(number, 0) <= 1 for number, call in enumerate(calls) if call.side_effect)


def _something_happens(turn, now, chance):
    running = [number for number, flight in turn._flying.items() if flight.started is not None]
    idle = [number for number in turn.flying if number not in running]
    assert len(turn.flying) <= turn.jobs
    assert len(turn.flying) == 1 or not any(turn.calls[number].side_effect for number in turn.flying)
    match chance.choice(["start", "start", "finish", "finish", "late", "die"]):
        case "start" if idle:
            turn.started(idle[0], now)
        case "finish" if running:
            turn.finished(running[0], 0.01, "done")
        case "late" if turn.flying:
            turn.cut(turn.deadline(), responsive=chance.random() < 0.5)
        case "die":
            turn.died("gone", now)


def _run(turn, number):
    turn.started(number, 0.0)
    turn.finished(number, 0.1, f"answer {number}")
