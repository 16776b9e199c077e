"""Input, updates and output of the justice experiment."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ..memory import MemoryLines, MemoryReplacement
from ..random_streams import Draw
from ..schemas import DeliberationResult, Update
from .application import ApplicationResult
from .comprehension import ComprehensionAnswer
from .measures import Measures
from .payment import Payment
from .phases import Phase1Result, PrivateReasoning, TemplateHashes
from .principle import Ranking, SharingRule
from .vote import VoteAnswer, VotingRecord


class JusticeInput(TypedDict):
    """Input of an experiment. Every field is optional."""

    experiment_id: NotRequired[
        Annotated[str, Field(description="Name of the experiment in the result.", max_length=200)]
    ]


class JusticeOutput(DeliberationResult):
    """Output of an experiment. The experiment's own channels are by id, memories by name."""

    memory: MemoryLines
    experiment_id: str
    words: TemplateHashes
    began_at: str
    alone: dict[str, Phase1Result]
    orders: list[list[str]]
    draws: list[Draw]
    votes: list[VotingRecord]
    adopted: SharingRule | None
    settlement: Payment
    last_rankings: dict[str, Ranking]
    measures: Measures | None
    reasonings: list[PrivateReasoning]


class JusticeUpdate(Update, total=False):
    """Updates that a step of the experiment writes."""

    who: str
    lines: list[str] | MemoryReplacement
    rankings: dict[str, Ranking]
    comment: str
    comprehension: list[ComprehensionAnswer]
    applications: list[ApplicationResult]
    experiment_id: str
    words: TemplateHashes
    began_at: str
    alone: dict[str, Phase1Result]
    orders: list[list[str]]
    draws: list[Draw]
    reasonings: list[PrivateReasoning]
    answers: list[VoteAnswer]
    initiator: str
    votes: list[VotingRecord]
    adopted: SharingRule | None
    settlement: Payment
    last_rankings: dict[str, Ranking]
    unintegrated: dict[str, list[str]]
    measures: Measures | None
