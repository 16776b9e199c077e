"""Settings of tools: which ones participants may use, how often, and who approves."""

import re
import shlex
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator

from ..errors import make_setting_error
from ..frozen_models import ClosedModel, FrozenModel
from ..recipient import BASE_URL

TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
LIBRARY = "library"
"""Name of the tool that searches the library of papers."""
OBJECT_PREFIX = "object:"
"""Prefix of the stored name of a Python object. The object itself is not stored."""
MCP_PREFIX = "mcp:"
"""Prefix of the tools of an MCP server: `mcp:SERVER` for all, or `mcp:SERVER/TOOL`."""


def _parse_tool(value: object) -> object:
    if isinstance(value, str):
        return value.strip()
    if callable(getattr(value, "ainvoke", None)) and TOOL_NAME.fullmatch(str(getattr(value, "name", ""))):
        return value
    raise ValueError("name a tool, such as 'library', or give a LangChain tool object")


def format_tool(value: Any) -> str:
    """Return the name under which a tool is stored: a text as it is, or `object:NAME` for a Python object."""
    return value if isinstance(value, str) else f"{OBJECT_PREFIX}{value.name}"


ToolChoice = Annotated[
    Any,
    PlainValidator(_parse_tool),
    PlainSerializer(format_tool, return_type=str),
    WithJsonSchema({"type": "string", "maxLength": 300}),
]
"""Name of a tool, or in Python a LangChain tool object. It is stored as its name or as `object:NAME`."""


class ToolDefinition(FrozenModel):
    """Definition of a tool as models see it, with its side effects. A run keeps it from its start."""

    name: str = Field(default="", description="Name that models call.")
    description: str = Field(default="", description="Purpose and use, for models.")
    parameters: dict[str, Any] = Field(default_factory=dict, description="JSON schema of the arguments.")
    reads_only: bool = Field(default=False, description="Whether the tool is known to change nothing.")
    is_local: bool = Field(
        default=False, description="Whether its owner declares that the tool sends nothing from this machine."
    )
    source: str = Field(
        default="",
        description="Entry of `tools` that names the tool: `library`, `mcp:SERVER`, `object:NAME` or a plugin's name.",
    )


class McpServer(ClosedModel):
    """MCP server, given as a command on this machine or as a web address."""

    command: str = Field(default="", max_length=4000, description="Program to start.")
    args: list[str] = Field(default_factory=list, max_length=100, description="Arguments of the program.")
    env: list[str] = Field(
        default_factory=list, max_length=100, description="Names of the variables that the program gets."
    )
    local: bool = Field(
        default=False, description="Whether you declare that the program sends nothing from this machine."
    )
    url: str = Field(default="", max_length=4000, description="Address of a server that runs already.")
    key: str = Field(default="", max_length=200, description="Variable with the server's key, such as `NAME_API_KEY`.")
    trusted: bool = Field(default=False, description="Whether to trust the server when it says that a tool only reads.")

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise make_setting_error("url", self.url, "give either a command or a url")
        if self.url and not BASE_URL.fullmatch(self.url):
            raise make_setting_error("url", self.url, "give an address such as https://host/mcp")
        for name in ("key", "trusted") if self.command else ("args", "env", "local"):
            if value := getattr(self, name):
                owner = "a url" if self.command else "a command"
                raise make_setting_error(name, value, f"it has no effect here; use it only with {owner}")
        return self

    @property
    def address(self) -> str:
        """Return the server's web address or, without one, its command line."""
        return self.url or shlex.join([self.command, *self.args])


class LookupSettings(ClosedModel):
    """Settings of look-ups: their limits, who sees the results, and who approves them."""

    per_turn: int = Field(default=4, ge=0, le=50, description="Maximum look-ups (calls of tools) in a turn.")
    rounds: int = Field(
        default=3,
        ge=1,
        le=10,
        description="Maximum requests to tools in a turn; one request may contain several look-ups.",
    )
    timeout: float = Field(default=30.0, ge=1, le=600, description="Time limit of one look-up, s.")
    chars: int = Field(
        default=8000, ge=200, le=100_000, description="Maximum characters of a result that the model sees."
    )
    turn_chars: int = Field(
        default=24_000,
        ge=200,
        le=1_000_000,
        description="Maximum characters of all results that the model sees in a turn.",
    )
    shared: Literal["cited", "all", "none"] = Field(
        default="cited", description="Results that everyone sees after a statement: those it cites, all, or none."
    )
    approve: Literal["effects", "never", "always"] = Field(
        default="effects", description="Look-ups that you must approve: those that may change something, none, or all."
    )


class ToolSettings(ClosedModel):
    """Settings of the tools that participants may use."""

    tools: list[ToolChoice] = Field(
        default_factory=list,
        max_length=64,
        description="Tools of all participants: `library`, `mcp:SERVER`, `mcp:SERVER/TOOL`, or a plugin's name.",
    )
    mcp_servers: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,30}$")], McpServer] = Field(
        default_factory=dict,
        max_length=16,
        description="MCP servers by name, each with `command`, `args` and `env`, or with `url` and `key`.",
    )
    lookups: LookupSettings = Field(default=LookupSettings(), description="Limits of the look-ups.")
    tool_definitions: list[ToolDefinition] = Field(
        default_factory=list, description="Tools as models see them. Moot fills it in."
    )
