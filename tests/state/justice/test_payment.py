"""Applications and the group's settlement: draws of one never move another's, and everyone is paid what is due."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given, strategies as st
from moot.state.justice.application import ApplicationResult, apply_choice, deal_case
from moot.state.justice.distribution_choice import compute_counterfactuals, select_distribution
from moot.state.justice.income import DISTRIBUTION_IDS, compute_payoff_cents
from moot.state.justice.payment import settle_payment
from moot.state.justice.principle import PRINCIPLES, PrincipleChoice, SharingRule, get_ballot_number, get_principle
from moot.state.justice.settings import JusticeSettings, parse_justice_settings
from moot.state.justice.situations import BASE_DISTRIBUTIONS, SITUATIONS
from moot.state.justice.speaking_order import count_finishes, draw_speaking_order
from moot.state.random_streams import make_rng

AGREED = SharingRule(principle=get_principle(3), constraint_amount=14000)
CHOICE = PrincipleChoice(principle=get_principle(2), certainty="sure")


def rules(**given: object) -> JusticeSettings:
    return parse_justice_settings({"seed": 42, "participants": ["A", "B", "C"], **given})


def alone(who: str, round: int, choice: PrincipleChoice | None = CHOICE, **given: object) -> ApplicationResult:
    asked = rules(**given)
    return apply_choice(asked, deal_case(asked, who, round), choice, ["2"])


def test_vector_39_phase_1_is_the_same_under_any_interleaving() -> None:
    turns = [(who, round) for who in "ABC" for round in (1, 2)]
    results = [
        {turn: alone(*turn) for turn in order} for order in (turns, turns[::-1], *list(permutations(turns))[::97])
    ]
    assert all(result == results[0] for result in results)


def test_one_participants_failure_moves_nobody_elses_draws_nor_its_own_class() -> None:
    chosen, defaulted = alone("A", 2), alone("A", 2, None)
    assert defaulted.assigned_class == chosen.assigned_class
    assert defaulted.distribution_set == chosen.distribution_set


def test_an_unusable_choice_is_recorded_as_none_and_a_drawn_distribution_pays() -> None:
    result = alone("A", 2, None)
    assert (result.choice, result.selection, result.defaulted, result.raw_replies) == (None, None, True, ["2"])
    assert result.distribution == make_rng(42, "phase1", "fallback", "A", 2).choice(DISTRIBUTION_IDS)
    assert [draw.purpose[1] for draw in result.draws] == ["multiplier", "fallback", "class"]
    assert result.payoff_cents == compute_payoff_cents(
        result.distribution_set[result.distribution].get_income(result.assigned_class)
    )


def test_a_choice_pays_what_it_picks_and_stores_no_unused_draw() -> None:
    result = alone("B", 3)
    assert result.selection == select_distribution(result.distribution_set, CHOICE.rule)
    assert result.income == result.distribution_set[result.distribution].get_income(result.assigned_class)
    assert [draw.purpose for draw in result.draws] == [["phase1", "multiplier", "B", 3], ["phase1", "class", "B", 3]]
    assert [draw.value for draw in result.draws] == [result.distribution_set.multiplier, result.assigned_class]


def test_the_first_round_is_unscaled_unless_it_is_told_to_be() -> None:
    assert deal_case(rules(), "A", 1).table == BASE_DISTRIBUTIONS
    assert deal_case(rules(phase1_first_round_unscaled=False), "A", 1).table.multiplier != 1
    assert deal_case(rules(), "A", 2).table.multiplier == make_rng(42, "phase1", "multiplier", "A", 2).uniform(0.5, 2.0)


def test_original_values_are_situations_a_to_d_with_their_weights() -> None:
    asked = rules(original_values_mode={"enabled": True})
    assert [deal_case(asked, "A", round).table for round in range(1, 5)] == [SITUATIONS[name] for name in "ABCD"]
    assert settle_payment(asked, None).distribution_set == BASE_DISTRIBUTIONS.scale_incomes(1.8306701215565018)


def test_vector_13_a_group_is_paid_by_the_rule_it_adopted() -> None:
    settled = settle_payment(rules(distribution_range_phase2=[1, 1]), AGREED)
    assert settled.distribution_set == BASE_DISTRIBUTIONS
    assert settled.chosen_distribution == {"A": "D3", "B": "D3", "C": "D3"}
    assert (settled.constraint_satisfied, settled.binding, settled.decisive) == (True, True, True)
    for who, paid in settled.payoffs.items():
        assert paid.income == BASE_DISTRIBUTIONS["D3"].get_income(settled.assigned_classes[who])
        expected = compute_counterfactuals(BASE_DISTRIBUTIONS, settled.assigned_classes[who], AGREED, paid.payoff_cents)
        assert settled.alternative_earnings[who] == expected


def test_without_a_rule_each_is_paid_by_a_distribution_of_its_own() -> None:
    settled = settle_payment(rules(), None)
    drawn = {who: make_rng(42, "phase2", "no_consensus", who).choice(DISTRIBUTION_IDS) for who in "ABC"}
    assert settled.chosen_distribution == drawn
    assert (settled.rule_in_force, settled.binding) == (None, None)
    assert len(settled.draws) == 1 + 3 + 3


def test_without_a_rule_one_distribution_may_pay_all() -> None:
    settled = settle_payment(rules(no_consensus_mode="random_distribution_group"), None)
    assert set(settled.chosen_distribution.values()) == {
        make_rng(42, "phase2", "no_consensus").choice(DISTRIBUTION_IDS)
    }
    assert len(settled.draws) == 1 + 1 + 3


def test_without_a_rule_a_principle_may_be_drawn_with_the_median_amount() -> None:
    seen = set()
    for seed in range(40):
        settled = settle_payment(rules(seed=seed, no_consensus_mode="random_principle"), None)
        table, rule = settled.distribution_set, settled.rule_in_force
        assert table
        assert rule
        medians = {3: sorted(table.floors)[2], 4: sorted(table.ranges)[2]}
        assert rule.constraint_amount == medians.get(get_ballot_number(rule.principle))
        assert set(settled.chosen_distribution.values()) == {select_distribution(table, rule).distribution}
        seen.add(rule.principle)
    assert seen == set(PRINCIPLES)


@given(st.integers(0, 2**31 - 1), st.booleans())
def test_classes_and_set_do_not_depend_on_the_vote(seed: int, agreed: bool) -> None:
    one, other = settle_payment(rules(seed=seed), AGREED), settle_payment(rules(seed=seed), None)
    assert one.assigned_classes == other.assigned_classes
    assert one.distribution_set == other.distribution_set


def orders(rounds: int, **given: object) -> list[list[str]]:
    asked = rules(max_rounds=rounds, **given)
    former: list[list[str]] = []
    for round in range(1, rounds + 1):
        former.append(draw_speaking_order(asked, round, former)[0])
    return former


@pytest.mark.parametrize("strategy", ["random", "conversational"])
def test_vector_28_over_a_whole_discussion_nobody_finishes_beyond_the_cap(strategy: str) -> None:
    former = orders(10, speaking_order_strategy=strategy)
    assert max(count_finishes(former).values()) <= 4
    assert all(later[0] != sooner[-1] for sooner, later in pairwise(former))


@pytest.mark.parametrize("given", [{"speaking_order_strategy": "fixed"}, {"randomize_speaking_order": False}])
def test_vector_29_a_fixed_order_draws_nothing(given: dict[str, object]) -> None:
    assert ["".join(order) for order in orders(4, **given)] == ["ABC", "BCA", "CAB", "ABC"]
    assert draw_speaking_order(rules(**given), 1, [])[1] == []


def test_an_order_is_drawn_from_the_stream_of_its_round() -> None:
    order, draws = draw_speaking_order(rules(), 2, [])
    assert [draw.purpose for draw in draws] == [["phase2", "order", 2]]
    assert draws[0].value == order == draw_speaking_order(rules(), 2, [])[0]
