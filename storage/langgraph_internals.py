"""LangGraph's internal names in configs and checkpoints, for which there are no public ones."""

import asyncio
from collections.abc import Collection, Iterable
from copy import copy
from typing import Any

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph._internal._serde import build_serde_allowlist
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.config import get_config
from langgraph.pregel import Pregel

READ_KEY = "__pregel_read"
"""Config key of the function that reads channels."""
CHECKPOINTER_KEY = "__pregel_checkpointer"
"""Config key of the run's checkpointer, if it has one."""
NS_SEP = "|"
"""Separator of the graphs in a checkpoint namespace."""
LOOKUP_MARK = "moot_lookups"
"""Key in the metadata of a nested graph's checkpoints, which are deleted when the outer step is saved."""
DURABILITY_KEY = "__pregel_durability"
"""Config key of the run's durability, if the caller chose one."""
MCP_SESSIONS_KEY = "__pregel_moot_mcp"
"""Config key of the sessions with MCP servers that a run has opened, by name. The prefix keeps it out of streams."""
EDGE_PATH_PREFIX = "~__pregel_pull"
"""First part of the path of a task that an edge started. Tasks of parallel branches have another one."""


def list_stored_types(graph: object, schemas: Iterable[Any] = ()) -> set[tuple[str, ...]]:
    """Return the types that a checkpoint of a compiled graph may load; empty for other objects.

    They are the types that the graph's channels and `schemas` name.
    """
    if not isinstance(graph, Pregel):
        return set()
    # A compiled protocol has its list already.
    return graph._serde_allowlist or build_serde_allowlist(schemas=list(schemas), channels=graph.channels)


def find_saver(config: RunnableConfig) -> BaseCheckpointSaver[Any] | None:
    """Return the checkpoint saver of the run to which a config belongs; `None` if the run is not saved."""
    saver = config.get("configurable", {}).get(CHECKPOINTER_KEY)
    return saver if isinstance(saver, BaseCheckpointSaver) else None


def with_stored_types(config: RunnableConfig, graph: object) -> RunnableConfig:
    """Return the config for a nested graph, whose saver may load the types that `graph` stores."""
    saver, types = find_saver(config), list_stored_types(graph)
    if saver is None or not types:
        return config
    return {**config, "configurable": {**config["configurable"], CHECKPOINTER_KEY: saver.with_allowlist(types)}}


def load_only_types(saver: Any, types: Collection[tuple[str, ...]]) -> Any:
    """Return a saver that loads only these types.

    LangGraph's default would load any type with a warning. A saver with a serializer of its own is returned as it is.
    """
    if not isinstance(saver, BaseCheckpointSaver) or type(saver.serde) is not JsonPlusSerializer:
        return saver
    if saver.serde._allowed_msgpack_modules is True:
        saver, serde = copy(saver), copy(saver.serde)
        serde._allowed_msgpack_modules, saver.serde = None, serde
    return saver.with_allowlist(types)


async def run_nested(runnable: Runnable[Any, Any], input: Any, config: RunnableConfig, **options: Any) -> Any:
    """Run a nested graph as LangGraph's `ainvoke` does, and return its output.

    With a synchronous saver, run the graph in a thread or, if a node has only an async function, without saving.
    """
    if saver := find_saver(config):
        try:
            await saver.aget_tuple({"configurable": {"thread_id": "", "checkpoint_ns": ""}})
        except NotImplementedError:
            nodes = runnable.nodes.values() if isinstance(runnable, Pregel) else ()
            if all(getattr(node.bound, "func", True) for node in nodes):
                return await asyncio.to_thread(runnable.invoke, input, config, **options)
            config = {**config, "configurable": {**config["configurable"], CHECKPOINTER_KEY: None}}
    return await runnable.ainvoke(input, config, **options)


def has_token_reader() -> bool:
    """Return whether a caller reads the tokens of the current node while they arrive.

    The caller uses events, or the stream mode `messages` of this or an outer graph. In both cases its handler has the
    method `tap_output_iter`. LangChain's own models check the same.
    """
    callbacks = get_config().get("callbacks") or []
    handlers = callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks
    return any(hasattr(handler, "tap_output_iter") for handler in handlers)


def is_nested_run() -> bool:
    """Return whether the current node belongs to a graph within another graph."""
    return NS_SEP in str(get_config().get("configurable", {}).get("checkpoint_ns", ""))
