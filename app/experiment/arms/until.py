"""Whether an experiment may stop: the evidence of its gain, item by item in the plan's order.

Only the longest beginning of that order counts whose runs have all ended; so it does not matter which of them end
first, and looking after each costs nothing.
"""

import asyncio
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from ....state.refused import Refused
from ...document import document
from ...saved import Store, load
from ...saved.experiments import Standing
from ..data import Outcome
from ..draw import Trial, in_order, trials
from ..measures import COMPARISONS, paired
from ..plan import Plan
from ..statistics import Sequential, sequential
from ..words import say
from .accuracy import unit
from .answered import together

ENDED = ("done", "failed")


class Evidence:
    """What the items say that have ended, kept so that each is read once."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._left = plan, list(by_item(plan))
        self._differences: list[float] = []
        self._reading = asyncio.Lock()

    async def reached(self, store: Store) -> str:
        """Why no other run needs to be begun; empty: there is no reason yet."""
        async with self._reading:
            standings = await store.experiments.standings(self._plan.name)
            while self._left and _ended(self._left[0], standings):
                outcomes = [Outcome(one, standings[one.run], await _told(store, one.run)) for one in self._left.pop(0)]
                self._differences.append(difference(self._plan, outcomes))
        found = judged(self._plan, self._differences)
        return told(self._plan, found) if found.stopped_after else ""


def by_item(plan: Plan) -> list[list[Trial]]:
    """The runs of each item that say what talking gained, in the plan's order; forks do not."""
    found: dict[str, list[Trial]] = {item.id: [] for item in in_order(plan)}
    for one in trials(plan):
        if one.fork is None:
            found[one.item.id].append(one)
    return list(found.values())


def _ended(of: Sequence[Trial], standings: Mapping[str, Standing]) -> bool:
    return all(one.run in standings and standings[one.run].state in ENDED for one in of)


async def _told(store: Store, run: str) -> Mapping[str, Any] | None:
    try:
        saved = await load(store, run)
    except Refused:  # a run that could not be begun left nothing
        return None
    return document(saved) if saved.begun else None


def difference(plan: Plan, outcomes: Sequence[Outcome]) -> float:
    """The gain on one item, the mean over its repeats and swaps; failures count as wrong."""
    (gain,) = plan.until
    values = paired([unit(one, plan.arms) for one in together(outcomes)], *COMPARISONS[gain])
    return fmean([value for some in values.values() for value in some] or [0.0])


def judged(plan: Plan, differences: Sequence[float]) -> Sequential:
    """The plan's sequential test over the differences of its items."""
    (bound,) = plan.until.values()
    return sequential(differences, direction=bound.direction, bound=bound.value, alpha=bound.alpha)


def so_far(plan: Plan, found: Sequence[Outcome]) -> Sequential:
    """The evidence of an experiment from all its outcomes."""
    outcomes = {one.trial.run: one for one in found}
    differences: list[float] = []
    for of in by_item(plan):
        items = [outcomes[one.run] for one in of]
        if not all(one.state in ENDED for one in items):
            break
        differences.append(difference(plan, items))
    return judged(plan, differences)


def told(plan: Plan, found: Sequential) -> str:
    """What the test has found so far, in one sentence."""
    ((gain, bound),) = plan.until.items()
    claim = say(plan, f"until.{bound.direction}", gain=gain, points=f"{100 * bound.value:g}")
    limit = f"{1 / bound.alpha:g}"
    if found.stopped_after:
        return say(plan, "until.stopped", items=found.stopped_after, claim=claim, bound=limit)
    return say(plan, "until.going", items=found.items, claim=claim, evidence=f"{found.e:.3g}", bound=limit)
