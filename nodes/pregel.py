"""What langgraph names in ways of its own, in configs and checkpoints, in one place: nothing public gives it."""

from langchain_core.callbacks import BaseCallbackManager
from langgraph.config import get_config

READ = "__pregel_read"
"""A function that reads channels."""
CHECKPOINTER = "__pregel_checkpointer"
"""What the run is saved with, if it is."""
EDGE = "~__pregel_pull"
"""How the path of a step begins that an edge led to; the branches of a fan-out are pushed."""


def is_followed() -> bool:
    """Whether somebody takes the words of the present step as they come: by the stream mode `messages` of its graph or
    of one around it, or as events. Handlers that do have a method to tap them; LangChain's own models go by it."""
    callbacks = get_config().get("callbacks") or []
    handlers = callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks
    return any(hasattr(one, "tap_output_iter") for one in handlers)
