"""Whether a reply can stand as a statement, and which turns a text cites: told without a model."""

import pytest
from moot.state.statement_check import (
    find_statement_fault,
    is_cjk,
    is_copied_task,
    list_cited_turns,
    mark_invented_turns,
)

SENTENCES = {
    None: [
        "0123456789",
        "  abcdefghij  ",
        "我反对禁令",
        "私は反対です",
        "나는 반대합니다",
        "Ada agrees with Ben.",
        "[3] is wrong.",
    ],
    "too_short": ["too short", "012345678", "我反对它", "Ada no", "…well…"],
    "empty": ["", " ", "\n\t\u00a0", " " * 40, "ok", "no", "?!", "我"],
    "no_content": ["...", "— — — — — —", "!!!!!!!!!!!!", "🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂", "***************"],
    "header_only": ["Ada:", "**Ada**:", "ADA", " [Ada] ", "## Ada", "ada —"],
}
CASES = [(text, fault) for fault, texts in SENTENCES.items() for text in texts]


@pytest.mark.parametrize(("text", "fault"), CASES)
def test_a_reply_stands_or_its_fault_is_named(text: str, fault: str | None) -> None:
    assert find_statement_fault(text, "Ada", 10, 5) == fault


def test_a_long_name_said_alone_is_a_header() -> None:
    assert find_statement_fault("The Solution Architect:", "the solution-architect", 10, 5) == "header_only"


@pytest.mark.parametrize(
    ("text", "cjk"),
    [
        ("我反对汽车 cars", True),
        ("cars and 车", False),
        ("", False),
        ("123", False),
        ("カタカナ", True),
        ("한국어", True),
    ],
)
def test_a_text_is_chinese_japanese_or_korean_by_most_of_its_letters(text: str, cjk: bool) -> None:
    assert is_cjk(text) == cjk


TASK = "You are Ada, and you argue FOR the motion.\n- Take up its points one by one.\n- Be specific, add something."


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        (TASK, True),
        ("\n".join(reversed(TASK.splitlines())), True),
        ("I argue for it, since the air gets better.\nAnd shops gain.", False),
        (
            "You are Ada, and you argue FOR the motion.\nWell then: cars kill, and parking eats the city's best land.",
            False,
        ),
        ("", False),
    ],
)
def test_lines_copied_from_the_instructions_are_no_statement(text: str, copied: bool) -> None:
    assert is_copied_task(text, TASK) == copied


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("as [3] said, and [12]", [3, 12]),
        ("both [3, 5] and [5; 7]", [3, 5, 7]),
        ("throughout [2–4]", [2, 4]),
        ("正方［3］、反方【4】", [3, 4]),
        ("first [2], then [1], again [2]", [2, 1]),
        ("see [3](https://example.org), [x], [], (4), 5 and [@doe2020]", []),
    ],
)
def test_turns_are_cited_in_brackets(text: str, turns: list[int]) -> None:
    assert list_cited_turns(text) == turns


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("said [99]", "said [99?]"),
        ("in 99 of 100 cases [3, 99], by 99, [3]", "in 99 of 100 cases [3, 99?], by 99, [3]"),
        ("［99］ 【3、99】 [99](x)", "［99?］ 【3、99?】 [99](x)"),
    ],
)
def test_only_citations_are_marked_never_a_number_in_prose(text: str, marked: str) -> None:
    assert mark_invented_turns(text, [99]) == marked
