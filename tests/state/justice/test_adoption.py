"""When a vote goes on and what a group has adopted: only identical pairs count."""

import pytest
from moot.state.justice.principle import PrincipleChoice, SharingRule, get_principle, needs_amount
from moot.state.justice.vote import find_adopted_rule

Pair = tuple[int, int | None] | None


def ballots(*pairs: Pair) -> dict[str, SharingRule | None]:
    rules = [pair and SharingRule(principle=get_principle(pair[0]), constraint_amount=pair[1]) for pair in pairs]
    return {str(seat): rule for seat, rule in enumerate(rules)}


@pytest.mark.parametrize(
    ("pairs", "consensus"),
    [
        ([(1, None)] * 3, True),
        ([(3, 15000)] * 3, True),
        ([(3, 15000), (3, 20000), (3, 15000)], False),
        ([(3, 15000), (3, 15001)], False),
        ([(1, None), (2, None), (1, None)], False),
        ([(3, 15000), (4, 15000)], False),
        ([], False),
        ([(1, None), None], False),
        ([None, None], False),
    ],
)
def test_vector_19_consensus_is_everyone_with_the_identical_pair(pairs: list[Pair], consensus: bool) -> None:
    cast = ballots(*pairs)
    assert find_adopted_rule(cast, "unanimity") == (cast["0"] if consensus else None)


def test_vector_18_the_amount_of_an_unconstrained_principle_is_discarded() -> None:
    assert find_adopted_rule(ballots((1, 15000), (1, None)), "unanimity") == SharingRule(principle=get_principle(1))


@pytest.mark.parametrize("amount", [None, 0, -5, 15000.5, "abc"])
def test_vector_18_a_constrained_principle_needs_a_whole_amount_above_0(amount: object) -> None:
    with pytest.raises(ValueError, match="constraint_amount"):
        SharingRule.model_validate({"principle": 3, "constraint_amount": amount})


@pytest.mark.parametrize(
    ("pairs", "adopts"),
    [
        ([(3, 9), (3, 9), (1, None)], True),
        ([(3, 9), (3, 9), (1, None), None], False),
        ([(3, 9), (3, 8), (3, 7)], False),
        ([(1, None), None], False),
        ([], False),
    ],
)
def test_a_majority_is_more_than_half_of_all_with_the_identical_pair(pairs: list[Pair], adopts: bool) -> None:
    cast = ballots(*pairs)
    assert find_adopted_rule(cast, "majority") == (cast["0"] if adopts else None)


def test_vector_22_only_the_constrained_principles_need_an_amount() -> None:
    assert [needs_amount(get_principle(number)) for number in (1, 3, 4, 2)] == [False, True, True, False]


def test_a_choice_holds_the_rule_it_names() -> None:
    choice = PrincipleChoice.model_validate(
        {"principle": 4, "constraint_amount": 8000, "certainty": "sure", "reasoning": "…"}
    )
    assert choice.rule == SharingRule(principle=get_principle(4), constraint_amount=8000)
    assert choice.principle == "maximizing_average_range_constraint"
    assert hash(choice.rule) == hash(SharingRule(principle=get_principle(4), constraint_amount=8000))


@pytest.mark.parametrize("principle", [0, 5, True, "3", "floor"])
def test_a_principle_is_an_id_or_a_ballot_number(principle: object) -> None:
    with pytest.raises(ValueError, match="principle"):
        SharingRule.model_validate({"principle": principle, "constraint_amount": 5})
