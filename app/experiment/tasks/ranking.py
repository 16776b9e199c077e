"""Ranking task: members know different pairs of an order. Only all pairs together determine it.

A wrong option exchanges two neighbors and, with probability ½, other pairs of the same member too. Only this member can
tell that the option is wrong. So a single member cannot exclude all wrong options.
"""

from functools import partial
from random import Random

from pydantic import Field

from ....prompts import load_phrases
from ....state import make_rng
from .item import MembersSettings, TaskItem, load_wordings

Pairs = set[tuple[int, int]]
"""Pairs of positions in the order that a member knows."""


class RankingSettings(MembersSettings):
    """Settings of the ranking task, with the number of things to rank."""

    things: int = Field(default=6, ge=4, le=10, description="Number of things to put in order.")


def make_ranking_item(settings: RankingSettings, number: int, language: str) -> TaskItem:
    """Make the item with this number, from 1, with the settings' seed."""
    rng = make_rng(settings.seed, "ranking", number)
    order = rng.sample(load_wordings(language, "shared", "names"), settings.things)
    shuffled_names = rng.sample(order, len(order))
    translate = partial(load_phrases("tasks").translate_phrase, language)
    member_pairs = _assign_pairs(rng, settings)
    member_texts = []
    for pairs in member_pairs:
        names = [(order[first], order[second]) for first, second in sorted(pairs)]
        member_texts.append([translate("ranking.pair", first=first, second=second) for first, second in names])
    pair_texts = sorted({pair for texts in member_texts for pair in texts})
    comma = translate("shared.comma")
    orders = [order, *(_exchange_neighbours(rng, order, index, member_pairs) for index in range(len(order) - 1))]
    return TaskItem(
        id=f"ranking-{number}",
        language=language,
        topic=translate("ranking.question", options=comma.join(shuffled_names)),
        truth=comma.join(order),
        options=tuple(comma.join(option) for option in rng.sample(orders, len(orders))),
        order=tuple(order),
        private=tuple(
            translate("ranking.sheet", pairs="\n".join(rng.sample(texts, len(texts)))) for texts in member_texts
        ),
        informed=translate("ranking.all", pairs="\n".join(rng.sample(pair_texts, len(pair_texts)))),
    )


def _assign_pairs(rng: Random, settings: RankingSettings) -> list[Pairs]:
    """Assign pairs of positions in the order to the members. Return each member's pairs.

    Each pair of neighbors goes to one member. Each member also gets two distant pairs.
    """
    count = settings.things
    neighbour_pairs = [(index, index + 1) for index in range(count - 1)]
    distant_pairs = [(first, second) for first in range(count) for second in range(first + 2, count)]
    member_pairs: list[Pairs] = [set() for _ in range(settings.members)]
    for number, pair in enumerate(rng.sample(neighbour_pairs, len(neighbour_pairs))):
        member_pairs[number % settings.members].add(pair)
    for pairs in member_pairs:
        pairs.update(rng.sample(distant_pairs, 2))
    return member_pairs


def _exchange_neighbours(rng: Random, order: list[str], index: int, member_pairs: list[Pairs]) -> list[str]:
    pairs = next(pairs for pairs in member_pairs if (index, index + 1) in pairs)
    starts = [index]
    for first, second in sorted(pairs):
        if second == first + 1 and all(abs(first - start) > 1 for start in starts) and rng.random() < 0.5:
            starts.append(first)
    wrong_order = list(order)
    for start in starts:
        wrong_order[start], wrong_order[start + 1] = wrong_order[start + 1], wrong_order[start]
    return wrong_order


def parse_order(text: str, language: str) -> list[str]:
    """Return the things in the text of an option, in their order, first to last."""
    return text.split(load_phrases("tasks").translate_phrase(language, "shared.comma"))
