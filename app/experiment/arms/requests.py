"""Requests for the runs of arms and forks, made from the record of their deliberation.

An arm gets the participants and first answers of its deliberation. A fork continues a deliberation after its first
round, without the statements of one participant. Control forks continue from the same point with all statements. They
show how often a decision changes by chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from statistics import fmean
from typing import Any

from ....models import choose_spec
from ....state import (
    IndependentSettings,
    InputError,
    Participant,
    Position,
    PositionSettings,
    Settings,
    Statement,
    StoppingSettings,
    sum_tokens,
)
from ...protocols.registry import HIDDEN_PROTOCOLS
from ...run.request import RunRequest
from ...saved import (
    ForkPlan,
    Run,
    RunProgress,
    SavedExperiment,
    SavedRun,
    Store,
    TalkForecast,
    list_checkpoints,
    load_saved_run,
    make_thread_config,
    plan_fork,
)
from .. import SAMPLED_ARMS, Plan, PlannedRun, build_talk_request, find_donor, list_peer_talks
from ..tasks.confederates import INHERITED_SETTINGS


class ArmNotRunError(Exception):
    """Error for an arm whose deliberation has no result to compare with. The message is the reason."""


async def load_arm_request(
    store: Store, experiment: SavedExperiment, plan: Plan, planned_run: PlannedRun
) -> RunRequest:
    """Build the request for an arm's run from the record of its deliberation, which may have failed.

    Raises `ArmNotRunError` if the deliberation has no record, or if no deliberation can provide the statements for
    `noise`.
    """
    try:
        talk = await load_saved_run(store, planned_run.talk)
    except InputError:  # a run that could not begin has no record
        talk = None
    if talk is None or not talk.has_begun:
        raise ArmNotRunError(f"not run: the deliberation {planned_run.talk} has no saved step")
    progress_by_run, statements = await store.experiments.map_progress(plan.name), list[Statement]()
    if planned_run.donor:
        donor, _ = find_donor(plan, planned_run, {run: progress.state for run, progress in progress_by_run.items()})
        if not donor:
            raise ArmNotRunError("not run: the deliberations on all other items failed")
        statements = (await load_saved_run(store, donor)).state["history"]
    state = dict(talk.state)
    if planned_run.source:
        _require_result(planned_run.source, progress_by_run.get(planned_run.source))
        written_state = (await load_saved_run(store, planned_run.source)).state
        statements = written_state["history"]
        if planned_run.arm == "alone":  # it goes on from these answers, in place of the blind ones
            before = {"when": "before", "round": 0, "turn": 0}
            state["positions"] = [position.model_copy(update=before) for position in written_state["positions"]]
    settings = build_talk_request(plan, planned_run, experiment.model).settings
    spend = experiment.forecasts.get(planned_run.condition.label, TalkForecast(calls=1, tokens=0))
    if isinstance(plan.samples_max, int):
        spend = spend.model_copy(update={"samples": plan.samples_max})
    has_failed = progress_by_run[planned_run.talk].state == "failed"
    if not has_failed:
        calls, prices = talk.state["calls"], talk.state["settings"].prices
        spent = {"calls": len(calls), "tokens": sum_tokens(calls)}
        spend = spend.model_copy(update=spent | {"cost": prices.compute_cost(calls) if prices else None})
    elif planned_run.arm in SAMPLED_ARMS:
        peers = [
            progress_by_run[run] for run in list_peer_talks(plan, planned_run) if progress_by_run[run].state == "done"
        ]
        for key in ("calls", "tokens", "cost") if peers else ():
            mean = fmean(getattr(peer, key) for peer in peers)
            spend = spend.model_copy(update={key: None if key == "cost" and spend.cost is None else mean})
    return build_arm_request(plan, planned_run, settings, state, statements, spend, has_failed=has_failed)


def _require_result(run: str, progress: RunProgress | None) -> None:
    if progress is None or progress.state != "done":
        reason = progress.why if progress else "the run has not started"
        raise ArmNotRunError(f"not run: {run} has no result{f' ({reason})' if reason else ''}")


def build_arm_request(
    plan: Plan,
    planned_run: PlannedRun,
    settings: Settings,
    state: Mapping[str, Any],
    statements: Sequence[Statement],
    spend: TalkForecast,
    *,
    has_failed: bool = False,
) -> RunRequest:
    """Build the request for an arm's run from a deliberation that ended in `state`.

    `settings`: the deliberation's settings in the plan. `statements`: statements that the arm shows. `spend`: spending
    that samples match. `has_failed`: whether the deliberation failed; the arm then gets the planned number of rounds.
    """
    blind_round = settings.blind_round or 0 if isinstance(settings, PositionSettings) else 0
    positions, rounds = list[Position](), 0
    if planned_run.arm in ("alone", "noise"):  # they go on from the blind answers
        positions = [
            position.model_copy(update={"when": "before", "round": 0, "turn": 0})
            for position in state["positions"]
            if position.when == "before" or (blind_round and position.round == blind_round)
        ]
    if planned_run.arm in ("alone", "noise", "rethought"):
        rounds = max((statement.round for statement in state["history"]), default=0)
        if has_failed:
            turn_cap = (
                settings.get_turn_cap(len(state["participants"])) if isinstance(settings, StoppingSettings) else 0
            )
            rounds = getattr(settings, "max_rounds", None) or ceil((turn_cap or 0) / len(state["participants"]))
        rounds = max(0, rounds - 1) if planned_run.arm == "rethought" else max(1, rounds - blind_round)
    participants = _select_participants(planned_run, settings, state["participants"])
    seats_by_model = dict[str, list[str]]()
    for seat in participants if planned_run.arm == "each" else ():
        seats_by_model.setdefault(seat.model, []).append(seat.name)
    input = {
        "topic": state["topic"],
        "material": "\n\n".join(filter(None, [state["material"], *(exhibit.text for exhibit in state["exhibits"])])),
        "participants": participants,
        "positions": positions,
        "heard": list(statements) if planned_run.arm != "alone" else [],
    }
    arm_settings = settings.model_dump(include=INHERITED_SETTINGS) | {
        "arm": "ballot" if planned_run.arm == "vote" else planned_run.arm,
        "rounds": rounds,
        "talk_calls": spend.calls,
        "talk_tokens": spend.tokens,
        "talk_cost": spend.cost,
        "samples_max": spend.samples,
        "sampled_groups": list(seats_by_model.values()),
        "recording_id": planned_run.run if settings.record or settings.replay else "",
    }
    return RunRequest(HIDDEN_PROTOCOLS["independent"], IndependentSettings.model_validate(arm_settings), input)


def _select_participants(
    planned_run: PlannedRun, settings: Settings, participants: Sequence[Participant]
) -> list[Participant]:
    """Return the participants of an arm, with explicit models and without side and role.

    The arm `informed` has one participant, who receives every private text. The arm `vote` has one neutral participant
    with the synthesizer's model. All other arms have all participants.
    """
    seats = [
        seat.model_copy(update={"model": choose_spec(settings, seat.name, seat.model), "side": "", "role": ""})
        for seat in participants
        if seat.kind == "model"
    ]
    if not seats:
        raise ArmNotRunError("not run: no model took part in the deliberation")
    if planned_run.arm == "informed":
        texts = planned_run.item.informed or "\n\n".join(seat.private for seat in seats if seat.private)
        return [seats[0].model_copy(update={"private": texts})]
    if planned_run.arm == "vote":
        used_names = [seat.name for seat in seats]
        name = next(name for name in ("Third", "Neutral", "Undirected") if name not in used_names)
        return [Participant(name=name, model=choose_spec(settings, "synthesizer"))]
    return seats


async def reopen_for_samples(store: Store, saved_run: SavedRun, settings: Settings) -> SavedRun:
    """Return a run of samples, reopened if `settings` allow more samples than before.

    Resuming a reopened run draws the additional samples.
    """
    before = saved_run.state["settings"]
    assert isinstance(before, IndependentSettings)
    assert isinstance(settings, IndependentSettings)
    if settings.samples_max <= before.samples_max:
        return saved_run
    update = {"settings": before.with_choices(samples_max=settings.samples_max)}
    graph = store.get_graph(saved_run.run.protocol)
    async for snapshot in graph.aget_state_history(make_thread_config(saved_run.run.run)):
        if snapshot.next == ("conclude_alone",):
            await graph.aupdate_state(snapshot.config, update, as_node="count_answers")
            break
    return await load_saved_run(store, saved_run.run.run)


async def build_fork_plan(store: Store, planned_run: PlannedRun, run_row: Run) -> ForkPlan:
    """Plan the fork of a deliberation under the name of its planned run.

    `run_row`: row of the deliberation. Raises `ArmNotRunError` if the deliberation cannot be forked.
    """
    assert planned_run.fork is not None
    _require_result(planned_run.talk, await store.experiments.find_progress(planned_run.talk))
    talk = await load_saved_run(store, planned_run.talk)
    statements = select_first_round(talk.state["history"])
    settings = {}
    if planned_run.fork.seat:
        name = talk.state["participants"][planned_run.fork.seat - 1].name
        settings = {f"silenced.{statement.turn}": True for statement in statements if statement.speaker == name}
        if not settings:
            raise ArmNotRunError(f"not run: {name} said nothing in the first round of {talk.run.run}")
    for checkpoint in await list_checkpoints(store, talk) if statements else ():
        is_after_round = len(select_first_round(checkpoint.values["history"])) == len(statements)
        if len(checkpoint.nodes) == 1 and is_after_round:  # the first one is right after the round's last statement
            fork_plan = await plan_fork(store, talk, checkpoint, settings)
            position = run_row.model_dump(include={"run", "experiment", "condition", "item", "repeat"})
            return replace(fork_plan, run=fork_plan.run.model_copy(update=position))
    raise ArmNotRunError(f"not run: {talk.run.run} has no complete first round")


def select_first_round(history: Sequence[Statement]) -> list[Statement]:
    """Return the statements of the first round."""
    return [statement for statement in history if statement.round == 1]
