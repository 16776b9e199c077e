"""The channels of a deliberation, grouped by the step that needs them; a protocol is the sum of its groups.

A node annotated with a group receives that group and nothing else. Growing and static channels are delta channels:
a checkpoint stores what was written, not what has gathered, and the reducers here fold the writes back together.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, NotRequired, TypeVar

from langgraph.channels import DeltaChannel
from pydantic import BeforeValidator, Field, TypeAdapter
from typing_extensions import TypedDict

from .ending import Ending
from .found import Found
from .incident import Call, Incident
from .memory import Lines, MemoryWrite, fold_memory
from .outcome import Outcome
from .paper import Paper
from .poll import CastBallot, Consent, Poll
from .position import Position, Weighing
from .rules import Rules, revived
from .session import Event, Status
from .statement import Exhibit, Participant, Statement
from .window import Summary

T = TypeVar("T")

SNAPSHOT_EVERY = 5000
"""Writes between snapshots of a delta channel: rare, since each one stores everything gathered so far."""


def appending(kind: type[T]) -> Callable[[list[T], Sequence[list[T]]], list[T]]:
    """A reducer that gathers what nodes write, turning a client's plain dicts into `kind`."""
    adapter = TypeAdapter(list[kind])  # type: ignore[valid-type]

    def gather(current: list[T], writes: Sequence[list[T]]) -> list[T]:
        news = [item for write in writes for item in write]
        whole = all(isinstance(item, kind) for item in news)
        return [*current, *(news if whole else adapter.validate_python(news))]

    return gather


def gather_events(current: list[Event], writes: Sequence[list[Event]]) -> list[Event]:
    """The log with the news, numbered on."""
    log = list(current)
    for write in writes:
        for one in write:
            log.append(Event.model_validate(one).model_copy(update={"seq": len(log) + 1}))
    return log


def latest(current: T, writes: Sequence[T]) -> T:
    """The last write."""
    return writes[-1] if writes else current


def merge(current: dict[str, int], writes: Sequence[dict[str, int]]) -> dict[str, int]:
    """Key by key, the last write."""
    merged = dict(current)
    for write in writes:
        merged.update(write)
    return merged


def latest_rules(current: Rules, writes: Sequence[object]) -> Rules:
    """The last write, as the rules of its protocol."""
    return revived(writes[-1]) if writes else revived(current)


_EXHIBITS = TypeAdapter(list[Exhibit])


def latest_exhibits(current: list[Exhibit], writes: Sequence[object]) -> list[Exhibit]:
    """The last write, validated."""
    return _EXHIBITS.validate_python(writes[-1]) if writes else current


_PAPERS = TypeAdapter(list[Paper])


def latest_papers(current: list[Paper], writes: Sequence[object]) -> list[Paper]:
    """The last write, validated."""
    return _PAPERS.validate_python(writes[-1]) if writes else current


def latest_summary(current: Summary, writes: Sequence[object]) -> Summary:
    """The last write, validated."""
    return Summary.model_validate(writes[-1]) if writes else current


_CAST = TypeAdapter(list[Participant])


def latest_cast(current: list[Participant], writes: Sequence[list[Participant]]) -> list[Participant]:
    """The last write, validated."""
    return _CAST.validate_python(writes[-1] if writes else current)


def _delta(reducer: Callable[..., object]) -> DeltaChannel:  # type: ignore[type-arg]
    return DeltaChannel(reducer, snapshot_frequency=SNAPSHOT_EVERY)


gather_statements = appending(Statement)
gather_incidents = appending(Incident)
gather_calls = appending(Call)
gather_positions = appending(Position)
gather_weighings = appending(Weighing)
gather_polls = appending(Poll)
gather_consents = appending(Consent)
gather_ballots = appending(CastBallot)


class Given(TypedDict):
    """What a deliberation is about, who takes part, and its rules: fixed once it has begun."""

    topic: Annotated[str, _delta(latest)]
    """What is deliberated, as given."""
    material: Annotated[str, _delta(latest)]
    """Background everyone sees, as given; empty: none."""
    exhibits: Annotated[list[Exhibit], _delta(latest_exhibits)]
    """Documents everyone sees, in a fixed order; empty: none."""
    participants: Annotated[list[Participant], _delta(latest_cast)]
    """Who takes part, in seat order, with the personas in force."""
    rules: Annotated[Rules, BeforeValidator(revived), _delta(latest_rules)]
    """Every knob of the run, settled by the first step."""


class Floor(TypedDict):
    """Whose turn it is."""

    floor: list[str]
    """Who has still to speak this round; the first one holds the floor."""
    round: int
    """Number of the round, from 1; 0: not begun."""
    turn: int
    """Turns taken so far, passed-over ones included."""
    view_limits: Annotated[dict[str, int], _delta(merge)]
    """Characters of history shown to a participant whose model refused more."""


class Record(TypedDict):
    """What happened: append-only, never edited."""

    history: Annotated[list[Statement], _delta(gather_statements)]
    """Every statement, in order."""
    incidents: Annotated[list[Incident], _delta(gather_incidents)]
    """Everything that did not go as planned."""
    calls: Annotated[list[Call], _delta(gather_calls)]
    """Every request to a model, with tokens and milliseconds."""


class Remembering(TypedDict):
    """What each participant remembers."""

    memory: Annotated[Lines, _delta(fold_memory)]
    """Each participant's own digest, as lines."""
    summary: Annotated[Summary, _delta(latest_summary)]
    """What came before the window of a sliding view."""


class Concluding(TypedDict):
    """How it ended."""

    outcome: Outcome | None
    """The ending with its evidence; none while it goes on."""
    synthesis: Annotated[str, _delta(latest)]
    """The closing text; empty until it is written. A delta channel: PostgreSQL would keep a plain text unencrypted."""


class Judging(TypedDict):
    """What a judge found, where one is asked."""

    verdict: Ending | None
    """The judge's latest finding; none: go on."""
    judged: int
    """The turn after which the judge was last asked; 0: never."""


class Converging(TypedDict):
    """How far a group agrees."""

    positions: Annotated[list[Position], _delta(gather_positions)]
    """What each participant declared, round by round."""
    weighings: Annotated[list[Weighing], _delta(gather_weighings)]
    """How far the group had converged after each round."""


class Voting(TypedDict):
    """Votes: their course in public, their ballots in secret."""

    polls: Annotated[list[Poll], _delta(gather_polls)]
    """Every step of every vote, as everyone may know it."""
    consents: Annotated[list[Consent], _delta(gather_consents)]
    """Answers to the question whether to vote."""
    ballots: Annotated[list[CastBallot], _delta(gather_ballots)]
    """The box: what each voter said, kept from every prompt."""


class Sitting(TypedDict):
    """A session that people and programs share."""

    events: Annotated[list[Event], _delta(gather_events)]
    """The log of the session, numbered, append-only."""
    status: Status
    """Whether it is inviting, open, refused, closed or expired."""
    since: str
    """When the expected speaker's turn began, ISO 8601, UTC."""
    opened_at: str
    """When the session was opened, ISO 8601, UTC."""
    hidden: list[str]
    """Who is out of the rotation, in the order of leaving."""
    warned: list[float]
    """Expectations already warned about in this turn, in seconds."""


class Opened(TypedDict):
    """What a deliberation may be opened with, beside its topic and cast."""

    personas: Annotated[dict[str, str], _delta(latest)]
    """Custom personas, by side or by participant's name."""


class Opening(Given, Opened, Record):
    """What the first step reads."""


class Asked(TypedDict):
    """A question, and the papers that came with it or were found for it."""

    query: Annotated[str, _delta(latest)]
    """The question, as given."""
    papers: Annotated[list[Paper], _delta(latest_papers)]
    """Papers given with the question; empty: they are retrieved."""


class Finding(TypedDict):
    """What the library gave."""

    found: Found | None
    """The papers found, by title and relevance; none where papers were given."""


class QueryOpening(Opening, Asked):
    """What the first step of a protocol that begins with a question reads."""


class Seeking(Given, Asked):
    """What the search for papers reads."""

    found: NotRequired[Found | None]


class Deliberation(Given, Opened, Floor, Record, Remembering, Concluding):
    """What every protocol's state holds."""


class Turn(Given, Floor, Record, Remembering):
    """What one speaker's step reads."""


class Stage(Given, Floor, Record, Judging):
    """What decides whether a deliberation goes on."""


class GroupStage(Stage, Converging, Voting):
    """What decides whether a group goes on."""


class Input(TypedDict):
    """What a deliberation is opened with."""

    topic: Annotated[str, Field(description="What is deliberated.", min_length=1, max_length=4000)]
    material: NotRequired[Annotated[str, Field(description="Background everyone sees, marked as material.")]]
    participants: NotRequired[Annotated[list[Participant], Field(description="Who takes part, in seat order.")]]
    personas: NotRequired[Annotated[dict[str, str], Field(description="Custom personas, by side or name.")]]


class Result(TypedDict):
    """What every protocol gives back."""

    history: list[Statement]
    outcome: Outcome | None
    synthesis: str
    participants: list[Participant]
    incidents: list[Incident]
    calls: list[Call]
    rules: Rules


class GroupResult(Result):
    """What a group's dialogue gives back."""

    positions: list[Position]
    weighings: list[Weighing]
    polls: list[Poll]


class SessionStage(Stage, Remembering, Sitting):
    """What a session's steps read."""


class SessionResult(Result):
    """What a session gives back."""

    events: list[Event]
    status: Status
    floor: list[str]
    turn: int
    summary: Summary


class PanelStage(Stage, Asked, Finding):
    """What a panel's steps read."""


class PanelInput(TypedDict):
    """What a panel is opened with."""

    query: Annotated[str, Field(description="The question.", min_length=1, max_length=4000)]
    papers: NotRequired[Annotated[list[Paper], Field(description="Papers to read; none: from the library.")]]
    found: NotRequired[Annotated[Found | None, Field(description="The search that gave `papers`, if one did.")]]
    material: NotRequired[Annotated[str, Field(description="Background everyone sees, marked as material.")]]
    participants: NotRequired[Annotated[list[Participant], Field(description="Experts, by name or described.")]]
    personas: NotRequired[Annotated[dict[str, str], Field(description="Custom personas, by expert's name.")]]


class PanelResult(Result):
    """What a panel gives back."""

    query: str
    papers: list[Paper]
    found: Found | None


class Update(TypedDict, total=False):
    """What a step writes: only the news."""

    topic: str
    material: str
    exhibits: list[Exhibit]
    participants: list[Participant]
    rules: Rules
    floor: list[str]
    round: int
    turn: int
    view_limits: dict[str, int]
    history: list[Statement]
    incidents: list[Incident]
    calls: list[Call]
    memory: MemoryWrite
    summary: Summary
    outcome: Outcome | None
    synthesis: str
    verdict: Ending | None
    judged: int
    positions: list[Position]
    weighings: list[Weighing]
    polls: list[Poll]
    consents: list[Consent]
    ballots: list[CastBallot]
    events: list[Event]
    status: Status
    since: str
    opened_at: str
    hidden: list[str]
    warned: list[float]
    papers: list[Paper]
    found: Found | None
