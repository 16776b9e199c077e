"""The rules of a jury."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from ..positions.rules import CALIBRATED, NumberAnswer, PositionRules
from ..refused import Refused, unusable
from ..rules import TurnOrderRules
from ..voting.rules import VotingRules

GUILTY, NOT_GUILTY = "guilty", "not guilty"
"""What a jury finds where it has no options of its own."""

SHARE = "a share is above 1/2 and at most 1, such as 5/6"


class JuryRules(PositionRules, VotingRules, TurnOrderRules):
    """The knobs of a jury."""

    model_config = ConfigDict(title="Jury")

    concedes: ClassVar[bool] = False
    sides: ClassVar[Sequence[str]] = (GUILTY, NOT_GUILTY)
    blind_round: ClassVar[int | None] = 0
    may_abstain: ClassVar[bool] = False
    reserve: ClassVar[int] = 0
    idle: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["positions", "still_rounds"], "the ballots of a jury are its positions"),
        **dict.fromkeys(["stopping", "judge_every", "models.judge", *CALIBRATED], "the ballots end a jury"),
        **dict.fromkeys(["vote", "ballot"], "a jury votes after every round, and its verdict is counted by `verdict`"),
        "open_ballot": "the ballots of a jury are secret",
        **dict.fromkeys(["max_tokens_synthesis", "models.synthesizer"], "the result is written without a model"),
        "models.summarizer": "a jury never needs a summary",
        "profile": "a jury has no persona profiles",
    }

    protocol: Literal["jury"] = Field(default="jury", description="Always `jury`.")
    jurors: int = Field(default=6, ge=2, le=1_000, description="Jurors, where no participants are named.")
    verdict: str = Field(
        default="unanimity",
        pattern=r"^(unanimity|\d{1,4}-\d{1,4}|\d{1,4}/\d{1,4})$",
        description="What a verdict takes: `unanimity`, `10-2` (the two add up to the jurors), or a share of all "
        "jurors, `5/6`, rounded up.",
    )
    unmoved: int = Field(
        default=3, ge=1, le=100, description="Ballots in a row that change nobody's vote and so end in a deadlock."
    )
    max_rounds: int = Field(default=8, ge=1, le=1_000, description="Rounds of discussion at most; then a deadlock.")
    positions: Literal["rounds"] = Field(default="rounds", description="Each ballot is a position on record.")
    stopping: Literal["never"] = Field(default="never", description="Ballots alone end a jury.")

    @property
    def counted_by(self) -> str:
        """A juror names one option."""
        return "plurality"

    def check_seats(self, names: Sequence[str]) -> None:
        """Raise `Refused` for a verdict whose two figures do not add up to the jurors."""
        needed(self.verdict, len(names))

    @model_validator(mode="before")
    @classmethod
    def _chooses(cls, given: Any) -> Any:
        """Options of its own are what the jury votes on."""
        if isinstance(given, dict) and given.get("options") and given.get("answer", "none") == "none":
            return given | {"answer": "option"}
        return given

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if isinstance(self.answer, NumberAnswer):
            raise unusable("answer", self.answer.number, "a jury chooses; write options: {A: text, B: text}")
        figures = [int(one) for one in self.verdict.replace("/", "-").split("-") if one.isdigit()]
        if "-" in self.verdict and figures[0] <= figures[1]:
            raise unusable("verdict", self.verdict, "the first figure is the larger one, such as 10-2")
        if "/" in self.verdict and not (figures[1] and Fraction(1, 2) < Fraction(*figures) <= 1):
            raise unusable("verdict", self.verdict, SHARE)
        return self


def needed(verdict: str, jurors: int) -> int:
    """How many of all `jurors` a verdict takes: `unanimity`, `10-2`, or `5/6`, rounded up.

    Raises `Refused` where the two figures of `10-2` do not add up to the jurors.
    """
    if "/" in verdict:
        part, whole = map(int, verdict.split("/"))
        return -(-jurors * part // whole)
    if "-" not in verdict:
        return jurors
    most, least = map(int, verdict.split("-"))
    if most + least != jurors:
        raise Refused("verdict", verdict, f"the two figures add up to the number of jurors, which is {jurors}")
    return most
