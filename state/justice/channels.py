"""The channels of the justice experiment, grouped by the step that needs them.

Shared channels (floor, history, memory, calls, incidents) know participants by name, as in every protocol; the
experiment's own data know them by id.
"""

from collections.abc import Sequence
from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import Floor, Given, Record, Remembering, Settled, delta, gather_calls, gather_incidents
from ..draw import Draw
from ..incident import Call, Incident
from ..memory import EVERYONE, Replaced, fold_memory
from ..reducers import appending, latest, latest_of, merging
from ..requirements import Under
from .application import ApplicationResult
from .comprehension import ComprehensionAnswer
from .measures import Measures
from .payment import Payment
from .phases import Phase1Result, Reasoning, WordsInForce
from .principle import Ranking, SharingRule
from .rules import JusticeRules
from .vote import VoteAnswer, VotingRecord

latest_words = latest_of(WordsInForce)
latest_settlement = latest_of(Payment)
merge_alone = merging(Phase1Result)
merge_rankings = merging(Ranking)
merge_lines = merging(list[str])
gather_draws = appending(Draw)
gather_reasonings = appending(Reasoning)
gather_answers = appending(VoteAnswer)
gather_votes = appending(VotingRecord)
gather_comprehension = appending(ComprehensionAnswer)
gather_applications = appending(ApplicationResult)
gather_orders = appending(list)


def gather_lines(current: list[str], writes: Sequence[Sequence[str] | Replaced]) -> list[str]:
    """The memory of one participant alone, folded as every memory is."""
    return fold_memory({EVERYONE: current}, [{EVERYONE: write} for write in writes])[EVERYONE]


class Lone(TypedDict):
    """One participant alone: the state of Phase 1, of which each has its own."""

    who: str
    """Id of the participant."""
    rules: Settled
    """The run's rules, with this participant's share of the budget."""
    lines: Annotated[list[str], delta(gather_lines)]
    """Its memory so far."""
    rankings: Annotated[dict[str, Ranking], delta(merge_rankings)]
    """Rankings by stage."""
    comment: Annotated[str, delta(latest)]
    """What it said to the explanation."""
    comprehension: Annotated[list[ComprehensionAnswer], Under(JusticeRules), delta(gather_comprehension)]
    """The answers of the comprehension test so far."""
    applications: Annotated[list[ApplicationResult], Under(JusticeRules), delta(gather_applications)]
    """The applications paid so far."""
    incidents: Annotated[list[Incident], delta(gather_incidents)]
    """Everything that did not go as planned."""
    calls: Annotated[list[Call], delta(gather_calls)]
    """Every request to a model."""


class Alone(TypedDict):
    """What Phase 1 left behind."""

    alone: Annotated[dict[str, Phase1Result], Under(JusticeRules), delta(merge_alone)]
    """Each participant's Phase 1, by id."""


class Orders(TypedDict):
    """How the group talked, beside its public history."""

    orders: Annotated[list[list[str]], delta(gather_orders)]
    """Speaking orders, by ids, a list per round."""
    draws: Annotated[list[Draw], delta(gather_draws)]
    """Every draw of the run, with its stream."""


class Thoughts(TypedDict):
    """What participants thought."""

    reasonings: Annotated[list[Reasoning], delta(gather_reasonings)]
    """Private reasonings, in order."""


class Box(TypedDict):
    """The box: what was answered in votes, kept from every prompt."""

    answers: Annotated[list[VoteAnswer], delta(gather_answers)]
    """Every answer to every question of every vote."""


class Course(TypedDict):
    """The votes, as everyone may know them, and what came of them."""

    initiator: str
    """Id of who started the vote under way; empty: nobody, or it was due."""
    votes: Annotated[list[VotingRecord], delta(gather_votes)]
    """Every vote attempt, in order."""
    adopted: SharingRule | None
    """The rule adopted or set; none: none yet."""


class Paid(TypedDict):
    """How the group was paid, and what it thinks after that."""

    settlement: Annotated[Payment, delta(latest_settlement)]
    """The group's draw and payoffs; without payoffs before the end."""
    last_rankings: Annotated[dict[str, Ranking], delta(merge_rankings)]
    """Ranking 4, by id."""
    measures: Measures | None
    """What is reported of the rankings; none before the end."""


class Unread(TypedDict):
    """What could not be worked into memories."""

    unintegrated: Annotated[dict[str, list[str]], delta(merge_lines)]
    """Events by participant's name that were appended only, to be offered again."""


class Experiment(TypedDict):
    """What names the experiment."""

    experiment_id: Annotated[str, delta(latest)]
    """The caller's name for it, or a drawn one."""
    words: Annotated[WordsInForce, delta(latest_words)]
    """What participants are told from, by hash."""
    began_at: Annotated[str, delta(latest)]
    """When it began, ISO 8601, UTC."""


class JusticeConvening(Given, Record, Experiment):
    """What the first step reads."""


class Meeting(Given, Floor, Record, Remembering, Alone):
    """What a prompt of the group is made from: no vote's box, no draw, no settlement."""


class Round(Given, Floor, Record, Remembering, Orders, Thoughts, Alone):
    """What opens and closes a round."""


class Polling(Given, Floor, Record, Remembering, Alone, Box, Course):
    """What decides how a vote goes on."""


class Closing(Given, Floor, Record, Remembering, Alone, Orders, Course, Paid, Experiment):
    """What the last steps read."""


class Integrating(Meeting, Course, Paid, Unread):
    """What a memory is rewritten from."""
