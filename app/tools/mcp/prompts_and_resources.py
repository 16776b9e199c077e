"""Prompts and resources of an assistant.

Prompts: one per protocol with a topic, and the explanation of a saved run. Resources: the reports of runs, in Markdown.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from ....models import RunStoppedError
from ....state import InputError, clip_text
from ....storage import get_default_database, is_postgres
from ...display.plain_text import flatten_line
from ...protocols.protocol import get_protocol
from ...report import load_document, render_markdown
from ...run.failure import explain_failure
from ...saved import open_run_table
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


RUN_URI, MARKDOWN, MAX_LISTED_RUNS = "moot://runs/", "text/markdown", 100


@dataclass(frozen=True)
class RunResources:
    """Resources of one database."""

    db: str

    async def list_resources(
        self, context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """List the newest runs."""
        address = self.db or get_default_database()
        if not (is_postgres(address) or Path(address).expanduser().exists()):
            return ListResourcesResult(resources=[])
        async with open_run_table(address) as table:
            runs = (await table.runs.list_runs())[:MAX_LISTED_RUNS]
        return ListResourcesResult(
            resources=[
                Resource(
                    uri=RUN_URI + run.run,
                    name=run.run,
                    title=clip_text(flatten_line(run.topic), 100) or run.protocol,
                    description=f"{run.protocol}, {run.started}",
                    mime_type=MARKDOWN,
                )
                for run in runs
            ]
        )

    async def list_templates(
        self, context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """List the template of all runs, including those that are too old for the list."""
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(
                    uri_template=f"{RUN_URI}{{run}}",
                    name="run",
                    description="Report of a saved run.",
                    mime_type=MARKDOWN,
                )
            ]
        )

    async def read_resource(
        self, context: ServerRequestContext[Any], params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        """Return the report of a run. Raises `MCPError` with key, value and remedy."""
        try:
            if not params.uri.startswith(RUN_URI):
                raise InputError("uri", params.uri, f"write {RUN_URI}NAME with the name of a saved run")
            text = render_markdown(await load_document(params.uri.removeprefix(RUN_URI), self.db))
        except (InputError, RunStoppedError) as error:
            raise MCPError(INVALID_PARAMS, explain_failure(error).line) from None
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=text)])
