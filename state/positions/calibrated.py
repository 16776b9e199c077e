"""Calibrated stops: the score a talk is stopped by, its threshold, and what that was found to promise."""

import hashlib
import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..ending import Ending, Evidence, Promise
from .answer import held_by
from .position import Position
from .rules import PositionRules, Question

Signal = Literal["share", "certainty", "agreement"]
"""Share of the leading position; mean certainty; a group's measured agreement. Each is 0 to 1."""

OF_THE_RUN = {
    *("protocol", "schema_version", "seed", "model", "models", "options", "packages", "budget", "prices"),
    *("record", "replay", "place", "stopping", "stop_file", "stop_insist", "dynamic_termination", "discuss"),
}
"""Rules that belong to one run, or to how it is stopped: a stop holds whatever they are."""


class CalibratedStop(BaseModel):
    """A stop with a promise: what `moot calibrate` wrote, and what it was made for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    signal: Signal = Field(description="The score that is looked at after each round.")
    threshold: float = Field(ge=0.5, le=1, description="The talk is over once the score reaches it.")
    delta: float = Field(gt=0, lt=1, description="At most this share of runs end with another decision …")
    epsilon: float = Field(gt=0, lt=1, description="… with a probability of 1 − epsilon.")
    n: int = Field(ge=1, description="Items it was calibrated on, one run each.")
    losses: int = Field(ge=0, description="Runs among them that it would have ended with another decision.")
    rounds_saved: float = Field(ge=0, description="Mean rounds by which it would have shortened them.")
    experiment: str = Field(max_length=200, description="The experiment they were runs of.")
    condition: str = Field(max_length=200, description="Their condition.")
    protocol: str = Field(max_length=80, description="Their protocol.")
    models: list[str] = Field(max_length=100, description="The model of each seat, sorted.")
    settings: dict[str, Any] = Field(description="Their other rules.")
    promise: str = Field(max_length=2000, description="The promise, in words.")
    hash: str = Field(default="", max_length=64, description="SHA-256 of all of the above, as canonical JSON.")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.models:
            raise ValueError("models: it was made for nobody; take the file as `moot calibrate` wrote it")
        return self

    @property
    def own_hash(self) -> str:
        """What `hash` is where nothing was changed since."""
        told = self.model_dump(mode="json", include=set(CalibratedStop.model_fields) - {"hash"})
        text = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


class StopInForce(CalibratedStop):
    """A calibrated stop as a run has it."""

    misfits: list[str] = Field(default=[], description="What the run differs in from those it was calibrated on.")

    @property
    def promised(self) -> Promise:
        """What stopping by it promises: nothing where the run is not like those it was calibrated on."""
        told: dict[str, Any] = {"delta": self.delta, "epsilon": self.epsilon, "n": self.n}
        if self.misfits:
            return Promise(kind="heuristic", caveat="calibrated_on_others", **told)
        return Promise(kind="guarantee", **told)


def settings_of(rules: PositionRules) -> dict[str, Any]:
    """The rules that a stop holds for, as plain data; the unit of a number is the item's own."""
    found: dict[str, Any] = json.loads(rules.model_dump_json(exclude=OF_THE_RUN))
    if isinstance(found["answer"], dict):
        found["answer"]["number"] = ""
    return found


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The settings in which two runs differ, by name."""
    return sorted(key for key in {*one, *other} if one.get(key) != other.get(key))


def score(
    signal: Signal, moment: Mapping[str, Position], question: Question, seats: int, agreement: float | None
) -> float:
    """The score after a round in which `seats` were asked; who gave no answer counts as neither leading nor sure.

    `agreement`: a group's measured agreement in this round; none: it was not measured, which is 0.
    """
    if signal == "agreement":
        return agreement or 0.0
    if signal == "certainty":
        return sum(one.certainty or 0.0 for one in moment.values()) / 100 / seats
    return max(held_by([one.answer for one in moment.values()], question).values(), default=0) / seats


def decision(moment: Mapping[str, Position], question: Question, stances: bool) -> Hashable:
    """What a round decides: the plurality of positions, a tie as such; in a debate the pair of stances."""
    if stances:
        return tuple(sorted((who, one.stance) for who, one in moment.items()))
    held = held_by([one.answer for one in moment.values()], question)
    return tuple(sorted(answer for answer, count in held.items() if count == max(held.values())))


def same_decisions(decisions: Sequence[Hashable], question: Question) -> list[Hashable]:
    """The decisions, those that are the last one within the tolerance of a number written as the last one."""
    last = decisions[-1]
    return [last if _alike(one, last, question) else one for one in decisions]


def _alike(one: Any, other: Any, question: Question) -> bool:
    if not question.numeric or len(one) != 1 or len(other) != 1:
        return bool(one == other)
    return question.alike(one[0], other[0])


def reached(stop: StopInForce, figure: float) -> Ending | None:
    """The ending, once the score has reached the threshold."""
    if figure < stop.threshold - 1e-9:
        return None
    evidence = Evidence(figure=figure, threshold=stop.threshold, note=f"calibrated score: {stop.signal}")
    return Ending(reason="calibrated_stop", strategy="calibrated", evidence=evidence, promise=stop.promised)
