"""Resources of the MCP server: the reports of saved runs, in Markdown."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from ....models import RunStoppedError
from ....state import InputError, clip_text
from ....storage import get_default_database, is_postgres
from ...display.plain_text import flatten_line
from ...report import load_document, render_markdown
from ...run.failure import explain_failure
from ...saved import open_run_index

RUN_URI, MARKDOWN, MAX_LISTED_RUNS = "moot://runs/", "text/markdown", 100


@dataclass(frozen=True)
class RunResources:
    """MCP resources of one database: the reports of its runs."""

    db: str

    async def list_resources(
        self, context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """Return the newest runs as resources."""
        address = self.db or get_default_database()
        if not (is_postgres(address) or Path(address).expanduser().exists()):
            return ListResourcesResult(resources=[])
        async with open_run_index(address) as table:
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
        """Return the address template for the report of any run, even if it is too old for the list."""
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
        """Return the report of the run at an address. Raises `MCPError` with key, value and remedy."""
        try:
            if not params.uri.startswith(RUN_URI):
                raise InputError("uri", params.uri, f"write {RUN_URI}NAME with the name of a saved run")
            text = render_markdown(await load_document(params.uri.removeprefix(RUN_URI), self.db))
        except (InputError, RunStoppedError) as error:
            raise MCPError(INVALID_PARAMS, explain_failure(error).line) from None
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=text)])
