"""Requirements for a plan with arms: its talk must answer with an option or a number."""

from collections.abc import Sequence

from ....state.errors import InputError
from ....state.positions import PositionSettings, build_answer_format
from ...protocols.protocol import get_protocol
from ..plan import Plan
from ..planned_runs import PlannedRun, build_talk_request
from .truth import find_truth

ANSWERING_PROTOCOLS = ("debate", "consensus", "discussion", "panel", "jury", "delphi", "council")


def check_arms(plan: Plan, distinct_runs: Sequence[PlannedRun]) -> None:
    """Raise `InputError` for arms or forks whose talk has no answer to compare.

    `distinct_runs`: one run of each condition, item, swap and arm.
    """
    if not plan.has_comparisons:
        return
    key = "arms" if plan.arms else "influence"
    if not issubclass(get_protocol(plan.protocol).graph.context_schema, PositionSettings):
        remedy = f"{plan.protocol} has no {key}: nobody in it answers with an option or a number; leave them out"
        raise InputError(key, list(plan.arms), f"{remedy}, or take one of {', '.join(ANSWERING_PROTOCOLS)}")
    if plan.protocol == "council" and "vote" in plan.arms:
        remedy = "what most of a council answered blind is its answer: the vote is the talk itself; leave it out"
        raise InputError("arms", "vote", remedy)
    if plan.protocol in ("council", "delphi") and plan.influence:
        remedy = "nobody in it is shown what another said as theirs, so there is nobody to silence; leave it out"
        raise InputError("influence", plan.influence.forks, remedy)
    for planned_run in distinct_runs:
        settings = build_talk_request(plan, planned_run, "rehearsal").settings
        assert isinstance(settings, PositionSettings)
        if settings.positions == "off" and settings.blind_round is None:
            raise InputError(
                "settings.positions", "off", "arms rest on positions; write ends or rounds, or leave it out"
            )
        if settings.answer == "none":
            remedy = "arms compare answers; give the item options, or the settings answer: {number: unit}"
            raise InputError(f"items.{planned_run.item.id}", planned_run.item.topic, remedy)
        answer_format = build_answer_format(settings)
        if not answer_format.is_relative:
            remedy = "arms compare numbers by a share of them, such as tolerance: 0.01 relative"
            raise InputError("settings.answer.tolerance", answer_format.tolerance, remedy)
        find_truth(planned_run.item, answer_format)
        if planned_run.arm == "noise" and not planned_run.donor:
            raise InputError("arms", "noise", "it shows the talk on another item; give two items or more")
