"""Applications: a participant alone chooses a principle, draws an income class and is paid.

The principle selects one distribution from a set that Moot draws.
"""

from functools import partial

from pydantic import Field

from ..answers.labelled_lines import ReadAs
from ..frozen_models import FrozenModel
from ..random_streams import Draw, draw_value
from .distribution_choice import Counterfactual, RuleSelection, list_alternatives, select_distribution
from .income import DistributionId, DistributionSet, IncomeClass, compute_payoff_cents, draw_class, draw_distribution
from .principle import PrincipleChoice
from .settings import JusticeSettings
from .situations import get_situation

APPLICATION_COUNT = 4


class ApplicationCase(FrozenModel):
    """Application before the choice: participant, round and set of distributions."""

    participant: str = Field(description="Id of the participant.")
    round: int = Field(ge=1, le=APPLICATION_COUNT, description="Number of the application, 1 to 4.")
    table: DistributionSet = Field(description="Scaled set of distributions, with the probabilities of the classes.")
    draws: list[Draw] = Field(default_factory=list, description="Random draws for the case.")

    def make_stream_key(self, draw_kind: str) -> list[str | int]:
        """Return the purpose parts that name the random stream of one draw in this application."""
        return ["phase1", draw_kind, self.participant, self.round]


class ApplicationResult(FrozenModel):
    """Application after the payment, as stored in the record and shown to the participant."""

    round: int = Field(ge=1, le=APPLICATION_COUNT, description="Number of the application, 1 to 4.")
    distribution_set: DistributionSet = Field(description="Set of distributions to choose from.")
    choice: PrincipleChoice | None = Field(
        default=None, description="Choice of the participant; `None` without a usable answer."
    )
    selection: RuleSelection | None = Field(
        default=None, description="Distribution selected by the choice; `None` without one."
    )
    distribution: DistributionId = Field(description="Distribution used for the payment.")
    assigned_class: IncomeClass = Field(description="Income class drawn for the participant.")
    income: int = Field(ge=1, description="Income of that class.")
    payoff_cents: int = Field(ge=0, description="Payoff of the income, in cents.")
    alternatives: list[Counterfactual] = Field(
        default_factory=list,
        description="Payoffs of the class under principles 1 and 2, 3 at every floor, and 4 at every range.",
    )
    defaulted: bool = Field(default=False, description="Whether a random distribution replaced a missing choice.")
    read_as: ReadAs | None = Field(default=None, description="Form of the choice; `None` without one.")
    raw_replies: list[str] = Field(default_factory=list, description="Every reply, unchanged.")
    draws: list[Draw] = Field(default_factory=list, description="Every draw of this application.")


def deal_case(settings: JusticeSettings, participant: str, round: int) -> ApplicationCase:
    """Make the case of a participant's application in this round, with its set of income distributions.

    The set is the base set, multiplied by a drawn factor. According to the settings, it is the published situation of
    the round instead, or the unscaled base set in round 1.
    """
    tables = settings.tables
    if tables.original_values_mode.enabled:
        return ApplicationCase(participant=participant, round=round, table=get_situation(round))
    case = ApplicationCase(participant=participant, round=round, table=tables.base)
    if round == 1 and tables.phase1_first_round_unscaled:
        return case
    bounds = tables.distribution_range_phase1
    multiplier, draw = draw_value(
        settings.run_seed, case.make_stream_key("multiplier"), "multiplier", lambda rng: rng.uniform(*bounds)
    )
    return case.model_copy(update={"table": case.table.scale_incomes(multiplier), "draws": [draw]})


def apply_choice(
    settings: JusticeSettings,
    case: ApplicationCase,
    choice: PrincipleChoice | None,
    raw_replies: list[str],
    read_as: ReadAs | None = None,
) -> ApplicationResult:
    """Apply a choice to a case, draw the income class and compute the payoff.

    `choice`: `None` draws one of the four distributions. `raw_replies`, `read_as`: replies for the record, and how they
    were read.
    """
    table, seed = case.table, settings.run_seed
    selection = select_distribution(table, choice) if choice else None
    fallback_distribution, fallback_draw = draw_value(
        seed, case.make_stream_key("fallback"), "distribution", draw_distribution
    )
    assigned_class, class_draw = draw_value(
        seed, case.make_stream_key("class"), "class", partial(draw_class, weights=table.weights)
    )
    distribution = selection.distribution if selection else fallback_distribution
    income = table[distribution].get_income(assigned_class)
    return ApplicationResult(
        round=case.round,
        distribution_set=table,
        choice=choice,
        selection=selection,
        distribution=distribution,
        assigned_class=assigned_class,
        income=income,
        payoff_cents=compute_payoff_cents(income),
        alternatives=list_alternatives(table, assigned_class),
        defaulted=choice is None,
        read_as=read_as,
        raw_replies=raw_replies,
        draws=[*case.draws, *([] if selection else [fallback_draw]), class_draw],
    )
