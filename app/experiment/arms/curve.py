"""Accuracy of the majority of ever more independent samples, beside what they take."""

from collections.abc import Sequence
from statistics import fmean

from ....state.positions import question_of
from ..measures import accuracy_at
from .answered import TalkWithArms, added, samples
from .truth import truth_of

Point = tuple[float, float, float, float | None]
"""Calls, tokens, accuracy, money."""


def curve(talks: Sequence[TalkWithArms], seed: int) -> list[Point]:
    """A point for each number of samples, over talks that have as many of them."""
    each = [found for one in talks if (found := _of_talk(one, seed))]
    length = min((len(one) for one in each), default=0)
    return [_mean_point([one[k] for one in each]) for k in range(length)]


def shortfalls(talks: Sequence[TalkWithArms]) -> dict[str, int]:
    """Talks whose calls, and whose tokens, the samples did not reach, for their limit."""
    found = {by: sum(_is_short(one, by) for one in talks) for by in ("calls", "tokens")}
    return {by: count for by, count in found.items() if count}


def _of_talk(of: TalkWithArms, seed: int) -> list[Point]:
    """Accuracy at k samples of one talk, with what k of them take on average."""
    drawn = samples(of)
    question = question_of(of.rules) if of.rules else None
    truth = truth_of(of.talk.trial.item, question) if question else None
    answers = [answer for one in drawn for answer in one.winners or ()]
    if question is None or truth is None or not answers:
        return []
    whole, n = added([one.spent for one in drawn]), len(drawn)
    found = accuracy_at(answers, truth, seed=seed, purpose=[of.talk.trial.run], tolerance=question.tolerance)
    cost = None if whole.cost is None else whole.cost / n
    each = (whole.calls / n, whole.tokens / n)
    return [(k * each[0], k * each[1], one, None if cost is None else k * cost) for k, one in enumerate(found, 1)]


def _mean_point(points: Sequence[Point]) -> Point:
    costs = [one[3] for one in points]
    cost = None if None in costs else fmean(one for one in costs if one is not None)
    return fmean(one[0] for one in points), fmean(one[1] for one in points), fmean(one[2] for one in points), cost


def _is_short(of: TalkWithArms, by: str) -> bool:
    drawn, talk = samples(of), of.talk.document
    taken = sum(one.spent.calls if by == "calls" else one.spent.tokens for one in drawn)
    return bool(drawn) and talk is not None and taken < talk["totalCalls" if by == "calls" else "totalTokens"]
