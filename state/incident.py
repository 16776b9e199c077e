"""Incidents: events that did not go as planned, and what Moot did about them."""

from pydantic import Field

from .frozen import FrozenModel


class Incident(FrozenModel):
    """One incident: turn, step, participant, event, number of attempts and consequence."""

    where: str = Field(description="The step, such as `speak` or `synthesize`.")
    who: str = Field(default="", description="Participant or role concerned.")
    what: str = Field(description="What happened, without keys or prompts.")
    kind: str = Field(default="", description="Short class such as `timeout`, `empty`, `overflow`, `cut_off`.")
    consequence: str = Field(default="", description="What followed, such as `passed over`, `asked again`.")
    attempts: int = Field(default=1, ge=0, description="Calls made for it, counted from 1; 0: none was needed.")
    turn: int = Field(default=0, ge=0, description="Turn it happened in; 0: outside turns.")
    round: int = Field(default=0, ge=0, description="Round it happened in; 0: outside rounds.")
    at: str = Field(default="", description="When it was recorded, ISO 8601, UTC.")
    category: str = Field(default="communication", description="communication, validation, memory, system or logic.")
    severity: str = Field(default="recoverable", description="recoverable or degraded.")
