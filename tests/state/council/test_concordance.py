"""How far rankings agree, on cases counted by hand."""

import pytest
from moot.state.council import compute_concordance, compute_kendall_tau_b
from moot.state.count import CountSettings

TAUS = [
    ("ABC", {"A": 3, "B": 2, "C": 1}, 1.0),
    ("CBA", {"A": 3, "B": 2, "C": 1}, -1.0),
    ("ACB", {"A": 3, "B": 2, "C": 1}, 1 / 3),
    ("ABC", {"A": 2, "B": 2, "C": 1}, 2 / (3 * 2) ** 0.5),
    ("BA", {"A": 1, "B": 2, "C": 9}, 1.0),
    ("ABC", {"A": 1, "B": 1, "C": 1}, None),
    ("A", {"A": 1}, None),
]


@pytest.mark.parametrize(("order", "points", "tau"), TAUS)
def test_tau_b_counts_pairs_in_order_less_those_against_it(
    order: str, points: dict[str, int], tau: float | None
) -> None:
    assert compute_kendall_tau_b(order, points) == (None if tau is None else pytest.approx(tau))


def test_a_member_s_own_answer_is_measured_against_the_place_the_others_give_it() -> None:
    rankings = {"Ada": ["Ada", "Ben", "Cleo"], "Ben": ["Cleo", "Ben", "Ada"], "Cleo": ["Cleo", "Ada", "Ben"]}
    concordance = compute_concordance(rankings, CountSettings())
    assert concordance.points == {"Ada": 3, "Ben": 2, "Cleo": 4}
    assert concordance.mean_place == {"Ada": 2.0, "Ben": pytest.approx(7 / 3), "Cleo": pytest.approx(5 / 3)}
    assert concordance.self_preference == {"Ada": 1.5, "Ben": 0.5, "Cleo": 1.0}
    assert concordance.agreement == {"Ada": pytest.approx(-1 / 3), "Ben": pytest.approx(1 / 3), "Cleo": 1.0}


def test_what_members_say_of_themselves_can_be_left_out_of_the_group_s_ranking() -> None:
    rankings = {"Ada": ["Ada", "Ben", "Cleo"], "Ben": ["Cleo", "Ben", "Ada"], "Cleo": ["Cleo", "Ada", "Ben"]}
    concordance = compute_concordance(rankings, CountSettings(exclude_self=True))
    assert concordance.points == {"Ada": 1, "Ben": 1, "Cleo": 1}
    assert concordance.self_preference == {"Ada": 1.5, "Ben": 0.5, "Cleo": 1.0}
    assert set(concordance.agreement.values()) == {None}


def test_without_a_ranking_there_is_nothing_to_agree_with() -> None:
    assert compute_concordance({}, CountSettings()).model_dump() == {
        "points": {},
        "mean_place": {},
        "ranked_by": {},
        "agreement": {},
        "self_preference": {},
    }
