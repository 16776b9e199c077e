"""Ranking task: each member knows different pairs of an order; all pairs together leave one possible order.

A wrong order has two exchanged neighbours, and with probability ½ each also other pairs of the same member.
Only that member can tell that it is wrong, so each member alone is left with several orders.
"""

from random import Random

from pydantic import Field

from ....prompts import load_phrases
from ....state.random_streams import make_rng
from .item import MembersSettings, TaskItem, join_lines, load_wordings


class RankingSettings(MembersSettings):
    """Settings of the ranking task."""

    things: int = Field(default=6, ge=4, le=10, description="Things to put in order.")


def make_ranking_item(settings: RankingSettings, number: int, language: str) -> TaskItem:
    """Return item `number` (from 1) of a seed."""
    rng = make_rng(settings.seed, "ranking", number)
    order = rng.sample(load_wordings(language, "shared", "names"), settings.things)
    listed = rng.sample(order, len(order))
    say = load_phrases("tasks").translate_phrase
    member_pairs = _assign_pairs(rng, settings)
    member_texts = [
        [_format_pair(language, order, *pair) for pair in sorted(pairs_known)] for pairs_known in member_pairs
    ]
    pair_texts = sorted({pair for texts in member_texts for pair in texts})
    comma = say(language, "shared.comma")
    orders = [order, *(_exchange_neighbours(rng, order, index, member_pairs) for index in range(len(order) - 1))]
    return TaskItem(
        id=f"ranking-{number}",
        task="ranking",
        language=language,
        topic=say(language, "ranking.question", options=comma.join(listed)),
        truth=comma.join(order),
        options=tuple(comma.join(option) for option in rng.sample(orders, len(orders))),
        order=tuple(order),
        private=tuple(
            say(language, "ranking.sheet", pairs=join_lines(rng.sample(texts, len(texts)))) for texts in member_texts
        ),
        informed=say(language, "ranking.all", pairs=join_lines(rng.sample(pair_texts, len(pair_texts)))),
    )


def _assign_pairs(rng: Random, settings: RankingSettings) -> list[set[tuple[int, int]]]:
    """Return pairs of positions for each member: the neighbour pairs dealt out once, and two distant ones."""
    count = settings.things
    near = [(index, index + 1) for index in range(count - 1)]
    far = [(first, second) for first in range(count) for second in range(first + 2, count)]
    member_pairs: list[set[tuple[int, int]]] = [set() for _ in range(settings.members)]
    for number, pair in enumerate(rng.sample(near, len(near))):
        member_pairs[number % settings.members].add(pair)
    for pairs in member_pairs:
        pairs.update(rng.sample(far, 2))
    return member_pairs


def _exchange_neighbours(
    rng: Random, order: list[str], index: int, member_pairs: list[set[tuple[int, int]]]
) -> list[str]:
    """Return the order with the neighbours at `index` and some pairs of the same member exchanged."""
    pairs = next(candidate_pairs for candidate_pairs in member_pairs if (index, index + 1) in candidate_pairs)
    starts = [index]
    for first, second in sorted(pairs):
        is_separate = all(abs(first - start) > 1 for start in starts)
        if second == first + 1 and is_separate and rng.random() < 0.5:
            starts.append(first)
    exchanged = list(order)
    for start in starts:
        exchanged[start], exchanged[start + 1] = exchanged[start + 1], exchanged[start]
    return exchanged


def parse_order(text: str, language: str) -> list[str]:
    """Return the things of an order from the text of an option, first to last."""
    return text.split(load_phrases("tasks").translate_phrase(language, "shared.comma"))


def _format_pair(language: str, order: list[str], first: int, second: int) -> str:
    return load_phrases("tasks").translate_phrase(language, "ranking.pair", first=order[first], second=order[second])
