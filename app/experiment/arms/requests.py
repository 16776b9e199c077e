"""Requests for the runs of arms and forks, made from the record of their talk.

An arm gets the participants and first answers of its talk. A fork continues a talk after its first round, without the
statements of one participant. Control forks continue from there with all statements. They show how often a decision
changes by chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....models.spec import choose_spec
from ....state.call_record import sum_tokens
from ....state.errors import InputError
from ....state.independent import IndependentSettings
from ....state.positions import Position, PositionSettings
from ....state.settings import Settings
from ....state.statement import Participant, Statement
from ...protocols.registry import HIDDEN_PROTOCOLS
from ...run.request import RunRequest
from ...saved import ForkPlan, Run, Store, list_checkpoints, load_saved_run, plan_fork
from ...saved.experiments import RunProgress
from ..plan import Plan
from ..planned_runs import PlannedRun, build_talk_request

INHERITED_SETTINGS = {
    *("language", "temperature", "max_tokens_per_turn", "reasoning_tokens", "max_attempts", "timeouts", "retry_delays"),
    *("budget", "prices", "record", "replay", "answer", "options", "seed", "model", "public_history_max_length"),
}
"""Settings of the talk that its arms inherit."""


class ArmNotRunError(Exception):
    """Error for an arm whose talk has no result to compare with. The message is the reason."""


async def load_arm_request(store: Store, plan: Plan, planned: PlannedRun, model: str) -> RunRequest:
    """Build the request for an arm's run from the record of its talk.

    Raises `ArmNotRunError` if the talk, or the talk that provides other statements, has no result.
    """
    for run in planned.prerequisites if planned.arm != "informed" else ():
        _require_result(run, await store.experiments.find_progress(run))
    try:
        talk = await load_saved_run(store, planned.talk)
    except InputError:  # a run that could not begin has no record
        talk = None
    if talk is None or not talk.has_begun:
        raise ArmNotRunError(f"not run: nothing of {planned.talk} is on record")
    statements = (await load_saved_run(store, planned.donor)).state["history"] if planned.donor else []
    settings = build_talk_request(plan, planned, model).settings
    return build_arm_request(plan, planned, settings, talk.state, statements)


def _require_result(run: str, progress: RunProgress | None) -> None:
    if progress is None or progress.state != "done":
        reason = progress.why if progress else "it was never begun"
        raise ArmNotRunError(f"not run: {run} came to no result{f' ({reason})' if reason else ''}")


def build_arm_request(
    plan: Plan, planned: PlannedRun, settings: Settings, state: Mapping[str, Any], statements: Sequence[Statement]
) -> RunRequest:
    """Build the request of an arm for a talk that ended in `state`.

    `settings`: the talk's settings in the plan.
    """
    blind_round = settings.blind_round or 0 if isinstance(settings, PositionSettings) else 0
    positions, rounds = list[Position](), 0
    if planned.arm in ("alone", "noise"):  # they go on from the blind answers
        for position in state["positions"]:
            if position.when == "before" or (blind_round and position.round == blind_round):
                positions.append(position.model_copy(update={"when": "before", "round": 0, "turn": 0}))
        rounds = max((statement.round for statement in state["history"]), default=0)
        rounds = max(1, rounds - blind_round) if blind_round else rounds
    input = {
        "topic": state["topic"],
        "material": "\n\n".join(filter(None, [state["material"], *(exhibit.text for exhibit in state["exhibits"])])),
        "participants": _select_participants(planned, settings, state["participants"]),
        "positions": positions,
        "heard": list(statements),
    }
    arm_settings = settings.model_dump(include=INHERITED_SETTINGS) | {
        "arm": "ballot" if planned.arm == "vote" else planned.arm,
        "rounds": rounds,
        "talk_calls": sum(not call.is_lost for call in state["calls"]),
        "talk_tokens": sum_tokens(state["calls"]),
        "samples_max": plan.samples_max,
        "recording_id": planned.run if settings.record or settings.replay else "",
    }
    return RunRequest(HIDDEN_PROTOCOLS["independent"], IndependentSettings.model_validate(arm_settings), input)


def _select_participants(
    planned: PlannedRun, settings: Settings, participants: Sequence[Participant]
) -> list[Participant]:
    """Select the participants of an arm, with explicit models and without side and role.

    The arm `informed` has one participant, who receives every private text. The arm `vote` has one neutral participant
    with the synthesizer's model. All other arms have all participants.
    """
    seats = []
    for seat in participants:
        if seat.kind == "model":
            model = choose_spec(settings, seat.name, seat.model)
            seats.append(seat.model_copy(update={"model": model, "side": "", "role": ""}))
    if not seats:
        raise ArmNotRunError("not run: no model took part in the talk")
    if planned.arm == "informed":
        texts = planned.item.informed or "\n\n".join(seat.private for seat in seats if seat.private)
        return [seats[0].model_copy(update={"private": texts})]
    if planned.arm == "vote":
        used_names = [seat.name for seat in seats]
        name = next(name for name in ("Third", "Neutral", "Undirected") if name not in used_names)
        return [Participant(name=name, model=choose_spec(settings, "synthesizer"))]
    return seats


async def build_fork_plan(store: Store, planned: PlannedRun, run_row: Run) -> ForkPlan:
    """Build the fork of a talk under the name of its planned run.

    Raises `ArmNotRunError` if the talk cannot be forked.
    """
    assert planned.fork is not None
    _require_result(planned.talk, await store.experiments.find_progress(planned.talk))
    talk = await load_saved_run(store, planned.talk)
    statements = select_first_round(talk.state["history"])
    settings = {}
    if planned.fork.seat:
        name = talk.state["participants"][planned.fork.seat - 1].name
        settings = {f"silenced.{statement.turn}": True for statement in statements if statement.speaker == name}
        if not settings:
            raise ArmNotRunError(f"not run: {name} said nothing in the first round of {talk.run.run}")
    for checkpoint in await list_checkpoints(store, talk) if statements else ():
        is_after_round = len(select_first_round(checkpoint.values["history"])) == len(statements)
        if len(checkpoint.nodes) == 1 and is_after_round:  # the first one is right after the round's last statement
            fork_plan = await plan_fork(store, talk, checkpoint, settings)
            position = run_row.model_dump(include={"run", "experiment", "condition", "item", "repeat"})
            return replace(fork_plan, run=fork_plan.run.model_copy(update=position))
    raise ArmNotRunError(f"not run: {talk.run.run} has no first round to go on from")


def select_first_round(history: Sequence[Statement]) -> list[Statement]:
    """Return the statements of the first round."""
    return [statement for statement in history if statement.round == 1]
