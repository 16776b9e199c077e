"""Under every setting an experiment pays what its settings say, worked out anew beside it."""

from typing import Any

import justice_oracle as oracle
import pytest
from chats.sent_prompt import SentPrompt
from deliberations.justice import played
from moot.state.justice.application import ApplicationResult
from moot.state.justice.income import DistributionSet
from moot.state.justice.principle import SharingRule, get_ballot_number
from moot.state.justice.result import JusticeResult

CHOICES = [
    f"Principle: {number}\nAmount: {amount}\nCertainty: sure\nReason: so."
    for number, amount in [(1, "none"), (2, "none"), (3, 13000), (3, 99999), (4, 16000), (4, 1000)]
] + ["I cannot say."]
UNEVEN = [
    [90000, 50000, 20000, 20000, 9000],
    [30000, 30000, 30000, 12000, 12000],
    [21000, 20000, 20000, 20000, 20000],
    [45000, 21000, 20000, 9000, 100],
]
TABLES: dict[str, dict[str, Any]] = {
    "base": {},
    "equal weights": {"income_class_probabilities": None},
    "classes nobody is in": {"income_class_probabilities": [0.2, 0.0, 0.3, 0.5, 0.0]},
    "spread": {"table_spread": 1.5},
    "spread, odd weights": {"table_spread": 1.25, "income_class_probabilities": [0.3333333, 0.1666667, 0.1, 0.2, 0.2]},
    "tables of one's own": {"custom_tables": UNEVEN},
    "published situations": {"original_values_mode": {"enabled": True}},
    "unscaled": {"distribution_range_phase1": [1.0, 1.0], "distribution_range_phase2": [1.0, 1.0]},
    "scaled from the first": {"distribution_range_phase1": [0.1, 9.9], "phase1_first_round_unscaled": False},
}
NO_CONSENSUS = ("random_distribution_per_participant", "random_distribution_group", "random_principle")
ENDS: list[dict[str, Any]] = [
    *({"no_consensus_mode": mode} for mode in NO_CONSENSUS),
    {"decision_rule": "unanimity"},
    {"decision_rule": "majority"},
    {"decision_rule": "imposed", "imposed_principle": 4, "imposed_amount": 16000},
]


def choice(prompt: SentPrompt) -> str:
    """A choice that differs from one application and participant to the next; some cannot be read."""
    return CHOICES[(len(prompt.text) * 7 + ord(prompt.who)) % len(CHOICES)]


def rows_of(table: DistributionSet) -> list[list[int]]:
    return [distribution.incomes for distribution in table.distributions]


def as_rule(rule: SharingRule) -> oracle.Rule:
    return get_ballot_number(rule.principle), rule.constraint_amount


@pytest.mark.long
@pytest.mark.parametrize("place", range(len(TABLES)), ids=list(TABLES))
def test_everyone_is_paid_what_the_settings_say(place: int) -> None:
    tables, end = list(TABLES.values())[place], ENDS[place % len(ENDS)]
    names = list("ABCDEFGH"[: 2 + place % 7])
    lines = {"choice": choice} | ({"confirmation": "0"} if "no_consensus_mode" in end else {})
    result = played(lines, participants=names, seed=place, max_rounds=1, **tables, **end).result
    for name, alone in result.phase1.items():
        for application_result in alone.application_results:
            check_application(
                application_result,
                oracle.dealt(tables, place, name, application_result.round),
                (place, "phase1", name, application_result.round),
            )
        assert alone.total_earnings == sum(
            application_result.payoff_cents for application_result in alone.application_results
        )
    check_group(result, oracle.at_stake(tables, place), end.get("no_consensus_mode", ""))


def check_application(one: ApplicationResult, drawn: oracle.Set, purpose: tuple[Any, ...]) -> None:
    """The set, the class, the distribution, the money and every alternative of one application."""
    seed, phase, *whose = purpose
    place = drawn.drawn_class(oracle.stream(seed, phase, "class", *whose))
    fallback = oracle.stream(seed, phase, "fallback", *whose).choice(range(4))
    picked = drawn.pick(as_rule(one.choice)) if one.choice else fallback
    income = drawn.rows[picked][oracle.CLASSES.index(place)]
    assert rows_of(one.distribution_set) == drawn.rows
    assert (one.assigned_class, one.distribution) == (place, f"D{picked + 1}")
    assert (one.income, one.payoff_cents) == (income, oracle.cents(income))
    shown = [(1, None), (2, None), *((3, it) for it in sorted(set(drawn.floors())))]
    shown += [(4, it) for it in sorted(set(drawn.ranges()))]
    told = [(get_ballot_number(it.principle), it.constraint_amount, it.payoff_cents) for it in one.alternatives]
    assert told == [(*rule, drawn.pays(rule, place)) for rule in shown]


def check_group(result: JusticeResult, drawn: oracle.Set, mode: str) -> None:
    """The set, the rule, and for each the class, the money and what the other principles would have paid."""
    group, seed = result.phase2, result.seed
    assert group.distribution_set is not None
    assert rows_of(group.distribution_set) == drawn.rows
    rule = as_rule(group.rule_in_force) if group.rule_in_force else None
    lot = oracle.stream(seed, "phase2", "no_consensus")
    if mode == "random_principle":
        assert rule == drawn.median(lot.choice([1, 2, 3, 4]))
    for name in result.phase1:
        own = lot if mode == "random_distribution_group" else oracle.stream(seed, "phase2", "no_consensus", name)
        picked = drawn.pick(rule) if rule else own.choice(range(4))
        lot = oracle.stream(seed, "phase2", "no_consensus")
        place = drawn.drawn_class(oracle.stream(seed, "phase2", "class", name))
        income = drawn.rows[picked][oracle.CLASSES.index(place)]
        assert (group.assigned_classes[name], group.chosen_distribution[name]) == (place, f"D{picked + 1}")
        assert (group.payoffs[name].income, group.payoffs[name].payoff_cents) == (income, oracle.cents(income))
        assert group.final_earnings[name] == result.phase1[name].total_earnings + oracle.cents(income)
        under = [drawn.pays(rule if rule and rule[0] == n else drawn.median(n), place) for n in range(1, 5)]
        others = group.alternative_earnings[name]
        assert [outcome.payoff_cents for outcome in others.outcomes] == under
        assert [get_ballot_number(one) for one in others.best] == [n for n in range(1, 5) if under[n - 1] == max(under)]
        assert [get_ballot_number(one) for one in others.worst] == [
            n for n in range(1, 5) if under[n - 1] == min(under)
        ]
        assert (others.spread_cents, others.cost_cents) == (max(under) - min(under), max(under) - oracle.cents(income))
