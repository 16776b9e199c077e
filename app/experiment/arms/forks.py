"""Forks that show a participant's influence on the decision of a talk.

A fork continues a talk after its first round with one participant silenced. Control forks continue from the same
point with all participants. They show how much a
decision changes by itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....state.statement import Statement
from ...saved import Checkpoint, ForkPlan, Run, SavedRun, Store, list_checkpoints, load_saved_run, plan_fork
from ...saved.experiments import RunProgress
from ..planned_runs import Fork, PlannedRun
from .requests import ArmNotRunError, require_result


async def build_fork_plan(store: Store, planned_run: PlannedRun, run_row: Run) -> ForkPlan:
    """Build the fork of a talk with the name and position of its planned run.

    Raises `ArmNotRunError` if the talk cannot be forked.
    """
    assert planned_run.fork is not None
    progress: RunProgress | None = await store.experiments.find_progress(planned_run.talk)
    require_result(planned_run.talk, progress)
    talk = await load_saved_run(store, planned_run.talk)
    silenced_settings = {f"silenced.{turn}": True for turn in list_silenced_turns(planned_run.fork, talk)}
    fork_plan = await plan_fork(
        store, talk, get_fork_point(talk, await list_checkpoints(store, talk)), silenced_settings
    )
    position: dict[str, Any] = {
        key: getattr(run_row, key) for key in ("run", "experiment", "condition", "item", "repeat")
    }
    return replace(fork_plan, run=fork_plan.run.model_copy(update=position))


def select_first_round(history: Sequence[Statement]) -> list[Statement]:
    """Return the statements of the first round."""
    return [statement for statement in history if statement.round == 1]


def list_silenced_turns(fork: Fork, talk: SavedRun) -> list[int]:
    """Return the first-round turns that a fork silences.

    Raises `ArmNotRunError` if the participant made no statement in that round.
    """
    if not fork.seat:
        return []
    name = talk.state["participants"][fork.seat - 1].name
    turns = [statement.turn for statement in select_first_round(talk.state["history"]) if statement.speaker == name]
    if not turns:
        raise ArmNotRunError(f"not run: {name} said nothing in the first round of {talk.run.run}")
    return turns


def get_fork_point(talk: SavedRun, checkpoints: Sequence[Checkpoint]) -> Checkpoint:
    """Return the checkpoint right after the last statement of the first round.

    Raises `ArmNotRunError` if there is no first round.
    """
    statement_count = len(select_first_round(talk.state["history"]))
    fork_points = (
        checkpoint
        for checkpoint in checkpoints
        if len(checkpoint.nodes) == 1 and len(select_first_round(checkpoint.values["history"])) == statement_count
    )
    fork_point = next(fork_points, None) if statement_count else None
    if fork_point is None:
        raise ArmNotRunError(f"not run: {talk.run.run} has no first round to go on from")
    return fork_point
