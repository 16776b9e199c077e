"""Which plans can have arms: those whose talk answers with an option or a number."""

from collections.abc import Sequence

from ....state.positions import PositionRules, question_of
from ....state.refused import Refused
from ...protocols import protocol
from ..draw import Trial, asked
from ..plan import Plan
from .truth import truth_of

DEBATED = ("debate", "consensus", "discussion", "panel", "jury", "delphi", "council")


def check_arms(plan: Plan, kinds: Sequence[Trial]) -> None:
    """Refuse arms where there is nothing to compare; `kinds`: one talk of each condition and item."""
    if not plan.compared:
        return
    key = "arms" if plan.arms else "influence"
    if not issubclass(protocol(plan.protocol).drawing.context_schema, PositionRules):
        remedy = f"{plan.protocol} has no {key}: nobody in it answers with an option or a number; leave them out"
        raise Refused(key, list(plan.arms), f"{remedy}, or take one of {', '.join(DEBATED)}")
    if plan.protocol == "council" and "vote" in plan.arms:
        remedy = "what most of a council answered blind is its answer: the vote is the talk itself; leave it out"
        raise Refused("arms", "vote", remedy)
    if plan.protocol in ("council", "delphi") and plan.influence:
        remedy = "nobody in it is shown what another said as theirs, so there is nobody to silence; leave it out"
        raise Refused("influence", plan.influence.forks, remedy)
    for one in kinds:
        rules = asked(plan, one, "rehearsal").rules
        assert isinstance(rules, PositionRules)
        if rules.positions == "off" and rules.blind_round is None:
            raise Refused("settings.positions", "off", "arms rest on positions; write ends or rounds, or leave it out")
        if rules.answer == "none":
            remedy = "arms compare answers; give the item options, or the settings answer: {number: unit}"
            raise Refused(f"items.{one.item.id}", one.item.topic, remedy)
        question = question_of(rules)
        if not question.relative:
            remedy = "arms compare numbers by a share of them, such as tolerance: 0.01 relative"
            raise Refused("settings.answer.tolerance", question.tolerance, remedy)
        truth_of(one.item, question)
        if one.arm == "noise" and not one.donor:
            raise Refused("arms", "noise", "it shows the talk on another item; give two items or more")
