"""Sessions with MCP servers, and the servers' tools. Needs the extra `mcp`.

An invocation of a run opens a session per server at first use, and closes all sessions at the invocation's end. A
separate task holds each session, because only the task that opened a session may close the session.
"""

import asyncio
import os
import re
import subprocess
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any, TextIO, cast

import anyio
import httpx2
from langchain_core.tools import BaseTool, ToolException
from langgraph.config import get_config
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CONNECTION_CLOSED, Tool

from ..state import InputError, McpServer
from ..storage.langgraph_internals import MCP_SESSIONS_KEY
from .answer_size_limit import ENCODING_HEADERS, limit_batch
from .api_keys import NO_KEY, check_key_variable, read_key
from .error_classification import extract_message
from .http_clients import make_http_client

CONNECTION_TIMEOUT = 10.0
"""Maximum seconds until a server has listed its tools."""
READ_TIMEOUT = 600.0
"""Maximum seconds without data of an answer over HTTP. The time limit of a look-up is usually shorter."""
MAX_PAGES = 20


class McpSession:
    """Session with one MCP server."""

    def __init__(self, server: McpServer) -> None:
        self._server, self._done_event, self._scope = server, asyncio.Event(), anyio.CancelScope()
        self._opening: asyncio.Future[tuple[Client, list[Tool]]] = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.create_task(self._hold_connection())

    async def _hold_connection(self) -> None:
        server = self._server
        with self._scope:  # a task's own cancel would break off the shutdown of a program
            async with AsyncExitStack() as stack:
                if server.command:
                    environment = {name: os.environ[name] for name in server.env}
                    parameters = StdioServerParameters(command=server.command, args=server.args, env=environment)
                    transport = stdio_client(parameters, cast(TextIO, subprocess.DEVNULL))
                else:
                    headers = {"Authorization": f"Bearer {read_key(server.key)}"} if server.key else {}
                    timeout = httpx2.Timeout(CONNECTION_TIMEOUT, read=READ_TIMEOUT)
                    hooks = {"response": [limit_batch]}
                    http_client = make_http_client(
                        httpx2.AsyncClient, headers=ENCODING_HEADERS | headers, timeout=timeout, event_hooks=hooks
                    )
                    await stack.enter_async_context(http_client)
                    transport = streamable_http_client(server.url, http_client=http_client)
                client = await stack.enter_async_context(Client(transport))
                page = await client.list_tools()
                tools = list(page.tools)
                for _ in range(MAX_PAGES):
                    if page.next_cursor:
                        page = await client.list_tools(cursor=page.next_cursor)
                        tools += page.tools
                self._opening.set_result((client, tools))
                await self._done_event.wait()

    @property
    def is_over(self) -> bool:
        """Return whether the session has ended or was asked to end."""
        return self._done_event.is_set() or self._keeper.done()

    def request_end(self) -> None:
        """Ask the session and the program that it started to end. Do not wait for the end."""
        self._done_event.set()
        if not self._opening.done():
            self._scope.cancel()

    async def open(self) -> tuple[Client, list[Tool]]:
        """Return the session's client and the server's tools.

        Raises `ToolException` if the server does not answer.
        """
        waits: list[asyncio.Future[Any]] = [self._opening, self._keeper]
        await asyncio.wait(waits, timeout=CONNECTION_TIMEOUT, return_when=asyncio.FIRST_COMPLETED)
        if self._opening.done():
            return self._opening.result()
        error = (
            self._keeper.exception()
            if self._keeper.done()
            else TimeoutError(f"not ready within {CONNECTION_TIMEOUT:g} s")
        )
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        self.request_end()
        raise ToolException(
            error.message if isinstance(error, MCPError) else extract_message(error or EOFError("it ended"))
        )

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call the tool `name`. Return the blocks of its result or, without blocks, the structured data.

        Raises `ToolException` if the server or the tool reports an error.
        """
        client, _ = await self.open()
        try:
            result = await client.call_tool(name, arguments)
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                self.request_end()
            raise ToolException(error.message) from None
        blocks = [block.model_dump(mode="json", by_alias=True) for block in result.content]
        blocks = [{**block, **block["resource"]} if "resource" in block else block for block in blocks]
        if result.is_error:
            raise ToolException("\n".join(str(block.get("text", "")) for block in blocks))
        return blocks or result.structured_content or ""

    async def close(self) -> None:
        """End the session, and wait until it has ended."""
        self.request_end()
        if not (await asyncio.wait([self._keeper], timeout=CONNECTION_TIMEOUT))[0]:
            self._scope.cancel()
            await asyncio.wait([self._keeper], timeout=CONNECTION_TIMEOUT)
        if self._keeper.done() and not self._keeper.cancelled():
            self._keeper.exception()  # a fault at the end changes nothing


class McpTool(BaseTool):
    """Tool of an MCP server. `sessions`: open sessions by the name of the server."""

    sessions: dict[str, Any]
    server_name: str
    server: McpServer
    remote_name: str

    def _run(self, **arguments: Any) -> Any:
        raise NotImplementedError

    async def _arun(self, **arguments: Any) -> Any:
        return await get_session(self.sessions, self.server_name, self.server).call_tool(self.remote_name, arguments)


def get_session(sessions: dict[str, Any], name: str, server: McpServer) -> McpSession:
    """Return the session with the server `name`, opened at first use and after a lost connection.

    `sessions`: open sessions by server, to which a new one is added.
    """
    if name not in sessions or sessions[name].is_over:
        sessions[name] = McpSession(server)
    session: McpSession = sessions[name]
    return session


async def list_mcp_tools(source: str, servers: Mapping[str, McpServer]) -> list[BaseTool]:
    """Return the tools that `source` names, as `mcp:SERVER` or `mcp:SERVER/TOOL`.

    Raises `InputError` if there are no such tools, or if the server cannot be used.
    """
    name, _, tool_name = source.partition(":")[2].partition("/")
    server, setting = servers[name], f"mcp_servers.{name}"
    if missing_variables := [variable for variable in server.env if variable not in os.environ]:
        raise InputError(
            f"{setting}.env", missing_variables[0], "this environment variable is not set; set it, or leave it out"
        )
    if server.key:
        check_key_variable(server.url, server.url, server.key, f"{setting}.key")
        if read_key(server.key) == NO_KEY:
            raise InputError(
                f"{setting}.key", server.key, "this environment variable is not set; set it, or leave it out"
            )
    sessions = get_config()["configurable"][MCP_SESSIONS_KEY]
    try:
        _, remote_tools = await get_session(sessions, name, server).open()
    except ToolException as error:
        raise InputError(
            "tools", source, f"no answer from {server.address}: {error}; check that the server runs"
        ) from None
    is_trusted = bool(server.command) or server.trusted
    tools: list[BaseTool] = [
        McpTool(
            name=re.sub(r"[^A-Za-z0-9_-]", "_", f"{name}__{tool.name}"),
            description=tool.description or tool.title or "",
            args_schema=tool.input_schema,
            metadata={
                "reads_only": bool(tool.annotations and tool.annotations.read_only_hint and is_trusted),
                "local": server.local,
            },
            sessions=sessions,
            server_name=name,
            server=server,
            remote_name=tool.name,
        )
        for tool in remote_tools
        if tool_name in ("", tool.name)
    ]
    if not tools:
        names = ", ".join(tool.name for tool in remote_tools)
        raise InputError("tools", source, f"the server has no such tool; its tools: {names or 'none'}")
    return tools
