"""Every order fills one list: who has still to speak."""

import random
from collections import Counter
from itertools import pairwise
from math import ceil

import pytest
from hypothesis import given, strategies as st
from moot.state.errors import InputError
from moot.state.floor import (
    get_holder_index,
    order_least_spoken,
    order_round_robin,
    rotate_seats,
    shuffle_after_finisher,
    shuffle_seats,
    spread_last_words,
    yield_floor,
)

NO_CAP = 1000


@pytest.mark.parametrize(
    ("order", "finisher", "expected"),
    [
        ("201", "2", "021"),
        ("3102", "3", "0132"),
        ("012", "2", "012"),
        ("10", "1", "10"),
        ("201", None, "201"),
        ("0", "0", "0"),
    ],
)
def test_vector_25_who_finished_does_not_open(order: str, finisher: str | None, expected: str) -> None:
    assert "".join(spread_last_words(order, {}, NO_CAP, finisher)) == expected


@pytest.mark.parametrize(
    ("cap", "finishes", "order", "expected"),
    [(1, (1, 0, 0), "120", "102"), (1, (1, 1, 1), "120", "120"), (2, (2, 2, 1), "210", "012"), (1, (1, 0), "10", "01")],
)
def test_vector_26_nobody_finishes_beyond_the_cap(cap: int, finishes: tuple[int], order: str, expected: str) -> None:
    counts = {str(seat): count for seat, count in enumerate(finishes)}
    assert "".join(spread_last_words(order, counts, cap, None)) == expected


def test_vector_27_cap_and_opener_together() -> None:
    assert spread_last_words("102", {"0": 0, "1": 1, "2": 0}, 2, "1") == ["0", "1", "2"]


@given(st.integers(1, 8), st.integers(1, 30), st.integers(0, 1000), st.booleans())
def test_vector_28_the_default_cap_holds_over_all_rounds(
    seats: int, rounds: int, seed: int, drawn_opener: bool
) -> None:
    names, rng = [str(seat) for seat in range(seats)], random.Random(seed)
    cap, finishes, finisher = ceil(rounds / seats), Counter[str](), None
    for _ in range(rounds):
        shuffle = shuffle_after_finisher(names, rng, finisher) if drawn_opener else shuffle_seats(names, rng)
        order = spread_last_words(shuffle, finishes, cap, finisher)
        assert sorted(order) == sorted(names)
        assert seats < 3 or order[0] != finisher
        finisher = order[-1]
        finishes[finisher] += 1
    assert max(finishes.values()) <= cap


@pytest.mark.parametrize(("round", "expected"), [(1, "012"), (2, "120"), (3, "201"), (4, "012")])
def test_vector_29_a_fixed_order_rotates(round: int, expected: str) -> None:
    assert "".join(rotate_seats("012", round)) == expected


def test_a_conversational_opener_is_anyone_but_the_finisher() -> None:
    openers = Counter(shuffle_after_finisher("abc", random.Random(seed), "b")[0] for seed in range(400))
    assert set(openers) == {"a", "c"}
    assert min(openers.values()) > 150


def test_of_two_the_finisher_may_open() -> None:
    assert {shuffle_after_finisher("ab", random.Random(seed), "b")[0] for seed in range(20)} == {"a", "b"}


def test_round_robin_is_seat_order() -> None:
    assert order_round_robin(["a", "b", "c"]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("spoken", "expected"),
    [
        ("", "abc"),
        ("a", "bca"),
        ("ab", "cab"),
        ("cba", "cba"),
        ("abca", "bca"),
        ("aab", "cba"),
    ],
)
def test_fewest_statements_then_longest_silent_then_seat_order(spoken: str, expected: str) -> None:
    assert "".join(order_least_spoken("abc", spoken)) == expected


@pytest.mark.parametrize(("named", "expected"), [("c", "cbd"), ("b", "bcd"), ("a", "bcd"), ("", "bcd"), ("x", "bcd")])
def test_the_floor_is_yielded_to_one_who_has_yet_to_speak(named: str, expected: str) -> None:
    assert "".join(yield_floor("bcd", named)) == expected


@given(st.lists(st.sampled_from("abcde"), max_size=60))
def test_with_yielding_everyone_speaks_once_a_round_and_waits_at_most_two_rounds_less_two(named: list[str]) -> None:
    spoken: list[str] = []
    floor: list[str] = []
    for choice in named:
        floor = floor or order_round_robin("abcde")
        spoken.append(floor[0])
        floor = yield_floor(floor[1:], choice)
    for start in range(0, len(spoken) - 4, 5):
        assert sorted(spoken[start : start + 5]) == list("abcde")
    turns = {name: [turn for turn, who in enumerate(spoken) if who == name] for name in "abcde"}
    assert all(later - former - 1 <= 8 for turn in turns.values() for former, later in pairwise(turn))


def test_a_floor_that_an_edit_left_empty_is_refused_with_who_may_speak() -> None:
    with pytest.raises(
        InputError, match=r"floor = \[\]: no speaker is named; give floor too, the next speakers, from Ada, Ben"
    ):
        get_holder_index([], ["Ada", "Ben"])
