"""How a deliberation ended."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .ending import Evidence


class Outcome(BaseModel):
    """Why it ended, on what evidence, and whether anything was degraded."""

    model_config = ConfigDict(frozen=True)

    reason: str = Field(description="The ending's name, such as `concession_detected` or `max_turns_reached`.")
    strategy: str = Field(default="cap", description="The rule that found it.")
    evidence: Evidence = Field(default_factory=Evidence, description="The statements and the figure it rests on.")
    status: Literal["completed", "partial"] = Field(
        default="completed", description="`partial`: it ended without its conclusion, or with nobody left to speak."
    )
    headline: str = Field(default="", description="One line for people: the ending, and whatever was degraded.")
    rehearsal: bool = Field(default=False, description="True when no real model took part.")
