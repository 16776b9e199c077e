"""The checkpoints of a saved run."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ...state.refused import Refused
from ...state.statement import Statement
from ...state.text import clipped
from .load import Saved, thread
from .store import Store

WORDS = 60
"""Characters of a statement that are told of it."""


@dataclass(frozen=True)
class Checkpoint:
    """A state a run was in. `ran`: the step that led to it, and `said` in it; `next`: the steps that followed."""

    step: int
    ran: list[str]
    next: list[str]
    turn: int
    at: str
    values: dict[str, Any]
    said: list[Statement]

    def row(self) -> dict[str, Any]:
        """What is told about it, without the state itself."""
        said = [{"speaker": one.speaker, "words": clipped(" ".join(one.content.split()), WORDS)} for one in self.said]
        return {"step": self.step, "turn": self.turn, "ran": self.ran, "next": self.next, "at": self.at, "said": said}


async def checkpoints(store: Store, saved: Saved) -> list[Checkpoint]:
    """Every state of the run from its first step on, oldest first. Raises `Refused` if there is none.

    The newest may be one whose step was taken and saved by a process that died before it was entered.
    """
    graph = store.graph(saved.run.protocol)
    found = [one async for one in graph.aget_state_history(thread(saved.run.run))]
    found.reverse()
    kept = [
        Checkpoint(
            step=int(after.metadata.get("step", 0)),
            ran=_distinct(before.next),
            next=_distinct(after.next),
            turn=int(after.values.get("turn", 0)),
            at=after.created_at or "",
            values=dict(after.values),
            said=_said(before.values, after.values),
        )
        for before, after in pairwise(found)
        if "__start__" not in before.next
    ]
    kept += await _taken(store, saved)
    if not kept:
        raise Refused("run", saved.run.run, "nothing of it was saved; begin it anew")
    return kept


async def _taken(store: Store, saved: Saved) -> list[Checkpoint]:
    """The state after a step all of whose outcomes are saved but not entered; what follows is found on a copy."""
    ran = _distinct(saved.next)
    if not (saved.taken and saved.whole and len(ran) == 1):
        return []
    copy, place, values = store.scratch(saved.run.protocol), thread(saved.run.run), dict(saved.state)
    await copy.aupdate_state(place, values, as_node=ran[0])
    follows = _distinct((await copy.aget_state(place)).next)
    return [Checkpoint(saved.step + 1, ran, follows, int(values.get("turn", 0)), saved.at, values, [])]


def _said(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Statement]:
    """The statements that one state has and the one before it had not."""
    return list(after.get("history") or [])[len(before.get("history") or []) :]


def _distinct(names: Any) -> list[str]:
    return sorted(set(names))
