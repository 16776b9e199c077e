"""Parameters of a request that offer tools to a model.

The sorted list of tools is the same for all participants of a run, so that providers can cache it.
"""

from collections.abc import Collection, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable

from ..state.lookups import ToolDefinition, clip_middle
from .capabilities import get_capabilities
from .failures import RunStoppedError
from .model_spec import parse_spec

MIN_RESULT_LENGTH = 400
"""Number of characters above which a look-up's result is halved if a prompt is too long."""


def has_long_results(exchange: Sequence[BaseMessage]) -> bool:
    """Return whether a tool's result among the messages is long enough to be shortened."""
    return any(message.type == "tool" and len(message.text) > MIN_RESULT_LENGTH for message in exchange)


def shorten_results(exchange: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the messages with all long tool results halved, except the latest.

    If no other result is long, halve the latest. Other messages stay as they are.
    """
    results = [message for message in exchange if message.type == "tool"]
    long_results = [message for message in results if len(message.text) > MIN_RESULT_LENGTH]
    messages = list(exchange)
    for message in [message for message in long_results if message is not results[-1]] or long_results:
        messages[messages.index(message)] = message.model_copy(
            update={"content": clip_middle(message.text, len(message.text) // 2)}
        )
    return messages


def build_tool_parameters(
    spec: str, definitions: Sequence[ToolDefinition], allowed_names: Collection[str], *, has_exchange: bool
) -> dict[str, Any]:
    """Build the request parameters `tools` and `tool_choice`; empty without tools.

    `allowed_names`: tools that the model may call. If an endpoint cannot restrict the choice of tools, it receives only
    these. `has_exchange`: whether the prompt contains look-ups, which some endpoints accept only together with tools.
    """
    allowed_tools = [tool for tool in definitions if tool.name in allowed_names]
    if not definitions or len(allowed_tools) == len(definitions):
        return {"tools": build_tool_definitions(definitions)} if definitions else {}
    if can_restrict_tools(spec):
        functions = [{"type": "function", "function": {"name": tool.name}} for tool in allowed_tools]
        choice = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": functions}}
        return {"tools": build_tool_definitions(definitions), "tool_choice": choice if functions else "none"}
    return {"tools": build_tool_definitions(allowed_tools or definitions)} if allowed_tools or has_exchange else {}


def can_restrict_tools(spec: str) -> bool:
    """Return whether the endpoint of the model `spec` accepts `tool_choice`."""
    if spec.startswith("object:"):
        return False
    parsed_spec = parse_spec(spec)
    is_refused = "tool_choice" in get_capabilities(spec).refused_settings
    return parsed_spec.provider == "openai" and not parsed_spec.is_bridged and not is_refused


def bind_tools(model: Runnable[Any, AIMessage], tools: dict[str, Any], label: str) -> Runnable[Any, AIMessage]:
    """Return the model with the tools bound in the form that its provider expects.

    `tools`: the request parameters. `label`: name of the model for the error. Raises `RunStoppedError` for a model
    without tool calls.
    """
    try:
        choice = {"tool_choice": "any"} if tools.get("tool_choice") == "required" else {}
        bound_model: Runnable[Any, AIMessage] = model.bind_tools(tools["tools"], **choice)  # type: ignore[attr-defined]
    except (NotImplementedError, AttributeError):
        remedy = "this model calls no tools; name another model, or leave out tools"
        raise RunStoppedError(f"{label}: {remedy}") from None
    return bound_model


def build_tool_definitions(definitions: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
    """Return the tools in OpenAI's request format, sorted by name."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in sorted(definitions, key=lambda tool: tool.name)
    ]
