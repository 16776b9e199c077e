"""Headings of a text stay below those of the document it is put into, and nothing of the text is lost."""

import re

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt
from moot.nodes.consensus.common_ground import CommonGround, Dissent, render_common_ground
from moot.state.text_editing import lower_headings

UNDER: dict[str, tuple[str, str]] = {
    "plain": ("All agree.\n\n- one\n- #two", "All agree.\n\n- one\n- #two"),
    "in order of rank": ("# A\n### B\n# C", "### A\n##### B\n### C"),
    "low enough": ("#### A\n\ntext", "#### A\n\ntext"),
    "no lower than there are ranks": ("# A\n###### B", "### A\n###### B"),
    "underlined": ("Two\nlines\n===\nx\n\ny\n---", "### Two lines\nx\n\n#### y"),
    "underlined, ends in a mark": ("In C #\n===", "### In C # ###"),
    "in a list and a quotation": ("- # A\n> ## B\n> C\n> ---", "- ### A\n> #### B\n> #### C"),
    "a comment in code": ("```\n# no heading\n```\n# A", "```\n# no heading\n```\n### A"),
    "code that never closes": ("~~~~py\nx\n~~~\n# A", "~~~~py\nx\n~~~\n# A\n~~~~"),
    "lines of another system": ("a\r\n# A\r\n", "a\n### A\n"),
}
PIECES = ["# ", "### ", "a", "word ", "\n", "\n\n", "\n===\n", "\n---\n", "> ", "- ", "1. ", "```", "~~~", "    ", "\t"]
READER = MarkdownIt("commonmark", {"html": False})


def outline(text: str) -> list[tuple[int, str]]:
    """The headings of a text: rank and words."""
    tokens = READER.parse(text)
    return [
        (int(token.tag[1:]), tokens[at + 1].content) for at, token in enumerate(tokens) if token.type == "heading_open"
    ]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("name", UNDER)
def test_headings_are_set_under_a_rank_and_all_else_stays(name: str) -> None:
    text, expected = UNDER[name]
    assert lower_headings(text, 2) == expected


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_whatever_the_texts_a_synthesis_has_its_four_parts_in_order(text: str) -> None:
    value = CommonGround(
        common_ground=text.strip() or "x",
        dissent=[Dissent(holder="Ben", reason=text.strip() or "x")],
        open_questions=[text],
        movement=text,
    )
    common_ground = render_common_ground(value, {"Cleo": text}, "en")
    parts = [found for found in outline(common_ground) if found[0] <= 2]
    assert parts == [(2, "Common ground"), (2, "Dissent"), (2, "Open questions"), (2, "How positions moved")]
    for word in words(text):
        assert words(common_ground).count(word) >= words(text).count(word)
