"""Whose word decides: a talk goes on anew from its first round, with one participant's statements of it silenced.

Control forks go on from the same point with nothing silenced, and show how much a decision changes by itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....state.statement import Statement
from ...saved import Branch, Checkpoint, Run, Saved, Store, branch_of, checkpoints, load
from ...saved.experiments import Standing
from ..draw import Fork, Trial
from .beside import NotRun, check_done


async def fork_of(store: Store, trial: Trial, row: Run) -> Branch:
    """The branch that a fork of a talk is, under its name and place in the experiment. Raises `NotRun`."""
    assert trial.fork is not None
    standing: Standing | None = await store.experiments.standing(trial.talk)
    check_done(trial.talk, standing)
    talk = await load(store, trial.talk)
    silenced = {f"silenced.{turn}": True for turn in turns_silenced(trial.fork, talk)}
    branch = await branch_of(store, talk, after_first_round(talk, await checkpoints(store, talk)), silenced)
    place: dict[str, Any] = {key: getattr(row, key) for key in ("run", "experiment", "condition", "item", "repeat")}
    return replace(branch, run=branch.run.model_copy(update=place))


def first_round(history: Sequence[Statement]) -> list[Statement]:
    """The statements of the first round."""
    return [one for one in history if one.round == 1]


def turns_silenced(fork: Fork, talk: Saved) -> list[int]:
    """The turns of the first round whose statements a fork silences. Raises `NotRun` where there are none."""
    if not fork.seat:
        return []
    name = talk.state["participants"][fork.seat - 1].name
    turns = [one.turn for one in first_round(talk.state["history"]) if one.speaker == name]
    if not turns:
        raise NotRun(f"not run: {name} said nothing in the first round of {talk.run.run}")
    return turns


def after_first_round(talk: Saved, found: Sequence[Checkpoint]) -> Checkpoint:
    """The moment at which the last statement of the first round had been made. Raises `NotRun`."""
    count = len(first_round(talk.state["history"]))
    moments = (one for one in found if len(one.ran) == 1 and len(first_round(one.values["history"])) == count)
    moment = next(moments, None) if count else None
    if moment is None:
        raise NotRun(f"not run: {talk.run.run} has no first round to go on from")
    return moment
