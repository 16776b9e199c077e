"""LangGraph's internal names in configs and checkpoints, collected here because there are no public ones."""

from langchain_core.callbacks import BaseCallbackManager
from langgraph._internal._serde import build_serde_allowlist
from langgraph.config import get_config
from langgraph.pregel import Pregel

READ_KEY = "__pregel_read"
"""Config key of the function that reads channels."""
CHECKPOINTER_KEY = "__pregel_checkpointer"
"""Config key of the run's checkpointer, if it has one."""
NS_SEP = "|"
"""Separator of the graphs in a checkpoint namespace."""
LOOKUP_MARK = "moot_lookups"
"""Key in the metadata of an inner checkpoint, which is deleted when its step is saved."""
DURABILITY_KEY = "__pregel_durability"
"""Config key of the run's durability, if the caller chose one."""
EDGE_PATH_PREFIX = "~__pregel_pull"
"""Beginning of the path of a task that an edge started; the branches of a fan-out are pushed."""


def list_stored_types(graph: object) -> set[tuple[str, ...]]:
    """List the types in the channels of a compiled graph, which a checkpoint may load; empty for other objects."""
    return build_serde_allowlist(channels=graph.channels) if isinstance(graph, Pregel) else set()


def is_stream_followed() -> bool:
    """Return whether a caller reads the tokens of the current node as they arrive.

    A caller does so with events, or with the stream mode `messages` of this or an outer graph. Its handler then has
    the method `tap_output_iter`, as LangChain's own models check.
    """
    callbacks = get_config().get("callbacks") or []
    handlers = callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks
    return any(hasattr(handler, "tap_output_iter") for handler in handlers)


def is_nested_run() -> bool:
    """Return whether the current node belongs to a graph within another graph."""
    return NS_SEP in str(get_config().get("configurable", {}).get("checkpoint_ns", ""))
