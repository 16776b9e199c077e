"""Settings of a jury: number of jurors, rule of the verdict, and when the ballots are deadlocked."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from ..errors import make_setting_error
from ..positions.settings import CALIBRATION_SETTINGS, NumberAnswer, PositionSettings
from ..settings import TurnOrderSettings
from ..voting.settings import VotingSettings
from .verdict import compute_needed_votes

GUILTY, NOT_GUILTY = "guilty", "not guilty"
"""Verdicts of a jury without options in its settings."""

VERDICT_PATTERN = r"^(unanimity|\d{1,4}-\d{1,4}|\d{1,4}/\d{1,4})$"


class JurySettings(PositionSettings, VotingSettings, TurnOrderSettings):
    """Settings of a jury: number of jurors, rule of the verdict, and when the ballots are deadlocked."""

    model_config = ConfigDict(title="Jury")

    concedes: ClassVar[bool] = False
    sides: ClassVar[Sequence[str]] = (GUILTY, NOT_GUILTY)
    blind_round: ClassVar[int | None] = 0
    may_abstain: ClassVar[bool] = False
    reserve: ClassVar[int] = 0
    unused_settings: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["positions", "stable_rounds"], "the ballots of a jury are its positions"),
        **dict.fromkeys(
            ["stop_rule", "judge_interval", "models.judge", *CALIBRATION_SETTINGS],
            "the ballots alone decide when a jury ends",
        ),
        **dict.fromkeys(
            ["vote", "count"], "a jury votes after every round, and its verdict is counted by `verdict_rule`"
        ),
        "open_ballot": "the ballots of a jury are secret",
        **dict.fromkeys(["max_tokens_synthesis", "models.synthesizer"], "the result is written without a model"),
        "models.summarizer": "a jury never needs a summary",
        "profile": "a jury has no persona profiles",
    }

    protocol: Literal["jury"] = Field(default="jury", description="Always `jury`.")
    juror_count: int = Field(default=6, ge=2, le=1_000, description="Number of jurors if you name no participants.")
    verdict_rule: str = Field(
        default="unanimity",
        pattern=VERDICT_PATTERN,
        description=(
            "Votes that a verdict needs: `unanimity`, `10-2` for 12 jurors, or a share such as `5/6`, rounded up."
        ),
    )
    deadlock_after: int = Field(default=3, ge=1, le=100, description="Unchanged ballots in a row that make a deadlock.")
    max_rounds: int = Field(default=8, ge=1, le=1_000, description="Maximum rounds of discussion before a deadlock.")
    positions: Literal["rounds"] = Field(default="rounds", description="Each ballot is a recorded position.")
    stop_rule: Literal["never"] = Field(default="never", description="Ballots alone end a jury.")

    @property
    def voting_rule(self) -> str:
        """Return the name of the rule that counts the jurors' votes. Each juror names one option."""
        return "plurality"

    def check_seats(self, names: Sequence[str]) -> None:
        """Check that a verdict rule such as `10-2` adds up to the number of jurors. Raises `InputError`."""
        compute_needed_votes(self.verdict_rule, len(names))

    @model_validator(mode="before")
    @classmethod
    def _select_options(cls, values: Any) -> Any:
        verdict = values.get("verdict_rule") if isinstance(values, dict) else None
        if isinstance(verdict, str) and not re.match(VERDICT_PATTERN, verdict):
            raise make_setting_error(
                "verdict_rule", verdict, "write unanimity, two numbers such as 10-2, or a share such as 5/6"
            )
        if isinstance(values, dict) and values.get("options") and values.get("answer", "none") == "none":
            return values | {"answer": "option"}
        return values

    @model_validator(mode="after")
    def _check_verdict(self) -> Self:
        if isinstance(self.answer, NumberAnswer):
            raise make_setting_error(
                "answer", self.answer.number, "a jury chooses between options; write options: {A: text, B: text}"
            )
        figures = [int(figure) for figure in self.verdict_rule.replace("/", "-").split("-") if figure.isdigit()]
        if "-" in self.verdict_rule and figures[0] <= figures[1]:
            raise make_setting_error("verdict_rule", self.verdict_rule, "the larger number must be first, such as 10-2")
        if "/" in self.verdict_rule and not (figures[1] and Fraction(1, 2) < Fraction(*figures) <= 1):
            raise make_setting_error(
                "verdict_rule", self.verdict_rule, "a share must be above 1/2 and at most 1, such as 5/6"
            )
        return self
