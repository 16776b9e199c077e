"""The rankings of a council: who ranked the answers how, how far each agrees with all, and every critique."""

from collections.abc import Mapping, Sequence
from typing import Any

from .blocks import NONE, Cell, Figure, Table, figure
from .page import Page
from .section import Block, Folded


def reviews(page: Page) -> Sequence[Block]:
    """The answers by their mean place, everyone's ranking, and the critiques."""
    made = page.document.get("reviews") or []
    if not made:
        return []
    return [_answers(page), _rankings(page, made), Folded(page.say("reviews.critiques"), [_critiques(page, made)])]


def _answers(page: Page) -> Table:
    """The answers that were ranked, the one with the best mean place first."""
    found = page.document["concordance"]
    best = sorted(found["mean_place"], key=lambda author: found["mean_place"][author])
    turns = {one["speakerId"]: one["turnNumber"] for one in page.document["turns"]}
    rows: list[list[Cell]] = [
        [
            page.turn(turns[author]),
            author,
            figure(found["mean_place"][author], 2),
            figure(found["ranked_by"][author]),
            figure(found["points"].get(author), 1),
        ]
        for author in best
    ]
    head = [page.say(f"reviews.{key}") for key in ("turn", "author", "mean_place", "ranked_by", "points")]
    return Table(page.say("reviews.answers"), head, rows)


def _rankings(page: Page, made: Sequence[Mapping[str, Any]]) -> Table:
    """Rankings by turn, the order in which each was shown the answers, agreement, and preference for one's own."""
    found = page.document["concordance"]
    rows: list[list[Cell]] = [
        [
            one["ranker"],
            Figure(" > ".join(map(str, one["ranking"])) or page.say("votes.invalid")),
            Figure(" ".join(map(str, one["shown"]))),
            figure(found["agreement"].get(one["ranker"]), 2),
            figure(found["self_preference"].get(one["ranker"]), 2, "+"),
        ]
        for one in made
    ]
    head = [page.say(f"reviews.{key}") for key in ("ranker", "ranking", "shown", "agreement", "self_preference")]
    return Table(page.say("reviews.rankings"), head, rows)


def _critiques(page: Page, made: Sequence[Mapping[str, Any]]) -> Table:
    rows: list[list[Cell]] = [
        [one["ranker"], page.turn(each["turn"]), each["text"] or NONE] for one in made for each in one["critiques"]
    ]
    head = [page.say(f"reviews.{key}") for key in ("ranker", "turn", "critique")]
    return Table(page.say("reviews.critiques"), head, rows)
