"""When a Delphi is done: the estimates are near each other, they no longer move, or enough chose alike."""

from itertools import pairwise

from ..ending import Ending, Evidence
from ..requirements import reading
from .channels import Estimated
from .estimate import Feedback
from .rules import DelphiRules

STILL = 2
"""Rounds in a row without a move that end it."""


@reading
def converged(state: Estimated, rules: DelphiRules) -> Ending | None:
    """The interquartile range of the last round is within `spread`."""
    last = state["feedback"][-1] if state["feedback"] else None
    if not rules.dynamic_termination or last is None or last.median is None:
        return None
    width = (last.third_quartile or 0.0) - (last.first_quartile or 0.0)
    if not rules.within(width, last.median):
        return None
    return Ending(reason="estimates_converged", strategy="spread", evidence=Evidence(figure=width, note="delphi_range"))


@reading
def settled(state: Estimated, rules: DelphiRules) -> Ending | None:
    """In each of the last two rounds the median moved no more than `stable` allows, or the counts did not change."""
    last = state["feedback"][-(STILL + 1) :]
    if not rules.dynamic_termination or len(last) <= STILL or any(moved(*two, rules.stable) for two in pairwise(last)):
        return None
    evidence = Evidence(figure=STILL, threshold=STILL, note="rounds without a move")
    return Ending(reason="estimates_stable", strategy="stability", evidence=evidence)


def moved(before: Feedback, after: Feedback, stable: float) -> bool:
    """Whether the median moved by more than `stable` of the later round's pooled 5–95 % range; or any count at all."""
    if before.median is None or after.median is None:
        return before.counts != after.counts
    return abs(after.median - before.median) > stable * (after.pooled["95"] - after.pooled["5"])


@reading
def agreed(state: Estimated, rules: DelphiRules) -> Ending | None:
    """The share of one option among the answers of the last round is `agreement` or more."""
    last = state["feedback"][-1] if state["feedback"] else None
    if not rules.dynamic_termination or last is None or not last.counts:
        return None
    share = max(last.counts.values()) / last.given
    if share < rules.agreement:
        return None
    evidence = Evidence(figure=share, threshold=rules.agreement, note="delphi_share")
    return Ending(reason="experts_agreed", strategy="agreement", evidence=evidence)
