"""Prompts of an assistant: one per protocol with a topic, and the explanation of a saved run."""

from typing import Any

from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from ....state import InputError
from ...protocols.protocol import get_protocol
from .arguments import map_tool_settings

DELIBERATION_TASK = (
    "Call the tool `start` with the protocol `{name}` and this question:\n\n{topic}\n\nThen call `status` until the "
    "run has ended, and `result`. Tell me the outcome, the strongest reasons on each side, who disagreed, and the name "
    "of the run."
)
EXPLANATION_TASK = (
    "Call the tool `result` for the run `{run}`. Tell me how it ended and why, the turning points with their turn "
    "numbers, and what stayed open. Quote only what the statements say."
)


def map_prompt_tasks() -> dict[str, tuple[str, str, str]]:
    """List the prompts by name: description, argument and task."""
    deliberations = {
        name: (get_protocol(name).line, "topic", DELIBERATION_TASK.replace("{name}", name))
        for name in map_tool_settings()
        if get_protocol(name).topic_key
    }
    return {**deliberations, "explain": ("Explain a saved run.", "run", EXPLANATION_TASK)}


async def list_prompts(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListPromptsResult:
    """List the prompts."""
    return ListPromptsResult(
        prompts=[
            Prompt(name=name, description=line, arguments=[PromptArgument(name=argument, required=True)])
            for name, (line, argument, _) in map_prompt_tasks().items()
        ]
    )


async def get_prompt(context: ServerRequestContext[Any], params: GetPromptRequestParams) -> GetPromptResult:
    """Return a prompt with its argument filled in. Raises `MCPError` with key, value and remedy."""
    tasks = map_prompt_tasks()
    line, argument, task = tasks.get(params.name, ("", "", ""))
    value = (params.arguments or {}).get(argument, "").strip()
    if not (task and value):
        key, remedy = (argument, "must be given") if task else ("prompt", f"choose one of {', '.join(tasks)}")
        raise MCPError(INVALID_PARAMS, str(InputError(key, value if task else params.name, remedy)))
    return GetPromptResult(
        description=line,
        messages=[
            PromptMessage(role="user", content=TextContent(type="text", text=task.replace(f"{{{argument}}}", value)))
        ],
    )
