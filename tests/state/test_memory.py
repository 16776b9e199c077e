"""Memory: the same lines for everyone after a complete round, bounded, compressed without losing what is protected."""

import pytest
from hypothesis import given, strategies as st
from moot.state.memory import (
    build_memory_write,
    compress_memory,
    count_characters,
    fold_memory,
    format_omission,
    format_round_lines,
    take_newer_half,
)
from moot.state.setting_types import MemorySettings
from moot.state.statement import Statement
from pydantic import ValidationError

SETTINGS = MemorySettings()
NAMES = [f"P{number}" for number in range(1, 9)]


def phrase(key: str, **values: object) -> str:
    return f"{key}: {values}"


def spoken(round: int, length: int = 300) -> list[Statement]:
    return [
        Statement(
            turn=8 * round - 7 + seat, round=round, speaker=name, content=f"{name} in {round} ".ljust(length, "x")
        )
        for seat, name in enumerate(NAMES)
    ]


@pytest.mark.parametrize(
    ("text", "newer"),
    [
        ("abcdefghij", "fghij"),
        ("abcdefghijk", "fghijk"),
        ("one\ntwo\nthree\nfour", "four"),
        ("one\ntwo\nfour\nfive", "four\nfive"),
        ("one\ntwo\nthr", "thr"),
        ("", ""),
        ("a", "a"),
    ],
)
def test_halving_keeps_the_newer_half_from_the_next_line_on(text: str, newer: str) -> None:
    assert take_newer_half(text) == newer


def test_after_ten_rounds_every_memory_holds_the_same_eight_lines_per_round() -> None:
    memory: dict[str, list[str]] = {name: [] for name in NAMES}
    for round in range(1, 11):
        news = format_round_lines(round, spoken(round), SETTINGS, phrase)
        memory = fold_memory(memory, [build_memory_write(memory, news, SETTINGS, [])])
    assert all(lines == memory["P1"] for lines in memory.values())
    assert len(memory["P1"]) == 10 * (1 + 8)
    for round in range(1, 11):
        assert all(any(f"{name} in {round} " in line for line in memory["P8"]) for name in NAMES)


def test_a_long_statement_is_clipped_in_memory_unless_clipping_is_off() -> None:
    (line,) = [
        round_line
        for round_line in format_round_lines(1, spoken(1, 500)[:1], SETTINGS, phrase)
        if "P1 in 1" in round_line
    ]
    assert "x" * 280 + "..." in line
    assert "x" * 300 not in line
    whole = SETTINGS.model_copy(update={"enable_truncation": False})
    assert any("x" * 490 in round_line for round_line in format_round_lines(1, spoken(1, 500)[:1], whole, phrase))


def small(**settings: object) -> MemorySettings:
    return MemorySettings.model_validate({"memory_max_chars": 1000, **settings})


def test_a_memory_under_its_threshold_is_left_alone() -> None:
    assert compress_memory(["x" * 799], small(), []) is None
    assert compress_memory(["x" * 800], small(), []) is None


def test_a_memory_at_81_percent_comes_to_60_with_all_protected_lines_intact() -> None:
    lines = [f"{number:02} ".ljust(80, "x") for number in range(10)]
    lines[0] = "result ".ljust(80, "r")
    assert count_characters(lines) > 800
    shorter = compress_memory(lines, small(), [lines[0], lines[9]])
    assert shorter is not None
    assert count_characters(shorter) <= 600
    assert lines[0] in shorter
    assert lines[9] in shorter
    assert [line for line in lines if line in shorter] == [lines[0], *lines[4:]], "the oldest routine lines go first"
    assert shorter[0] == "(3 …)", "and a line says how many went"


def test_the_line_that_says_how_many_went_is_counted_in_the_target() -> None:
    shorter = compress_memory(["(99999999 …)", *["a"] * 450], small(), [])
    assert shorter is not None
    assert count_characters(shorter) <= 600


def test_the_line_that_says_how_many_went_goes_on_counting() -> None:
    lines = [f"{number:02} ".ljust(80, "x") for number in range(10)]
    shorter = compress_memory(["(90 …)", *lines], small(), [])
    assert shorter is not None
    assert shorter[0] == f"({90 + 10 - (len(shorter) - 1)} …)"


@given(
    st.lists(st.text(alphabet="ab ", min_size=1, max_size=90), max_size=40),
    st.sets(st.integers(0, 39), max_size=4),
    st.integers(0, 10**6),
)
def test_a_compressed_memory_is_at_or_under_its_target_or_holds_protected_lines_alone(
    lines: list[str], protected: set[int], gone: int
) -> None:
    text_lines = [lines[position] for position in protected if position < len(lines)]
    lines = [f"({gone} …)", *lines] if gone else lines
    shorter = compress_memory(lines, small(), text_lines)
    if shorter is None:
        assert count_characters(lines) <= 800
    else:
        assert all(line in shorter for line in text_lines)
        assert count_characters(shorter) <= 600 or all(line in text_lines for line in shorter[1:])


@pytest.mark.parametrize(
    "settings",
    [
        {"compression_target": 0.8, "compression_threshold": 0.8},
        {"compression_target": 0.9},
        {"compression_threshold": 1.1},
        {"statement_max_length": 3},
        {"reasoning_max_length": 0},
        {"memory_max_chars": 0},
        {"guidance_style": "poetic"},
        {"statement_length": 300},
    ],
)
def test_settings_out_of_bounds_are_refused_by_name(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(settings))):
        MemorySettings.model_validate(settings)


@given(
    lines=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=400), max_size=30
    ),
    bound=st.integers(100, 2000),
)
def test_no_memory_is_longer_than_its_bound_protected_lines_or_not(lines: list[str], bound: int) -> None:
    kept = compress_memory(lines, MemorySettings(memory_max_chars=bound), lines)
    assert count_characters(lines if kept is None else kept) <= bound


def test_what_goes_first_from_protected_lines_is_the_oldest_and_the_memory_says_how_many_went() -> None:
    lines = [f"{place}: {'x' * 37}" for place in range(10)]
    kept = compress_memory(lines, MemorySettings(memory_max_chars=100), lines)
    assert kept == [format_omission(8), *lines[8:]]
    assert compress_memory(["y" * 400], MemorySettings(memory_max_chars=100), ["y" * 400]) == [
        format_omission(0),
        "y" * 91 + "...",
    ]
