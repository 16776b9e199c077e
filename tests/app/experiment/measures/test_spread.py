"""Diversity, opinion, voice, agreement and influence, against tables computed by hand."""

import math
import subprocess
import sys

import pytest
from moot.app.experiment.measures import (
    Answer,
    DeclaredAnswer,
    ForkDecisions,
    PositionHistory,
    collect_entropies,
    collect_opinion_shifts,
    collect_simpsons,
    compute_entropy,
    compute_footrule,
    compute_gini,
    compute_kendall_tau,
    compute_kendall_w,
    compute_krippendorff_alpha,
    compute_simpson,
    measure_influence,
    measure_opinion_shift,
)
from moot.state.errors import InputError

LN2 = math.log(2)


@pytest.mark.parametrize(
    ("answers", "options", "h", "unlike"),
    [
        ("AAAA", 3, 0, 0),
        ("AABB", 3, LN2 / math.log(3), 2 / 3),  # (1 − ½)·4/3
        ("AB", 3, 1, 1),
        ("ABC", 3, 1, 1),
        ("AAAB", 2, (0.75 * math.log(4 / 3) + 0.25 * math.log(4)) / LN2, 0.5),  # (1 − 10/16)·4/3
        ("A", 3, None, None),
        ("AA", 1, None, 0),
    ],
)
def test_diversity_is_entropy_and_the_chance_to_differ(
    answers: str, options: int, h: float | None, unlike: float | None
) -> None:
    assert compute_entropy(answers, options) == pytest.approx(h)
    assert compute_simpson(answers) == pytest.approx(unlike)


def test_diversity_is_given_for_each_time_of_a_run() -> None:
    rows = {"Ada": [DeclaredAnswer("A"), DeclaredAnswer("A")], "Ben": [DeclaredAnswer("B"), DeclaredAnswer("A")]}
    runs = [PositionHistory("1", rows, options="AB")]
    assert [collect_entropies(runs, time) for time in (0, 1, 2)] == [{"1": [1]}, {"1": [0]}, {"1": []}]
    assert [collect_simpsons(runs, time) for time in (0, 1)] == [{"1": [1]}, {"1": [0]}]
    numbers = {"Ada": [DeclaredAnswer(100.0)], "Ben": [DeclaredAnswer(100.5)], "Cy": [DeclaredAnswer(200.0)]}
    assert collect_simpsons([PositionHistory("1", numbers)], 0) == {"1": [pytest.approx(2 / 3)]}


@pytest.mark.parametrize(
    ("before", "after", "shift", "size", "polarised", "ratio"),
    [
        # for 80, for 40, against 20 → .8, .4, −.2; afterwards 1, .6, .2
        ("+80 +40 -20", "+100 +60 +20", 0.2667, 0.2667, 0.2667, 0.16 / 0.2533),
        ("-80 -40", "-100 -60", -0.2, 0.2, 0.2, 1),
        ("-80 -40", "-20 -40", 0.3, 0.3, -0.3, 0.25),
        ("+50 -50", "+100 -100", 0, 0.5, 0, 4),  # the mean was 0: no side to move on to
        ("+50 +50", "+60 +40", 0, 0.1, 0, None),
        ("030 +50", "+50 +50", 0.25, 0.25, 0.25, 0),  # undecided is 0, however sure
    ],
)
def test_opinions_are_stances_times_certainty(
    before: str, after: str, shift: float, size: float, polarised: float, ratio: float | None
) -> None:
    stances = {"+": "for", "-": "against", "0": "undecided"}
    times = [[DeclaredAnswer(stances[part[0]], float(part[1:])) for part in text.split()] for text in (before, after)]
    run = PositionHistory("1", {str(place): pair for place, pair in enumerate(zip(*times, strict=True))})
    figures = measure_opinion_shift(run)
    assert [figures[name] for name in ("shift", "size", "polarisation")] == pytest.approx(
        [shift, size, polarised], abs=1e-4
    )
    assert figures["variance_ratio"] == (None if ratio is None else pytest.approx(ratio, rel=1e-3))
    assert collect_opinion_shifts([run])["variance_ratio"] == {
        "1": [] if ratio is None else [figures["variance_ratio"]]
    }


def test_numbers_are_opinions_only_beside_a_midpoint() -> None:
    rows = {"Ada": [DeclaredAnswer(60.0), DeclaredAnswer(80.0)], "Ben": [DeclaredAnswer(70.0), DeclaredAnswer(70.0)]}
    assert measure_opinion_shift(PositionHistory("1", rows)) == {}
    figures = measure_opinion_shift(PositionHistory("1", rows, midpoint=50.0))
    assert [figures[name] for name in ("shift", "size", "polarisation")] == [10, 10, 10]
    assert measure_opinion_shift(PositionHistory("1", {"Ada": [DeclaredAnswer("Lyon", 50.0)] * 2})) == {}


@pytest.mark.parametrize(
    ("spoken", "found"),
    [
        ([5, 5, 5], 0),
        ([0, 0, 9], 1),
        ([1, 3], 0.5),
        ([1, 2, 3], 1 / 3),
        ([4], None),
        ([0, 0], None),
        ([0, 1, 1, 2], 0.5),
    ],
)
def test_the_gini_of_what_was_spoken_goes_from_0_to_1(spoken: list[float], found: float | None) -> None:
    n = len(spoken)
    assert compute_gini(spoken) == pytest.approx(found)
    if found is not None:
        apart = sum(abs(one - other) for one in spoken for other in spoken)
        assert apart / (2 * n * sum(spoken)) * n / (n - 1) == pytest.approx(found)


NONE = None


@pytest.mark.parametrize(
    ("ratings", "level", "found"),
    [
        # Krippendorff's own table (2011, Computing Krippendorff's Alpha-Reliability): two observers, binary, 10 units.
        (["0100000000", "1110010010"], "nominal", 0.095),
        (["AB", "AB"], "nominal", 1),
        (["AB", "BA"], "nominal", -0.5),  # Do = 1; De = 2·2·2/(4·3) = 2/3; 1 − 3/2
        (["AA", "AA"], "nominal", None),
        ([["A", NONE], [NONE, "B"]], "nominal", None),
        ([[1.0, 2.0, 3.0], [1.0, 2.0, 4.0]], "interval", 1 - (1 / 3) / (41 / 15)),
    ],
)
def test_alpha_is_krippendorff_s(ratings: list[list[Answer | None]], level: str, found: float | None) -> None:
    assert compute_krippendorff_alpha(ratings, level) == pytest.approx(found, abs=5e-4)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ranks", "found"),
    [
        ([[1, 2, 3], [1, 2, 3]], 1),
        ([[1, 2, 3], [3, 2, 1]], 0),
        ([[1, 2, 3], [1, 3, 2], [2, 1, 3]], 4 / 9),  # sums 4, 6, 8: S = 8; 12·8/(9·24)
        ([[1, 1, 3], [1, 1, 3]], 1),  # both tie two: 12·6/(4·24 − 2·12) = 1
        ([[1, 1, 1], [2, 2, 2]], None),
        ([[1, 2]], None),
    ],
)
def test_kendall_s_w_corrects_for_ties(ranks: list[list[float]], found: float | None) -> None:
    assert compute_kendall_w(ranks) == pytest.approx(found)


@pytest.mark.parametrize(
    ("order", "tau", "apart"), [("ABCD", 1, 0), ("DCBA", -1, 8), ("BACD", 4 / 6, 2), ("DABC", 0, 6)]
)
def test_an_order_is_compared_with_the_true_one(order: str, tau: float, apart: int) -> None:
    assert compute_kendall_tau(order, "ABCD") == pytest.approx(tau)
    assert compute_footrule(order, "ABCD") == apart
    assert compute_kendall_tau("A", "A") is None


def test_influence_is_what_silence_changes_beyond_chance() -> None:
    forks = [
        ForkDecisions(
            "1", "A", {"Ada": ["B", "B", "A", "B", "B"], "Ben": ["A", "A", "A", "A", "B"]}, ["A", "A", "A", "A", "B"]
        ),
        ForkDecisions("2", None, {"Ada": [None, "A"], "Ben": []}, [None, None]),
        ForkDecisions("3", 100.0, {"Ada": [100.5, 120.0]}, [100.0, 99.5]),
    ]
    assert measure_influence(forks, "Ada") == {"1": [pytest.approx(0.8 - 0.2)], "2": [0.5], "3": [0.5]}
    assert measure_influence(forks, "Ben") == {"1": [0], "2": [], "3": []}


def test_without_the_extra_only_agreement_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(
        InputError, match=r'measures = \'krippendorff\': agreement needs: pip install "moot\[science\]"'
    ):
        compute_krippendorff_alpha(["AB", "AB"])
    with pytest.raises(InputError, match="agreement needs"):
        compute_kendall_tau("AB", "AB")
    blocked = 'import sys; sys.modules.update(dict.fromkeys(("numpy", "scipy", "statsmodels", "krippendorff")))'
    code = (
        f"{blocked}; import moot.app.experiment.measures as m, moot.app.experiment.tasks; print(m.compute_gini([1, 3]))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (process.stdout, process.stderr) == ("0.5\n", "")
