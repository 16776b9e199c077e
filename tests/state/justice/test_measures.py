"""What is reported, with every entry that was left out counted beside the figure."""

import pytest
from hypothesis import given, strategies as st
from moot.state.justice.measures import (
    RankingsById,
    combine_rankings,
    compute_change,
    compute_kendall_distance,
    compute_measures,
    compute_rate,
    compute_wilson_interval,
    detect_ceiling,
    summarize_ranking,
    summarize_runs,
)
from moot.state.justice.phase_results import Phase1Result, Phase2Result, list_stage_rankings
from moot.state.justice.principle import (
    CERTAINTIES,
    PRINCIPLES,
    Ranking,
    SharingRule,
    get_principle,
    make_default_ranking,
)


def ranked(order: str, certainty: int = 2) -> Ranking:
    return Ranking.model_validate({"order": [int(each) for each in order], "certainty": CERTAINTIES[certainty]})


DEFAULTED = make_default_ranking(["?"])
GROUP: RankingsById = {
    "a": [ranked("1234", 0), ranked("1234", 0), ranked("3124", 4), ranked("3124", 4)],
    "b": [ranked("1234", 3), ranked("4321", 1), DEFAULTED, ranked("3214", 3)],
    "c": [ranked("2134", 2), ranked("3214", 2), ranked("3214", 3), None],
    "d": [DEFAULTED, ranked("3124", 4), ranked("3124", 4), ranked("3124", 2)],
}


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("1234", "1234", 0), ("1234", "2134", 1), ("1234", "4321", 6), ("1234", "3124", 2), ("2413", "3142", 6)],
)
def test_kendall_distance_counts_the_pairs_in_opposite_order(one: str, other: str, distance: int) -> None:
    assert compute_kendall_distance(ranked(one), ranked(other)) == distance


@given(st.permutations("1234"), st.permutations("1234"), st.permutations("1234"))
def test_kendall_distance_is_a_distance(one: list[str], other: list[str], third: list[str]) -> None:
    a, b, c = (ranked("".join(each)) for each in (one, other, third))
    assert compute_kendall_distance(a, b) == compute_kendall_distance(b, a)
    assert (compute_kendall_distance(a, b) == 0) == (a == b)
    assert compute_kendall_distance(a, c) <= compute_kendall_distance(a, b) + compute_kendall_distance(b, c) <= 12


def test_mean_ranks_and_first_places_of_those_who_ranked() -> None:
    first = summarize_ranking(GROUP, 1)
    assert list(first.mean_rank.values()) == [pytest.approx(each) for each in (4 / 3, 5 / 3, 3, 4)]
    assert first.first_places == dict(zip(PRINCIPLES, (2, 1, 0, 0), strict=True))
    assert (first.counted, first.left_out) == (3, 1)


def test_where_nobody_can_be_counted_every_principle_has_no_first_places() -> None:
    nobody = summarize_ranking({"a": [DEFAULTED], "b": [DEFAULTED]}, 1)
    assert nobody.first_places == dict.fromkeys(PRINCIPLES, 0)
    assert (nobody.mean_rank, nobody.counted, nobody.left_out) == ({}, 0, 2)


def test_a_change_is_measured_between_two_usable_rankings_only() -> None:
    early, late = compute_change(GROUP, 1, 2), compute_change(GROUP, 3, 4)
    assert (early.kendall, early.kendall_mean) == ({"a": 0, "b": 6, "c": 2}, pytest.approx(8 / 3))
    assert (early.counted, early.left_out) == (3, 1)
    assert (late.kendall, late.counted, late.left_out) == ({"a": 0, "d": 0}, 2, 2)


def test_a_flip_matrix_has_the_first_place_before_as_row_and_after_as_column() -> None:
    assert compute_change(GROUP, 1, 2).flips == [[1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert compute_change(GROUP, 1, 4).flips == [[0, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_certainty_shifts_by_levels_from_minus_4_to_plus_4() -> None:
    shift = compute_change(GROUP, 1, 4)
    assert (shift.certainty_shift, shift.certainty_mean) == ({"a": 4, "b": 0}, 2)
    assert shift.certainty_distribution == [0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert compute_change(GROUP, 3, 4).certainty_shift == {"a": 0, "d": -2}


@pytest.mark.parametrize(("threshold", "warning"), [(0.5, True), (0.66, True), (0.67, False)])
def test_the_ceiling_warns_from_its_share_on(threshold: float, warning: bool) -> None:
    found = detect_ceiling(GROUP, threshold)
    assert (found.warning, found.principle, found.share) == (warning, PRINCIPLES[0], pytest.approx(2 / 3))
    assert (found.counted, found.left_out) == (3, 1)


def test_a_report_has_four_standings_and_four_steps() -> None:
    report = compute_measures(GROUP)
    assert [each.ranking for each in report.standings] == [1, 2, 3, 4]
    assert [(change.first, change.second) for change in report.changes] == [(1, 2), (2, 3), (3, 4), (1, 4)]
    assert report.ceiling.threshold == 0.8


def test_without_usable_rankings_nothing_is_averaged() -> None:
    report = compute_measures({"a": [DEFAULTED, None], "b": []})
    assert {(each.counted, each.left_out, len(each.mean_rank)) for each in report.standings} == {(0, 2, 0)}
    assert {(change.kendall_mean, change.certainty_mean, change.left_out) for change in report.changes} == {
        (None, None, 2)
    }
    assert (report.ceiling.warning, report.ceiling.share, report.ceiling.left_out) == (False, None, 2)


def test_runs_are_pooled_by_run_and_participant() -> None:
    together = combine_rankings([GROUP, GROUP])
    assert list(together)[::4] == ["1:a", "2:a"]
    assert summarize_ranking(together, 1).counted == 6


def test_stage_rankings_are_taken_from_both_phases() -> None:
    one, last = ranked("1234"), ranked("4321")
    alone = Phase1Result(participant_name="A", initial_ranking=one)
    assert list_stage_rankings(alone, last) == [one, None, None, last]


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(7, 10, 0.397, 0.892), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (1, 1, 0.207, 1.0), (50, 100, 0.404, 0.596)],
)
def test_the_wilson_interval(count: int, of: int, low: float, high: float) -> None:
    assert compute_wilson_interval(count, of) == (pytest.approx(low, abs=5e-4), pytest.approx(high, abs=5e-4))


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_interval_holds_the_share_and_stays_within_0_and_1(yes: int, no: int) -> None:
    rate = compute_rate([True] * yes + [False] * no + [None])
    assert (rate.count, rate.of, rate.left_out) == (yes, yes + no, 1)
    if rate.share is not None and rate.low is not None and rate.high is not None:
        assert 0 <= rate.low <= rate.share + 1e-12
        assert rate.share - 1e-12 <= rate.high <= 1
    else:
        assert yes + no == 0


def agreed(number: int, amount: int | None = None, binding: bool | None = None) -> Phase2Result:
    return Phase2Result(
        consensus_reached=True,
        agreed_principle=get_principle(number),
        constraint_amount=amount,
        constraint_satisfied=binding if binding is None else True,
        binding=binding,
        decisive=binding,
    )


def test_a_series_reports_how_often_and_on_what_groups_agree() -> None:
    failed, imposed = Phase2Result(consensus_reached=False), Phase2Result(consensus_reached=None)
    runs = [agreed(3, 14000, True), agreed(3, 14000, True), agreed(3, 9000, False), agreed(1), agreed(4, 9), failed]
    report = summarize_runs([*runs, imposed, None])
    assert (report.consensus.count, report.consensus.of, report.consensus.left_out) == (5, 6, 2)
    assert report.agreed[0].rule == SharingRule(principle=get_principle(3), constraint_amount=14000)
    assert [each.runs for each in report.agreed] == [2, 1, 1, 1]
    found = [(each.count, each.of, each.left_out) for each in (report.constraint_satisfied, report.binding)]
    assert found == [(3, 3, 1), (2, 3, 1)]
    assert report.decisive.share == pytest.approx(2 / 3)


def test_an_empty_series_claims_nothing() -> None:
    report = summarize_runs([])
    assert (report.consensus.share, report.consensus.low, report.agreed) == (None, None, [])
