"""Rankings of a council: each member's ranking, its agreement with the group, and every critique."""

from collections.abc import Mapping, Sequence
from typing import Any

from .blocks import MISSING, Figure, TableBlock, TableCell, format_figure
from .page import Page
from .section import Block, FoldedBlocks


def list_review_tables(page: Page) -> Sequence[Block]:
    """Return the answers by mean place, all rankings, and the critiques."""
    entries = page.document.get("reviews") or []
    if not entries:
        return []
    return [
        _build_answer_table(page),
        _build_ranking_table(page, entries),
        FoldedBlocks(page.say("reviews.critiques"), [_build_critique_table(page, entries)]),
    ]


def _build_answer_table(page: Page) -> TableBlock:
    """Return the ranked answers, the best mean place first."""
    concordance = page.document["concordance"]
    authors = sorted(concordance["mean_place"], key=lambda author: concordance["mean_place"][author])
    turn_by_author = {turn["speakerId"]: turn["turnNumber"] for turn in page.document["turns"]}
    rows: list[list[TableCell]] = [
        [
            page.link_turn(turn_by_author[author]),
            author,
            format_figure(concordance["mean_place"][author], 2),
            format_figure(concordance["ranked_by"][author]),
            format_figure(concordance["points"].get(author), 1),
        ]
        for author in authors
    ]
    head = [page.say(f"reviews.{key}") for key in ("turn", "author", "mean_place", "ranked_by", "points")]
    return TableBlock(page.say("reviews.answers"), head, rows)


def _build_ranking_table(page: Page, entries: Sequence[Mapping[str, Any]]) -> TableBlock:
    """Return the rankings with the order shown, their agreement with the group, and the self-preference."""
    concordance = page.document["concordance"]
    rows: list[list[TableCell]] = [
        [
            review["ranker"],
            Figure(" > ".join(map(str, review["ranking"])) or page.say("votes.invalid")),
            Figure(" ".join(map(str, review["shown"]))),
            format_figure(concordance["agreement"].get(review["ranker"]), 2),
            format_figure(concordance["self_preference"].get(review["ranker"]), 2, "+"),
        ]
        for review in entries
    ]
    head = [page.say(f"reviews.{key}") for key in ("ranker", "ranking", "shown", "agreement", "self_preference")]
    return TableBlock(page.say("reviews.rankings"), head, rows)


def _build_critique_table(page: Page, entries: Sequence[Mapping[str, Any]]) -> TableBlock:
    rows: list[list[TableCell]] = [
        [review["ranker"], page.link_turn(critique["turn"]), critique["text"] or MISSING]
        for review in entries
        for critique in review["critiques"]
    ]
    head = [page.say(f"reviews.{key}") for key in ("ranker", "turn", "critique")]
    return TableBlock(page.say("reviews.critiques"), head, rows)
