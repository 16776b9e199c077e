"""Settings of a discussion session: time limits, history in prompts, and who may close it."""

from typing import ClassVar, Literal

from pydantic import ConfigDict, Field, field_validator

from .frozen_models import ClosedModel
from .positions.settings import PositionSettings
from .setting_types import ViewSettings, unnest_view_policy
from .settings import LongViewSettings

LateSpeakerAction = Literal["warn", "hide"]
"""Consequence for a late speaker: an entry in the record, or removal from the rotation."""


class Expectation(ClosedModel):
    """Time limit for the participant whose turn it is, with its consequence."""

    turn_within: float = Field(gt=0, le=31_536_000, description="Time limit from the start of the turn, s.")
    action: LateSpeakerAction = Field(description="What a missed limit leads to: a recorded warning, or skipped turns.")
    people: bool = Field(default=True, description="Whether the limit also applies to people.")


class DiscussionSettings(PositionSettings, LongViewSettings):
    """Settings of a discussion session: time limits, history in prompts, and who may close it."""

    model_config = ConfigDict(title="Discussion")

    people_declare: ClassVar[bool] = False
    reserve: ClassVar[int] = 0
    """Number of reserved calls: 0, since a session has no synthesis."""
    unused_settings: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["judge_interval", "models.judge"], "a session has no judge"),
        **dict.fromkeys(["models.synthesizer", "max_tokens_synthesis"], "a session has no synthesis"),
        "profile": "a session has no persona profiles",
    }

    protocol: Literal["discussion"] = Field(default="discussion", description="Always `discussion`.")
    ordering: Literal["round_robin"] = Field(default="round_robin", description="Order of the speakers.")
    stop_rule: Literal["never", "declared", "calibrated"] = Field(
        default="never", description="Rule that compares the recorded positions and ends the session."
    )
    ttl: float | None = Field(
        default=None, gt=0, le=315_360_000, description="Lifetime of the session, s; none: unlimited."
    )
    expectations: list[Expectation] = Field(
        default=[
            Expectation(turn_within=120, action="warn"),
            Expectation(turn_within=600, action="hide", people=False),
        ],
        max_length=20,
        description="Time limits for the next speaker.",
    )
    person_deadline: float | None = Field(
        default=None,
        gt=0,
        le=315_360_000,
        description="Time for a person's turn, s; none: unlimited. A late turn is missed.",
    )
    view: ViewSettings = Field(default=ViewSettings(policy="windowed_summary"), description="History in a prompt.")
    models_may_close: bool = Field(default=False, description="Whether a model may close the session.")

    @field_validator("view", mode="before")
    @classmethod
    def _keep_view_policy(cls, value: object) -> object:
        view = unnest_view_policy(value)
        return {"policy": "windowed_summary", **view} if isinstance(view, dict) else view
