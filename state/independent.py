"""Independent answers, with which a deliberation is compared: settings, channels and sample count."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Annotated, ClassVar, Literal, NotRequired

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from .channel_requirements import BranchInput
from .deliberation import LookupState, RecordState, TaskState, make_delta_channel
from .positions import (
    Position,
    PositionRecordState,
    PositionSettings,
    RunAnswer,
    build_answer_format,
    compute_plurality,
)
from .random_streams import make_rng
from .records import Call, Incident, sum_tokens
from .reducers import make_latest_reducer
from .schemas import DeliberationInput
from .statement import Statement

IndependentArm = Literal[
    "samples", "each", "think", "written", "notes", "rethought", "alone", "noise", "informed", "ballot", "twice"
]
SAMPLE_ARMS = ("samples", "each", "think")
"""Arms that draw independent samples from the participants."""
WRITING_ARMS = ("think", "written", "rethought")
"""Arms in which a participant writes at least one statement before an answer."""
ROUND_ARMS = ("written", "notes", "rethought", "alone", "noise", "twice")
"""Arms in which all participants answer, in one round or several."""
ANSWER_PURPOSE = "declaration"


class IndependentSettings(PositionSettings):
    """Settings of independent answers: who answers, how often, and what the compared deliberation spent."""

    model_config = ConfigDict(title="Independent")

    reserve: ClassVar[int] = 0

    protocol: Literal["independent"] = Field(default="independent", description="Always `independent`.")
    arm: IndependentArm = Field(
        default="samples",
        description=(
            "Arm. Independent samples: `samples`, `each` (of each model alone), `think` (each after a statement). "
            "Everyone answers once: `written` (after a statement), `notes` (after reading all statements), `rethought` "
            "(after further statements). Everyone answers in rounds: `alone` (by themselves), `noise` (with statements "
            "on something else), `twice` (asked again). One answers: `informed` (with all facts), `ballot` (without a "
            "side)."
        ),
    )
    rounds: int = Field(
        default=1,
        ge=0,
        le=10_000,
        description=(
            "Number of rounds of `alone`, `noise` and `twice`, and of `rethought` after its first statements."
        ),
    )
    talk_calls: float = Field(default=0, ge=0, description="Number of calls of the compared deliberation.")
    talk_tokens: float = Field(default=0, ge=0, description="Number of tokens of the compared deliberation.")
    talk_cost: float | None = Field(default=None, ge=0, description="Cost of the compared deliberation; none: unknown.")
    samples_max: int = Field(default=50, ge=1, le=1000, description="Maximum samples of each group.")
    sampled_groups: list[list[str]] = Field(
        default=[], description="Names of each group with its own samples; empty: one group of all."
    )


def compute_independent_answer(positions: Sequence[Position], settings: IndependentSettings) -> RunAnswer | None:
    """Return the most frequent answer; `None` without answers.

    If participants answer in rounds, only the last position of each counts.
    """
    if settings.arm in ROUND_ARMS:
        positions = list({position.who: position for position in positions}.values())
    return compute_plurality([position.answer for position in positions], build_answer_format(settings))


class HeardStatementsState(TypedDict):
    """Channel of statements from a deliberation that participants read before they answer."""

    heard: Annotated[list[Statement], make_delta_channel(make_latest_reducer(list[Statement]))]
    """Statements that participants read from a deliberation.

    In the arm `noise`, they come from a deliberation on another topic. In `notes` and `rethought`, they are first
    statements.
    """


class IndependentInput(DeliberationInput):
    """Input of a run that asks for independent answers."""

    positions: NotRequired[Annotated[list[Position], Field(description="First answers, taken from the deliberation.")]]
    heard: NotRequired[Annotated[list[Statement], Field(description="Statements that participants read.")]]


class IndependentState(TaskState, RecordState, PositionRecordState, HeardStatementsState):
    """Channels that decide whether to ask for another answer and how the run ends."""


class IndependentBranch(IndependentState, LookupState):
    """Channels of a branch that requests one answer."""

    who: BranchInput[str]
    draw: BranchInput[int]


def list_read_statements(state: IndependentBranch, settings: IndependentSettings) -> list[Statement]:
    """Return the statements that a participant reads before it answers: the deliberation's and its own.

    With samples, its own statements are only those of the current sample.
    """
    own_statements = [statement for statement in state["history"] if statement.speaker == state["who"]]
    if settings.arm in SAMPLE_ARMS:
        own_statements = [statement for statement in own_statements if statement.round == state["draw"]]
    return [*state["heard"], *own_statements]


def get_last_draw(calls: Sequence[Call], incidents: Sequence[Incident], purpose: str = ANSWER_PURPOSE) -> int:
    """Return the number of the latest requested answer, including failed requests; 0 before the first.

    If participants answer in rounds, it is the number of the round. `purpose`: purpose of the requests; `statement`
    selects requests for statements.
    """
    unanswered_draws = [incident.turn for incident in incidents if incident.where == purpose]
    return max([*(call.turn for call in calls if call.purpose == purpose), *unanswered_draws], default=0)


def compute_sample_count(settings: IndependentSettings, drawn_count: int, calls: Sequence[Call]) -> int:
    """Compute how many samples to draw: 1.25 times the number that the deliberation's spending would buy.

    `drawn_count`: samples drawn so far. `calls`: calls for these samples. A sample is expected to cost the mean of the
    drawn samples; before the first, one call. The result is at most the setting `samples_max`.
    """
    sample_spending: tuple[float, ...] = (1,)
    if drawn_count:
        cost = settings.prices.compute_cost(calls) if settings.prices else None
        sample_spending = len(calls), sum_tokens(calls), cost or 0
    talk_spending = settings.talk_calls, settings.talk_tokens, settings.talk_cost or 0
    return min(compute_affordable_samples(talk_spending, sample_spending, drawn_count or 1), settings.samples_max)


def compute_affordable_samples(
    talk_spending: Sequence[float], sample_spending: Sequence[float], drawn_count: int = 1
) -> int:
    """Compute 1.25 times the samples that the deliberation's spending would buy, rounded up; at least 1.

    `talk_spending`: calls, tokens and money of the deliberation. `sample_spending`: the same figures for `drawn_count`
    samples. The figure that buys most samples counts.
    """
    pairs = zip(talk_spending, sample_spending, strict=False)
    counts = [ceil(Fraction(talk) * drawn_count / Fraction(samples)) for talk, samples in pairs if samples]
    return max(1, ceil(Fraction(5, 4) * max(counts, default=0)))


def draw_sampled_participant(settings: IndependentSettings, seats: list[str], draw: int) -> str:
    """Draw which participant to ask for sample number `draw`.

    `seats`: all participants, one of whom is drawn if the settings name no `sampled_groups`. Otherwise the groups take
    turns, and the draw is within one group.
    """
    groups = settings.sampled_groups or [seats]
    return make_rng(settings.seed or 0, settings.arm, "participant", draw).choice(groups[(draw - 1) % len(groups)])
