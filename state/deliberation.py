"""Channels of every deliberation, grouped by the step that needs them.

The state of a protocol is the sum of its groups. A node annotated with a group receives only that group. Groups that
only some protocols need have their own files. Most channels are delta channels: a checkpoint stores only the writes,
and reducers rebuild the value.
"""

from collections.abc import Callable
from typing import Annotated, Any, Self

from langgraph.channels import DeltaChannel
from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from .ending import Decision, Ending, Outcome
from .history_view import Summary, ViewLimit
from .lookups.record import Lookup
from .memory import MemoryLines, fold_memory
from .records import Call, Incident
from .reducers import keep_latest, keep_latest_settings, make_append_reducer, make_latest_reducer, make_merge_reducer
from .settings import Settings, parse_settings
from .statement import Exhibit, Notice, Participant, Statement

SNAPSHOT_INTERVAL = 5000
"""Number of writes between snapshots of a delta channel. Snapshots are rare, since each stores the full value."""


class SharedDeltaChannel(DeltaChannel[Any]):
    """Delta channel whose copies share its value.

    This is safe because no reducer changes a value in place.

    LangGraph copies every channel for each conditional edge. Copying the value would take longer as it grows.
    """

    __slots__ = ()

    def copy(self) -> Self:
        """Return a channel with the same value, for separate updates."""
        channel = object.__new__(type(self))
        channel.key, channel.typ, channel.value = self.key, self.typ, self.value
        channel.reducer, channel.snapshot_frequency = self.reducer, self.snapshot_frequency
        return channel


def make_delta_channel(reducer: Callable[..., object]) -> SharedDeltaChannel:
    """Make a delta channel that folds each write into its value with `reducer`."""
    return SharedDeltaChannel(reducer, snapshot_frequency=SNAPSHOT_INTERVAL)


gather_statements = make_append_reducer(Statement)
gather_incidents = make_append_reducer(Incident)
gather_calls = make_append_reducer(Call)

SettingsChannel = Annotated[Settings, BeforeValidator(parse_settings), make_delta_channel(keep_latest_settings)]


class TaskState(TypedDict):
    """Topic, participants and settings of a deliberation, fixed at its start."""

    topic: Annotated[str, make_delta_channel(keep_latest)]
    """Topic of the deliberation, as entered."""
    material: Annotated[str, make_delta_channel(keep_latest)]
    """Background for all participants, as entered; may be empty."""
    exhibits: Annotated[list[Exhibit], make_delta_channel(make_latest_reducer(list[Exhibit]))]
    """Documents for all participants, in a fixed order; may be empty."""
    participants: Annotated[list[Participant], make_delta_channel(make_latest_reducer(list[Participant]))]
    """Participants in seat order, with the personas in use."""
    settings: SettingsChannel
    """Every setting of the run, resolved by the first step."""


class FloorState(TypedDict):
    """Channels with the current turn, the current round and the next speakers."""

    floor: list[str]
    """Names of the speakers still to come this round. The first of them holds the floor."""
    round: Annotated[int, Field(ge=0)]
    """Number of the round, from 1; 0 before the start."""
    turn: Annotated[int, Field(ge=0)]
    """Number of turns taken, missed turns included."""
    view_limits: Annotated[dict[str, ViewLimit], make_delta_channel(make_merge_reducer(ViewLimit))]
    """Limits on history and material for participants with a model that refused a longer prompt."""


class RecordState(TypedDict):
    """Channels of the append-only record: statements, incidents, calls and notices."""

    history: Annotated[list[Statement], make_delta_channel(gather_statements)]
    """Every statement, in order."""
    incidents: Annotated[list[Incident], make_delta_channel(gather_incidents)]
    """Every event that did not go as planned."""
    calls: Annotated[list[Call], make_delta_channel(gather_calls)]
    """Every request to a model, with tokens and milliseconds."""
    notices: Annotated[list[Notice], make_delta_channel(make_append_reducer(Notice))]
    """Announcements of the protocol to all participants, such as a vote result. Every later prompt shows them."""


class LookupState(TypedDict):
    """Channel of the record of look-ups. Only a step that reads it can offer tools to its participant."""

    lookups: Annotated[list[Lookup], make_delta_channel(make_append_reducer(Lookup))]
    """Every look-up, in order."""


class MemoryState(TypedDict):
    """Channels of the participants' memories and of the summary of earlier statements."""

    memory: Annotated[MemoryLines, make_delta_channel(fold_memory)]
    """Memory of each participant, as lines."""
    summary: Annotated[Summary, make_delta_channel(make_latest_reducer(Summary))]
    """Summary of the statements before the window of a sliding view."""


class OutcomeState(TypedDict):
    """Channels of the ending and the synthesis."""

    outcome: Outcome | None
    """Ending with its evidence; `None` while the run is open."""
    synthesis: Annotated[str, make_delta_channel(keep_latest)]
    """Synthesis; empty until it is written.

    It is a delta channel, because PostgreSQL would store a plain text unencrypted.
    """


class DecisionState(TypedDict):
    """Channels of the latest decision about the next step, and of the ending it chose."""

    decision: Decision | None
    """Latest decision; `None` before the first."""
    ending: Ending | None
    """Ending with its evidence; `None` while the run is open."""


class JudgeState(TypedDict):
    """Channels of the judge model's findings, in protocols with a judge."""

    verdict: Ending | None
    """Latest finding of the judge, or of the question about a concession; `None` to continue."""
    judged_turn: Annotated[int, Field(ge=0)]
    """Number of turns taken when the judge, or a speaker about a concession, was last asked; 0 before that."""


class OptionalInputState(TypedDict):
    """Optional inputs of a deliberation in addition to its topic and participants."""

    personas: Annotated[dict[str, str], make_delta_channel(keep_latest)]
    """Custom personas, by side or by participant name."""
    private: Annotated[dict[str, str], make_delta_channel(keep_latest)]
    """Private facts for one participant, by its name or seat number, as entered."""


class ConveneState(TaskState, OptionalInputState, RecordState):
    """Channels that the first step reads."""


class DeliberationState(
    TaskState, OptionalInputState, FloorState, RecordState, LookupState, MemoryState, DecisionState, OutcomeState
):
    """Channels that the state of every protocol has."""


class TurnState(TaskState, FloorState, RecordState, MemoryState):
    """Channels that the step of one speaker reads."""


class ProgressState(TaskState, FloorState, RecordState, JudgeState):
    """Channels that the stopping rules read."""


class ClosingState(ProgressState, DecisionState):
    """Channels that the last step reads."""
