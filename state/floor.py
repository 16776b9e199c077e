"""The floor: who has still to speak this round. Each order is a pure function that fills one list.

`floor[0]` holds the floor; speaking takes the name off the list. Seats are the participants in roster order.
"""

import random
from collections.abc import Mapping, Sequence

from .refused import Refused


def check_floor(floor: Sequence[str], seats: Sequence[str]) -> None:
    """Refuse an order that names nobody, a stranger, or one participant twice."""
    wrong = [name for name in floor if name not in seats or floor.count(name) > 1]
    if wrong or not floor:
        raise Refused(
            "order", list(floor), f"an order names each speaker of the round once; there are {', '.join(seats)}"
        )


def round_robin(seats: Sequence[str]) -> list[str]:
    """Everyone once, in seat order."""
    return list(seats)


def rotation(seats: Sequence[str], round: int) -> list[str]:
    """Everyone once; the opener moves on by one seat each round (rounds count from 1)."""
    first = (round - 1) % len(seats)
    return [*seats[first:], *seats[:first]]


def shuffled(seats: Sequence[str], rng: random.Random) -> list[str]:
    """Everyone once, in an order drawn from `rng`."""
    order = list(seats)
    rng.shuffle(order)
    return order


def conversational(seats: Sequence[str], rng: random.Random, finisher: str | None = None) -> list[str]:
    """Everyone once: the opener drawn from all but the last round's finisher (of three or more), the rest shuffled."""
    openers = [name for name in seats if name != finisher] if len(seats) > 2 else list(seats)
    opener = rng.choice(openers)
    return [opener, *shuffled([name for name in seats if name != opener], rng)]


def spread_endings(order: Sequence[str], finishes: Mapping[str, int], cap: int, finisher: str | None) -> list[str]:
    """`order` with the last words spread over the participants: the cap, then the opener.

    `finishes` counts how often each has spoken last so far, `cap` (≥ 1) is how often one may, `finisher` spoke last
    in the round before. Of two participants either may open after finishing.
    """
    return _fresh_opener(_capped(order, finishes, cap), finisher)


def _capped(order: Sequence[str], finishes: Mapping[str, int], cap: int) -> list[str]:
    """`order`, its last swapped with the latest-placed one below the cap, else of the fewest finishes."""
    counts = [finishes.get(name, 0) for name in order]
    if not order or counts[-1] < cap:
        return list(order)
    allowed = max(cap - 1, min(counts))
    return _swapped(order, len(order) - 1, max(place for place, count in enumerate(counts) if count <= allowed))


def _fresh_opener(order: list[str], finisher: str | None) -> list[str]:
    """`order`, its first swapped with the middle one if it has just had the last word and there are three or more."""
    if len(order) > 2 and order[0] == finisher:
        return _swapped(order, 0, len(order) // 2)
    return order


def _swapped(order: Sequence[str], one: int, other: int) -> list[str]:
    swapped = list(order)
    swapped[one], swapped[other] = swapped[other], swapped[one]
    return swapped


def least_spoken(seats: Sequence[str], spoken: Sequence[str]) -> list[str]:
    """Everyone once: fewest statements first, then longest silent, then seat order.

    `spoken` names the speaker of each statement so far, in order.
    """
    latest = {name: turn for turn, name in enumerate(spoken)}
    return sorted(seats, key=lambda name: (spoken.count(name), latest.get(name, -1)))


def yield_to(floor: Sequence[str], named: str) -> list[str]:
    """`floor` with the named participant at its head if it has yet to speak this round, else `floor` as it is."""
    if named not in floor:
        return list(floor)
    return [named, *(name for name in floor if name != named)]


def seat_on(floor: Sequence[str], seats: Sequence[str]) -> int:
    """The seat of whoever holds the floor; raises `Refused` if a change of the state has left it to nobody here."""
    if floor[0] not in seats:
        remedy = f"nobody here has this name; write the floor too, from among {', '.join(seats)}"
        raise Refused("floor", list(floor), remedy)
    return list(seats).index(floor[0])
