"""Look-ups: the tools of a run, their limits, and the record of what participants looked up."""

from .record import (
    Lookup,
    LookupStatus,
    PlannedLookup,
    QuotedLookup,
    clip_middle,
    list_cited_lookup_ids,
    rewrite_lookup_ids,
)
from .settings import (
    LIBRARY,
    MCP_PREFIX,
    OBJECT_PREFIX,
    TOOL_NAME,
    LookupSettings,
    McpServer,
    ToolChoice,
    ToolDefinition,
    format_tool,
)
