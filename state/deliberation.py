"""The channels every deliberation has, grouped by the step that needs them; a protocol is the sum of its groups.

A node annotated with a group receives that group and nothing else. Groups that only some protocols have stand in files
of their own, named for what they are about. Growing and static channels are delta channels: a checkpoint stores what
was written, not what has gathered, and the reducers fold the writes back together.
"""

from collections.abc import Callable
from typing import Annotated, Any, Self

from langgraph.channels import DeltaChannel
from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from .ending import Ending, Outcome
from .history import ViewLimit
from .incident import Call, Incident
from .memory import Lines, fold_memory
from .reducers import appending, latest, latest_of, latest_rules, merging
from .rules import Rules, revived
from .statement import Exhibit, Notice, Participant, Statement
from .window import Summary

SNAPSHOT_EVERY = 5000
"""Writes between snapshots of a delta channel: rare, since each one stores everything gathered so far."""


class Folded(DeltaChannel[Any]):
    """A delta channel whose copy shares its value, since no reducer changes one in place.

    langgraph copies every channel for each conditional edge, which took longer the more had gathered in them.
    """

    __slots__ = ()

    def copy(self) -> Self:
        """The channel as it is, to be updated apart."""
        same = object.__new__(type(self))
        same.key, same.typ, same.value = self.key, self.typ, self.value
        same.reducer, same.snapshot_frequency = self.reducer, self.snapshot_frequency
        return same


def delta(reducer: Callable[..., object]) -> Folded:
    """A channel whose writes `reducer` folds, into a new value."""
    return Folded(reducer, snapshot_frequency=SNAPSHOT_EVERY)


gather_statements = appending(Statement)
gather_incidents = appending(Incident)
gather_calls = appending(Call)
gather_notices = appending(Notice)

Settled = Annotated[Rules, BeforeValidator(revived), delta(latest_rules)]
"""The run's rules, as a channel."""


class Given(TypedDict):
    """What a deliberation is about, who takes part, and its rules: fixed once it has begun."""

    topic: Annotated[str, delta(latest)]
    """What is deliberated, as given."""
    material: Annotated[str, delta(latest)]
    """Background everyone sees, as given; empty: none."""
    exhibits: Annotated[list[Exhibit], delta(latest_of(list[Exhibit]))]
    """Documents everyone sees, in a fixed order; empty: none."""
    participants: Annotated[list[Participant], delta(latest_of(list[Participant]))]
    """Who takes part, in seat order, with the personas in force."""
    rules: Settled
    """Every knob of the run, settled by the first step."""


class Floor(TypedDict):
    """Whose turn it is."""

    floor: list[str]
    """Who has still to speak this round; the first one holds the floor."""
    round: Annotated[int, Field(ge=0)]
    """Number of the round, from 1; 0: not begun."""
    turn: Annotated[int, Field(ge=0)]
    """Turns taken so far, passed-over ones included."""
    view_limits: Annotated[dict[str, ViewLimit], delta(merging(ViewLimit))]
    """What is shown of history and material to a participant whose model refused more."""


class Record(TypedDict):
    """What happened: append-only, never edited."""

    history: Annotated[list[Statement], delta(gather_statements)]
    """Every statement, in order."""
    incidents: Annotated[list[Incident], delta(gather_incidents)]
    """Everything that did not go as planned."""
    calls: Annotated[list[Call], delta(gather_calls)]
    """Every request to a model, with tokens and milliseconds."""
    notices: Annotated[list[Notice], delta(gather_notices)]
    """What the protocol told everyone, such as what came of a vote; every later prompt shows it."""


class Remembering(TypedDict):
    """What each participant remembers."""

    memory: Annotated[Lines, delta(fold_memory)]
    """Each participant's own digest, as lines."""
    summary: Annotated[Summary, delta(latest_of(Summary))]
    """What came before the window of a sliding view."""


class Concluding(TypedDict):
    """How it ended."""

    outcome: Outcome | None
    """The ending with its evidence; none while it goes on."""
    synthesis: Annotated[str, delta(latest)]
    """The closing text; empty until it is written. A delta channel: PostgreSQL would keep a plain text unencrypted."""


class Judging(TypedDict):
    """What a judge found, where one is asked."""

    verdict: Ending | None
    """The judge's latest finding; none: go on."""
    judged: Annotated[int, Field(ge=0)]
    """The turn after which the judge was last asked; 0: never."""


class Opened(TypedDict):
    """What a deliberation may be opened with, beside its topic and participants."""

    personas: Annotated[dict[str, str], delta(latest)]
    """Custom personas, by side or by participant's name."""
    private: Annotated[dict[str, str], delta(latest)]
    """What one participant alone is told, by its name or the number of its seat, as given."""


class Convening(Given, Opened, Record):
    """What the first step reads."""


class Deliberation(Given, Opened, Floor, Record, Remembering, Concluding):
    """What every protocol's state holds."""


class Turn(Given, Floor, Record, Remembering):
    """What one speaker's step reads."""


class Stage(Given, Floor, Record, Judging):
    """What decides whether a deliberation goes on."""
