"""Forks that show a participant's influence: a talk continues from its first round with that voice silenced.

Control forks continue from the same point with all voices. They show how much a decision changes by itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....state.statement import Statement
from ...saved import Checkpoint, ForkPlan, Run, SavedRun, Store, list_checkpoints, load_saved_run, plan_fork
from ...saved.experiments import RunProgress
from ..planned_runs import Fork, PlannedRun
from .requests import ArmNotRunError, require_result


async def build_fork_branch(store: Store, planned: PlannedRun, row: Run) -> ForkPlan:
    """Return the branch of a talk for a planned fork, with its name and place in the experiment.

    Raises `ArmNotRunError` if the talk cannot be forked.
    """
    assert planned.fork is not None
    progress: RunProgress | None = await store.experiments.find_progress(planned.talk)
    require_result(planned.talk, progress)
    talk = await load_saved_run(store, planned.talk)
    silenced = {f"silenced.{turn}": True for turn in list_silenced_turns(planned.fork, talk)}
    branch = await plan_fork(store, talk, get_fork_point(talk, await list_checkpoints(store, talk)), silenced)
    position: dict[str, Any] = {key: getattr(row, key) for key in ("run", "experiment", "condition", "item", "repeat")}
    return replace(branch, run=branch.run.model_copy(update=position))


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


def get_fork_point(talk: SavedRun, history: Sequence[Checkpoint]) -> Checkpoint:
    """Return the checkpoint right after the last statement of the first round.

    Raises `ArmNotRunError` if there is no first round.
    """
    count = len(select_first_round(talk.state["history"]))
    moments = (
        checkpoint
        for checkpoint in history
        if len(checkpoint.nodes) == 1 and len(select_first_round(checkpoint.values["history"])) == count
    )
    moment = next(moments, None) if count else None
    if moment is None:
        raise ArmNotRunError(f"not run: {talk.run.run} has no first round to go on from")
    return moment
