"""Incidents: events that did not go as planned, and what Moot did about them."""

from pydantic import Field

from .frozen import FrozenModel


class Incident(FrozenModel):
    """One incident: turn, step, participant, event, number of attempts and consequence."""

    where: str = Field(description="Step, such as `speak` or `synthesize`.")
    who: str = Field(default="", description="Participant or role.")
    what: str = Field(description="Description of the event, without keys or prompts.")
    kind: str = Field(default="", description="Short class such as `timeout`, `empty`, `overflow`, `cut_off`.")
    consequence: str = Field(default="", description="Consequence, such as `missed`, `asked again`.")
    attempts: int = Field(default=1, ge=0, description="Number of calls made; 0: no call.")
    turn: int = Field(default=0, ge=0, description="Turn of the incident; 0: outside turns.")
    round: int = Field(default=0, ge=0, description="Round of the incident; 0: outside rounds.")
    at: str = Field(default="", description="Time of the record, ISO 8601, UTC.")
    category: str = Field(
        default="communication", description="Category: communication, validation, memory, system or logic."
    )
    severity: str = Field(default="recoverable", description="Severity: recoverable or degraded.")
