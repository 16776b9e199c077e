"""Look-ups: the tools of a run, their limits, and the record of what participants looked up."""

from .record import Lookup, QuotedLookup
from .settings import LookupSettings, McpServer, ToolChoice, ToolDefinition
