"""A number each member has an estimate of: x_i = θ·exp(b + σ_i z_i), its σ_i told, a shared bias b not."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import Field

from ....prompts import phrases
from ....state.draw import stream
from .item import Item, Members, Signal, lines, pool

SIGMAS = (0.1, 0.2, 0.3, 0.5)


class PrivateSignals(Members):
    """What private signals take."""

    bias: float = Field(default=0.0, ge=-2, le=2, description="Shared bias b of all estimates, in the logarithm.")


def private_signals(settings: PrivateSignals, number: int, language: str) -> Item:
    """Item `number` (from 1) of a seed; with a bias the same draws are shifted."""
    draw = stream(settings.seed, "private signals", number)
    about = (number - 1) % len(pool(language, "private_signals", "questions"))
    unit = pool(language, "private_signals", "units")[about]
    theta = round(math.exp(draw.uniform(math.log(50), math.log(5000))))
    sigmas = [draw.choice(SIGMAS) for _ in range(settings.members)]
    signals = [Signal(_told(theta * math.exp(settings.bias + sigma * draw.gauss(0, 1))), sigma) for sigma in sigmas]
    sheets = [_sheet(language, one, unit) for one in signals]
    asked = pool(language, "private_signals", "questions")[about]
    return Item(
        id=f"private_signals-{number}",
        task="private_signals",
        language=language,
        topic=phrases("tasks").say(language, "private_signals.question", question=asked, unit=unit),
        truth=float(theta),
        unit=unit,
        private=tuple(sheets),
        informed=lines(sheets),
        signals=tuple(signals),
    )


def _sheet(language: str, signal: Signal, unit: str) -> str:
    told = {"value": f"{signal.value:g}", "sigma": f"{signal.sigma:g}", "factor": f"{math.exp(signal.sigma):.2f}"}
    return phrases("tasks").say(language, "private_signals.sheet", unit=unit, **told)


def _told(value: float) -> float:
    return float(f"{value:.3g}")


def pooled(signals: Sequence[Signal]) -> float:
    """The precision-weighted pool of the estimates, exp(Σ ln x_i/σ_i² / Σ 1/σ_i²)."""
    weights = [one.sigma**-2 for one in signals]
    return math.exp(sum(w * math.log(one.value) for w, one in zip(weights, signals, strict=True)) / sum(weights))


@dataclass(frozen=True)
class Regret:
    """How far an answer is off, in the natural logarithm, beside the best use of what all knew."""

    error: float
    """|ln(x̂/θ)|."""
    pool: float
    """The same of the precision-weighted pool."""

    @property
    def regret(self) -> float:
        """The answer's error minus the pool's."""
        return self.error - self.pool


def regret(item: Item, answer: float) -> Regret | None:
    """The error of an answer beside that of the pool; missing for an answer that is not above 0."""
    assert isinstance(item.truth, float)
    if answer <= 0:
        return None
    return Regret(abs(math.log(answer / item.truth)), abs(math.log(pooled(item.signals) / item.truth)))


@dataclass(frozen=True)
class Crowd:
    """The crowd identity on logarithms: the mean's squared error is the members' mean one minus their variance."""

    crowd: float
    members: float
    diversity: float


def crowd(answers: Sequence[float], truth: float) -> Crowd | None:
    """The three parts of the identity; answers that are not above 0 are left out."""
    logs = [math.log(one / truth) for one in answers if one > 0]
    if not logs:
        return None
    middle = fmean(logs)
    return Crowd(middle**2, fmean(one**2 for one in logs), fmean((one - middle) ** 2 for one in logs))
