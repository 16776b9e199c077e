"""Principles pick exactly; classes and payoffs follow. Fixtures: the base set and situations A to D."""

import random
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st
from moot.state.justice.distribution_choice import (
    RuleSelection,
    compute_counterfactuals,
    list_alternatives,
    make_median_rule,
    select_distribution,
)
from moot.state.justice.income import (
    DEFAULT_WEIGHTS,
    INCOME_CLASSES,
    Distribution,
    DistributionSet,
    IncomeClass,
    compute_payoff_cents,
    draw_class,
    format_dollars,
    split_credit,
)
from moot.state.justice.principle import PRINCIPLES, SharingRule, get_ballot_number, get_principle
from moot.state.justice.situations import BASE_DISTRIBUTIONS, SITUATIONS, get_situation


def rule(number: int, amount: int | None = None) -> SharingRule:
    return SharingRule(principle=get_principle(number), constraint_amount=amount)


def pick(table: DistributionSet, number: int, amount: int | None = None) -> str:
    return select_distribution(table, rule(number, amount)).distribution


def table(*rows: list[int], weights: list[float] | None = None) -> DistributionSet:
    return DistributionSet.model_validate({"distributions": list(rows), "weights": weights})


def unweighted(situation: DistributionSet) -> DistributionSet:
    return situation.model_copy(update={"weights": None})


FLAT = [9000, 9000, 9000, 9000, 9000]


def test_the_base_set_has_its_averages_and_ranges() -> None:
    assert BASE_DISTRIBUTIONS.averages == [20750, 19150, 19850, 18050]
    assert unweighted(BASE_DISTRIBUTIONS).averages == [21600, 20000, 21200, 18200]
    assert BASE_DISTRIBUTIONS.ranges == [20000, 15000, 17000, 6000]
    assert BASE_DISTRIBUTIONS.floors == [12000, 13000, 14000, 15000]


@pytest.mark.parametrize(
    ("name", "averages"),
    [
        ("A", "20000 23500 26000 19000"),
        ("B", "14789.179 19195.895 23561.195 20878.358"),
        ("C", "19500.05 22350.005 20000.004 20710.001"),
        ("D", "23549.995 24499.998 15499.998 22699.996"),
    ],
)
def test_the_situations_have_the_published_averages(name: str, averages: str) -> None:
    assert SITUATIONS[name].averages == [Fraction(part) for part in averages.split()]


def test_vector_01_principle_1_picks_the_largest_floor() -> None:
    assert pick(BASE_DISTRIBUTIONS, 1) == "D4"
    assert BASE_DISTRIBUTIONS["D4"].low == 15000


def test_vector_02_principle_2_picks_the_largest_average() -> None:
    assert pick(BASE_DISTRIBUTIONS, 2) == "D1"
    assert BASE_DISTRIBUTIONS["D1"].compute_average(BASE_DISTRIBUTIONS.weights) == 20750


@pytest.mark.parametrize(
    ("amount", "picked"),
    [(12000, "D1"), (12001, "D3"), (13000, "D3"), (14000, "D3"), (14001, "D4"), (15000, "D4")],
)
def test_vector_03_a_floor_constraint_is_inclusive(amount: int, picked: str) -> None:
    selection = select_distribution(BASE_DISTRIBUTIONS, rule(3, amount))
    assert (selection.distribution, selection.constraint_satisfied) == (picked, True)


@pytest.mark.parametrize("amount", [15001, 20000])
def test_vector_04_an_unreachable_floor_falls_back_to_the_largest(amount: int) -> None:
    selection = select_distribution(BASE_DISTRIBUTIONS, rule(3, amount))
    assert selection == RuleSelection(distribution="D4", constraint_satisfied=False, binding=True, decisive=True)


@pytest.mark.parametrize(
    ("amount", "picked", "satisfied"),
    [
        (20000, "D1", True),
        (19999, "D3", True),
        (17000, "D3", True),
        (16999, "D2", True),
        (15000, "D2", True),
        (14999, "D4", True),
        (6000, "D4", True),
        (5999, "D4", False),
    ],
)
def test_vector_05_a_range_constraint_is_inclusive(amount: int, picked: str, satisfied: bool) -> None:
    selection = select_distribution(BASE_DISTRIBUTIONS, rule(4, amount))
    assert (selection.distribution, selection.constraint_satisfied) == (picked, satisfied)


@pytest.mark.parametrize(
    ("number", "amount", "picked", "income", "paid"),
    [
        (1, None, "D4", 13000, "1.30"),
        (2, None, "D3", 6000, "0.60"),
        (3, 12000, "D1", 12000, "1.20"),
        (3, 10000, "D2", 10000, "1.00"),
        (4, 25000, "D3", 6000, "0.60"),
        (4, 16000, "D1", 12000, "1.20"),
        (4, 15000, "D4", 13000, "1.30"),
    ],
)
def test_vector_06_situation_a_low(number: int, amount: int | None, picked: str, income: int, paid: str) -> None:
    situation = SITUATIONS["A"]
    assert pick(situation, number, amount) == picked
    assert situation[picked].get_income("low") == income
    assert format_dollars(compute_payoff_cents(income)) == paid


@pytest.mark.parametrize(
    ("number", "amount", "picked"),
    [
        (1, None, "D1"),
        (2, None, "D3"),
        (3, 11000, "D4"),
        (3, 12500, "D2"),
        (3, 13000, "D1"),
        (4, 17500, "D4"),
        (4, 4000, "D1"),
        (4, 3000, "D1"),
    ],
)
def test_vector_07_situation_b(number: int, amount: int | None, picked: str) -> None:
    selection = select_distribution(SITUATIONS["B"], rule(number, amount))
    assert selection.distribution == picked
    assert selection.constraint_satisfied is (None if amount is None else amount != 3000)


def test_vector_08_situation_c_depends_on_the_weights() -> None:
    weighted, plain = SITUATIONS["C"], unweighted(SITUATIONS["C"])
    assert (pick(weighted, 2), weighted["D2"].compute_average(weighted.weights)) == ("D2", Fraction("22350.005"))
    assert (pick(plain, 2), plain["D1"].compute_average(None)) == ("D1", 35600)
    assert (pick(weighted, 4, 18000), pick(plain, 4, 18000)) == ("D4", "D3")


@pytest.mark.parametrize(
    ("number", "amount", "picked"),
    [
        (2, None, "D2"),
        (3, 12000, "D2"),
        (3, 13000, "D1"),
        (3, 13500, "D4"),
        (4, 16000, "D4"),
        (4, 8000, "D3"),
        (4, 22000, "D2"),
    ],
)
def test_vector_09_situation_d(number: int, amount: int | None, picked: str) -> None:
    assert pick(SITUATIONS["D"], number, amount) == picked
    assert pick(unweighted(SITUATIONS["D"]), 2) == "D1"


def test_vector_10_ties_go_to_the_lowest_index() -> None:
    floors = [[20000, 20000, 20000, 20000, low] for low in (9000, 12000, 12000, 8000)]
    assert pick(table(*floors), 1) == "D2"
    means = [FLAT, [12000, 10000, 8000, 8000, 7000], [11000, 9000, 9000, 9000, 7000], [9000, 9000, 9000, 9000, 8000]]
    assert pick(table(*means), 2) == "D1"
    ranges = [[low + width, low, low, low, low] for low, width in ((9, 8000), (99, 8000), (1, 9000), (5, 9000))]
    selection = select_distribution(table(*ranges), rule(4, 1000))
    assert (selection.distribution, selection.constraint_satisfied) == ("D1", False)


def test_vector_10_averages_are_compared_exactly() -> None:
    one, other = [30817, 29551, 21270, 16453, 13270], [30817, 29551, 21270, 16457, 13262]
    close = table(one, other, FLAT, FLAT, weights=SITUATIONS["A"].weights)
    assert close.averages[:2] == [Fraction("22117.5")] * 2
    assert pick(close, 2) == "D1"


@pytest.mark.parametrize(
    ("multiplier", "name", "incomes"),
    [
        (0.5, "D1", [16000, 13500, 12000, 6500, 6000]),
        (1.3333, "D1", [42665, 35999, 31999, 17332, 15999]),
        (2, "D4", [42000, 40000, 38000, 32000, 30000]),
    ],
)
def test_vector_11_scaled_incomes_are_truncated(multiplier: float, name: str, incomes: list[int]) -> None:
    scaled = BASE_DISTRIBUTIONS.scale_incomes(multiplier)
    assert (scaled[name].incomes, scaled.multiplier, scaled.weights) == (
        incomes,
        multiplier,
        BASE_DISTRIBUTIONS.weights,
    )


def test_vector_12_a_large_multiplier_empties_the_amount() -> None:
    scaled = BASE_DISTRIBUTIONS.scale_incomes(4.979578125)
    assert scaled["D1"].incomes == [159346, 134448, 119509, 64734, 59754]
    selection = select_distribution(scaled, rule(3, 12000))
    assert selection == RuleSelection(distribution="D1", constraint_satisfied=True, binding=False, decisive=False)
    seen = {
        (get_ballot_number(alternative.principle), alternative.constraint_amount): alternative
        for alternative in list_alternatives(scaled, "medium_high")
    }
    assert {
        key: (seen[key].distribution, seen[key].income, format_dollars(seen[key].payoff_cents))
        for key in ((2, None), (1, None), (3, 64734))
    } == {(2, None): ("D1", 134448, "13.44"), (1, None): ("D4", 99591, "9.96"), (3, 64734): ("D3", 119509, "11.95")}


WORKED_EXAMPLE = [
    ("high", 31000, 310, [210, 320, 310, 310], [2], 10),
    ("medium_high", 24000, 240, [200, 270, 240, 240], [2], 30),
    ("medium", 21000, 210, [190, 240, 210, 210], [2], 30),
    ("medium_low", 16000, 160, [160, 130, 160, 160], [1, 3, 4], 0),
    ("low", 14000, 140, [150, 120, 140, 140], [1], 10),
]


@pytest.mark.parametrize(("income_class", "income", "payoff", "under", "best", "cost"), WORKED_EXAMPLE)
def test_vector_13_the_worked_example(
    income_class: IncomeClass, income: int, payoff: int, under: list[int], best: list[int], cost: int
) -> None:
    agreed = rule(3, 14000)
    selection = select_distribution(BASE_DISTRIBUTIONS, agreed)
    assert selection == RuleSelection(distribution="D3", constraint_satisfied=True, binding=True, decisive=True)
    assert (BASE_DISTRIBUTIONS["D3"].get_income(income_class), compute_payoff_cents(income)) == (income, payoff)
    counterfactuals = compute_counterfactuals(BASE_DISTRIBUTIONS, income_class, agreed, payoff)
    assert [outcome.payoff_cents for outcome in counterfactuals.outcomes] == under
    assert [outcome.distribution for outcome in counterfactuals.outcomes] == ["D4", "D1", "D3", "D3"]
    assert [outcome.constraint_amount for outcome in counterfactuals.outcomes] == [None, None, 14000, 17000]
    assert [get_ballot_number(each) for each in counterfactuals.best] == best
    assert counterfactuals.worst == [PRINCIPLES[under.index(min(under))]]
    assert (counterfactuals.spread_cents, counterfactuals.cost_cents) == (max(under) - min(under), cost)


def test_vector_13_totals() -> None:
    paid = {row[0]: row[2] for row in WORKED_EXAMPLE}
    assert format_dollars(sum(paid.values())) == "10.60"
    assert format_dollars(830 + paid["medium"]) == "10.40"


class Fixed(random.Random):
    """A generator that always gives the same number."""

    def __init__(self, number: float) -> None:
        super().__init__()
        self.number = number

    def random(self) -> float:
        return self.number


@pytest.mark.parametrize(
    ("number", "income_class"),
    [
        (0, "high"),
        (0.049, "high"),
        (0.06, "medium_high"),
        (0.14, "medium_high"),
        (0.16, "medium"),
        (0.649, "medium"),
        (0.66, "medium_low"),
        (0.899, "medium_low"),
        (0.91, "low"),
        (0.999, "low"),
    ],
)
def test_vector_14_a_number_falls_into_a_class(number: float, income_class: str) -> None:
    assert draw_class(Fixed(number), DEFAULT_WEIGHTS) == income_class


def test_without_weights_the_classes_are_equal() -> None:
    classes = [draw_class(Fixed(number), None) for number in (0, 0.199, 0.2, 0.399, 0.4, 0.6, 0.8, 0.999)]
    assert classes == [INCOME_CLASSES[index] for index in (0, 0, 1, 1, 2, 3, 4, 4)]


def test_a_class_of_weight_0_is_never_drawn() -> None:
    assert draw_class(Fixed(0), [0, 0.5, 0, 0.5, 0]) == "medium_high"


def test_vector_15_classes_of_seeds_42_to_49() -> None:
    expected = ["medium", "high", "medium", "medium", "medium_low", "medium", "medium", "medium_high"]
    assert [draw_class(random.Random(seed), DEFAULT_WEIGHTS) for seed in range(42, 50)] == expected


def test_vector_16_the_multiplier_of_seed_42() -> None:
    multiplier = random.Random(42).uniform(0.5, 2.0)
    assert multiplier == 1.4591401976868257
    assert BASE_DISTRIBUTIONS.scale_incomes(multiplier)["D1"].incomes == [46692, 39396, 35019, 18968, 17509]


@pytest.mark.parametrize(
    ("income", "paid"), [(31000, "3.10"), (18678, "1.87"), (12345, "1.23"), (24999, "2.50"), (10050, "1.01")]
)
def test_vector_17_payoffs_are_rounded_half_up(income: int, paid: str) -> None:
    assert format_dollars(compute_payoff_cents(income)) == paid


@pytest.mark.parametrize("income", [0, -1, -31000])
def test_vector_17_nothing_is_paid_for_no_income(income: int) -> None:
    with pytest.raises(ValueError, match="above 0"):
        compute_payoff_cents(income)


@pytest.mark.parametrize(("amount", "shown"), [(0, "0.00"), (5, "0.05"), (-10, "-0.10"), (123456789, "1,234,567.89")])
def test_cents_are_shown_as_dollars(amount: int, shown: str) -> None:
    assert format_dollars(amount) == shown


def test_a_random_pick_can_beat_every_principle() -> None:
    counterfactuals = compute_counterfactuals(BASE_DISTRIBUTIONS, "low", None, 999)
    assert counterfactuals.cost_cents == 150 - 999


def test_the_amount_nobody_chose_is_the_upper_median() -> None:
    assert [make_median_rule(BASE_DISTRIBUTIONS, PRINCIPLE).constraint_amount for PRINCIPLE in PRINCIPLES] == [
        None,
        None,
        14000,
        17000,
    ]
    assert make_median_rule(table(FLAT, FLAT, FLAT, FLAT), PRINCIPLES[3]).constraint_amount == 1


def test_feedback_shows_every_distinct_floor_and_range() -> None:
    seen = [
        (get_ballot_number(alternative.principle), alternative.constraint_amount)
        for alternative in list_alternatives(BASE_DISTRIBUTIONS, "low")
    ]
    floors, ranges = [12000, 13000, 14000, 15000], [6000, 15000, 17000, 20000]
    assert seen == [(1, None), (2, None), *((3, floor) for floor in floors), *((4, each) for each in ranges)]
    same_floor = table(FLAT, FLAT, [10000, 9000, 9000, 9000, 9000], FLAT)
    numbers = [get_ballot_number(alternative.principle) for alternative in list_alternatives(same_floor, "low")]
    assert numbers == [1, 2, 3, 4, 4]


def test_spreading_the_base_set_keeps_its_averages() -> None:
    spread = BASE_DISTRIBUTIONS.widen_incomes(1.5)
    assert spread["D1"].incomes == [37625, 30125, 25625, 9125, 7625]
    assert spread.averages[0] == BASE_DISTRIBUTIONS.averages[0]


def test_an_income_below_1_is_refused() -> None:
    with pytest.raises(ValueError, match="fall to -5500"):
        BASE_DISTRIBUTIONS.widen_incomes(3)
    with pytest.raises(ValueError, match="fall to 0"):
        BASE_DISTRIBUTIONS.scale_incomes(0.00001)


@given(st.floats(0.5, 5), st.integers(0, 3), st.floats(1, 1.5))
def test_scaling_and_spreading_never_make_incomes_rise(multiplier: float, index: int, factor: float) -> None:
    incomes = BASE_DISTRIBUTIONS.widen_incomes(factor).scale_incomes(multiplier).distributions[index].incomes
    assert incomes == sorted(incomes, reverse=True)


@pytest.mark.parametrize("incomes", [[1, 2, 3, 4, 5], [5, 4, 3, 2], [5, 4, 3, 2, 0], [5, 4, 3, 2, 1.5], "54321"])
def test_a_distribution_has_five_whole_incomes_that_do_not_rise(incomes: object) -> None:
    with pytest.raises(ValueError, match=r"rise|five incomes|greater|integer|dictionary"):
        Distribution.model_validate(incomes)


def test_the_situations_are_rounds_1_to_4() -> None:
    assert [get_situation(round) for round in range(1, 5)] == [SITUATIONS[name] for name in "ABCD"]
    with pytest.raises(ValueError, match="rounds 1 to 4"):
        get_situation(5)


@given(st.integers(1, 10_000_000), st.integers(1, 20))
def test_the_loss_frame_leaves_exactly_the_same_money(credit: int, draws: int) -> None:
    shares = split_credit(credit, draws)
    assert max(shares) - min(shares) <= 1
    payoffs = [number * 7 % 1000 for number in range(draws)]
    left = credit - sum(share - payoff for share, payoff in zip(shares, payoffs, strict=True))
    assert left == sum(payoffs)
