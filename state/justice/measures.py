"""Measures: how the rankings of an experiment stand and move.

A ranking that is missing or defaulted is left out and counted as such: a comparison of two rankings needs both.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from statistics import fmean

from pydantic import BaseModel, ConfigDict, Field

from .principle import CERTAINTIES, PRINCIPLES, Principle, Ranking, number_of


class Standing(BaseModel):
    """Where the principles stand in one of the four rankings."""

    model_config = ConfigDict(frozen=True)

    ranking: int = Field(ge=1, le=4, description="Which ranking.")
    mean_rank: dict[Principle, float] = Field(default_factory=dict, description="1 (best) to 4; empty: none counted.")
    first_places: dict[Principle, int] = Field(default_factory=dict, description="How many rank it first.")
    counted: int = Field(default=0, ge=0, description="Rankings counted.")
    left_out: int = Field(default=0, ge=0, description="Rankings missing or defaulted.")


class Change(BaseModel):
    """What changed from one ranking to another."""

    model_config = ConfigDict(frozen=True)

    first: int = Field(ge=1, le=4, description="The earlier ranking.")
    second: int = Field(ge=1, le=4, description="The later ranking.")
    kendall: dict[str, int] = Field(
        default_factory=dict, description="Kendall distance by participant: pairs of principles in opposite order, 0–6."
    )
    kendall_mean: float | None = Field(default=None, ge=0, le=6, description="Their mean; none: none counted.")
    flips: list[list[int]] = Field(
        default_factory=list, description="4 × 4: participants by first place before (row) and after (column), 1 to 4."
    )
    certainty_shift: dict[str, int] = Field(default_factory=dict, description="By participant, −4 to +4 levels.")
    certainty_mean: float | None = Field(default=None, ge=-4, le=4, description="Their mean; none: none counted.")
    certainty_distribution: list[int] = Field(
        default_factory=list, description="How many shifted by −4, −3, … +4 levels."
    )
    counted: int = Field(default=0, ge=0, description="Participants counted.")
    left_out: int = Field(default=0, ge=0, description="Participants with either ranking missing or defaulted.")


class Ceiling(BaseModel):
    """Whether so many start with one principle first that movement towards it cannot show."""

    model_config = ConfigDict(frozen=True)

    warning: bool = Field(default=False, description="True from the threshold on.")
    principle: Principle | None = Field(default=None, description="The most common first place; the lowest of equals.")
    share: float | None = Field(default=None, ge=0, le=1, description="Its share of the first rankings counted.")
    threshold: float = Field(default=0.8, ge=0.5, le=1, description="The share from which it warns.")
    counted: int = Field(default=0, ge=0, description="Rankings counted.")
    left_out: int = Field(default=0, ge=0, description="Rankings missing or defaulted.")


class Measures(BaseModel):
    """What is reported of one experiment's rankings."""

    model_config = ConfigDict(frozen=True)

    standings: list[Standing] = Field(default_factory=list, description="For rankings 1 to 4.")
    changes: list[Change] = Field(default_factory=list, description="From 1 to 2, 2 to 3, 3 to 4, 1 to 4.")
    ceiling: Ceiling = Field(default=Ceiling(), description="Whether movement could show.")


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
