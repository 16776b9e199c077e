"""What the run of an arm is given: the participants and first answers of its talk, and what the arm adds."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....nodes.models.spec import spec_for
from ....state.incident import total_tokens
from ....state.independent import IndependentRules
from ....state.positions import Position, PositionRules
from ....state.refused import Refused
from ....state.rules import Rules
from ....state.statement import Participant, Statement
from ...protocol_list import HIDDEN
from ...request import Request
from ...saved import Store, load
from ...saved.experiments import Standing
from ..draw import Trial, asked
from ..plan import Plan

KEPT = (
    *("language", "temperature", "max_tokens_per_turn", "reasoning_allowance", "statement_tries", "timeouts", "waits"),
    *("budget", "prices", "record", "replay", "answer", "options", "seed", "model", "public_history_max_length"),
)
"""Knobs of the talk that hold in its arms."""


class NotRun(Exception):
    """An arm whose talk came to nothing it could be compared with; its words say why."""


async def arm_request(store: Store, plan: Plan, trial: Trial, model: str) -> Request:
    """What the run of an arm is given, from what its talk has on record. Raises `NotRun`."""
    for run in trial.needs:
        if trial.arm != "informed":
            check_done(run, await store.experiments.standing(run))
    try:
        talk = await load(store, trial.talk)
    except Refused:  # a run that could not be begun left nothing
        talk = None
    if talk is None or not talk.begun:
        raise NotRun(f"not run: nothing of {trial.talk} is on record")
    heard = (await load(store, trial.donor)).state["history"] if trial.donor else []
    return beside(plan, trial, asked(plan, trial, model).rules, talk.state, heard)


def check_done(run: str, standing: Standing | None) -> None:
    """Raise `NotRun` for a run that came to no result."""
    if standing is None or standing.state != "done":
        why = standing.why if standing else "it was never begun"
        raise NotRun(f"not run: {run} came to no result{f' ({why})' if why else ''}")


def beside(plan: Plan, trial: Trial, rules: Rules, state: Mapping[str, Any], heard: Sequence[Statement]) -> Request:
    """The request of an arm beside a talk that ended in `state`. `rules`: the talk's, as the plan gives them."""
    people = [_as_seated(one, rules) for one in state["participants"] if one.kind == "model"]
    if not people:
        raise NotRun("not run: no model took part in the talk")
    arm = "ballot" if trial.arm == "vote" else trial.arm
    settled = {key: value for key, value in rules.model_dump().items() if key in KEPT}
    given = {
        "topic": state["topic"],
        "material": "\n\n".join(filter(None, [state["material"], *(one.text for one in state["exhibits"])])),
        "participants": seated(trial, rules, people),
        "positions": first_answers(rules, state["positions"]) if arm in ("alone", "noise") else [],
        "heard": list(heard),
    }
    own = IndependentRules.model_validate(
        settled
        | {"arm": arm, "rounds": rounds_after(rules, state["history"]) if arm in ("alone", "noise") else 0}
        | {"talk_calls": len(state["calls"]), "talk_tokens": total_tokens(state["calls"])}
        | {"samples_max": plan.samples_max, "place": trial.run if rules.record or rules.replay else ""}
    )
    return Request(HIDDEN["independent"], own, given)


def first_answers(rules: Rules, positions: Sequence[Position]) -> list[Position]:
    """What everyone answered blind, as answers before any talk."""
    round = rules.blind_round or 0 if isinstance(rules, PositionRules) else 0
    first = [one for one in positions if one.when == "before" or (round and one.round == round)]
    return [one.model_copy(update={"when": "before", "round": 0, "turn": 0}) for one in first]


def rounds_after(rules: Rules, history: Sequence[Statement]) -> int:
    """The rounds a talk had after everyone had answered blind; one at least, where that is a round of the talk."""
    rounds = max((one.round for one in history), default=0)
    blind = rules.blind_round or 0 if isinstance(rules, PositionRules) else 0
    return max(1, rounds - blind) if blind else rounds


def seated(trial: Trial, rules: Rules, people: Sequence[Participant]) -> list[Participant]:
    """Who is asked: everybody; one who is told what all were told; or one of no side, by the synthesizer's model."""
    if trial.arm == "informed":
        everything = trial.item.informed or "\n\n".join(one.private for one in people if one.private)
        return [people[0].model_copy(update={"private": everything})]
    if trial.arm == "vote":
        return [Participant(name=free_name([one.name for one in people]), model=spec_for(rules, "synthesizer"))]
    return list(people)


def free_name(taken: Sequence[str]) -> str:
    """A name for one who took no part."""
    return next(name for name in ("Third", "Neutral", "Undirected") if name not in taken)


def _as_seated(one: Participant, rules: Rules) -> Participant:
    """A participant with its model named, and without its side."""
    return one.model_copy(update={"model": spec_for(rules, one.name, one.model), "side": "", "role": ""})
