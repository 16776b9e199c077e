"""Applications: a participant alone chooses a principle for a drawn set, is given a class, and is paid."""

from functools import partial

from pydantic import BaseModel, ConfigDict, Field

from ..draw import Draw, drawn
from .counterfactual import Counterfactual, alternatives
from .income import DistributionId, DistributionSet, IncomeClass
from .payoff import cents, draw_class, draw_distribution
from .principle import Choice
from .rules import JusticeRules
from .selection import Selection, select
from .situations import situation_of

APPLICATIONS = 4
"""Rounds of application in Phase 1."""


class Case(BaseModel):
    """An application before the choice: whose, which round, and the set it is about."""

    model_config = ConfigDict(frozen=True)

    participant: str = Field(description="Id of the participant.")
    round: int = Field(ge=1, le=APPLICATIONS, description="Application 1 to 4.")
    table: DistributionSet = Field(description="The set, scaled, with the class weights in force.")
    draws: list[Draw] = Field(default_factory=list, description="What was drawn for it.")

    def purpose(self, of: str) -> list[str | int]:
        """What names the stream of a draw made for this application."""
        return ["phase1", of, self.participant, self.round]


class ApplicationResult(BaseModel):
    """An application after it was paid: what the feedback tells and the record keeps."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, le=APPLICATIONS, description="Application 1 to 4.")
    distribution_set: DistributionSet = Field(description="The set the choice was about.")
    choice: Choice | None = Field(default=None, description="The participant's choice; none: it gave no usable one.")
    selection: Selection | None = Field(default=None, description="What the choice picked; none without a choice.")
    distribution: DistributionId = Field(description="The distribution that paid.")
    assigned_class: IncomeClass = Field(description="The class drawn.")
    income: int = Field(ge=1, description="Income of that class.")
    payoff_cents: int = Field(ge=0, description="That income as money, in cents.")
    alternatives: list[Counterfactual] = Field(
        default_factory=list, description="The class under 1, 2, 3 at every distinct floor, 4 at every distinct range."
    )
    defaulted: bool = Field(default=False, description="True where a random distribution paid in place of a choice.")
    raw_replies: list[str] = Field(default_factory=list, description="Each reply as it came.")
    draws: list[Draw] = Field(default_factory=list, description="Every draw of this application.")


def deal(rules: JusticeRules, participant: str, round: int) -> Case:
    """The set of a participant's application: a published situation, or the base set scaled by a draw of its own."""
    tables = rules.tables
    if tables.original_values_mode.enabled:
        return Case(participant=participant, round=round, table=situation_of(round))
    case = Case(participant=participant, round=round, table=tables.base)
    if round == 1 and tables.phase1_first_round_unscaled:
        return case
    bounds = tables.distribution_range_phase1
    multiplier, draw = drawn(rules.run_seed, case.purpose("multiplier"), "multiplier", lambda rng: rng.uniform(*bounds))
    return case.model_copy(update={"table": case.table.scaled(multiplier), "draws": [draw]})


def apply_choice(rules: JusticeRules, case: Case, choice: Choice | None, raw_replies: list[str]) -> ApplicationResult:
    """The case after the choice: what it picks, the class drawn, what that pays. Without a choice a random one pays."""
    table, seed = case.table, rules.run_seed
    selection = select(table, choice) if choice else None
    picked, fallback = drawn(seed, case.purpose("fallback"), "distribution", draw_distribution)
    assigned, draw = drawn(seed, case.purpose("class"), "class", partial(draw_class, weights=table.weights))
    distribution = selection.distribution if selection else picked
    income = table[distribution].income(assigned)
    return ApplicationResult(
        round=case.round,
        distribution_set=table,
        choice=choice,
        selection=selection,
        distribution=distribution,
        assigned_class=assigned,
        income=income,
        payoff_cents=cents(income),
        alternatives=alternatives(table, assigned),
        defaulted=choice is None,
        raw_replies=raw_replies,
        draws=[*case.draws, *([] if selection else [fallback]), draw],
    )
