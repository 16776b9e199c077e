"""Calibrated stops: a run ends when a score reaches a threshold, with a statistical guarantee."""

import hashlib
import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from ..ending import Ending, Evidence, StopBasis
from ..frozen_models import ClosedModel
from .answer import count_answers
from .position import Position
from .settings import AnswerFormat, PositionSettings

StopSignal = Literal["share", "certainty", "agreement"]
"""Share of the leading position, mean certainty, or a group's measured agreement, each from 0 to 1."""

RUN_SETTINGS = {
    *("protocol", "schema_version", "seed", "model", "models", "options", "packages", "budget", "prices"),
    *(
        "record",
        "replay",
        "recording_id",
        "stop_rule",
        "calibration_file",
        "allow_other_calibration",
        "dynamic_termination",
        "hold_discussion",
    ),
}
"""Settings that do not affect a calibrated stop: those of a single run, and those of its stopping rule."""


class CalibratedStop(ClosedModel):
    """Stopping threshold with its guarantee and conditions, as `moot calibrate` saves it."""

    signal: StopSignal = Field(description="Score that is computed after each round.")
    threshold: float = Field(ge=0.5, le=1, description="Score at which the deliberation ends.")
    delta: float = Field(gt=0, lt=1, description="Share of runs that may end with another decision.")
    epsilon: float = Field(gt=0, lt=1, description="Probability that the guarantee fails.")
    n: int = Field(ge=1, description="Number of calibration items, with one run each.")
    losses: int = Field(ge=0, description="Number of calibration runs with another decision at the threshold.")
    rounds_saved: float = Field(ge=0, description="Mean number of rounds saved per calibration run.")
    experiment: str = Field(max_length=200, description="Experiment of the calibration runs.")
    condition: str = Field(max_length=200, description="Condition of the calibration runs.")
    protocol: str = Field(max_length=80, description="Protocol of the calibration runs.")
    models: list[str] = Field(max_length=100, description="Model of each seat in the calibration runs, sorted.")
    settings: dict[str, Any] = Field(description="Other settings of the calibration runs.")
    guarantee: str = Field(max_length=2000, description="Guarantee of the threshold, in words.")
    hash: str = Field(default="", max_length=64, description="SHA-256 of all other fields, as canonical JSON.")

    @model_validator(mode="after")
    def _check_models(self) -> Self:
        if not self.models:
            raise ValueError("models: must name a model; use the unchanged file that `moot calibrate` wrote")
        return self

    @property
    def computed_hash(self) -> str:
        """Return the hash of the current content. It equals `hash` if the file is unchanged."""
        values = self.model_dump(mode="json", include=set(CalibratedStop.model_fields) - {"hash"})
        return hashlib.sha256(
            json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
        ).hexdigest()


class ActiveStop(CalibratedStop):
    """Calibrated stop in a run, with the settings in which the run differs from the calibrated ones."""

    differences: list[str] = Field(default=[], description="Differences between the run and the calibration runs.")

    @property
    def basis(self) -> StopBasis:
        """Return the basis of a stop: a guarantee, or a heuristic if the run differs from the calibrated ones."""
        figures: dict[str, Any] = {"delta": self.delta, "epsilon": self.epsilon, "n": self.n}
        if self.differences:
            return StopBasis(kind="heuristic", caveat="calibrated_on_others", **figures)
        return StopBasis(kind="guarantee", **figures)


def extract_stop_settings(settings: PositionSettings) -> dict[str, Any]:
    """Return the settings that affect a calibrated stop, as plain data. The unit of a number is left out."""
    values: dict[str, Any] = json.loads(settings.model_dump_json(exclude=RUN_SETTINGS))
    if isinstance(values["answer"], dict):
        values["answer"]["number"] = ""
    return values


def list_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings whose values differ, sorted."""
    return sorted(key for key in {*first, *second} if first.get(key) != second.get(key))


def compute_score(
    signal: StopSignal, moment: Mapping[str, Position], answer_format: AnswerFormat, seats: int, agreement: float | None
) -> float:
    """Compute the score of a round in which `seats` participants were asked.

    `moment`: positions of the round, by participant. `agreement`: the group's measured agreement in this round; `None`
    counts as 0. A missing answer lowers the score: it counts as outside the leading answer and as not certain.
    """
    if signal == "agreement":
        return agreement or 0.0
    if signal == "certainty":
        return sum(position.certainty or 0.0 for position in moment.values()) / 100 / seats
    return (
        max(count_answers([position.answer for position in moment.values()], answer_format).values(), default=0) / seats
    )


def get_decision(moment: Mapping[str, Position], answer_format: AnswerFormat, compares_stances: bool) -> Hashable:
    """Return the decision of a round: the most common answer, or all tied answers.

    `moment`: positions of the round, by participant. `compares_stances`: whether the decision is the pair of stances
    instead, as in a debate.
    """
    if compares_stances:
        return tuple(sorted((name, position.stance) for name, position in moment.items()))
    counts = count_answers([position.answer for position in moment.values()], answer_format)
    return tuple(sorted(answer for answer, count in counts.items() if count == max(counts.values())))


def replace_near_decisions(decisions: Sequence[Hashable], answer_format: AnswerFormat) -> list[Hashable]:
    """Return the decisions. Each one that counts as equal to the last becomes the last."""
    last_decision = decisions[-1]
    return [
        last_decision if _is_same_decision(decision, last_decision, answer_format) else decision
        for decision in decisions
    ]


def _is_same_decision(first: Any, second: Any, answer_format: AnswerFormat) -> bool:
    if not answer_format.is_numeric or len(first) != 1 or len(second) != 1:
        return bool(first == second)
    return answer_format.is_same_answer(first[0], second[0])


def stop_at_threshold(stop: ActiveStop, score: float) -> Ending | None:
    """Stop if `score` has reached the threshold of the calibrated stop."""
    if score < stop.threshold - 1e-9:
        return None
    evidence = Evidence(figure=score, threshold=stop.threshold, note=f"calibrated score: {stop.signal}")
    return Ending(reason="calibrated_stop", strategy="calibrated", evidence=evidence, basis=stop.basis)
