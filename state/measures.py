"""Measures: how the rankings of an experiment stand and move.

A ranking that is missing or defaulted is left out and counted as such: a comparison of two rankings needs both.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from statistics import fmean

from .measured import Ceiling, Change, Measures, Standing
from .principle import CERTAINTIES, PRINCIPLES, Ranking, number_of

Rankings = Mapping[str, Sequence[Ranking | None]]
"""By participant id, the rankings 1 to 4; none where one is missing."""

STEPS = ((1, 2), (2, 3), (3, 4), (1, 4))
"""The pairs of rankings that are compared."""


def measure(rankings: Rankings, ceiling_warning_share: float = 0.8) -> Measures:
    """Everything that is reported of the four rankings of all participants."""
    return Measures(
        standings=[standing(rankings, number) for number in range(1, 5)],
        changes=[change(rankings, first, second) for first, second in STEPS],
        ceiling=ceiling(rankings, ceiling_warning_share),
    )


def kendall_distance(one: Ranking, other: Ranking) -> int:
    """Pairs of principles the two rankings put in opposite order, 0 (equal) to 6 (reversed); Kendall, 1938."""
    pairs = combinations(PRINCIPLES, 2)
    return sum((one.rank(a) < one.rank(b)) != (other.rank(a) < other.rank(b)) for a, b in pairs)


def standing(rankings: Rankings, number: int) -> Standing:
    """Mean ranks and first places in ranking `number`, 1 to 4."""
    usable = _usable(rankings, number)
    left_out = len(rankings) - len(usable)
    if not usable:
        return Standing(ranking=number, first_places=dict.fromkeys(PRINCIPLES, 0), left_out=left_out)
    firsts = Counter(ranking.order[0] for ranking in usable.values())
    return Standing(
        ranking=number,
        mean_rank={each: sum(ranking.rank(each) for ranking in usable.values()) / len(usable) for each in PRINCIPLES},
        first_places={each: firsts[each] for each in PRINCIPLES},
        counted=len(usable),
        left_out=left_out,
    )


def change(rankings: Rankings, first: int, second: int) -> Change:
    """What changed from ranking `first` to ranking `second` among those who gave both."""
    before, after = _usable(rankings, first), _usable(rankings, second)
    both = [each for each in rankings if each in before and each in after]
    kendall = {each: kendall_distance(before[each], after[each]) for each in both}
    shift = {each: _level(after[each]) - _level(before[each]) for each in both}
    return Change(
        first=first,
        second=second,
        kendall=kendall,
        kendall_mean=_mean(kendall.values()),
        flips=_flips([(before[each], after[each]) for each in both]),
        certainty_shift=shift,
        certainty_mean=_mean(shift.values()),
        certainty_distribution=[list(shift.values()).count(levels) for levels in range(-4, 5)],
        counted=len(both),
        left_out=len(rankings) - len(both),
    )


def ceiling(rankings: Rankings, threshold: float) -> Ceiling:
    """The most common first place of ranking 1, and whether its share reaches the threshold."""
    start = standing(rankings, 1)
    if not start.counted:
        return Ceiling(threshold=threshold, left_out=start.left_out)
    principle = max(PRINCIPLES, key=lambda each: start.first_places[each])
    share = start.first_places[principle] / start.counted
    return Ceiling(
        warning=share >= threshold,
        principle=principle,
        share=share,
        threshold=threshold,
        counted=start.counted,
        left_out=start.left_out,
    )


def pooled(runs: Sequence[Rankings]) -> dict[str, Sequence[Ranking | None]]:
    """The rankings of several runs as one, by `run:participant`, runs counted from 1."""
    return {f"{number}:{each}": rankings for number, run in enumerate(runs, 1) for each, rankings in run.items()}


def _usable(rankings: Rankings, number: int) -> dict[str, Ranking]:
    """Ranking `number` of those who gave a usable one."""
    given = {each: stages[number - 1] for each, stages in rankings.items() if len(stages) >= number}
    return {each: ranking for each, ranking in given.items() if ranking is not None and not ranking.defaulted}


def _level(ranking: Ranking) -> int:
    return CERTAINTIES.index(ranking.certainty)


def _mean(values: Collection[int]) -> float | None:
    return fmean(values) if values else None


def _flips(both: Sequence[tuple[Ranking, Ranking]]) -> list[list[int]]:
    """How many went from which first place (row) to which (column), in the order of the ballot numbers."""
    moves = Counter((number_of(before.order[0]), number_of(after.order[0])) for before, after in both)
    return [[moves[row, column] for column in range(1, 5)] for row in range(1, 5)]
