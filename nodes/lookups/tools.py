"""Tools of a run: their definitions, frozen at its start, and the objects that run them.

The state stores only definitions. The objects come from the caller's context, or the operator allows them by
`MOOT_ALLOW_TOOLS`. So a plan or database from somebody else cannot start a program.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config
from langgraph.runtime import get_runtime
from pydantic import Field

from ...models import (
    RunStoppedError,
    check_call,
    check_stay,
    choose_spec,
    find_embedding_spec,
    get_chat_model,
    is_agent_spec,
    is_server_client,
    list_allowed_tools,
    locate_tool,
    record_recipients,
    record_reply,
    replay_reply,
    trusts_imports,
)
from ...prompts import get_term
from ...state import (
    LIBRARY,
    MCP_PREFIX,
    OBJECT_PREFIX,
    TOOL_NAME,
    Call,
    ClosedModel,
    Destination,
    InputError,
    McpServer,
    Participant,
    Settings,
    ToolDefinition,
    format_tool,
    is_declared_local,
)
from ...state.plugins import TOOL_GROUP, load_plugin, map_entry_points
from ...storage import find_saver
from .lookup_turn import find_durability_fault

MAX_TOOLS, MAX_SCHEMA_BYTES, MAX_TOTAL_BYTES = 64, 8_000, 32_000
"""Limits on the tools of a run: their number, the bytes of one schema, and the bytes of all schemas."""
MAX_REFERENCES = 24
"""Maximum references in a tool's schema, because resolved references multiply."""
EXCERPT_LENGTH = 1500

S = TypeVar("S", bound=Settings)


class LibraryQuery(ClosedModel):
    """Arguments of a search in the paper library."""

    query: str = Field(min_length=1, max_length=2000, description="Words to search for.")
    n: int = Field(default=3, ge=1, le=10, description="Maximum papers to return.")


class LibrarySearch(BaseTool):
    """Tool with which participants search the run's papers."""

    name: str = LIBRARY
    description: str = "Search the library of papers. Returns the most relevant papers with excerpts."
    args_schema: Any = LibraryQuery
    metadata: dict[str, Any] | None = Field(default_factory=lambda: {"reads_only": True})
    settings: Any = None
    calls: list[Call] = Field(default_factory=list)

    def _run(self, query: str, n: int = 3) -> str:
        raise NotImplementedError

    async def _arun(self, query: str, n: int = 3) -> str:
        """Search the library. Return the papers found as text, with their most relevant passages.

        `n`: maximum number of papers.
        """
        from ...papers.library import search_library
        from ...state.papers import make_excerpt

        result, self.calls, _ = await search_library(self.settings, query, n)
        papers = [
            f"[@{hit.paper.id}] {hit.paper.title} ({hit.paper.year or '–'})\n"
            f"{make_excerpt(hit.paper, EXCERPT_LENGTH, query)}"
            for hit in result.hits
        ]
        return "\n\n".join(papers) or get_term(
            self.settings.language, "lookups", "nothing_found", searched=result.searched
        )


async def resolve_tools(settings: S, participants: Sequence[Participant]) -> tuple[S, list[Participant]]:
    """Return the settings with all tool definitions, and the participants with their tools' names.

    Raises `InputError` for a tool that cannot be used.
    """
    context = get_runtime().context
    choices = context.tools if isinstance(context, Settings) else settings.tools
    definitions_by_source = {source: await _define_tools(source, settings) for source in map(format_tool, choices)}
    definitions = sorted(
        (tool for tools in definitions_by_source.values() for tool in tools), key=lambda tool: tool.name
    )
    _check_definitions(definitions)
    participants = [_with_tool_names(participant, definitions_by_source) for participant in participants]
    if not definitions:
        return settings, participants
    settings = settings.with_choices(tool_definitions=[tool.model_dump() for tool in definitions])
    settings = record_recipients(settings, participants)
    if fault := find_durability_fault(settings):
        raise InputError("tools", [tool.name for tool in definitions if not tool.reads_only], fault)
    if settings.lookups.approve == "always" and not find_saver(get_config()):
        raise InputError(
            "lookups.approve",
            "always",
            "each look-up waits for your approval, so the run must be saved; compile the graph with a checkpointer",
        )
    for participant in participants:
        if participant.kind == "model" and participant.tools != [] and not settings.replay:
            _check_tool_calling(settings, participant)
    return settings, participants


async def _define_tools(source: str, settings: Settings) -> list[ToolDefinition]:
    """Return the definitions of the tools that the settings name by `source`.

    In a replay, they come from the recording.
    """
    request = {"purpose": "tools", "source": source}
    reply: Any = await replay_reply(settings, request)
    if reply is not None:
        return [ToolDefinition.model_validate(values) for values in reply["tools"]]
    definitions = [_define_tool(tool, source) for tool in await get_tools(source, settings)]
    await record_reply(settings, request, {"tools": [tool.model_dump(mode="json") for tool in definitions]})
    return definitions


def _define_tool(tool: BaseTool, source: str) -> ToolDefinition:
    """Return the definition of a tool.

    `source`: its name in the settings. Raises `InputError` for a schema that is unreadable or may grow too large.
    """
    if str(tool.args_schema).count("$ref") > MAX_REFERENCES:
        remedy = f"must have a schema with at most {MAX_REFERENCES} references; leave the tool out"
        raise InputError("tools", tool.name, remedy)
    try:
        function = convert_to_openai_tool(tool)["function"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise InputError("tools", tool.name, f"must have a readable schema ({error}); leave the tool out") from None
    return ToolDefinition(
        name=tool.name,
        description=function.get("description", ""),
        parameters=function.get("parameters") or {"type": "object", "properties": {}},
        reads_only=(tool.metadata or {}).get("reads_only") is True,
        is_local=is_declared_local(tool),
        source=source,
    )


async def get_tools(source: str, settings: Settings) -> list[BaseTool]:
    """Return the tools that the settings name by `source`.

    Raises `InputError` for an unusable name, and for one that the setting `stay` forbids.
    """
    tools = await _load_tools(source, settings)
    if source == LIBRARY and (spec := find_embedding_spec(settings)):
        check_call(settings, "embeddings", spec)
    for tool in [] if source == LIBRARY or source.startswith(MCP_PREFIX) else tools:
        destination = Destination(name=tool.name, is_code=True, is_declared=is_declared_local(tool))
        check_stay(settings, "tools", tool.name, destination)
    return tools


async def _load_tools(source: str, settings: Settings) -> list[BaseTool]:
    if is_server_client() and source not in list_allowed_tools():
        raise InputError(
            "tools",
            source,
            "this server does not let its clients use this tool; ask its operator to add it to MOOT_ALLOW_TOOLS",
        )
    if source == LIBRARY:
        return [LibrarySearch(settings=settings)]
    context = get_runtime().context
    choices: list[Any] = context.tools if isinstance(context, Settings) else []
    if source.startswith(OBJECT_PREFIX):
        if tools := [tool for tool in choices if format_tool(tool) == source and isinstance(tool, BaseTool)]:
            return tools
        raise InputError(
            "tools", source, "Moot does not store tool objects; pass it again in the context, as tools=[…]"
        )
    if source.startswith(MCP_PREFIX):
        check_mcp_server(source, settings, context.mcp_servers if isinstance(context, Settings) else {})
        try:
            from ...models.mcp_sessions import list_mcp_tools
        except ImportError:
            raise InputError("tools", source, 'MCP servers need the package mcp: pip install "moot[mcp]"') from None
        return await list_mcp_tools(source, settings.mcp_servers)
    if source not in map_entry_points(TOOL_GROUP):
        names = ", ".join(
            [LIBRARY, *(f"{MCP_PREFIX}{name}" for name in settings.mcp_servers), *map_entry_points(TOOL_GROUP)]
        )
        raise InputError("tools", source, f"there is no such tool; choose one of {names}")
    if not (trusts_imports() and source in choices) and source not in list_allowed_tools():
        raise InputError(
            "tools",
            source,
            f"a saved run starts an installed tool only with your permission; set MOOT_ALLOW_TOOLS={source}",
        )
    plugin = load_plugin("tools", TOOL_GROUP, source)
    provided = plugin if isinstance(plugin, BaseTool) else plugin()
    tools = [provided] if isinstance(provided, BaseTool) else list(provided)
    if any(not isinstance(tool, BaseTool) for tool in tools):
        raise InputError("tools", source, "the plugin must be a LangChain tool, or a function that returns such tools")
    return tools


def check_mcp_server(source: str, settings: Settings, trusted_servers: Mapping[str, McpServer]) -> None:
    """Check that a tool's server is known and allowed, before it is started or called.

    Raises `InputError`.

    The settings may come from somebody else's database. `trusted_servers`: servers that the caller gives.
    """
    name = source.removeprefix(MCP_PREFIX).partition("/")[0]
    if name not in settings.mcp_servers:
        known_names = ", ".join(settings.mcp_servers) or "none"
        raise InputError("tools", source, f"mcp_servers has no such server; it has {known_names}")
    server = settings.mcp_servers[name]
    check_stay(settings, "tools", source, locate_tool(settings, source, source))
    if trusts_imports() and trusted_servers.get(name) == server:
        return
    if (entry := f"{MCP_PREFIX}{server.address}") not in list_allowed_tools():
        raise InputError(
            "tools",
            source,
            (
                "a saved run starts a server only with your permission; give the setting again, or set "
                f"MOOT_ALLOW_TOOLS={entry}"
            ),
        )


async def load_tool(name: str, settings: Settings) -> BaseTool:
    """Return the object that runs the tool `name`.

    Raises `RunStoppedError` if it is missing, or differs from the definition with which the run began.
    """
    definition = next(tool for tool in settings.tool_definitions if tool.name == name)
    try:
        tools = await get_tools(definition.source, settings)
    except InputError as error:
        raise RunStoppedError(str(error)) from None
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None or _define_tool(tool, definition.source) != definition:
        change = f"{name} has changed since the run started; restore the old version or start a new run"
        raise RunStoppedError(f"tools = {definition.source}: {change}")
    return tool


def _check_definitions(definitions: Sequence[ToolDefinition]) -> None:
    names = [tool.name for tool in definitions]
    sizes = [
        len(json.dumps([tool.description, tool.parameters], ensure_ascii=False).encode(errors="replace"))
        for tool in definitions
    ]
    if len(definitions) > MAX_TOOLS or sum(sizes) > MAX_TOTAL_BYTES:
        raise InputError(
            "tools",
            len(definitions),
            f"must be at most {MAX_TOOLS} tools with {MAX_TOTAL_BYTES // 1000} kB of text and schemas; name fewer",
        )
    for tool, size in zip(definitions, sizes, strict=True):
        if not TOOL_NAME.fullmatch(tool.name):
            raise InputError("tools", tool.name, "a tool's name has 1–64 letters, digits, - or _; rename it")
        if names.count(tool.name) > 1:
            raise InputError("tools", tool.name, "two tools have this name; leave one out")
        if size > MAX_SCHEMA_BYTES:
            raise InputError(
                "tools", tool.name, f"its description and schema have over {MAX_SCHEMA_BYTES // 1000} kB; leave it out"
            )


def _with_tool_names(participant: Participant, definitions_by_source: dict[str, list[ToolDefinition]]) -> Participant:
    if participant.tools is None:
        return participant
    names: set[str] = set()
    known_names = {tool.name for tools in definitions_by_source.values() for tool in tools}
    for entry in participant.tools:
        if entry not in definitions_by_source and entry not in known_names:
            raise InputError(
                f"tools of {participant.name}",
                entry,
                f"the run has no such tool; the setting tools has {', '.join(definitions_by_source) or 'none'}",
            )
        names |= {tool.name for tool in definitions_by_source.get(entry, [])} or {entry}
    return participant.model_copy(update={"tools": sorted(names)})


def _check_tool_calling(settings: Settings, participant: Participant) -> None:
    """Check that a participant's model can call tools. A model without a profile passes.

    Raises `InputError`.
    """
    spec = choose_spec(settings, participant.name, participant.model)
    if is_agent_spec(spec):
        return
    profile = getattr(get_chat_model(spec, settings, participant.name), "profile", None) or {}
    if profile.get("tool_calling") is False:
        raise InputError(
            "tools",
            participant.name,
            f"the model {spec} calls no tools; name another model, or set tools=[] for this participant",
        )
