"""Groups of settings: models, caps and prices, length of prompts, and memory."""

import inspect
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator

from .errors import make_setting_error
from .frozen_models import ClosedModel
from .recipient import parse_origin

TextLimit = Annotated[int, Field(gt=3, le=1_000_000)]
"""Length in code points. It must exceed 3, the length of an ellipsis."""


AGENT_PREFIX = "agent:"
A2A_PREFIX = "a2a:"
"""Prefix of the spec of another program's agent, before its address: `a2a:https://host/path#NAME_API_KEY`."""
AGENT_OBJECT = "agent:object:"
"""Prefix of the stored spec of an agent object. To resume a run, the caller passes the object again."""


DECLARED_MARK = "#local"
"""End of the spec of an object or agent that is declared to send nothing from this machine."""
REMOTE_GRAPH = "langgraph.pregel.remote.RemoteGraph"
"""Class of an agent on a LangGraph server. The origin of its server follows `@` in its spec."""


def _parse_model(value: object) -> object:
    if isinstance(value, str):
        return value.strip()
    is_model = callable(getattr(value, "ainvoke", None)) and not isinstance(value, type)
    if is_model or inspect.isroutine(value):
        return value
    raise ValueError("a model is a spec such as 'openai:gpt-5-mini' or 'rehearsal', a chat model object, or an agent")


def mark_unused_settings(schema: dict[str, Any], settings_class: Any) -> None:
    """Mark the settings without effect in the schema of a form, and remove their defaults.

    The form then leaves these settings out.
    """
    for key in schema["properties"].keys() & settings_class.unused_settings.keys():
        schema["properties"][key] |= {
            "description": f"Does nothing: {settings_class.unused_settings[key]}; leave it out."
        }
        schema["properties"][key].pop("default", None)


def unwrap_agent(value: Any) -> Any:
    """Return the model or agent inside Runnable bindings, such as those of `with_config` and `bind`."""
    while (core := getattr(value, "bound", None) or getattr(value, "runnable", None)) is not None:
        value = core
    return value


def is_agent_object(value: object) -> bool:
    """Return whether an object is an agent: a function, or a Runnable that is not a chat model."""
    core = unwrap_agent(value)
    return inspect.isroutine(core) or (hasattr(core, "get_graph") and not hasattr(core, "bind_tools"))


def split_agent_spec(spec: str) -> tuple[str, str]:
    """Split the spec of an agent into its name and its server's address. The address may be empty."""
    name, _, address = spec.removesuffix(DECLARED_MARK).partition("@")
    return name, address


def find_remote_origin(agent: object) -> str:
    """Return the origin (scheme, host and port) of an agent's server; empty for an agent in this process."""
    core = unwrap_agent(agent)
    if f"{type(core).__module__}.{type(core).__name__}" != REMOTE_GRAPH:
        return ""
    http_client = getattr(getattr(core.client, "http", None), "client", None)
    return parse_origin(str(getattr(http_client, "base_url", "")).rstrip("/"))


def is_declared_local(value: object) -> bool:
    """Return whether an object declares in its `metadata` that it sends nothing from this machine.

    The key is `local: True`.
    """
    config = getattr(value, "config", None)
    metadata = getattr(value, "metadata", None) or (config.get("metadata") if isinstance(config, dict) else None)
    return isinstance(metadata, dict) and metadata.get("local") is True


def format_model(value: object) -> str:
    """Return the spec of a model, such as `openai:gpt-5-mini`, for storage.

    An object is stored by the name of its class or function. For a remote graph, `@` and the origin of its server
    follow. For an object that is declared local, `#local` follows.
    """
    if isinstance(value, str):
        return value
    prefix = AGENT_OBJECT if is_agent_object(value) else "object:"
    suffix = DECLARED_MARK if is_declared_local(value) else ""
    address = f"@{origin}" if (origin := find_remote_origin(value)) else ""
    return f"{prefix}{value.__name__ if inspect.isroutine(value) else type(value).__name__}{address}{suffix}"


ModelChoice = Annotated[
    Any,
    PlainValidator(_parse_model),
    PlainSerializer(format_model, return_type=str),
    WithJsonSchema({"type": "string", "maxLength": 300}),
]
"""Model spec, or in Python a chat model or agent object. It is stored as its spec or as `object:<class>`."""


class CallCaps(ClosedModel):
    """Caps on calls, tokens and cost; `None` means no cap."""

    calls: int | None = Field(default=None, ge=1, description="Maximum calls, including failed attempts.")
    tokens: int | None = Field(default=None, ge=1, description="Maximum tokens, prompts and answers together.")
    cost: float | None = Field(default=None, gt=0, description="Maximum money, in the currency of `prices`.")


class Budget(CallCaps):
    """Caps on one run; `None` means no cap. Moot does not send a call that would exceed a cap."""

    lookups: int | None = Field(default=100, ge=0, description="Maximum look-ups of the run.")


ViewPolicy = Literal["full", "windowed", "windowed_summary"]
"""Part of the history in a prompt: all statements, the newest ones, or the newest ones and a summary."""


TimeoutSeconds = Annotated[float, Field(gt=0, le=86_400)]


AttemptFactors = Annotated[list[Annotated[float, Field(gt=0, le=10)]], Field(min_length=1, max_length=10)]


class Timeouts(ClosedModel):
    """Time limits in seconds for a server that sends nothing, and factors that lengthen them per attempt."""

    first_token: TimeoutSeconds = Field(default=120.0, description="Time to the first token, s.")
    between_tokens: TimeoutSeconds = Field(default=60.0, description="Time between tokens, s.")
    total: TimeoutSeconds = Field(default=900.0, description="Time for a whole streamed answer, s.")
    whole_reply: TimeoutSeconds = Field(default=300.0, description="Time for an answer without streaming, s.")
    agent: TimeoutSeconds = Field(default=300.0, description="Time for an agent's whole answer, s.")
    attempt_factors: AttemptFactors = Field(
        default=[1.0],
        description="Factors on these limits in attempts 1, 2 …; later attempts use the last one.",
    )

    def scale_for_attempt(self, attempt: int) -> Self:
        """Return the time limits for an attempt. Attempts count from 1."""
        factor = self.get_backoff_factor(attempt)
        limits = ("first_token", "between_tokens", "total", "whole_reply", "agent")
        return self.model_copy(update={key: getattr(self, key) * factor for key in limits})

    def get_backoff_factor(self, attempt: int) -> float:
        """Return the factor on the time limits of this attempt, counted from 1.

        Attempts beyond the list of factors take the last factor.
        """
        return self.attempt_factors[min(attempt, len(self.attempt_factors)) - 1]


class ViewSettings(ClosedModel):
    """Settings that limit how much history a prompt contains.

    Two spellings are possible: `{policy: windowed, recent_n: 4}`, or `{windowed: {recent_n: 4}}`.
    """

    policy: ViewPolicy = Field(
        default="full",
        description="Statements in a prompt: all, the newest, or the newest with a summary of the rest.",
    )
    recent_n: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="Minimum number of newest statements in a prompt; none: 2 per participant.",
    )

    @model_validator(mode="before")
    @classmethod
    def _unnest_policy(cls, value: object) -> object:
        return unnest_view_policy(value)


def unnest_view_policy(view: object) -> object:
    """Move view settings nested under the policy's name to the top level, and return the flat dict.

    Raises the validation error for a mix of both spellings.
    """
    if not isinstance(view, dict) or not (policies := [key for key in view if key in get_args(ViewPolicy)]):
        return view
    policy, policy_settings = policies[0], view[policies[0]]
    if len(view) > 1 or not isinstance(policy_settings, dict | None) or "policy" in (policy_settings or {}):
        raise make_setting_error(
            policy, policy_settings, f"write {{{policy}: {{recent_n: 4}}}} alone, or {{policy: {policy}, recent_n: 4}}"
        )
    return {"policy": policy, **(policy_settings or {})}


class MemorySettings(ClosedModel):
    """Settings of the participants' memory: its style, its length, and when it is compressed."""

    guidance_style: Literal["narrative", "structured"] = Field(
        default="narrative", description="Style of a memory: a sentence per event, or `key: value` pairs."
    )
    statement_max_length: TextLimit = Field(default=300, description="Maximum remembered characters of a statement.")
    reasoning_max_length: TextLimit = Field(
        default=200, description="Maximum remembered characters of private reasoning."
    )
    enable_truncation: bool = Field(default=True, description="Whether Moot shortens long entries of a memory.")
    memory_max_chars: int = Field(
        default=100_000, ge=100, le=100_000_000, description="Maximum characters of a memory."
    )
    compression_threshold: float = Field(
        default=0.8, gt=0, le=1, description="Share of `memory_max_chars` at which Moot compresses a memory."
    )
    compression_target: float = Field(
        default=0.6, gt=0, lt=1, description="Share of `memory_max_chars` that a compressed memory has."
    )
    include_internal_reasoning: bool = Field(
        default=False, description="Whether participants remember their private reasoning."
    )

    @model_validator(mode="after")
    def _check_target(self) -> Self:
        if self.compression_target >= self.compression_threshold:
            raise ValueError("compression_target must be below compression_threshold")
        return self
