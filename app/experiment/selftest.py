"""Self-test of experiments with known right answers, through the real runner, database and report.

A planted world sets how often answers are right. The band of a figure is its confidence sequence. All bands together
contain all planted figures with a probability of at least 99.9 %.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from math import log, sqrt
from statistics import fmean
from typing import Any

import numpy as np
from scipy import stats

from ...models.rehearsal.planted_model import PLANTED_WORLDS, RIGHT, WRONG, PlantedWorld, get_world
from ..saved import Store
from .arms.findings import Findings, build_findings
from .data import load_experiment_runs
from .execution import ExecutionOptions, run_experiment
from .lifecycle import enter_experiment
from .measures import COMPARISONS, MECHANISMS, collect_gains
from .plan import Plan, parse_plan
from .report import render_report
from .statistics import (
    SIGNIFICANCE_LEVEL,
    compute_log_e_values,
    estimate_at_stop,
    format_gain,
    format_points,
)
from .status import load_status

SEATS = ("Ada", "Ben", "Cleo", "Dan", "Eve")
LADDER_WORLDS = ("voting", "reasoning", "exchange", "mixed")
"""Worlds with planted mechanisms of a gain. The other worlds compare talking with samples."""
LADDER_COMPARISONS, WORTH_COMPARISONS = (*MECHANISMS, "over one alone"), ("net_calls", "talking", "voting")
BALLOT_STEPS = {"vote": "alone", "written": "wrote", "notes": "read", "rethought": "rethought", "talk": "talked"}
BAND_ERROR, MIN_POWER = 0.001, 0.95
COLUMN_WIDTHS = {
    "world": 10,
    "comparison": 14,
    "planted": 7,
    "recovered": 22,
    "inside": 6,
    "expected": 8,
    "given": 0,
}
"""Widths of the table's columns in characters, by heading."""


def parse_worlds(text: str) -> list[str]:
    """Return the names of planted worlds in a text, separated by commas. Without a name, return all.

    Raises `InputError` for an unknown name.
    """
    names = [name.strip() for name in text.split(",")] if text else list(PLANTED_WORLDS)
    for name in names:
        get_world(name)
    return names


def list_comparisons(name: str) -> tuple[str, ...]:
    """Return the comparisons that the self-test checks in a planted world."""
    return LADDER_COMPARISONS if name in LADDER_WORLDS else WORTH_COMPARISONS


def build_planted_plan(name: str, item_count: int, seed: int) -> Plan:
    """Build the plan of the experiment in a planted world."""
    question: dict[str, Any] = {"options": [RIGHT, WRONG], "truth": RIGHT}
    return parse_plan(
        {
            "name": f"selftest-{name}",
            "protocol": "discussion",
            "settings": {
                "model": f"planted:{name}",
                "participants": list(SEATS),
                "max_turns": len(SEATS) * (2 if name in LADDER_WORLDS else 1),
                "max_attempts": 1,
            },
            "items": [question | {"topic": f"Planted question {number}."} for number in range(1, item_count + 1)],
            "arms": "mechanisms" if name in LADDER_WORLDS else ["single", "vote", "samples"],
            "spend": "calls",
            "margin": 0.1 if name == "equal" else None,
            "until": {"net": {"above": 0}} if name == "stopped" else {},
            "seed": seed,
        }
    )


def compute_accuracies(world: PlantedWorld, sample_counts: Sequence[float]) -> dict[str, float]:
    """Compute the accuracy that each arm must have in a planted world.

    `sample_counts`: number of samples for each deliberation. For a fractional number, the accuracies of the whole
    numbers around it are interpolated.
    """
    accuracies = {arm: compute_plurality(world.list_chances(step, len(SEATS))) for arm, step in BALLOT_STEPS.items()}
    accuracies["single"] = fmean(world.list_chances("alone", len(SEATS)))
    curve = [compute_plurality([accuracies["single"]] * k) for k in range(int(max(sample_counts, default=0)) + 2)]
    if sample_counts:
        accuracies["samples_calls"] = float(np.interp(sample_counts, range(len(curve)), curve).mean())
    return accuracies | {"talk": accuracies["vote" if world.follows_majority else "talk"] * (1 - world.failure_share)}


def compute_plurality(chances: Sequence[float]) -> float:
    """Compute the chance that more answers are right than wrong, where a tie counts half.

    `chances`: chance of each answer to be right.
    """
    shares = np.ones(1)
    for chance in chances:
        shares = np.convolve(shares, [1 - chance, chance])
    leads = 2 * np.arange(len(shares)) - len(chances)
    return float(shares @ ((np.sign(leads) + 1) / 2))


async def run_world(store: Store, name: str, item_count: int, seed: int) -> tuple[Findings, str]:
    """Execute the experiment in a planted world. Return its findings and its report page."""
    plan = build_planted_plan(name, item_count, seed)
    experiment = await run_experiment(store, await enter_experiment(store, plan), ExecutionOptions(), store.address)
    runs, status = await load_experiment_runs(store, experiment), await load_status(store, experiment)
    (findings,) = build_findings(plan, runs)
    return findings, render_report(plan, experiment, runs, status, {})


def compare_world(name: str, findings: Findings, page: str, band_error: float) -> list[dict[str, str]]:
    """Compare the figures of a planted world with those in the report.

    Return a table row for each figure, as cells by heading. `band_error`: probability that a planted figure lies
    outside its band.
    """
    targets = [talk.find_target_spend() for talk in findings.talks]
    accuracies, rows = compute_accuracies(get_world(name), [target.calls for target in targets if target]), []
    for comparison in list_comparisons(name):
        arm, baseline = COMPARISONS[comparison]
        band = estimate_at_stop(collect_gains(findings.units, arm, baseline), band_error)
        row, planted = findings.find_gain_row(comparison), accuracies[arm] - accuracies[baseline]
        assert row is not None
        assert band.low is not None
        assert band.high is not None
        value, verdict = row.wrong.estimate.value or 0.0, "stopped" if findings.stop else str(row.wrong.verdict)
        if row.adjusted_p is not None:
            verdict = "none" if row.adjusted_p > SIGNIFICANCE_LEVEL else "helped" if value > 0 else "hurt"
        is_inside = band.low <= planted <= band.high and format_points(value) in page
        expected = _predict_verdict(findings.plan, accuracies[arm], accuracies[baseline], comparison)
        recovered = format_gain(row.wrong.estimate)
        cells = (name, comparison, format_points(round(planted, 4) + 0.0), recovered, "yes" if is_inside else "no")
        rows.append(dict(zip(COLUMN_WIDTHS, (*cells, expected or "–", verdict), strict=True)))
    return rows


def _predict_verdict(plan: Plan, accuracy: float, baseline: float, comparison: str) -> str:
    """Return the verdict that the report must give with a probability of 95 % or more, or an empty text.

    Powers are normal approximations for arms with independent answers. That of a stop is simulated.
    """
    n, planted = len(plan.items), accuracy - baseline
    if plan.until:
        draws = np.random.default_rng(plan.seed).random((2, 400, n)) < np.array([accuracy, baseline])[:, None, None]
        log_e_values = compute_log_e_values(draws[0].astype(float) - draws[1]).max(-1)
        has_power = np.mean(log_e_values >= -log(SIGNIFICANCE_LEVEL)) >= MIN_POWER
        return "stopped" if has_power and comparison in WORTH_COMPARISONS[:1] else ""
    alpha = SIGNIFICANCE_LEVEL / (len(MECHANISMS) if "written" in plan.arms and comparison in MECHANISMS else 1)
    error = max(sqrt((accuracy * (1 - accuracy) + baseline * (1 - baseline)) / n), 1e-9)
    if 2 ** (1 - n) <= alpha and stats.norm.cdf(abs(planted) / error - stats.norm.ppf(1 - alpha / 2)) >= MIN_POWER:
        return "helped" if planted > 0 else "hurt"
    margin = plan.margin or 0.0
    equal_power = 2 * stats.norm.cdf(margin / error - stats.norm.ppf(1 - SIGNIFICANCE_LEVEL)) - 1
    is_equal = abs(planted) < 1e-6 and equal_power >= MIN_POWER and (1 - margin) ** n <= SIGNIFICANCE_LEVEL
    return "equal" if is_equal else ""


async def run_selftest(store: Store, names: Sequence[str], item_count: int, seed: int) -> AsyncIterator[dict[str, str]]:
    """Execute the experiments in these planted worlds, and yield a table row for each checked figure."""
    band_error = BAND_ERROR / sum(len(list_comparisons(name)) for name in names)
    for name in names:
        for row in compare_world(name, *await run_world(store, name, item_count, seed), band_error):
            yield row


def format_row(cells: Iterable[str]) -> str:
    """Return the cells of a row as one line, padded to the column widths."""
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, COLUMN_WIDTHS.values(), strict=True)).rstrip()
