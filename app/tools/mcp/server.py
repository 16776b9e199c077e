"""MCP server: its tools with their answers and errors, and its prompts.

There is a prompt for each protocol with a topic, and one that explains a saved run.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any

from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
    Tool,
    ToolAnnotations,
)
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, TypeAdapter

from ....models import close_models
from ....state import InputError, explain_unknown_key
from ...council_api import CouncilRequest, CouncilResponse, acouncil
from ...protocols.registry import get_protocol
from ...run import RunRequest, explain_failure
from ...saved import SavedRun
from .arguments import ArgumentSchemas, build_arguments, build_tool_request, list_required, map_tool_settings
from .people import WaitingForFormError, can_show_forms, parse_reply
from .resources import RunResources
from .runs import ProgressReporter, RunStatus, ServerRuns, ToolResult, build_tool_result

ToolArguments = Mapping[str, Any]
ToolAnswer = BaseModel | Mapping[str, Any]
AnswerFunction = Callable[[ToolArguments, ProgressReporter], Awaitable[ToolAnswer]]

SERVER_INSTRUCTIONS = (
    "Deliberations among language models: a council of two or more, a debate, a consensus dialogue, a jury, estimates "
    "in rounds, a panel that reads papers. A deliberation takes minutes and many model calls. For a long one call "
    "start, then status, then result; stop ends it early. Every run is saved under its name and is a resource."
)
COUNCIL_ARGUMENTS = (
    "query",
    "councilMode",
    "councilMaxTurns",
    "councilDynamicTermination",
    "councilPersonaProfile",
    "context",
)
RUN_ARGUMENT: ArgumentSchemas = {"run": {"type": "string", "description": "Name of a saved run."}}
TOOL_DESCRIPTIONS = {
    "council": "Ask a council one question: an adversarial or a consensus dialogue, or a ranking of blind answers.",
    "start": "Start a deliberation that may take long; return its run name at once.",
    "status": "Show the state of a run, its number of statements and the last statement.",
    "result": "Return the result of a run that has ended.",
    "stop": "Stop a run after its current step. It stays saved and can be continued.",
}
DELIBERATION_TASK = (
    "Call the tool `start` with the protocol `{name}` and this question:\n\n{topic}\n\nThen call `status` until the "
    "run has ended, and `result`. Tell me the outcome, the strongest reasons on each side, who disagreed, and the name "
    "of the run."
)
EXPLANATION_TASK = (
    "Call the tool `result` for the run `{run}`. Tell me how it ended and why, the turning points with their turn "
    "numbers, and what stayed open. Quote only what the statements say."
)


@dataclass(frozen=True)
class ToolOffer:
    """Tool that the server offers, and the function that answers a call.

    The function takes the arguments and a progress reporter.
    """

    tool: Tool
    answer: AnswerFunction


def build_tools(runs: ServerRuns) -> dict[str, ToolOffer]:
    """Build the tools of a server, by name."""

    schemas = CouncilRequest.model_json_schema(by_alias=True)["properties"]
    council_arguments = {key: schemas[key] for key in COUNCIL_ARGUMENTS}
    council_arguments["councilParticipants"] = schemas["councilParticipants"] | {"items": {"type": "string"}}

    async def answer_council(values: ToolArguments, report_progress: ProgressReporter) -> ToolAnswer:
        for key in values.keys() - council_arguments.keys():
            raise InputError(key, values[key], explain_unknown_key(key, list(council_arguments)))

        async def run_council(request: RunRequest, db: str) -> SavedRun:
            return await runs.run_deliberation(request, report_progress)

        return await acouncil(values, runs.db, run=run_council)

    async def deliberate(name: str, values: ToolArguments, report_progress: ProgressReporter) -> ToolAnswer:
        return build_tool_result(await runs.run_deliberation(build_tool_request(name, values), report_progress))

    async def answer_start(values: ToolArguments, report_progress: ProgressReporter) -> ToolAnswer:
        name = str(values.get("protocol", ""))
        if name not in map_tool_settings():
            raise InputError("protocol", values.get("protocol"), f"choose one of {', '.join(map_tool_settings())}")
        run = await runs.start_run(
            build_tool_request(name, {key: value for key, value in values.items() if key != "protocol"})
        )
        return await runs.get_status(run)

    async def answer_for_run(
        get_answer: Callable[[str], Awaitable[ToolAnswer]], values: ToolArguments, report_progress: ProgressReporter
    ) -> ToolAnswer:
        if not isinstance(values.get("run"), str):
            raise InputError("run", values.get("run"), "give the name of a saved run")
        return await get_answer(values["run"])

    tools = {
        name: ToolOffer(
            _make_tool(name, build_arguments(name), list_required(name), ToolResult, get_protocol(name).line),
            partial(deliberate, name),
        )
        for name in map_tool_settings()
    }
    tools["council"] = ToolOffer(_make_tool("council", council_arguments, ["query"], CouncilResponse), answer_council)
    start_arguments: ArgumentSchemas = {
        "protocol": {
            "type": "string",
            "enum": list(map_tool_settings()),
            "description": "Protocol to run; the other arguments depend on it.",
        }
    }
    for name in map_tool_settings():
        start_arguments |= {key: schema for key, schema in build_arguments(name).items() if key not in start_arguments}
    tools["start"] = ToolOffer(_make_tool("start", start_arguments, ["protocol"], RunStatus), answer_start)
    run_tools: dict[str, tuple[type[BaseModel], Callable[[str], Awaitable[ToolAnswer]]]] = {
        "status": (RunStatus, runs.get_status),
        "result": (ToolResult, runs.get_result),
        "stop": (RunStatus, runs.stop_run),
    }
    for name, (answer_type, get_answer) in run_tools.items():
        tools[name] = ToolOffer(
            _make_tool(name, RUN_ARGUMENT, ["run"], answer_type), partial(answer_for_run, get_answer)
        )
    return tools


def _make_tool(
    name: str,
    properties: ArgumentSchemas,
    required_arguments: list[str],
    answer_type: type,
    description: str = "",
) -> Tool:
    return Tool(
        name=name,
        description=description or TOOL_DESCRIPTIONS[name],
        input_schema={
            "type": "object",
            "properties": properties,
            "required": required_arguments,
            "additionalProperties": False,
        },
        output_schema=TypeAdapter(answer_type).json_schema(by_alias=True, mode="serialization"),
        annotations=ToolAnnotations(read_only_hint=name in ("status", "result")),
    )


@dataclass
class ToolCalls:
    """Calls to the tools of one server.

    `questions`: questions that a client has not answered yet, by key.
    """

    runs: ServerRuns
    offers: Mapping[str, ToolOffer]
    questions: dict[str, WaitingForFormError] = field(default_factory=dict)

    async def answer_call(
        self, context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> ToolAnswer | InputRequiredResult:
        """Return the answer of a tool or, if a person must answer first, a form for the client to show.

        Raises `WaitingForFormError` if the run waits for a person and the client cannot show forms.
        """
        report_progress = context.session.report_progress
        if params.request_state is not None:
            waiting_error = self.questions.pop(params.request_state, None)
            if waiting_error is None:
                raise InputError(
                    "requestState", params.request_state, "this question is no longer open; call the tool again"
                )
            reply = (params.input_responses or {}).get(waiting_error.question["who"])
            pending_answer: Awaitable[ToolAnswer] = self._continue_call(
                waiting_error, reply if isinstance(reply, ElicitResult) else None, report_progress
            )
        elif params.name in self.offers:
            pending_answer = self.offers[params.name].answer(params.arguments or {}, report_progress)
        else:
            raise InputError("tool", params.name, f"choose one of {', '.join(self.offers)}")
        while True:
            try:
                return await pending_answer
            except WaitingForFormError as error:
                if not can_show_forms(context.session.client_capabilities):
                    raise
                if is_version_at_least(context.protocol_version, "2026-07-28"):
                    # From this version on a form is an answer; the client then calls again with the entries.
                    self.questions[error.key] = error
                    return InputRequiredResult(
                        input_requests={error.question["who"]: ElicitRequest(params=error.form)},
                        request_state=error.key,
                    )
                entries = None
                with suppress(TimeoutError):  # the person's deadline
                    async with asyncio.timeout(error.seconds):
                        entries = await context.session.elicit_form(
                            error.form.message, error.form.requested_schema, context.request_id
                        )
                pending_answer = self._continue_call(error, entries, report_progress)

    async def _continue_call(
        self, waiting_error: WaitingForFormError, reply: ElicitResult | None, report_progress: ProgressReporter
    ) -> ToolAnswer:
        answer = parse_reply(waiting_error, reply) if reply else None
        return build_tool_result(await self.runs.continue_run(waiting_error, answer, report_progress))


def map_prompt_tasks() -> dict[str, tuple[str, str, str]]:
    """Return the description, argument and task of each prompt, by its name."""
    deliberations = {
        name: (get_protocol(name).line, "topic", DELIBERATION_TASK.replace("{name}", name))
        for name in map_tool_settings()
        if get_protocol(name).topic_key
    }
    return {**deliberations, "explain": ("Explain a saved run.", "run", EXPLANATION_TASK)}


async def list_prompts(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListPromptsResult:
    """Return the server's prompts."""
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


def build_server(runs: ServerRuns) -> Server[Any]:
    """Build the MCP server that executes these runs."""
    tool_offers = build_tools(runs)
    tool_calls, run_resources = ToolCalls(runs, tool_offers), RunResources(runs.db)

    async def list_tools(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[offer.tool for offer in tool_offers.values()])

    async def call_tool(
        context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        try:
            answer = await tool_calls.answer_call(context, params)
        except (ValueError, RuntimeError, OSError) as error:
            return CallToolResult(content=[TextContent(type="text", text=explain_failure(error).line)], is_error=True)
        if isinstance(answer, InputRequiredResult):
            return answer
        content = answer.model_dump(mode="json", by_alias=True) if isinstance(answer, BaseModel) else dict(answer)
        return CallToolResult(
            content=[TextContent(type="text", text=json.dumps(content, ensure_ascii=False))], structured_content=content
        )

    return Server(
        "moot",
        version=version("moot"),
        instructions=SERVER_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=run_resources.list_resources,
        on_list_resource_templates=run_resources.list_templates,
        on_read_resource=run_resources.read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


async def serve_tools(db: str, model: str) -> None:
    """Serve tools on standard input and output until the client leaves. Then finish the current steps.

    `db`: database of the runs. `model`: default model.
    """
    runs = ServerRuns(db, model)
    mcp_server = build_server(runs)
    try:
        async with stdio_server() as (read_stream, write_stream):
            await mcp_server.run(read_stream, write_stream, mcp_server.create_initialization_options())
    finally:
        await runs.close()
        await close_models()
