"""Answers with planted rates: experiments whose truth is known, so that figures can be held to it.

Items differ in difficulty, and in each item participants share a draw now and then, so that its answers vary together
as those of one question do; the rates hold all the same.
"""

from dataclasses import dataclass

import numpy as np
from moot.app.experiment.measures import DeclaredAnswer, PositionHistory, Unit

OPTIONS = ("right", "wrong", "other")


@dataclass(frozen=True)
class Planted:
    """What an experiment is made with."""

    items: int = 80
    participants: int = 5
    correction: float = 0.31
    """Chance that a wrong first answer ends right."""
    corruption: float = 0.09
    """Chance that a right first answer ends wrong."""
    conformity: float = 0.4
    """Chance that somebody who differs from the others' mode takes it over."""
    shared: float = 0.3
    """Chance that a participant's draw is the item's own."""


def coins(draw: np.random.Generator, shape: tuple[int, int], shared: float) -> np.ndarray:
    """Uniform numbers by item and participant; a participant's is its item's with chance `shared`."""
    return np.where(draw.random(shape) < shared, draw.random((shape[0], 1)), draw.random(shape))


def before_and_after(draw: np.random.Generator, plan: Planted) -> list[PositionHistory]:
    """Runs whose answers are corrected and corrupted at the rates planted."""
    shape = (plan.items, plan.participants)
    first = draw.random(shape) < draw.beta(3, 2, size=(plan.items, 1))
    turned = coins(draw, shape, plan.shared) < np.where(first, plan.corruption, plan.correction)
    pairs = enumerate(zip(first, turned, strict=True))
    return [_run(item, np.where([one, one != turn], 0, 1).T) for item, (one, turn) in pairs]


def by_rounds(draw: np.random.Generator, plan: Planted, rounds: int = 3) -> list[PositionHistory]:
    """Runs whose participants go over to the others' mode at the rate planted, and never turn otherwise."""
    runs = []
    for item in range(plan.items):
        answers = [draw.choice(3, size=plan.participants, p=draw.dirichlet([3, 2, 1]))]
        for _ in range(rounds):
            answers.append(_followed(draw, plan, answers[-1]))
        runs.append(_run(item, np.array(answers).T))
    return runs


def _followed(draw: np.random.Generator, plan: Planted, now: np.ndarray) -> np.ndarray:
    counts = np.bincount(now, minlength=3) - np.eye(3, dtype=int)[now]
    modes = counts.max(1, keepdims=True) == counts
    going = (modes.sum(1) == 1) & (coins(draw, (1, len(now)), plan.shared)[0] < plan.conformity)
    return np.where(going, modes.argmax(1), now)


def _run(item: int, answers: np.ndarray) -> PositionHistory:
    rows = {str(who): [DeclaredAnswer(OPTIONS[cell]) for cell in row] for who, row in enumerate(answers)}
    return PositionHistory(str(item), rows, truth="right", options=OPTIONS)


ACCURACY = {"single": 0.5, "vote": 0.6, "samples_calls": 0.63}
"""Planted accuracy of the arms beside the talk; the items' difficulty varies around it."""


def gains_of(plan: Planted) -> dict[str, float]:
    """The planted gains of voting and of talking, and the net gain."""
    talk = ACCURACY["vote"] * (1 - plan.corruption) + (1 - ACCURACY["vote"]) * plan.correction
    return {
        "voting": ACCURACY["vote"] - ACCURACY["single"],
        "talking": talk - ACCURACY["vote"],
        "net_calls": talk - ACCURACY["samples_calls"],
    }


def arms(draw: np.random.Generator, plan: Planted, repeats: int = 2) -> list[Unit]:
    """Units whose talk starts from the vote and corrects and corrupts it at the rates planted."""
    units = []
    for item in range(plan.items):
        ease = draw.uniform(-0.3, 0.3)
        for repeat in range(1, repeats + 1):
            right = {arm: bool(draw.random() < share + ease) for arm, share in ACCURACY.items()}
            turns = draw.random() < (plan.corruption if right["vote"] else plan.correction)
            credit = {**{arm: float(one) for arm, one in right.items()}, "talk": float(right["vote"] != turns)}
            units.append(Unit(str(item), credit, repeat))
    return units
