"""Speaking shares: the tokens of each participant's statements."""

from collections.abc import Mapping, Sequence

from ..measures import ValuesByItem, compute_gini
from ..statistics import IntervalEstimate, estimate_mean
from .answers import TalkWithArms


def estimate_speaking_shares(talks: Sequence[TalkWithArms]) -> dict[str, IntervalEstimate]:
    """Estimate the share of spoken tokens of each participant."""
    shares: dict[str, ValuesByItem] = {}
    for talk in talks:
        token_counts = _count_spoken_tokens(talk)
        if total := sum(token_counts.values()):
            for name, token_count in token_counts.items():
                shares.setdefault(name, {}).setdefault(talk.run.planned.item.id, []).append(token_count / total)
    return {name: estimate_mean(values) for name, values in shares.items()}


def estimate_speaking_gini(talks: Sequence[TalkWithArms]) -> IntervalEstimate:
    """Estimate the Gini coefficient of spoken tokens: 0 equal shares, 1 a single speaker."""
    values: ValuesByItem = {}
    for talk in talks:
        if (coefficient := compute_gini(list(_count_spoken_tokens(talk).values()))) is not None:
            values.setdefault(talk.run.planned.item.id, []).append(coefficient)
    return estimate_mean(values)


def _count_spoken_tokens(talk: TalkWithArms) -> Mapping[str, float]:
    """Count the tokens of each participant's statements, without failed attempts."""
    if not talk.run.is_done or talk.run.document is None:
        return {}
    counts = dict.fromkeys(talk.seats, 0.0)
    for call in talk.run.document["calls"]:
        if call["purpose"] == "statement" and call["outcome"] == "ok" and call["who"] in counts:
            counts[call["who"]] += call["output_tokens"]
    return counts
