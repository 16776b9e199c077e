"""The server: its tools, what each answers, and how what goes wrong is said."""

import json
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from typing import Any

from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import BaseModel

from ...nodes.models.chat import close_models
from ...state.refused import Refused
from ..council import CouncilRequest, CouncilResponse, acouncil
from ..failure import failure
from ..protocols import protocol
from ..request import Request
from ..saved import Saved
from .arguments import KNOBS, Properties, arguments, asked
from .calls import Answered, Calls, Offer
from .runs import Result, Runs, Status, Tell, result

Given = Mapping[str, Any]

ABOUT_ALL = (
    "Deliberations among language models: a council of two or more, a debate, a consensus dialogue, a panel that reads "
    "papers. One takes minutes and many model calls; for a long one ask start, then status, then result. Every run is "
    "saved under its name."
)
COUNCIL = ("query", "councilMode", "councilMaxTurns", "councilDynamicTermination", "councilPersonaProfile", "context")
RUN: Properties = {"run": {"type": "string", "description": "Name of a saved run."}}
LINES = {
    "council": "Ask a council one question: an adversarial or a consensus dialogue, or a ranking of blind answers.",
    "start": "Begin a debate, consensus or panel that may take long, and come back at once with the name of its run.",
    "status": "Where a run stands: whether it goes on, how many statements there are, and the last of them.",
    "result": "The result of a run that has ended.",
}


def offers(runs: Runs) -> dict[str, Offer]:
    """The tools of a server, by name."""

    async def council(given: Given, tell: Tell) -> Answered:
        async def run(request: Request, db: str) -> Saved:
            return await runs.held(request, tell)

        return await acouncil(given, runs.db, run=run)

    def of_protocol(name: str) -> Callable[[Given, Tell], Awaitable[Answered]]:
        async def deliberate(given: Given, tell: Tell) -> Answered:
            return result(await runs.held(asked(name, given), tell))

        return deliberate

    async def start(given: Given, tell: Tell) -> Answered:
        name = str(given.get("protocol", ""))
        if name not in KNOBS:
            raise Refused("protocol", given.get("protocol"), f"choose one of {', '.join(KNOBS)}")
        run = await runs.started(asked(name, {key: value for key, value in given.items() if key != "protocol"}))
        return await runs.status(run)

    async def status(given: Given, tell: Tell) -> Answered:
        return await runs.status(_run(given))

    async def ended(given: Given, tell: Tell) -> Answered:
        return await runs.result(_run(given))

    found = {name: Offer(_of_protocol(name), of_protocol(name)) for name in KNOBS}
    found["council"] = Offer(_tool("council", _council(), "query", CouncilResponse), council)
    found["start"] = Offer(_tool("start", _every(), "protocol", Status), start)
    found["status"] = Offer(_tool("status", RUN, "run", Status), status)
    found["result"] = Offer(_tool("result", RUN, "run", Result), ended)
    return found


def _run(given: Given) -> str:
    if not isinstance(given.get("run"), str):
        raise Refused("run", given.get("run"), "give the name of a saved run")
    return str(given["run"])


def _of_protocol(name: str) -> Tool:
    return _tool(name, arguments(name), protocol(name).about, Result, protocol(name).line)


def _council() -> Properties:
    known = CouncilRequest.model_json_schema(by_alias=True)["properties"]
    people = known["councilParticipants"] | {"items": {"type": "string"}}
    return {key: known[key] for key in COUNCIL} | {"councilParticipants": people}


def _every() -> Properties:
    """The arguments of every protocol's tool, and which of them it is."""
    every = {"protocol": {"type": "string", "enum": list(KNOBS), "description": "Whose arguments the others are."}}
    for name in KNOBS:
        every |= {key: schema for key, schema in arguments(name).items() if key not in every}
    return every


def _tool(name: str, properties: Properties, required: str, answer: type[BaseModel], line: str = "") -> Tool:
    schema = {"type": "object", "properties": properties, "required": [required], "additionalProperties": False}
    return Tool(
        name=name,
        description=line or LINES[name],
        input_schema=schema,
        output_schema=answer.model_json_schema(by_alias=True, mode="serialization"),
        annotations=ToolAnnotations(read_only_hint=name in ("status", "result")),
    )


def server(runs: Runs) -> Server[Any]:
    """The server of these runs."""
    offered = offers(runs)
    calls = Calls(runs, offered)

    async def tools(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[one.tool for one in offered.values()])

    async def call(
        context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        try:
            answer = await calls.answer(context, params)
        except (ValueError, RuntimeError, OSError) as error:
            return CallToolResult(content=[_text(failure(error).line)], is_error=True)
        if isinstance(answer, InputRequiredResult):
            return answer
        found = answer.model_dump(mode="json", by_alias=True) if isinstance(answer, BaseModel) else answer
        return CallToolResult(content=[_text(json.dumps(found, ensure_ascii=False))], structured_content=found)

    return Server("moot", version=version("moot"), instructions=ABOUT_ALL, on_list_tools=tools, on_call_tool=call)


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


async def serve(db: str, model: str) -> None:
    """Answer on standard input and output until the client leaves; what is under way then ends its current step."""
    runs = Runs(db, model)
    serving = server(runs)
    try:
        async with stdio_server() as (read, write):
            await serving.run(read, write, serving.create_initialization_options())
    finally:
        await runs.close()
        await close_models()
