"""What the justice experiment is opened with, what its steps write, and what it gives back."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ..draw import Draw
from ..memory import Lines, Replaced
from ..writes import Result, Update
from .application import ApplicationResult
from .comprehension import ComprehensionAnswer
from .measures import Measures
from .payment import Payment
from .phases import Phase1Result, Reasoning, WordsInForce
from .principle import Ranking, SharingRule
from .vote import VoteAnswer, VotingRecord


class JusticeInput(TypedDict):
    """What an experiment is opened with: nothing is needed."""

    experiment_id: NotRequired[Annotated[str, Field(description="A name for the result's document.", max_length=200)]]


class JusticeOutput(Result):
    """What an experiment gives back, by id where it is the experiment's own; memories are by name."""

    memory: Lines
    experiment_id: str
    words: WordsInForce
    began_at: str
    alone: dict[str, Phase1Result]
    orders: list[list[str]]
    draws: list[Draw]
    votes: list[VotingRecord]
    adopted: SharingRule | None
    settlement: Payment
    last_rankings: dict[str, Ranking]
    measures: Measures | None
    reasonings: list[Reasoning]


class JusticeUpdate(Update, total=False):
    """What a step of the experiment writes: only the news."""

    who: str
    lines: list[str] | Replaced
    rankings: dict[str, Ranking]
    comment: str
    comprehension: list[ComprehensionAnswer]
    applications: list[ApplicationResult]
    experiment_id: str
    words: WordsInForce
    began_at: str
    alone: dict[str, Phase1Result]
    orders: list[list[str]]
    draws: list[Draw]
    reasonings: list[Reasoning]
    answers: list[VoteAnswer]
    initiator: str
    votes: list[VotingRecord]
    adopted: SharingRule | None
    settlement: Payment
    last_rankings: dict[str, Ranking]
    unintegrated: dict[str, list[str]]
    measures: Measures | None
