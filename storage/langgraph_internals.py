"""LangGraph's internal names in configs and checkpoints, in one place: it has no public ones."""

from langchain_core.callbacks import BaseCallbackManager
from langgraph.config import get_config

READ_KEY = "__pregel_read"
"""Config key of the function that reads channels."""
CHECKPOINTER_KEY = "__pregel_checkpointer"
"""Config key of the run's checkpointer, if it has one."""
EDGE_PATH_PREFIX = "~__pregel_pull"
"""Beginning of the path of a task that an edge started; the branches of a fan-out are pushed."""


def is_stream_followed() -> bool:
    """Return whether a caller reads the tokens of the present node as they arrive.

    A caller does so with events, or with the stream mode `messages` of this graph or an outer one. Its
    handler then has the method `tap_output_iter`; LangChain's own models also check for this method.
    """
    callbacks = get_config().get("callbacks") or []
    handlers = callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks
    return any(hasattr(handler, "tap_output_iter") for handler in handlers)
