"""An order to find of which each member knows other pairs; all pairs together leave one of the orders to choose from.

A wrong order has two neighbours exchanged, and with a chance of one half each other pairs that the same member knows.
Only that member can tell that it is wrong; so each alone is left with several orders.
"""

from random import Random

from pydantic import Field

from ....prompts import phrases
from ....state.draw import stream
from .item import Item, Members, lines, pool


class Ranking(Members):
    """What a ranking takes."""

    things: int = Field(default=6, ge=4, le=10, description="Things to put in order.")


def ranking(settings: Ranking, number: int, language: str) -> Item:
    """Item `number` (from 1) of a seed."""
    draw = stream(settings.seed, "ranking", number)
    order = draw.sample(pool(language, "shared", "names"), settings.things)
    named = draw.sample(order, len(order))
    say = phrases("tasks").say
    dealt = _dealt(draw, settings)
    told = [[_pair(language, order, *pair) for pair in sorted(one)] for one in dealt]
    pairs = sorted({pair for one in told for pair in one})
    comma = say(language, "shared.comma")
    orders = [order, *(_exchanged(draw, order, place, dealt) for place in range(len(order) - 1))]
    return Item(
        id=f"ranking-{number}",
        task="ranking",
        language=language,
        topic=say(language, "ranking.question", options=comma.join(named)),
        truth=comma.join(order),
        options=tuple(comma.join(one) for one in draw.sample(orders, len(orders))),
        order=tuple(order),
        private=tuple(say(language, "ranking.sheet", pairs=lines(draw.sample(one, len(one)))) for one in told),
        informed=say(language, "ranking.all", pairs=lines(draw.sample(pairs, len(pairs)))),
    )


def _dealt(draw: Random, settings: Ranking) -> list[set[tuple[int, int]]]:
    """Pairs of places for each member: neighbours are dealt out once, and each gets as many pairs that lie apart."""
    count = settings.things
    near = [(place, place + 1) for place in range(count - 1)]
    far = [(one, other) for one in range(count) for other in range(one + 2, count)]
    dealt: list[set[tuple[int, int]]] = [set() for _ in range(settings.members)]
    for turn, pair in enumerate(draw.sample(near, len(near))):
        dealt[turn % settings.members].add(pair)
    for one in dealt:
        one.update(draw.sample(far, 2))
    return dealt


def _exchanged(draw: Random, order: list[str], place: int, dealt: list[set[tuple[int, int]]]) -> list[str]:
    """The order with the neighbours at `place` exchanged, and some that the same member knows, none with another."""
    known = next(one for one in dealt if (place, place + 1) in one)
    chosen = [place]
    for first, second in sorted(known):
        apart = all(abs(first - one) > 1 for one in chosen)
        if second == first + 1 and apart and draw.random() < 0.5:
            chosen.append(first)
    found = list(order)
    for one in chosen:
        found[one], found[one + 1] = found[one + 1], found[one]
    return found


def order_in(text: str, language: str) -> list[str]:
    """The things of an order as an option gives it, first to last."""
    return text.split(phrases("tasks").say(language, "shared.comma"))


def _pair(language: str, order: list[str], first: int, second: int) -> str:
    return phrases("tasks").say(language, "ranking.pair", first=order[first], second=order[second])
