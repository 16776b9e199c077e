"""Agents in seats: compiled graphs, Runnables and functions that answer instead of a chat model.

A setting in `models` gives an agent as an object, as `agent:package.module:name`, or as `agent:NAME` of the entry point
group `moot.agents`. A name from a saved run is imported only if the operator lists it in `MOOT_ALLOW_AGENTS`.
"""

import inspect
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from typing import Any, cast

from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.pregel.protocol import PregelProtocol
from langgraph.runtime import get_runtime
from pydantic import BaseModel, ValidationError
from typing_extensions import get_type_hints, is_typeddict

from ..state import (
    A2A_PREFIX,
    AGENT_OBJECT,
    AGENT_PREFIX,
    InputError,
    Settings,
    bind_variable,
    find_remote_origin,
    format_model,
    is_agent_object,
    parse_origin,
    split_agent_spec,
    unwrap_agent,
)
from ..state.plugins import AGENT_GROUP, load_plugin, map_entry_points
from .failures import RunStoppedError
from .model_spec import check_key
from .operator_policy import get_operator_policy, is_server_client

_trusts_names: ContextVar[bool] = ContextVar("moot_trusts_agent_names", default=True)


def is_agent_spec(spec: str) -> bool:
    """Return whether a model name stands for an agent."""
    return spec.startswith((AGENT_PREFIX, A2A_PREFIX))


def trusts_imports() -> bool:
    """Return whether the names of code to import come from the caller, and not from a saved run."""
    return _trusts_names.get()


def distrust_imports() -> AbstractContextManager[None]:
    """Import only code that the operator allows within the `with` block, because a saved run names it."""
    return bind_variable(_trusts_names, False)


def get_context_object(spec: str, speaker: str) -> Any:
    """Return the model or agent object for `spec` from the run's context.

    `speaker`: participant or role, for the error. Raises `RunStoppedError` if the object is missing.
    """
    context = get_runtime().context
    candidates: list[object] = []
    if isinstance(context, Settings):  # a role without a model takes the first seat's
        candidates = [context.models.get(speaker), context.model, *context.models.values()]
    for candidate in candidates:
        if candidate is not None and not isinstance(candidate, str) and format_model(candidate) == spec:
            return candidate
    raise RunStoppedError(
        f"model of {speaker} = {spec}: this run started with a model object, which Moot does not store; "
        f"pass it again in the context, as model or models[{speaker!r}]"
    )


def get_agent(spec: str, speaker: str) -> Runnable[Any, Any]:
    """Return the agent that sits in the seat `speaker`.

    Raises `InputError` if the object cannot be imported, is no agent, or is not at the address in its spec, and
    `RunStoppedError` if the run's context lacks the object.
    """
    if spec.startswith(A2A_PREFIX):
        if is_server_client():
            get_operator_policy().check_spec(f"model of {speaker}", spec)
        check_key("model", spec)
        try:
            from .a2a_agent import make_remote_agent
        except ImportError:
            raise InputError("model", spec, 'agents by A2A need: pip install "moot[a2a]"') from None
        return make_remote_agent(spec)
    agent = get_context_object(spec, speaker) if spec.startswith(AGENT_OBJECT) else _load_agent(spec)
    runnable, address = make_runnable(spec, agent), split_agent_spec(spec)[1]
    if address and parse_origin(address) != find_remote_origin(runnable):
        raise InputError("model", spec, f"the agent is not a remote graph at {address}; leave the address out")
    return runnable


def make_runnable(spec: str, agent: Any) -> Runnable[Any, Any]:
    """Return an agent as a Runnable. A function without parameters is called to get the agent.

    Raises `InputError` for any other object.
    """
    if inspect.isroutine(agent):
        if not inspect.signature(agent).parameters:
            return make_runnable(spec, agent())
        return RunnableLambda(agent)
    if not is_agent_object(agent):
        raise InputError(
            "model", spec, "give a compiled graph with messages, a Runnable or a function; a chat model is no agent"
        )
    return cast(Runnable[Any, Any], agent)


def _load_agent(spec: str) -> Any:
    """Load the agent that `spec` names.

    Raises `RunStoppedError` for a name from a saved run or a client that the operator does not allow.
    """
    spec, _ = split_agent_spec(spec)
    if (is_server_client() or not trusts_imports()) and spec not in get_operator_policy().agents:
        remedy = (
            "a saved run imports an agent only with your permission; set MOOT_ALLOW_AGENTS to its name, and "
            "resume the run"
        )
        raise RunStoppedError(f"model = {spec}: {remedy}")
    return _import_agent(spec)


@cache
def _import_agent(spec: str) -> Any:
    name = spec.removeprefix(AGENT_PREFIX)
    if name in map_entry_points(AGENT_GROUP):
        return load_plugin("model", AGENT_GROUP, name)
    module, colon, attribute = name.partition(":")
    if not (colon and module and attribute):
        known_names = ", ".join(map_entry_points(AGENT_GROUP)) or "none"
        raise InputError(
            "model", spec, f"write agent:package.module:name, or the name of an installed agent: {known_names}"
        )
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        remedy = "; add the folder of the module to PYTHONPATH" if isinstance(error, ModuleNotFoundError) else ""
        raise InputError("model", spec, f"the agent cannot be imported: {error}{remedy}") from None


def check_agent(settings: Settings, name: str, spec: str) -> str:
    """Check the agent in the seat `name` before any call. Raises `InputError`.

    Return a note if the run's checkpointer replaces the agent's own, otherwise an empty text.
    """
    agent = get_agent(spec, name)
    build_agent_context(agent, settings, name, {})
    checkpointer = getattr(unwrap_agent(agent), "checkpointer", None)
    if isinstance(checkpointer, bool):
        raise InputError(
            f"models.{name}",
            f"checkpointer={checkpointer}",
            "compile the agent without checkpointer=True or False; the run saves it",
        )
    return f"{name}: the run saves its agent; the agent's own checkpointer is not used" if checkpointer else ""


def build_agent_context(agent: Any, settings: Settings, name: str, facts: Mapping[str, Any]) -> Any:
    """Build an agent's context from its entry in the settings or, without one, from `facts`.

    `facts`: values by name. A schema that is a class gets only the facts that it declares. All other agents get all
    facts: instead of an empty context, LangGraph would pass on the protocol's settings. Raises `InputError` if the
    context does not fit the schema.
    """
    schema, values = getattr(unwrap_agent(agent), "context_schema", None), settings.agent_context.get(name)
    if not isinstance(schema, type) or is_typeddict(schema):
        return values or dict(facts)
    fields = schema.model_fields if issubclass(schema, BaseModel) else get_type_hints(schema)
    try:
        return schema(**(values or {key: value for key, value in facts.items() if key in fields}))
    except (TypeError, ValidationError) as error:
        if not facts and not values:
            return None
        raise InputError(
            f"agent_context.{name}", values, f"must fit the agent's context {schema.__name__}: {error}"
        ) from None


def takes_messages_key(agent: Any) -> bool:
    """Return whether an agent takes a mapping with `messages` instead of a list of messages."""
    return isinstance(unwrap_agent(agent), PregelProtocol)
