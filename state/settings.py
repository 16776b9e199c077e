"""What rules are made of: models, caps and prices, how much a prompt shows, how participants remember."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from .incident import Call
from .refused import unusable

Limit = Annotated[int, Field(gt=3, le=1_000_000)]
"""A length in code points; more than the three of an ellipsis."""


def _model_choice(value: object) -> object:
    if isinstance(value, str):
        return value.strip()
    if callable(getattr(value, "ainvoke", None)) and not isinstance(value, type):
        return value
    raise ValueError("a model is a spec such as 'openai:gpt-5-mini' or 'rehearsal', or a chat model object")


def _named(value: object) -> str:
    return value if isinstance(value, str) else f"object:{type(value).__name__}"


ModelChoice = Annotated[
    Any,
    PlainValidator(_model_choice),
    PlainSerializer(_named, return_type=str),
    WithJsonSchema({"type": "string", "maxLength": 300}),
]
"""A model spec, or, from Python, a chat model object; stored as its spec or as `object:<class>`."""


class Budget(BaseModel):
    """Hard caps of one run; none: no cap. A call that would pass a cap is not made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int | None = Field(default=None, ge=1, description="Model calls, failed tries included.")
    tokens: int | None = Field(default=None, ge=1, description="Prompt and completion tokens together.")
    cost: float | None = Field(default=None, gt=0, description="Money, in the unit of `prices`.")


class Prices(BaseModel):
    """What a provider asks, per million tokens, in any one currency."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(default=0, ge=0, description="Per million prompt tokens.")
    cached: float | None = Field(default=None, ge=0, description="Per million cached prompt tokens; none: as input.")
    output: float = Field(default=0, ge=0, description="Per million completion tokens.")

    def cost(self, calls: Sequence[Call]) -> float:
        """The price of `calls`, in the currency of the prices."""
        cached_price = self.input if self.cached is None else self.cached
        fresh = sum(call.input_tokens - call.cached_tokens for call in calls)
        cached = sum(call.cached_tokens for call in calls)
        written = sum(call.output_tokens for call in calls)
        return (fresh * self.input + cached * cached_price + written * self.output) / 1e6


Policy = Literal["full", "windowed", "windowed_summary"]
"""How much of the history a prompt shows: everything within the bound; the newest; or those and a summary."""


Seconds = Annotated[float, Field(gt=0, le=86_400)]


class Timeouts(BaseModel):
    """How long a server may be silent, in seconds; the same for each try."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first_token: Seconds = Field(default=120.0, description="Until the first token of an answer.")
    between_tokens: Seconds = Field(default=60.0, description="From one token to the next.")
    total: Seconds = Field(default=900.0, description="For a whole answer.")
    unstreamed: Seconds = Field(default=300.0, description="For an answer that comes all at once.")


class ViewSettings(BaseModel):
    """How much of the history a prompt shows.

    Either `{policy: windowed, recent_n: 4}`, or the policy's name over its setting: `{windowed: {recent_n: 4}}`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: Policy = Field(
        default="full",
        description="Everything within the bound; the newest statements; or those and a summary of the rest.",
    )
    recent_n: int | None = Field(
        default=None, ge=1, le=10_000, description="Statements a window shows at least; none: twice the participants."
    )

    @model_validator(mode="before")
    @classmethod
    def _beneath_its_name(cls, value: object) -> object:
        return beneath_its_name(value)


def beneath_its_name(view: object) -> object:
    """The settings of a view, lifted from beneath the name of its policy; raises for a mixture of both spellings."""
    if not isinstance(view, dict) or not (named := [key for key in view if key in get_args(Policy)]):
        return view
    policy, inside = named[0], view[named[0]]
    if len(view) > 1 or not isinstance(inside, dict | None) or "policy" in (inside or {}):
        remedy = f"write {{{policy}: {{recent_n: 4}}}} and nothing beside it, or {{policy: {policy}, recent_n: 4}}"
        raise unusable(policy, inside, remedy)
    return {"policy": policy, **(inside or {})}


class MemorySettings(BaseModel):
    """How participants remember what happened."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    guidance_style: Literal["narrative", "structured"] = Field(
        default="narrative", description="One plain sentence per event, or `key: value` pairs."
    )
    statement_max_length: Limit = Field(default=300, description="Characters kept of a statement.")
    reasoning_max_length: Limit = Field(default=200, description="Characters kept of one's own private reasoning.")
    enable_truncation: bool = Field(default=True, description="False: nothing is clipped.")
    memory_max_chars: int = Field(default=100_000, ge=100, le=100_000_000, description="Bound of one memory.")
    compression_threshold: float = Field(
        default=0.8, gt=0, le=1, description="Share of the bound above which a memory is compressed."
    )
    compression_target: float = Field(default=0.6, gt=0, lt=1, description="Share of the bound it is compressed to.")
    include_internal_reasoning: bool = Field(
        default=False, description="Whether a participant remembers its own private reasoning."
    )

    @model_validator(mode="after")
    def _target_under_threshold(self) -> Self:
        if self.compression_target >= self.compression_threshold:
            raise ValueError("compression_target must be below compression_threshold")
        return self
