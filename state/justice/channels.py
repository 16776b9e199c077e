"""Channels of the justice experiment, grouped by the step that needs them.

Channels that all protocols share (floor, history, memory, calls, incidents) identify participants by name. The
experiment's own channels identify them by id.
"""

from collections.abc import Sequence
from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ..channel_requirements import SettingsCondition
from ..deliberation import (
    DecisionState,
    FloorState,
    MemoryState,
    RecordState,
    SettingsChannel,
    TaskState,
    gather_calls,
    gather_incidents,
    make_delta_channel,
)
from ..memory import EVERYONE, MemoryLines, MemoryReplacement, fold_memory
from ..random_streams import Draw
from ..records import Call, Incident
from ..reducers import keep_latest, make_append_reducer, make_latest_reducer, make_merge_reducer
from ..schemas import DeliberationResult, Update
from .application import ApplicationResult
from .comprehension import ComprehensionAnswer
from .measures import Measures
from .payment import Payment
from .phase_results import Phase1Result, PrivateReasoning, TemplateHashes
from .principle import Ranking, SharingRule
from .settings import JusticeSettings
from .vote import VoteAnswer, VotingRecord

merge_rankings = make_merge_reducer(Ranking)


def gather_lines(current: list[str], writes: Sequence[Sequence[str] | MemoryReplacement]) -> list[str]:
    """Fold the writes of steps into one participant's memory in Phase 1, and return its lines."""
    return fold_memory({EVERYONE: current}, [{EVERYONE: write} for write in writes])[EVERYONE]


class Phase1State(TypedDict):
    """State of one participant in Phase 1. Each participant has a separate state."""

    who: str
    """Id of the participant."""
    settings: SettingsChannel
    """The run's settings, with this participant's share of the budget."""
    memory_lines: Annotated[list[str], make_delta_channel(gather_lines)]
    """The participant's memory so far."""
    rankings: Annotated[dict[str, Ranking], make_delta_channel(merge_rankings)]
    """This participant's rankings, by stage."""
    comment: Annotated[str, make_delta_channel(keep_latest)]
    """The participant's comment on the explanation."""
    comprehension: Annotated[
        list[ComprehensionAnswer],
        SettingsCondition(JusticeSettings),
        make_delta_channel(make_append_reducer(ComprehensionAnswer)),
    ]
    """Answers to the comprehension test so far."""
    applications: Annotated[
        list[ApplicationResult],
        SettingsCondition(JusticeSettings),
        make_delta_channel(make_append_reducer(ApplicationResult)),
    ]
    """Applications paid so far."""
    incidents: Annotated[list[Incident], make_delta_channel(gather_incidents)]
    """Incidents of this participant's Phase 1."""
    calls: Annotated[list[Call], make_delta_channel(gather_calls)]
    """Every request to a model."""


class Phase1ResultsState(TypedDict):
    """Channel of the participants' results of Phase 1."""

    alone: Annotated[
        dict[str, Phase1Result],
        SettingsCondition(JusticeSettings),
        make_delta_channel(make_merge_reducer(Phase1Result)),
    ]
    """Each participant's Phase 1 result, by id."""


class SpeakingOrderState(TypedDict):
    """Channels of the speaking orders in the group phase, and of random draws."""

    orders: Annotated[list[list[str]], make_delta_channel(make_append_reducer(list))]
    """Speaking orders as lists of ids, one per round."""
    draws: Annotated[list[Draw], make_delta_channel(make_append_reducer(Draw))]
    """Every draw before the payment, with its stream."""


class ReasoningState(TypedDict):
    """Channels of the participants' private reasoning."""

    reasonings: Annotated[list[PrivateReasoning], make_delta_channel(make_append_reducer(PrivateReasoning))]
    """Private reasonings, in order."""


class BallotBoxState(TypedDict):
    """Channels of the secret answers in votes. Prompts never contain these answers."""

    answers: Annotated[list[VoteAnswer], make_delta_channel(make_append_reducer(VoteAnswer))]
    """Every answer to every question of every vote."""


class VoteProgressState(TypedDict):
    """Channels of the votes' public progress and of the rule that the group adopted."""

    initiator: str
    """Id of the participant who started the current vote; empty if no participant started one."""
    votes: Annotated[list[VotingRecord], make_delta_channel(make_append_reducer(VotingRecord))]
    """Every vote attempt, in order."""
    adopted: SharingRule | None
    """The rule adopted or imposed; `None` before that."""


class PaymentState(TypedDict):
    """Channels of the group's payment, the last rankings and the measures."""

    settlement: Annotated[Payment, make_delta_channel(make_latest_reducer(Payment))]
    """The group's draw and payoffs. The payoffs are empty until the group is paid."""
    last_rankings: Annotated[dict[str, Ranking], make_delta_channel(merge_rankings)]
    """Ranking 4, by id."""
    measures: Measures | None
    """Measures of the rankings; `None` before the end."""


class PendingMemoryState(TypedDict):
    """Channel of events that a model failed to write into a participant's memory."""

    unintegrated: Annotated[dict[str, list[str]], make_delta_channel(make_merge_reducer(list[str]))]
    """Events that were appended unchanged, by participant's name. The next rewrite includes them."""


class ExperimentState(TypedDict):
    """Channels that identify the run of the experiment."""

    experiment_id: Annotated[str, make_delta_channel(keep_latest)]
    """The caller's name for the experiment, or a drawn one."""
    words: Annotated[TemplateHashes, make_delta_channel(make_latest_reducer(TemplateHashes))]
    """Hashes of the texts that prompts are made from."""
    began_at: Annotated[str, make_delta_channel(keep_latest)]
    """Start of the experiment, ISO 8601, UTC."""


class JusticeConveneState(TaskState, RecordState, ExperimentState):
    """Channels that the first step of the experiment reads."""


class GroupPromptState(TaskState, FloorState, RecordState, MemoryState, Phase1ResultsState):
    """Channels for prompts in the group phase. They exclude secret votes, draws and payments."""


class JusticeRoundState(
    TaskState, FloorState, RecordState, MemoryState, SpeakingOrderState, ReasoningState, Phase1ResultsState
):
    """Channels of the steps that open and close a round."""


class VoteRoutingState(
    TaskState, FloorState, RecordState, MemoryState, Phase1ResultsState, BallotBoxState, VoteProgressState
):
    """Channels of the routes within a vote."""


class GroupDecisionState(VoteRoutingState, SpeakingOrderState):
    """Channels of the step that decides how the group phase continues."""


class JusticeClosingState(
    TaskState,
    FloorState,
    RecordState,
    MemoryState,
    Phase1ResultsState,
    SpeakingOrderState,
    VoteProgressState,
    PaymentState,
    ExperimentState,
    DecisionState,
):
    """Channels that the last steps of the experiment read."""


class MemoryRewriteState(GroupPromptState, VoteProgressState, PaymentState, PendingMemoryState):
    """Channels of the step in which a model rewrites a memory."""


class JusticeInput(TypedDict):
    """Input of a justice experiment. Every field is optional."""

    experiment_id: NotRequired[
        Annotated[str, Field(description="Name of the experiment in the result.", max_length=200)]
    ]


class JusticeOutput(
    DeliberationResult, ExperimentState, Phase1ResultsState, SpeakingOrderState, ReasoningState, PaymentState
):
    """Output of a justice experiment.

    Memories are by participant name, the experiment's own channels by participant id.
    """

    memory: MemoryLines
    votes: list[VotingRecord]
    adopted: SharingRule | None


class JusticeUpdate(Update, total=False):
    """Channel values that a step of the justice experiment may write."""

    who: str
    memory_lines: list[str] | MemoryReplacement
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
