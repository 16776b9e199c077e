"""Who had the word: the tokens of each participant's statements."""

from collections.abc import Mapping, Sequence

from ..measures import Values, gini
from ..statistics import Estimate, mean
from .answered import TalkWithArms


def voices(talks: Sequence[TalkWithArms]) -> dict[str, Estimate]:
    """The share of spoken tokens of each participant."""
    found: dict[str, Values] = {}
    for one in talks:
        spoken = _spoken(one)
        if total := sum(spoken.values()):
            for name, count in spoken.items():
                found.setdefault(name, {}).setdefault(one.talk.trial.item.id, []).append(count / total)
    return {name: mean(values) for name, values in found.items()}


def voice(talks: Sequence[TalkWithArms]) -> Estimate:
    """Gini of the tokens spoken: 0 all alike, 1 one alone."""
    values: Values = {}
    for one in talks:
        if (found := gini(list(_spoken(one).values()))) is not None:
            values.setdefault(one.talk.trial.item.id, []).append(found)
    return mean(values)


def _spoken(of: TalkWithArms) -> Mapping[str, float]:
    """Tokens of each participant's statements, those of tries that brought none left out."""
    if not of.talk.done or of.talk.document is None:
        return {}
    counts = dict.fromkeys(of.seats, 0.0)
    for call in of.talk.document["calls"]:
        if call["purpose"] == "statement" and call["outcome"] == "ok" and call["who"] in counts:
            counts[call["who"]] += call["output_tokens"]
    return counts
