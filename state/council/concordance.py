"""How far the rankings agree with each other, and whether members prefer their own answers."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean

from pydantic import BaseModel, ConfigDict, Field

from ..ballot import Ballot
from ..count import CountSettings, count
from ..count.tally import Number


class Concordance(BaseModel):
    """What the usable rankings have in common. Answers go by their authors."""

    model_config = ConfigDict(frozen=True)

    points: dict[str, Number] = Field(default_factory=dict, description="Borda points: the group's ranking.")
    mean_place: dict[str, float] = Field(default_factory=dict, description="Mean place given to each answer, from 1.")
    ranked_by: dict[str, int] = Field(default_factory=dict, description="How many rankings name each answer.")
    agreement: dict[str, float | None] = Field(
        default_factory=dict,
        description="Kendall's tau-b of each ranking with the group's, −1 to 1; none: the group puts all level.",
    )
    self_preference: dict[str, float] = Field(
        default_factory=dict,
        description="Places by which members put their own answer above where the others put it on average.",
    )


def kendall_tau_b(order: Sequence[str], points: Mapping[str, Number]) -> float | None:
    """Kendall's tau-b between a ranking, best first, and the ranking by `points`, most first, in which equals are tied.

    Concordant less discordant pairs over √(pairs · pairs that `points` do not tie), −1 to 1; none where all are tied or
    there is no pair. Source: Kendall, The treatment of ties in ranking problems, Biometrika 33 (1945).
    """
    pairs = [
        (points[above] > points[below]) - (points[above] < points[below]) for above, below in combinations(order, 2)
    ]
    untied = sum(map(abs, pairs))
    return sum(pairs) / sqrt(len(pairs) * untied) if untied else None


def concordance(rankings: Mapping[str, Sequence[str]], settings: CountSettings) -> Concordance:
    """What `rankings` have in common: of each ranker, the authors of the answers, best first.

    The group's ranking is that of all of them together, by Borda points; where `settings` leave out what members say
    about themselves, that is left out of it, and of the agreement with it.
    """
    heard = {
        who: [one for one in ranking if not (settings.exclude_self and one == who)] for who, ranking in rankings.items()
    }
    places = {who: {one: place for place, one in enumerate(ranking, 1)} for who, ranking in rankings.items()}
    authors = list(dict.fromkeys(one for ranking in rankings.values() for one in ranking))
    ballots = [Ballot(voter=who, ranking=ranking) for who, ranking in heard.items() if ranking]
    points = count(ballots, "borda", settings=settings).totals
    given = {author: [each[author] for each in places.values() if author in each] for author in authors}
    return Concordance(
        points=points,
        mean_place={author: fmean(found) for author, found in given.items()},
        ranked_by={author: len(found) for author, found in given.items()},
        agreement={who: kendall_tau_b(ranking, points) for who, ranking in heard.items()},
        self_preference={who: gap for who in places if (gap := _own_gap(who, places)) is not None},
    )


def _own_gap(who: str, places: Mapping[str, Mapping[str, int]]) -> float | None:
    """Places by which `who` put its own answer above the mean of the others; none: it or they did not rank it."""
    others = [each[who] for ranker, each in places.items() if ranker != who and who in each]
    return fmean(others) - places[who][who] if others and who in places[who] else None
