"""Input, node updates and result of a deliberation, for every protocol."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from .ending import Decision, Ending, Outcome
from .history_view import Summary, ViewLimit
from .lookups.record import Lookup
from .memory import MemoryWrite
from .positions import ActiveStop, Position, RunAnswer
from .records import Call, Incident
from .settings import Settings
from .statement import Exhibit, Notice, Participant, Statement

MAX_TOPIC_LENGTH = 4000
SEATS_DESCRIPTION = "Participants, in seat order; left out: those of the protocol."
PRIVATE_DESCRIPTION = "Facts for one participant alone, by its name or seat number from 1."


class DeliberationInput(TypedDict):
    """Input of a deliberation: its topic and, optionally, background, participants and private facts."""

    topic: Annotated[str, Field(description="Topic of the deliberation.", min_length=1, max_length=MAX_TOPIC_LENGTH)]
    material: NotRequired[Annotated[str, Field(description="Background for all participants, marked as material.")]]
    participants: NotRequired[Annotated[list[Participant], Field(min_length=1, description=SEATS_DESCRIPTION)]]
    personas: NotRequired[Annotated[dict[str, str], Field(description="Custom personas, by side or name.")]]
    private: NotRequired[Annotated[dict[str, str], Field(description=PRIVATE_DESCRIPTION)]]


class Update(TypedDict, total=False):
    """Channel values that a step writes: only the channels that it changes."""

    topic: str
    material: str
    exhibits: list[Exhibit]
    participants: list[Participant]
    settings: Settings
    floor: list[str]
    round: int
    turn: int
    view_limits: dict[str, ViewLimit]
    history: list[Statement]
    incidents: list[Incident]
    calls: list[Call]
    notices: list[Notice]
    lookups: list[Lookup]
    memory: MemoryWrite
    summary: Summary
    decision: Decision | None
    ending: Ending | None
    outcome: Outcome | None
    synthesis: str
    verdict: Ending | None
    judged_turn: int
    positions: list[Position]
    answer: RunAnswer | None
    stop: ActiveStop | None


class DeliberationResult(TypedDict):
    """Result that all protocols share."""

    history: list[Statement]
    outcome: Outcome | None
    synthesis: str
    participants: list[Participant]
    incidents: list[Incident]
    calls: list[Call]
    lookups: list[Lookup]
    settings: Settings
