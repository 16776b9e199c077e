"""A run that ended because nobody could be reached goes on from the turn that was missed last."""

from .saved import Saved, load, thread
from .store import Store

UNAVAILABLE = "participants_unavailable"


def ended_alone(saved: Saved) -> bool:
    """Whether a run ended only because its participants could not be reached."""
    return saved.finished and saved.state["outcome"].reason == UNAVAILABLE


async def reopened(store: Store, saved: Saved) -> Saved:
    """The run as it stood before its last turn, which was missed; every statement is kept, the closing text is not."""
    name, graph = saved.run.run, store.graph(saved.run.protocol)
    async for snapshot in graph.aget_state_history(thread(name)):
        if snapshot.next and snapshot.values.get("turn", 0) < saved.state["turn"]:
            await graph.aupdate_state(snapshot.config, None, as_node="__copy__")
            break
    return await load(store, name)
