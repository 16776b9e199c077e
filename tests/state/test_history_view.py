"""Views of the public history: newest whole statements within a bound; texts clipped where a reader would cut."""

import unicodedata

import pytest
from hypothesis import given, strategies as st
from moot.state.history_view import build_view, take_newest_statements
from moot.state.statement import Statement
from moot.state.text_editing import clip_text


def history(*lengths: int) -> list[Statement]:
    """Statements of these lengths, each of a letter of its own."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [
        Statement(turn=turn, round=1, speaker="Ada", content=letters[turn % 26] * length)
        for turn, length in enumerate(lengths, start=1)
    ]


def list_turns(statements: list[Statement]) -> list[int]:
    return [len(statement.content) for statement in statements]


@pytest.mark.parametrize(
    ("lengths", "bound", "left"),
    [
        ([400, 400, 400], 1000, [400, 400]),
        ([400, 700], 1000, [700]),
        ([1500], 1000, [1000]),
        ([40, 40, 20], 100, [40, 40, 20]),
        ([40, 40, 21], 100, [40, 21]),
        ([60, 60, 60], 100, [60]),
        ([150], 100, [100]),
        ([], 100, []),
        ([150, 10], 100, [10]),
        ([10, 150], 100, [100]),
    ],
)
def test_oldest_whole_statements_are_dropped_as_few_as_make_the_rest_fit(
    lengths: list[int], bound: int, left: list[int]
) -> None:
    said = history(*lengths)
    view = take_newest_statements(said, bound)
    assert list_turns(view) == left
    assert [statement.turn for statement in view] == [one.turn for one in said][len(said) - len(left) :]


def test_of_117_000_characters_in_eight_rounds_the_first_and_seven_of_the_second_go() -> None:
    said = history(*[300] * 50, *[302] * 44, *[303] * 4, *[350] * 250)
    assert sum(list_turns(said)) == 117_000
    newest_statements = take_newest_statements(said, 100_000)
    assert sum(list_turns(newest_statements)) == 99_886
    assert newest_statements == said[57:]


def test_a_statement_that_was_shown_before_is_shown_clipped_too() -> None:
    said = history(1500)
    assert len(said[0].fenced_text) > 1500
    (shown,) = take_newest_statements(said, 1000)
    assert shown.content in shown.fenced_text
    assert len(shown.fenced_text) < 1100


@given(st.lists(st.integers(0, 60), max_size=40), st.integers(1, 100))
def test_no_view_ever_shows_more_than_its_bound(lengths: list[int], bound: int) -> None:
    said = history(*lengths)
    for shown in (take_newest_statements(said, bound), build_view(said, bound).statements):
        assert sum(list_turns(shown)) <= bound
        assert [one.turn for one in shown] == [one.turn for one in said][len(said) - len(shown) :]


@given(st.lists(st.integers(0, 60), max_size=40), st.integers(1, 100))
def test_a_prompt_view_says_how_many_it_leaves_out(lengths: list[int], bound: int) -> None:
    said = history(*lengths)
    view = build_view(said, bound)
    assert view.omitted_count + len(view.statements) == len(said)


def test_a_prompt_view_keeps_its_first_statement_and_restarts_at_three_quarters_of_the_bound() -> None:
    said = history(*[10] * 60)
    firsts = [build_view(said[:turn], 100).statements[0].turn for turn in range(1, 61)]
    assert firsts[:10] == [1] * 10, "nothing is dropped before the bound would be passed"
    assert len(build_view(said[:11], 100).statements) == 7, "then it restarts with the newest 75 characters"
    assert len(set(firsts)) <= 60 // 3, "so the shared beginning breaks seldom"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("a" * 300, 300, "a" * 300),
        ("a" * 301, 300, "a" * 297 + "..."),
        ("a" * 500, 300, "a" * 297 + "..."),
        ("a" * 201, 200, "a" * 197 + "..."),
        ("a" * 200, 200, "a" * 200),
        ("one two three four", 11, "one two..."),
        ("one twothreefour", 12, "one twoth..."),
        ("abcdefghij", 3, "..."),
        ("abcdef\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7 and more", 12, "abcdef\U0001f1e9\U0001f1ea..."),
        ("abcdefg\U0001f468\u200d\U0001f469\u200d\U0001f467 family", 13, "abcdefg..."),
        ("abcde\U0001f44d\U0001f3fd and so on", 9, "abcde..."),
        ("caf" + "e\u0301" * 8, 9, "cafe\u0301..."),
        ("\u0915\u093e" * 9, 8, "\u0915\u093e" * 2 + "..."),
    ],
)
def test_a_clipped_text_ends_in_an_ellipsis_at_a_word_or_a_whole_character(text: str, limit: int, shown: str) -> None:
    assert clip_text(text, limit) == shown


@given(
    st.text(alphabet=st.sampled_from("ab e\u0301\u200d\U0001f468\U0001f3fd\U0001f1e9\ufe0f\u093e\n")),
    st.integers(4, 30),
)
def test_clipping_is_never_longer_than_its_limit_and_never_splits_a_combining_sequence(text: str, limit: int) -> None:
    shown = clip_text(text, limit)
    assert len(shown) <= limit
    if shown != text:
        end = len(shown) - 3
        assert shown == text[:end] + "..."
        assert end == 0 or unicodedata.category(text[end])[0] != "M" or text[end - 1] == " "
        assert end == 0 or "\u200d" not in (text[end - 1], text[end])


def test_a_silenced_statement_takes_no_room_in_a_view_and_the_others_keep_their_turns() -> None:
    said = history(400, 400, 400)
    silent = [said[0], said[1].model_copy(update={"silenced": True}), said[2]]
    view = build_view(silent, 800)
    assert ([statement.turn for statement in view.statements], view.is_complete) == ([1, 3], True)
    assert said[1].content not in "".join(view.fenced_texts)
