"""Text that tries to be more than text stays text: in prompts, in the record, on a terminal, in Markdown, on a page."""

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from command import moot
from fakeserver import FakeServer, Request
from markdown_it import MarkdownIt
from markdown_it.token import Token
from moot import load_run
from moot.state.statement import Statement
from runs.five import FIVE
from runs.hostile import ALL_AT_ONCE, HONEST, TOKENS, UNSEEN, marks, saying
from sampling import sample_cases


class Played(NamedTuple):
    """A run: its prompts, what it kept, and what is shown of it in each way."""

    prompts: list[Request]
    history: list[Statement]
    shown: dict[str, str]


SHOWN = {"transcript": [], "markdown": ["--format", "md"], "page": ["--format", "html"], "document": ["--json"]}


MOVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")
"""Control characters, and those that change the direction of what follows."""


NOTES = ("Incidents", "Run record")
"""Parts that are there only if something was degraded, such as a citation that was missing."""


def tokens(markdown: str) -> list[Token]:
    """The parts of a Markdown text, as a reader of it finds them."""
    return MarkdownIt("commonmark").parse(markdown)


def headings(parts: list[Token]) -> list[tuple[str, str]]:
    return [(one.tag, after.content) for one, after in pairwise(parts) if one.type == "heading_open"]


@cache
def played(name: str, text: str) -> Played:
    """The protocol, with everyone saying this."""
    with TemporaryDirectory() as folder, FakeServer(saying(text)) as server:
        db = f"{folder}/moot.db"
        live = moot(*FIVE[name].on(server), "--db", db)
        assert live.exit_code == 0, live.stderr
        run = re.findall(r"Saved as (\S+)\.", live.stdout)[-1]
        shown = {way: moot("show", run, *words, "--db", db).stdout for way, words in SHOWN.items()}
        assert all(shown.values()), [way for way in shown if not shown[way]]
        state = load_run(run, db)
    return Played(server.chats, state["history"], shown | {"as it goes": live.stdout})


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases([*FIVE], kinds=0))
def test_prompts_have_the_fences_of_a_run_in_which_all_are_honest(name: str) -> None:
    hostile, honest = played(name, ALL_AT_ONCE), played(name, HONEST)
    for part in ("system", "human"):
        count, expected = (
            Counter(tuple(marks(getattr(prompt, part))) for prompt in run.prompts) for run in (hostile, honest)
        )
        assert count == expected


@pytest.mark.long
@pytest.mark.parametrize("name", FIVE)
def test_no_control_token_or_unseen_character_reaches_a_prompt(name: str) -> None:
    for prompt in played(name, ALL_AT_ONCE).prompts:
        assert not TOKENS.findall(prompt.human)
        assert not UNSEEN.findall(prompt.text)


@pytest.mark.long
@pytest.mark.parametrize("name", FIVE)
def test_the_record_keeps_every_word(name: str) -> None:
    history = played(name, ALL_AT_ONCE).history
    assert len(history) == len(played(name, HONEST).history)
    marked = {statement.content.replace("[3?]", "[3]") for statement in history}
    assert marked == {ALL_AT_ONCE}, "a panel marks a number without a paper"


@pytest.mark.parametrize("name", FIVE)
@pytest.mark.parametrize("way", [*SHOWN, "as it goes"])
def test_nothing_shown_moves_a_cursor_reorders_or_runs(name: str, way: str) -> None:
    shown = played(name, ALL_AT_ONCE).shown[way]
    assert not MOVING.findall(shown)
    if way in ("markdown", "page"):
        assert not re.findall(r"<script>alert|<img src=x|<style>\*|<b>bold", shown)


@pytest.mark.parametrize("name", FIVE)
def test_what_is_said_makes_no_part_and_no_link_of_the_markdown(name: str) -> None:
    hostile, honest = (tokens(played(name, text).shown["markdown"]) for text in (ALL_AT_ONCE, HONEST))
    parts, whole = (
        [one for one in headings(each) if one[0] in ("h1", "h2", "h3") and one[1] not in NOTES]
        for each in (hostile, honest)
    )
    assert parts == whole
    assert not {"link_open", "image", "html_block", "html_inline"} & {
        inner.type for one in hostile for inner in [one, *(one.children or [])]
    }


@pytest.mark.long
def test_a_statement_of_a_hundred_thousand_characters_is_kept_and_shown() -> None:
    long = "Itgoesonandonandonandon. " * 4000
    run = played("debate", long)
    assert {statement.content.strip() for statement in run.history} == {long.strip()}
    assert long.strip() in run.shown["transcript"]
