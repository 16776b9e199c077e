"""Measure how well rankings agree, and how much members prefer their own answers."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean

from pydantic import Field

from ..ballot import Ballot
from ..count import CountSettings, TallyNumber, count_ballots
from ..frozen_models import FrozenModel


class Concordance(FrozenModel):
    """Agreement between the members' rankings of the answers. Each answer is named by its author."""

    points: dict[str, TallyNumber] = Field(
        default_factory=dict, description="Borda points of each answer, which give the group's ranking."
    )
    mean_place: dict[str, float] = Field(default_factory=dict, description="Mean place given to each answer, from 1.")
    ranked_by: dict[str, int] = Field(default_factory=dict, description="Number of rankings that contain each answer.")
    agreement: dict[str, float | None] = Field(
        default_factory=dict,
        description=(
            "Kendall's tau-b of each ranking with the group's, −1 to 1; none: the group's ranking consists of ties."
        ),
    )
    self_preference: dict[str, float] = Field(
        default_factory=dict,
        description="Places by which each member ranks its own answer above its mean place in the other rankings.",
    )


def compute_kendall_tau_b(order: Sequence[str], points: Mapping[str, TallyNumber]) -> float | None:
    """Compute Kendall's tau-b between a ranking, best first, and the ranking by `points`.

    Points may be tied. Tau-b is concordant pairs minus discordant pairs, divided by √(all pairs × pairs untied in
    `points`). It runs from −1 to 1. Without an untied pair, return `None`. Source: Kendall, The treatment of ties in
    ranking problems, Biometrika 33 (1945).
    """
    pair_signs = [
        (points[above] > points[below]) - (points[above] < points[below]) for above, below in combinations(order, 2)
    ]
    untied_count = sum(map(abs, pair_signs))
    return sum(pair_signs) / sqrt(len(pair_signs) * untied_count) if untied_count else None


def compute_concordance(rankings: Mapping[str, Sequence[str]], settings: CountSettings) -> Concordance:
    """Compute how well the members' rankings agree.

    `rankings`: for each member, the authors of the answers, best first. The group's ranking is the one by Borda points.
    If `settings` exclude votes for the voter's own option, the figures leave each member's own answer out.
    """
    counted_rankings = {
        ranker: [author for author in ranking if not (settings.exclude_self and author == ranker)]
        for ranker, ranking in rankings.items()
    }
    ranks = {ranker: {author: rank for rank, author in enumerate(ranking, 1)} for ranker, ranking in rankings.items()}
    authors = list(dict.fromkeys(author for ranking in rankings.values() for author in ranking))
    ballots = [Ballot(voter=ranker, ranking=ranking) for ranker, ranking in counted_rankings.items() if ranking]
    points = count_ballots(ballots, "borda", settings=settings).totals
    author_ranks = {
        author: [member_ranks[author] for member_ranks in ranks.values() if author in member_ranks]
        for author in authors
    }
    return Concordance(
        points=points,
        mean_place={author: fmean(values) for author, values in author_ranks.items()},
        ranked_by={author: len(values) for author, values in author_ranks.items()},
        agreement={ranker: compute_kendall_tau_b(ranking, points) for ranker, ranking in counted_rankings.items()},
        self_preference={
            ranker: gap for ranker in ranks if (gap := _compute_self_preference(ranker, ranks)) is not None
        },
    )


def _compute_self_preference(name: str, ranks: Mapping[str, Mapping[str, int]]) -> float | None:
    """Return how many ranks better a member ranks its own answer than the others do on average.

    Return `None` if the member or all others did not rank it.
    """
    other_ranks = [
        member_ranks[name] for ranker, member_ranks in ranks.items() if ranker != name and name in member_ranks
    ]
    return fmean(other_ranks) - ranks[name][name] if other_ranks and name in ranks[name] else None
