"""When a Delphi is done: the estimates are near each other, they no longer move, or enough chose alike.

A round in which too few estimated ends none, and where it was the last one, nothing is finished.
"""

from itertools import pairwise

from ..budget import is_spent
from ..ending import Ending, Evidence
from ..ends import OUTAGE, UNAVAILABLE, budget_ending, rounds_capped
from ..incident import passed_over
from ..requirements import reading
from .channels import Estimated
from .estimate import Feedback, is_enough
from .rules import DelphiRules

STILL = 2
"""Rounds in a row without a move that end it."""


@reading
def converged(state: Estimated, rules: DelphiRules) -> Ending | None:
    """The interquartile range of the last round is within `spread`."""
    last = _last(state)
    if not rules.dynamic_termination or last is None or last.median is None:
        return None
    width, bound = (last.third_quartile or 0.0) - (last.first_quartile or 0.0), rules.bound(last.median)
    if width > bound:
        return None
    evidence = Evidence(figure=width, threshold=bound, note="delphi_range")
    return Ending(reason="estimates_converged", strategy="spread", evidence=evidence)


@reading
def settled(state: Estimated, rules: DelphiRules) -> Ending | None:
    """In each of the last two rounds the median moved no more than `stable` allows, or the counts did not change."""
    last = [one for one in state["feedback"][-(STILL + 1) :] if is_enough(one, state["participants"])]
    if not rules.dynamic_termination or [one.round for one in last] != _latest(state, STILL + 1):
        return None
    if any(moved(*two, rules.stable) for two in pairwise(last)):
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
    last = _last(state)
    if not rules.dynamic_termination or last is None or not last.counts:
        return None
    share = max(last.counts.values()) / last.given
    if share < rules.agreement:
        return None
    evidence = Evidence(figure=share, threshold=rules.agreement, note="delphi_share")
    return Ending(reason="experts_agreed", strategy="agreement", evidence=evidence)


def too_few(state: Estimated) -> Ending | None:
    """No round is left, and in the last one fewer than half of the experts estimated."""
    if not rounds_capped(state) or _last(state):
        return None
    lost = [one for one in passed_over(state["incidents"]) if one.round == state["round"]]
    given, half = sum(one.round == state["round"] for one in state["estimates"]), len(state["participants"]) / 2
    quote = ", ".join(dict.fromkeys(one.who for one in lost))
    evidence = Evidence(turns=[one.turn for one in lost], quote=quote, figure=given, threshold=half)
    return Ending(reason=UNAVAILABLE, strategy=OUTAGE, evidence=evidence)


ended_short = reading(too_few, rounds_capped)


def round_unpaid(state: Estimated) -> Ending | None:
    """The budget does not pay for an estimate of everyone in another round."""
    asked = sum(one.kind == "model" for one in state["participants"])
    return budget_ending(state) if is_spent(state["rules"], state["calls"], asked=asked) else None


def _last(state: Estimated) -> Feedback | None:
    """What came of the last round; none where too few estimated in it."""
    last = state["feedback"][-1] if state["feedback"] else None
    return last if last and last.round == state["round"] and is_enough(last, state["participants"]) else None


def _latest(state: Estimated, rounds: int) -> list[int]:
    """The numbers of the latest rounds, the last one last."""
    return list(range(state["round"] - rounds + 1, state["round"] + 1))
