"""How answers turned: flips, conformity and the oracle gap, against tables computed by hand."""

from statistics import fmean

import pytest
from moot.app.experiment.measures import (
    DeclaredAnswer,
    PositionHistory,
    ValuesByItem,
    count_flips,
    measure_conformity,
    measure_links,
    measure_oracle_gap,
)


def run(table: dict[str, str], truth: str | None = "A", item: str = "1") -> PositionHistory:
    """Answers over time, one letter each; a dot where none was usable."""
    rows = {
        name: [None if answer == "." else DeclaredAnswer(answer) for answer in answers]
        for name, answers in table.items()
    }
    return PositionHistory(item, rows, truth, "ABC")


def averaged(values: ValuesByItem) -> float:
    return fmean(cell for row in values.values() for cell in row)


def test_flips_are_counted_from_the_first_answer_to_the_last() -> None:
    flips = count_flips(
        [
            run({"Ada": "BBA", "Ben": "BAB", "Cy": "ABA", "Di": "AAB", "Eve": "B.C"}),
            run({"Ada": "BCA", "Ben": "AAA", "Cy": ".AA", "Di": "AA."}, item="2"),
        ]
    )
    assert (flips.n00, flips.n01, flips.n10, flips.n11, flips.unanswered) == (2, 2, 1, 2, 2)
    assert flips.corrected == {"1": [1, 0, 0], "2": [1]}
    assert averaged(flips.corrected) == 2 / 4
    assert averaged(flips.corrupted) == 1 / 3
    assert averaged(flips.net) == pytest.approx((2 - 1) / 7)


@pytest.mark.parametrize(
    ("table", "rate", "harmful", "tied"),
    [
        # Ben and Cy say B: Ada follows a wrong mode from a right answer. For Ben and Cy the others (A, B) are tied.
        ({"Ada": "AB", "Ben": "BB", "Cy": "BB"}, [1], [1], 2),
        ({"Ada": "AA", "Ben": "BB", "Cy": "BB"}, [0], [0], 2),
        ({"Ada": "BA", "Ben": "AA", "Cy": "AA"}, [1], [0], 2),  # to a right mode: no harm
        ({"Ada": "CB", "Ben": "BB", "Cy": "BB"}, [1], [0], 2),  # from a wrong answer: no harm
        ({"Ada": "AC", "Ben": "BB", "Cy": "BB"}, [0], [0], 2),  # to neither
        ({"Ada": "AA", "Ben": "AA", "Cy": "AA"}, [], [], 0),  # nobody differs
        ({"Ada": "AB", "Ben": "BA"}, [1, 1], [1, 0], 0),  # two: the other is the mode
        ({"Ada": "A.", "Ben": "BB", "Cy": "BB"}, [], [], 2),  # no next answer: no step
        ({"Ada": "ABB", "Ben": "BBB", "Cy": "BBA"}, [1], [1], 2),  # the second step: all say B, nobody differs
    ],
)
def test_conformity_is_the_share_of_those_who_differ_that_go_over(
    table: dict[str, str], rate: list[float], harmful: list[float], tied: int
) -> None:
    conformity = measure_conformity([run(table)])
    assert (conformity.rate, conformity.harmful, conformity.tied) == ({"1": rate}, {"1": harmful}, tied)
    unknown = measure_conformity([run(table, truth=None)])
    assert (unknown.rate, unknown.harmful, unknown.tied) == ({"1": rate}, {"1": []}, tied)


@pytest.mark.parametrize(
    ("answers", "gap"), [("ABB", 1), ("AAB", 0), ("AB", 0.5), ("BBC", 0), ("ABC", 2 / 3), ("A", 0)]
)
def test_the_oracle_gap_is_what_some_member_knew_and_the_plurality_missed(answers: str, gap: float) -> None:
    oracle_gap = measure_oracle_gap([run({str(place): answer for place, answer in enumerate(answers)})])
    assert oracle_gap == {"1": [pytest.approx(gap)]}


def test_numbers_within_tolerance_are_the_same_answer_everywhere() -> None:
    rows = {
        "Ada": [DeclaredAnswer(50.0), DeclaredAnswer(100.4)],
        "Ben": [DeclaredAnswer(100.0)] * 2,
        "Cy": [DeclaredAnswer(100.5)] * 2,
    }
    numbers = PositionHistory("1", rows, truth=100.0)
    assert count_flips([numbers]).net == {"1": [1, 0, 0]}
    assert measure_conformity([numbers]).rate == {"1": [1]}


@pytest.mark.parametrize(
    ("opposed", "others", "own"),
    [("BA", 1, 0), ("BB", 0, 1 / 3)],
    ids=["who is opposed goes over to the others", "nobody changes"],
)
def test_last_answers_are_compared_with_the_others_first_answers_and_with_one_s_own(
    opposed: str, others: float, own: float
) -> None:
    tables = [{"Ada": "AA", "Ben": "AA", "Cy": opposed}, {"Ada": "AA", "Ben": "AA", "Cy": "AA"}]
    swapped = [{who: row.translate(str.maketrans("AB", "BA")) for who, row in table.items()} for table in tables]
    links = measure_links([run(table, item=str(number)) for number, table in enumerate([*tables, *swapped])])
    assert {name: averaged(values) for name, values in links.items()} == pytest.approx({"others": others, "own": own})


def test_without_an_opposed_participant_no_link_to_the_others_is_told() -> None:
    assert measure_links([run({"Ada": "AA", "Ben": "AB"})])["others"] == {}
