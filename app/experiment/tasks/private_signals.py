"""Private signals task: estimate a number θ from private signals x_i = θ·exp(b + σ_i z_i).

Each member knows its σ_i; the shared bias b is unknown.
"""

import math
from collections.abc import Sequence
from functools import partial
from statistics import fmean

from pydantic import Field

from ....prompts import load_phrases
from ....state import make_rng
from .item import MembersSettings, PrivateSignal, TaskItem, load_wordings

SIGMAS = (0.1, 0.2, 0.3, 0.5)


class PrivateSignalsSettings(MembersSettings):
    """Settings of the private signals task, with the shared bias."""

    bias: float = Field(default=0.0, ge=-2, le=2, description="Shared bias b of all estimates, in the logarithm.")


def make_private_signals_item(settings: PrivateSignalsSettings, number: int, language: str) -> TaskItem:
    """Make the item with this number, from 1, with the settings' seed.

    The setting for the bias shifts the estimates, and does not change the draws behind them.
    """
    rng = make_rng(settings.seed, "private signals", number)
    questions = load_wordings(language, "private_signals", "questions")
    index = (number - 1) % len(questions)
    unit = load_wordings(language, "private_signals", "units")[index]
    theta = round(math.exp(rng.uniform(math.log(50), math.log(5000))))
    sigmas = [rng.choice(SIGMAS) for _ in range(settings.members)]
    translate = partial(load_phrases("tasks").translate_phrase, language)
    signals, sheets = [], []
    for sigma in sigmas:
        value = float(f"{theta * math.exp(settings.bias + sigma * rng.gauss(0, 1)):.3g}")
        signals.append(PrivateSignal(value, sigma))
        sheets.append(
            translate(
                "private_signals.sheet",
                unit=unit,
                value=f"{value:g}",
                sigma=f"{sigma:g}",
                factor=f"{math.exp(sigma):.2f}",
            )
        )
    return TaskItem(
        id=f"private_signals-{number}",
        language=language,
        topic=translate("private_signals.question", question=questions[index], unit=unit),
        truth=float(theta),
        unit=unit,
        private=tuple(sheets),
        informed="\n".join(sheets),
        signals=tuple(signals),
    )


def compute_pooled_estimate(signals: Sequence[PrivateSignal]) -> float:
    """Return the best pooled estimate of the signals, exp(Σ ln x_i/σ_i² / Σ 1/σ_i²).

    Signals are weighted by precision.
    """
    weighted_logs = sum(signal.sigma**-2 * math.log(signal.value) for signal in signals)
    return math.exp(weighted_logs / sum(signal.sigma**-2 for signal in signals))


def measure_regret(item: TaskItem, answer: float) -> float | None:
    """Return the logarithmic error of an answer, minus the error of the pooled private signals.

    Returns `None` for an answer of 0 or less.
    """
    assert isinstance(item.truth, float)
    if answer <= 0:
        return None
    pool_error = abs(math.log(compute_pooled_estimate(item.signals) / item.truth))
    return abs(math.log(answer / item.truth)) - pool_error


def split_crowd_error(answers: Sequence[float], truth: float) -> dict[str, float]:
    """Split the error of a crowd on a logarithmic scale into the members' error and their diversity.

    The result has the keys `crowd` (squared error of the members' mean), `members` (mean squared error of the members)
    and `diversity` (variance of the members' answers). The first is the second minus the third. Answers of 0 or less
    are left out. The result is empty without a positive answer.
    """
    logs = [math.log(answer / truth) for answer in answers if answer > 0]
    if not logs:
        return {}
    mean_log, members = fmean(logs), fmean(log**2 for log in logs)
    return {"crowd": mean_log**2, "members": members, "diversity": fmean((log - mean_log) ** 2 for log in logs)}
