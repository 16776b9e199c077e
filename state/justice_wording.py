"""Settings of the justice experiment: what participants are told, and what is logged."""

from typing import Literal

from pydantic import Field, field_validator

from .justice_settings import Knobs


class Wording(Knobs):
    """What participants are told, and in which frame."""

    wording: Literal["justice", "neutral"] = Field(default="justice", description="neutral: no word of justice.")
    frame: Literal["gain", "loss"] = Field(
        default="gain", description="loss: outcomes told as deductions from a credit."
    )
    loss_credit: float = Field(
        default=40.0, gt=0, le=1_000_000, multiple_of=0.01, description="The credit, in dollars."
    )
    include_experiment_explanation: bool = Field(default=True, description="Explain the experiment in prompts.")
    include_experiment_explanation_each_turn: bool = Field(
        default=False, description="In every prompt; false: on the first turn of a phase."
    )

    @property
    def loss_credit_cents(self) -> int:
        """The credit in cents."""
        return round(self.loss_credit * 100)


class TranscriptLogging(Knobs):
    """What a transcript file holds."""

    enabled: bool = Field(default=False, description="Whether a transcript file is written.")
    include_input_prompts: bool = Field(default=True, description="Prompts as sent.")
    include_agent_responses: bool = Field(default=True, description="Replies as received.")
    include_instructions: bool = Field(default=False, description="The system part of prompts.")
    include_memory_updates: bool = Field(default=False, description="Memories after each change.")
    path: str | None = Field(default=None, max_length=4000, description="Where it goes; none: beside the result.")

    @field_validator("path")
    @classmethod
    def _stays_below(cls, value: str | None) -> str | None:
        if value is not None and ".." in value:
            raise ValueError('give a path without ".."')
        return value


class Logging(Knobs):
    """What is logged."""

    verbosity_level: Literal["minimal", "standard", "detailed", "debug"] = Field(
        default="standard", description="How much is logged."
    )
    transcript_logging: TranscriptLogging = Field(default=TranscriptLogging(), description="The transcript file.")
