"""What the arms of a talk would cost, found beside a rehearsal of it."""

from collections.abc import Mapping
from typing import Any

from ....nodes.models.chat import close_models
from ...estimate import Cost, estimated, rehearsed
from ...request import Request
from ..draw import Trial, asked
from ..plan import Plan
from .beside import beside

LETTERS = 4
"""Letters of a token, as the rehearsal counts them."""


async def arm_costs(plan: Plan, trial: Trial, model: str) -> tuple[Cost, Cost]:
    """What the run of an arm would cost, and more than it can."""
    given = asked(plan, trial, model)
    try:
        usual, _ = await rehearsed(given, given.rules)
        longest, _ = await rehearsed(given, given.rules.settled(dynamic_termination=False), unbound=True)
    finally:
        await close_models()
    likely = await estimated(beside(plan, trial, given.rules, usual, usual["history"] if trial.arm == "noise" else []))
    most = await estimated(_at_most(plan, trial, given, longest))
    refused = len(longest["participants"])  # a call each, where a server takes no seed
    return likely.expected, most.high.model_copy(update={"calls": most.high.calls + refused})


def _at_most(plan: Plan, trial: Trial, given: Request, longest: Mapping[str, Any]) -> Request:
    """The arm beside the longest talk there can be: every statement of full length, and as many samples as may be."""
    long = "a" * LETTERS * given.rules.max_tokens_per_turn
    heard = [one.model_copy(update={"content": long}) for one in longest["history"]] if trial.arm == "noise" else []
    found = beside(plan, trial, given.rules, longest, heard)
    return Request(found.protocol, found.rules.settled(talk_calls=plan.samples_max, talk_tokens=0), found.input)
