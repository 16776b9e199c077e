"""Estimate of a number from private signals x_i = θ·exp(b + σ_i z_i).

Each member knows its σ_i; the shared bias b is unknown.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import Field

from ....prompts import load_phrases
from ....state.random_streams import make_rng
from .item import MembersSettings, PrivateSignal, TaskItem, join_lines, load_wordings

SIGMAS = (0.1, 0.2, 0.3, 0.5)


class PrivateSignalsSettings(MembersSettings):
    """Settings of the private signals task."""

    bias: float = Field(default=0.0, ge=-2, le=2, description="Shared bias b of all estimates, in the logarithm.")


def make_private_signals_item(settings: PrivateSignalsSettings, number: int, language: str) -> TaskItem:
    """Make item `number`, from 1, with draws from the settings' seed; a bias shifts the same draws."""
    rng = make_rng(settings.seed, "private signals", number)
    index = (number - 1) % len(load_wordings(language, "private_signals", "questions"))
    unit = load_wordings(language, "private_signals", "units")[index]
    theta = round(math.exp(rng.uniform(math.log(50), math.log(5000))))
    sigmas = [rng.choice(SIGMAS) for _ in range(settings.members)]
    signals = [
        PrivateSignal(_round_estimate(theta * math.exp(settings.bias + sigma * rng.gauss(0, 1))), sigma)
        for sigma in sigmas
    ]
    sheets = [_format_sheet(language, private_signal, unit) for private_signal in signals]
    question = load_wordings(language, "private_signals", "questions")[index]
    return TaskItem(
        id=f"private_signals-{number}",
        task="private_signals",
        language=language,
        topic=load_phrases("tasks").translate_phrase(
            language, "private_signals.question", question=question, unit=unit
        ),
        truth=float(theta),
        unit=unit,
        private=tuple(sheets),
        informed=join_lines(sheets),
        signals=tuple(signals),
    )


def _format_sheet(language: str, signal: PrivateSignal, unit: str) -> str:
    values = {"value": f"{signal.value:g}", "sigma": f"{signal.sigma:g}", "factor": f"{math.exp(signal.sigma):.2f}"}
    return load_phrases("tasks").translate_phrase(language, "private_signals.sheet", unit=unit, **values)


def _round_estimate(value: float) -> float:
    return float(f"{value:.3g}")


def compute_pooled_estimate(signals: Sequence[PrivateSignal]) -> float:
    """Return the precision-weighted pool of the estimates, exp(Σ ln x_i/σ_i² / Σ 1/σ_i²)."""
    weights = [private_signal.sigma**-2 for private_signal in signals]
    return math.exp(
        sum(w * math.log(private_signal.value) for w, private_signal in zip(weights, signals, strict=True))
        / sum(weights)
    )


@dataclass(frozen=True)
class Regret:
    """Error of an answer against the best use of all private signals, in the natural logarithm."""

    error: float
    """|ln(x̂/θ)|."""
    pool_error: float
    """|ln(pool/θ)| of the precision-weighted pool."""

    @property
    def excess_error(self) -> float:
        """Return the answer's error minus the pool's error."""
        return self.error - self.pool_error


def measure_regret(item: TaskItem, answer: float) -> Regret | None:
    """Measure the error of an answer and the error of the pool; `None` for an answer of 0 or less."""
    assert isinstance(item.truth, float)
    if answer <= 0:
        return None
    return Regret(abs(math.log(answer / item.truth)), abs(math.log(compute_pooled_estimate(item.signals) / item.truth)))


@dataclass(frozen=True)
class CrowdIdentity:
    """Crowd identity on logarithms: the error of the crowd is that of the members minus the diversity."""

    crowd: float
    """Squared error of the members' mean."""
    members: float
    """Mean squared error of the members."""
    diversity: float
    """Variance of the members' answers."""


def split_crowd_error(answers: Sequence[float], truth: float) -> CrowdIdentity | None:
    """Split the error of a crowd into the parts of the identity; answers of 0 or less are left out.

    `None` without a positive answer.
    """
    logs = [math.log(answer / truth) for answer in answers if answer > 0]
    if not logs:
        return None
    mean_log = fmean(logs)
    return CrowdIdentity(mean_log**2, fmean(log**2 for log in logs), fmean((log - mean_log) ** 2 for log in logs))
