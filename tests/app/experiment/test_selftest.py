"""Planted answers: the figures of an experiment recover what was planted."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from command import moot
from langchain_core.messages import HumanMessage
from moot.app.experiment import selftest
from moot.app.experiment.arms.accuracy import judge_difference
from moot.app.experiment.arms.findings import Findings
from moot.app.experiment.measures import COMPARISONS, MECHANISMS, Unit, collect_gains
from moot.app.experiment.selftest import SEATS, build_planted_plan, compare_world, compute_accuracies, list_comparisons
from moot.app.experiment.statistics import adjust_p_values, estimate_at_stop, run_sequential_test
from moot.models.brief import Brief
from moot.models.model_spec import is_offline
from moot.models.rehearsal.planted_model import PLANTED_WORLDS, PlantedModel, PlantedWorld, get_world
from moot.state.statement import Statement
from places import proof_size
from sampling import sample_cases

ITEMS, SAMPLES = 60, 15


def answered(world: str, draw: int, item: int = 1, seed: int = 1, seen: tuple[str, ...] = ()) -> str:
    """What Ada answers; `seen`: the speakers of the statements in the prompt, in order."""
    topic = f"Planted question {item}."
    statements = [
        Statement(speaker=who, turn=turn, round=1, content=f"{topic} My answer is: wrong.")
        for turn, who in enumerate(seen, 1)
    ]
    values = {"choices": {"A": "right", "B": "wrong"}}
    roles = dict.fromkeys(SEATS, "")
    brief = Brief(speaker="Ada", purpose="declaration", topic=topic, roles=roles, statements=statements, values=values)
    return str(PlantedModel(world=world, seed=seed).invoke([HumanMessage(topic)], brief=brief, seed=draw).content)


def test_a_planted_answer_depends_on_seed_item_seat_and_draw_alone() -> None:
    assert is_offline("planted:null")
    answereds = [answered("null", draw) for draw in range(40)]
    assert answereds == [answered("null", draw) for draw in range(40)]
    assert answereds != [answered("null", draw, item=2) for draw in range(40)]
    assert answereds != [answered("null", draw, seed=2) for draw in range(40)]


@pytest.mark.parametrize(
    ("seen", "step"),
    [
        ((), "alone"),
        (("Ada",), "wrote"),
        (SEATS, "read"),
        ((*SEATS, "Ada"), "rethought"),
        ((*SEATS, *SEATS), "talked"),
    ],
)
def test_it_is_right_with_the_chance_planted_for_what_it_has_seen(seen: tuple[str, ...], step: str) -> None:
    chance = get_world("mixed").list_chances(step, len(SEATS))[0]
    share = sum('"A"' in answered("mixed", draw, seen=seen) for draw in range(600)) / 600
    assert share == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / 600))


def test_a_conformist_answers_what_most_statements_say() -> None:
    assert {answered("conformist", draw, seen=SEATS) for draw in range(20)} == {'{"answer": "B", "certainty": 50}'}


def test_an_unknown_world_is_refused() -> None:
    output = moot("experiment", "selftest", "--worlds", "gain,nowhere")
    assert (output.exit_code, "choose one of gain, null, equal" in output.stderr) == (2, True)


def test_planted_accuracies_are_those_of_pluralities() -> None:
    voting = compute_accuracies(PLANTED_WORLDS["voting"], [])
    assert (voting["single"], voting["vote"], voting["talk"]) == pytest.approx((0.7, 0.837, 0.837), abs=5e-4)
    samples = compute_accuracies(PlantedWorld(0.7, 0, 0, 0, 0, failure_share=0.3), [3.0, 3.5, 1.0])
    assert samples["samples_calls"] == pytest.approx((0.784 + 0.784 + 0.7) / 3)
    failing = compute_accuracies(PLANTED_WORLDS["failing"], [15])
    assert failing["talk"] == pytest.approx(0.7 * compute_accuracies(PLANTED_WORLDS["gain"], [15])["talk"])


class Talk:
    """A talk whose samples match 15 calls."""

    def find_target_spend(self) -> Any:
        return Counter(calls=SAMPLES) and type("Spend", (), {"calls": float(SAMPLES)})


def drawn_units(world: PlantedWorld, draw: np.random.Generator) -> list[Unit]:
    """Simulated credits of all arms for 60 items."""

    def ballots(step: str) -> np.ndarray:
        return draw.random((ITEMS, len(SEATS))) < world.list_chances(step, len(SEATS))

    blind = ballots("alone")
    seats = draw.integers(0, len(SEATS), (ITEMS, SAMPLES))
    sampled = draw.random((ITEMS, SAMPLES)) < np.array(world.list_chances("alone", len(SEATS)))[seats]
    credits = {"single": blind.mean(1), "vote": blind.mean(1) > 0.5, "samples_calls": sampled.mean(1) > 0.5}
    steps = {"written": "wrote", "notes": "read", "rethought": "rethought"}
    steps["talk"] = (
        "alone" if world.follows_majority else "talked"
    )  # most statements are right as often as most blind answers
    credits |= {arm: ballots(step).mean(1) > 0.5 for arm, step in steps.items()}
    units = []
    for item, failed in enumerate(draw.random(ITEMS) < world.failure_share):
        credit: dict[str, float | None] = {arm: float(values[item]) for arm, values in credits.items()}
        failures = {"talk": "no_answer"} if failed else {}
        units.append(Unit(str(item), credit | (dict.fromkeys(failures)), failures=failures))
    return units


@pytest.mark.long
def test_a_figure_outside_the_band_fails_the_selftest(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = build_planted_plan("gain", ITEMS, 1)
    for world, inside in ((PLANTED_WORLDS["gain"], "yes"), (PlantedWorld(1, 1, 0, 0, 0), "no")):
        findings = Findings(plan, "all", [Talk()] * ITEMS)  # type: ignore[arg-type, list-item]
        findings.__dict__.update(units=drawn_units(world, np.random.default_rng(1)), net="net_calls")
        page = " ".join(f"{number / 10:+.1f}".replace("-", "−") for number in range(-1000, 1001))
        rows = compare_world("gain", findings, page, 0.001 / 3)
        assert rows[0]["inside"] == inside
        assert (rows[0]["planted"], rows[0]["expected"]) == ("+44.2", "helped")
        monkeypatch.setattr(selftest, "run_world", lambda *_, found=findings, page=page: render_selftest(found, page))
        assert moot("experiment", "selftest", "--worlds", "gain").exit_code == (inside == "no")


async def render_selftest(found: Findings, page: str) -> tuple[Findings, str]:
    return found, page


@pytest.mark.long
def test_three_worlds_come_out_as_planted_through_runner_database_and_report() -> None:
    output = moot("experiment", "selftest", "--worlds", "gain,reasoning,stopped", "--items", "12")
    assert output.exit_code == 0, output.stdout + output.stderr
    rows = {tuple(line.split()[:2]): line for line in output.stdout.splitlines()}
    assert "+44.2" in rows["gain", "net_calls"]
    assert "+33.7" in rows["reasoning", "writing"]
    assert rows["stopped", "net_calls"].split()[-1] == "stopped"


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases(sorted(PLANTED_WORLDS), kinds=0))
def test_what_is_planted_lies_in_the_report_s_interval_as_often_as_it_says(name: str, record_property: Any) -> None:
    world, size, draw = get_world(name), proof_size(200), np.random.default_rng(20261124)
    accuracies, plan = compute_accuracies(world, [float(SAMPLES)] * ITEMS), build_planted_plan(name, ITEMS, 1)
    planted = {
        comparison: accuracies[COMPARISONS[comparison][0]] - accuracies[COMPARISONS[comparison][1]]
        for comparison in list_comparisons(name)
    }
    inside, intervals, verdicts = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for _ in range(size):
        units = drawn_units(world, draw)
        gains = {one: collect_gains(units, *COMPARISONS[one]) for one in planted}
        stop = None
        if plan.until:
            stop = run_sequential_test([values[0] for values in gains["net_calls"].values()]).stopping_time
            verdicts["net_calls", "stopped"] += stop is not None
            units = units[: stop or ITEMS]
        found = {}
        for one in planted:
            gain = collect_gains(units, *COMPARISONS[one])
            judgement = judge_difference(gain, plan, [one], 0.05 if stop else None)
            found[one] = judgement
            low, high = judgement.estimate.low, judgement.estimate.high
            if low is not None and high is not None:
                intervals[one] += 1
                inside[one] += low <= planted[one] <= high
            if judgement.p and (one not in MECHANISMS or name not in selftest.LADDER_WORLDS):
                verdicts[one, str(judgement.verdict)] += 1
        if name in selftest.LADDER_WORLDS:
            family = adjust_p_values({MECHANISM: found[MECHANISM].p.p for MECHANISM in MECHANISMS})  # type: ignore[union-attr]
            for one, p in family.items():
                way = "helped" if (found[one].estimate.value or 0) > 0 else "hurt"
                verdicts[one, way if p <= 0.05 else "none"] += 1
    least = 0.95 - 2.6 * math.sqrt(0.05 * 0.95 / size)
    for one, value in planted.items():
        if intervals[one] == size:  # without scatter, no interval is given
            record_property(f"coverage, {name}, {one}", f"{inside[one] / size:.3f}")
            assert inside[one] / size >= least, one
        arm, baseline = COMPARISONS[one]
        expected = selftest._predict_verdict(plan, accuracies[arm], accuracies[baseline], one)
        if expected:
            assert verdicts[one, expected] / size >= least, (one, expected, value, verdicts)
    assert estimate_at_stop({}).value is None
