"""What a failed talk counts: the gain that was planted is recovered only where its samples still count."""

import numpy as np
import pytest
from moot.app.experiment.measures import FailureRule, Unit, collect_gains
from moot.app.experiment.statistics import estimate_mean
from places import proof_size

pytestmark = pytest.mark.long

ITEMS, TRIALS = 60, 600


def compute_failing(ease: np.ndarray, share: float, by_difficulty: bool) -> np.ndarray:
    """The chance of each talk to fail; with difficulty, the hardest twice the share and the easiest never."""
    return 2 * share * (0.9 - ease) / 0.7 if by_difficulty else np.full(ease.size, share)


def compute_planted(share: float, by_difficulty: bool) -> float:
    """The gain over all items: a failed talk is wrong, its samples are not."""
    ease = np.linspace(0.2, 0.9, 200_001)
    return float(((1 - compute_failing(ease, share, by_difficulty)) * np.minimum(ease + 0.1, 1.0) - ease).mean())


def draw_units(draw: np.random.Generator, share: float, by_difficulty: bool) -> list[Unit]:
    """Units of one experiment, of whose talks a share fails."""
    ease = draw.uniform(0.2, 0.9, ITEMS)
    chances = compute_failing(ease, share, by_difficulty), np.minimum(ease + 0.1, 1.0), ease
    lost, right, sampled = (draw.random(ITEMS) < chance for chance in chances)
    units = []
    for item in range(ITEMS):
        credits = {"talk": None if lost[item] else float(right[item]), "samples_tokens": float(sampled[item])}
        units.append(Unit(str(item), credits, failures={"talk": "no_answer"} if lost[item] else {}))
    return units


@pytest.mark.parametrize("by_difficulty", [False, True])
@pytest.mark.parametrize("share", [0.15, 0.3])
def test_with_samples_at_the_planned_spend_failures_bias_nothing(share: float, by_difficulty: bool) -> None:
    draw, trials = np.random.default_rng(11), proof_size(TRIALS)
    bias: dict[str, list[float]] = {"wrong": [], "left out": [], "both wrong": []}
    inside, planted = 0, compute_planted(share, by_difficulty)
    for _ in range(trials):
        units = draw_units(draw, share, by_difficulty)
        rules: tuple[FailureRule, ...] = ("wrong", "left out")
        for rule in rules:
            mean = estimate_mean(collect_gains(units, "talk", "samples_tokens", rule))
            assert mean.value is not None
            bias[rule].append(mean.value - planted)
            if rule == "wrong" and mean.low is not None and mean.high is not None:
                inside += mean.low <= planted <= mean.high
        lost = [Unit(unit.item, dict.fromkeys(unit.credits, 0.0)) if unit.failures else unit for unit in units]
        both = estimate_mean(collect_gains(lost, "talk", "samples_tokens"))
        assert both.value is not None
        bias["both wrong"].append(both.value - planted)
    error = 2.6 * float(np.std(bias["wrong"])) / trials**0.5
    assert abs(np.mean(bias["wrong"])) <= max(0.004, error)
    assert np.mean(bias["left out"]) > 0.05
    assert np.mean(bias["both wrong"]) > 0.05
    assert inside / trials >= 0.95 - 0.01 - 2.6 * (0.95 * 0.05 / trials) ** 0.5
