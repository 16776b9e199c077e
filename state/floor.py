"""Floor: the names of the speakers who are still to speak in this round.

Each turn order is a pure function.

`floor[0]` holds the floor and speaks next. After a statement, its speaker leaves the list. Seats are the participants
in roster order.
"""

import random
from collections.abc import Mapping, Sequence

from .errors import InputError


def check_floor(floor: Sequence[str], seats: Sequence[str]) -> None:
    """Check that `floor` is not empty and names each participant at most once. Raises `InputError`."""
    if not floor or any(name not in seats or floor.count(name) > 1 for name in floor):
        raise InputError(
            "order", list(floor), f"must name each speaker of the round once; the participants are {', '.join(seats)}"
        )


def order_round_robin(seats: Sequence[str]) -> list[str]:
    """Return all participants in the order of their seats."""
    return list(seats)


def rotate_seats(seats: Sequence[str], round: int) -> list[str]:
    """Return all participants in the order of their seats, with a new opener each round.

    `round`: number of the round, from 1.
    """
    opener = (round - 1) % len(seats)
    return [*seats[opener:], *seats[:opener]]


def shuffle_seats(seats: Sequence[str], rng: random.Random) -> list[str]:
    """Return the participants in a random order drawn from `rng`."""
    order = list(seats)
    rng.shuffle(order)
    return order


def shuffle_after_finisher(seats: Sequence[str], rng: random.Random, finisher: str | None = None) -> list[str]:
    """Draw an opener and shuffle the other participants.

    `finisher`: the last speaker of the previous round. With three or more participants, this speaker cannot open the
    new round.
    """
    opener = rng.choice([name for name in seats if name != finisher] if len(seats) > 2 else list(seats))
    return [opener, *shuffle_seats([name for name in seats if name != opener], rng)]


def spread_last_words(order: Sequence[str], finishes: Mapping[str, int], cap: int, finisher: str | None) -> list[str]:
    """Return `order`, changed so that each participant speaks last in a fair share of the rounds.

    `finishes`: number of rounds that each participant has finished so far. `cap` (≥ 1): maximum for one participant.
    `finisher`: last speaker of the previous round. Except with only two participants, this speaker does not open the
    new round.
    """
    spread_order, counts = list(order), [finishes.get(name, 0) for name in order]
    if order and counts[-1] >= cap:  # the latest name below the cap speaks last, or else one of the fewest finishes
        limit = max(cap - 1, min(counts))
        last_index = max(index for index, count in enumerate(counts) if count <= limit)
        spread_order[-1], spread_order[last_index] = spread_order[last_index], spread_order[-1]
    if len(order) > 2 and spread_order[0] == finisher:
        middle = len(order) // 2
        spread_order[0], spread_order[middle] = spread_order[middle], spread_order[0]
    return spread_order


def order_least_spoken(seats: Sequence[str], past_speakers: Sequence[str]) -> list[str]:
    """Order all participants by their number of statements, fewest first.

    Among equals, the participant that has been silent longest comes first, then the lowest seat.

    `past_speakers`: speaker of each past statement, in order.
    """
    last_turns = {name: turn for turn, name in enumerate(past_speakers)}
    return sorted(seats, key=lambda name: (past_speakers.count(name), last_turns.get(name, -1)))


def yield_floor(floor: Sequence[str], successor: str) -> list[str]:
    """Move `successor` to the head of `floor`. The floor stays the same if `successor` has already spoken."""
    if successor not in floor:
        return list(floor)
    return [successor, *(name for name in floor if name != successor)]


def get_holder_index(floor: Sequence[str], seats: Sequence[str]) -> int:
    """Return the seat number, from 0, of the participant who holds the floor.

    Raises `InputError` if the floor is empty or begins with an unknown name, as after an edit of the state or a jump.
    """
    if not floor:
        raise InputError(
            "floor", [], f"no speaker is named; give floor too, the next speakers, from {', '.join(seats)}"
        )
    if floor[0] not in seats:
        raise InputError(
            "floor",
            list(floor),
            f"no participant has this name; give floor too, the next speakers, from {', '.join(seats)}",
        )
    return list(seats).index(floor[0])
