"""Two sequences side by side."""

from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.compare.alignment import Block, align, longest_run, pairs

LETTERS = st.lists(st.sampled_from("abc"), max_size=8)


def test_a_dropped_element_is_one_gap() -> None:
    """What stands before and behind it is equal."""
    blocks = align("abcd", "abd")

    assert blocks == [Block(True, 0, 2, 0, 2), Block(False, 2, 3, 2, 2), Block(True, 3, 4, 2, 3)]


def test_elements_in_place_of_others_are_one_gap() -> None:
    """Gaps are never adjacent."""
    blocks = align("axd", "abcd")

    assert blocks == [Block(True, 0, 1, 0, 1), Block(False, 1, 2, 1, 3), Block(True, 2, 3, 3, 4)]


def test_a_lone_match_does_not_outweigh_many_that_face_each_other() -> None:
    """Where elements may take the place of others, they do so rather than all move."""
    by_matches = align("abcdef", "fghijk")
    by_places = align("abcdef", "fghijk", substituting=True)

    assert [block.equal for block in by_matches] == [False, True, False]
    assert by_places == [Block(False, 0, 6, 0, 6)]


def test_nothing_is_no_block() -> None:
    """Two empty sequences have nothing to cover."""
    assert align([], []) == []


@given(LETTERS, LETTERS, st.booleans())
def test_blocks_cover_both_sequences_in_order(old: list[str], new: list[str], substituting: bool) -> None:
    """Equal blocks hold equal elements, and no two gaps touch."""
    blocks = align(old, new, substituting=substituting)

    assert [old[at] for block in blocks for at in range(block.i1, block.i2)] == old
    assert [new[at] for block in blocks for at in range(block.j1, block.j2)] == new
    assert all(old[b.i1 : b.i2] == new[b.j1 : b.j2] for b in blocks if b.equal)
    assert [b.equal for b in blocks] == [(at % 2 == 0) == blocks[0].equal for at in range(len(blocks))]


def test_what_kept_its_order_is_the_longest_run() -> None:
    """One element in front of the others moves only itself."""
    assert longest_run([3, 0, 1, 2]) == {1, 2, 3}


def test_nothing_has_no_run() -> None:
    """An empty sequence keeps nothing."""
    assert longest_run([]) == set()


@given(st.lists(st.integers(0, 9), max_size=8, unique=True))
def test_a_longest_run_ascends_and_none_is_longer(numbers: list[int]) -> None:
    """Checked against every subset."""
    kept = longest_run(numbers)

    run = [numbers[at] for at in sorted(kept)]
    subsets = ([n for bit, n in enumerate(numbers) if mask >> bit & 1] for mask in range(2 ** len(numbers)))
    assert run == sorted(run)
    assert len(run) == max(len(subset) for subset in subsets if subset == sorted(subset))


def test_a_gap_pairs_what_is_most_alike() -> None:
    """Partners stand in order on both sides, and a likeness of nothing is no partnership."""
    likeness = {("cat", "cart"): 0.9, ("dog", "dot"): 0.6}

    found = pairs(["x", "cat", "dog"], ["x", "dot", "cart"], lambda i, j: _alike(likeness, i, j))

    assert found == [(0, 0), (None, 1), (1, 2), (2, None)]


def _alike(likeness: dict[tuple[str, str], float], i: int, j: int) -> float:
    return likeness.get((["x", "cat", "dog"][i], ["x", "dot", "cart"][j]), 0.0)


def test_a_repeated_turn_is_gone_from_its_beginning() -> None:
    """Where a gap could stand at several places, it stands where something begins."""
    old, new = "u" + "cr" * 3 + "e", "u" + "cr" * 2 + "e"

    found = pairs(old, new, lambda _i, _j: 0.0, begins=lambda key: key == "c")

    gone = [i for i, j in found if j is None]
    assert "".join(old[i] for i in gone if i is not None) == "cr"


def test_a_gap_too_wide_to_weigh_is_paired_in_order() -> None:
    """Time must not grow with the square of what differs."""
    old, new = [f"old {n}" for n in range(100)], [f"new {n}" for n in range(100)]
    asked: list[tuple[int, int]] = []

    found = pairs(old, new, lambda i, j: bool(asked.append((i, j))) or 1.0)

    assert found == [(n, n) for n in range(100)]
    assert len(asked) == 100


@given(LETTERS, LETTERS)
@settings(max_examples=80)
def test_pairs_hold_every_position_once(old: list[str], new: list[str]) -> None:
    """In their order on both sides."""
    found = pairs(old, new, lambda i, j: 0.5 if (i + j) % 2 else 0.0, begins=lambda key: key == "a")

    assert [i for i, _ in found if i is not None] == list(range(len(old)))
    assert [j for _, j in found if j is not None] == list(range(len(new)))
