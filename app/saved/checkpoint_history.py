"""Checkpoints of a saved run, as a list."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from ...state import InputError, Statement, clip_text
from .saved_run import SavedRun, make_thread_config
from .store import Store, copy_graph


@dataclass(frozen=True)
class Checkpoint:
    """Saved state of a run between two supersteps.

    `nodes`: nodes whose writes led to the state. `next`: nodes that came next. `statements`: statements in these
    writes.
    """

    step: int
    nodes: list[str]
    next: list[str]
    turn: int
    at: str
    values: dict[str, Any]
    statements: list[Statement]

    def build_row(self) -> dict[str, Any]:
        """Return the checkpoint's row for the list of checkpoints, without the state itself."""
        return {
            "step": self.step,
            "turn": self.turn,
            "ran": self.nodes,
            "next": self.next,
            "at": self.at,
            "said": [
                {"speaker": statement.speaker, "words": clip_text(" ".join(statement.content.split()), 60)}
                for statement in self.statements
            ],
        }


async def list_checkpoints(store: Store, saved_run: SavedRun) -> list[Checkpoint]:
    """Return every saved state of the run from its first node on, oldest first.

    The newest state may not be applied yet, if the process died too early. Raises `InputError` if no state was saved.
    """
    graph = store.get_graph(saved_run.run.protocol)
    snapshots = [snapshot async for snapshot in graph.aget_state_history(make_thread_config(saved_run.run.run))]
    snapshots.reverse()
    checkpoints = [
        Checkpoint(
            step=int(after.metadata.get("step", 0)),
            nodes=_sort_names(before.next),
            next=_sort_names(after.next),
            turn=int(after.values.get("turn", 0)),
            at=after.created_at or "",
            values=dict(after.values),
            statements=list(after.values.get("history") or [])[len(before.values.get("history") or []) :],
        )
        for before, after in pairwise(snapshots)
        if "__start__" not in before.next
    ]
    checkpoints += await _list_pending_checkpoints(saved_run)
    if not checkpoints:
        raise InputError("run", saved_run.run.run, "the run has no saved step; start a new run")
    return checkpoints


async def _list_pending_checkpoints(saved_run: SavedRun) -> list[Checkpoint]:
    """Return the state after a finished node whose writes have not been applied, as a list.

    The list is empty without such a node. A temporary graph computes the next nodes.
    """
    nodes = _sort_names(saved_run.next)
    if not (saved_run.has_pending_node and saved_run.is_node_done and len(nodes) == 1):
        return []
    scratch_graph = copy_graph(saved_run.run.protocol, InMemorySaver())
    config, values = make_thread_config(saved_run.run.run), dict(saved_run.state)
    await scratch_graph.aupdate_state(config, values, as_node=nodes[0])
    next_nodes = _sort_names((await scratch_graph.aget_state(config)).next)
    return [Checkpoint(saved_run.step + 1, nodes, next_nodes, int(values.get("turn", 0)), saved_run.at, values, [])]


def _sort_names(names: Any) -> list[str]:
    return sorted(set(names))
