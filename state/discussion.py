"""Settings of a discussion session."""

from typing import ClassVar, Literal

from pydantic import ConfigDict, Field, field_validator

from .frozen import ClosedModel
from .positions.settings import PositionSettings
from .setting_types import ViewSettings, lift_view_policy
from .settings import LongViewSettings

LateSpeakerAction = Literal["warn", "hide"]
"""Consequence for a late speaker: a record entry, or the loss of the seat in the rotation."""


class Expectation(ClosedModel):
    """Time limit for the expected speaker, and its consequence."""

    turn_within: float = Field(gt=0, le=31_536_000, description="Seconds from the moment the turn began.")
    action: LateSpeakerAction = Field(description="Record it, or take the participant out of the rotation.")
    people: bool = Field(default=True, description="Whether it holds for a person's turn as well.")


class DiscussionSettings(PositionSettings, LongViewSettings):
    """Settings of a discussion session."""

    model_config = ConfigDict(title="Discussion")

    people_declare: ClassVar[bool] = False
    reserve: ClassVar[int] = 0
    """Number of reserved calls: 0, since a session has no synthesis."""
    unused_settings: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["judge_every", "models.judge"], "no judge ends a session"),
        **dict.fromkeys(["models.synthesizer", "max_tokens_synthesis"], "a session has no closing text"),
        "profile": "a session has no persona profiles",
    }

    protocol: Literal["discussion"] = Field(default="discussion", description="Always `discussion`.")
    ordering: Literal["round_robin"] = Field(default="round_robin", description="The only order there is.")
    stopping: Literal["never", "declared", "calibrated"] = Field(
        default="never", description="The rule that ends the session by itself, from the positions on record."
    )
    ttl: float | None = Field(default=None, gt=0, le=315_360_000, description="Seconds the session lives; none: open.")
    expectations: list[Expectation] = Field(
        default=[
            Expectation(turn_within=120, action="warn"),
            Expectation(turn_within=600, action="hide", people=False),
        ],
        max_length=20,
        description="What happens when the expected speaker takes too long.",
    )
    person_deadline: float | None = Field(
        default=None,
        gt=0,
        le=315_360_000,
        description="Seconds an expected person is waited for, whose turn is passed over then; none: for ever.",
    )
    view: ViewSettings = Field(
        default=ViewSettings(policy="windowed_summary"), description="How much of the history a prompt shows."
    )
    models_may_close: bool = Field(
        default=False, description="Whether a model may close the session, by a field of its reply."
    )

    @field_validator("view", mode="before")
    @classmethod
    def _keep_view_policy(cls, value: object) -> object:
        view = lift_view_policy(value)
        return {"policy": "windowed_summary", **view} if isinstance(view, dict) else view
