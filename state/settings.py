"""Settings of history and memory."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Limit = Annotated[int, Field(gt=3, le=1_000_000)]
"""A length in code points; more than the three of an ellipsis."""


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
