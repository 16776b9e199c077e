"""Payment after the vote: draw the set and the income classes, and pay the group."""

import random
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pydantic import Field

from ..frozen_models import FrozenModel
from ..random_streams import Draw, draw_value
from .distribution_choice import Counterfactuals, compute_counterfactuals, make_median_rule, select_distribution
from .income import DistributionId, DistributionSet, IncomeClass, compute_payoff_cents, draw_class, draw_distribution
from .principle import PRINCIPLES, SharingRule
from .settings import JusticeSettings

NO_CONSENSUS_STREAM = ("phase2", "no_consensus")
Lot = TypeVar("Lot", bound=str)


class Payoff(FrozenModel):
    """Payoff of one participant in the payment of the group."""

    income: int = Field(ge=1, description="Income of the class in the distribution that pays.")
    payoff_cents: int = Field(ge=0, description="Payoff of the income, in cents.")


class Payment(FrozenModel):
    """Payment of the whole group: the drawn set, the rule, and each payoff by participant id."""

    distribution_set: DistributionSet | None = Field(default=None, description="Set of distributions for the payment.")
    rule_in_force: SharingRule | None = Field(
        default=None, description="Rule of the payment: adopted, imposed or drawn; none: distributions were drawn."
    )
    constraint_satisfied: bool | None = Field(default=None, description="Whether any distribution met the amount.")
    binding: bool | None = Field(default=None, description="Whether the amount excluded at least one distribution.")
    decisive: bool | None = Field(default=None, description="Whether the outcome differed from that of principle 2.")
    chosen_distribution: dict[str, DistributionId] = Field(
        default_factory=dict, description="Distribution for each participant."
    )
    assigned_classes: dict[str, IncomeClass] = Field(
        default_factory=dict, description="Income class of each participant."
    )
    payoffs: dict[str, Payoff] = Field(default_factory=dict, description="Payoff of each participant.")
    alternative_earnings: dict[str, Counterfactuals] = Field(
        default_factory=dict, description="Payoffs of each participant under the other principles."
    )
    draws: list[Draw] = Field(default_factory=list, description="Random draws for the payment.")


def settle_payment(settings: JusticeSettings, adopted_rule: SharingRule | None) -> Payment:
    """Draw the set and the income classes, and pay the group under its adopted or imposed rule.

    Without a rule, the setting `no_consensus_mode` determines the payment. Separate random streams draw the multiplier,
    each participant's class, and the distribution to pay without a rule.
    """
    bounds = settings.tables.distribution_range_phase2
    multiplier, draw = draw_value(
        settings.run_seed, ["phase2", "multiplier"], "multiplier", lambda rng: rng.uniform(*bounds)
    )
    table = settings.tables.base.scale_incomes(multiplier)
    rule, draws = adopted_rule, [draw]
    if rule is None and settings.voting.no_consensus_mode == "random_principle":
        principle, draw = draw_value(
            settings.run_seed, NO_CONSENSUS_STREAM, "principle", lambda rng: rng.choice(PRINCIPLES)
        )
        rule = make_median_rule(table, principle)
        draws.append(draw)
    selection = select_distribution(table, rule) if rule else None
    if selection:
        distributions = dict.fromkeys(settings.ids, selection.distribution)
    elif settings.voting.no_consensus_mode == "random_distribution_group":
        distribution, draw = draw_value(settings.run_seed, NO_CONSENSUS_STREAM, "distribution", draw_distribution)
        distributions = dict.fromkeys(settings.ids, distribution)
        draws.append(draw)
    else:
        distributions, lot_draws = _draw_lots(settings, "no_consensus", draw_distribution)
        draws += lot_draws
    classes, class_draws = _draw_lots(settings, "class", partial(draw_class, weights=table.weights))
    incomes = {id: table[distributions[id]].get_income(classes[id]) for id in settings.ids}
    return Payment(
        distribution_set=table,
        rule_in_force=rule,
        constraint_satisfied=selection.constraint_satisfied if selection else None,
        binding=selection.binding if selection else None,
        decisive=selection.decisive if selection else None,
        chosen_distribution=distributions,
        assigned_classes=classes,
        payoffs={
            id: Payoff(income=income, payoff_cents=compute_payoff_cents(income)) for id, income in incomes.items()
        },
        alternative_earnings={
            id: compute_counterfactuals(table, classes[id], rule, compute_payoff_cents(income))
            for id, income in incomes.items()
        },
        draws=[*draws, *class_draws],
    )


def _draw_lots(
    settings: JusticeSettings, purpose: str, draw_lot: Callable[[random.Random], Lot]
) -> tuple[dict[str, Lot], list[Draw]]:
    kind = "class" if purpose == "class" else "distribution"
    lots = {id: draw_value(settings.run_seed, ["phase2", purpose, id], kind, draw_lot) for id in settings.ids}
    return {id: lot for id, (lot, _) in lots.items()}, [draw for _, draw in lots.values()]
