"""The rules of a Delphi."""

from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from ..positions.rules import CALIBRATED, NumberAnswer, PositionRules


class DelphiRules(PositionRules):
    """The knobs of a Delphi."""

    model_config = ConfigDict(title="Delphi")

    anonymous: ClassVar[bool] = True
    concedes: ClassVar[bool] = False
    blind_round: ClassVar[int | None] = 1
    reserve: ClassVar[int] = 0
    idle: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["positions", "still_rounds"], "the estimates of a Delphi are its positions"),
        **dict.fromkeys(["stopping", "judge_every", "models.judge", *CALIBRATED], "the estimates end a Delphi"),
        **dict.fromkeys(["max_tokens_synthesis", "models.synthesizer"], "the result is written without a model"),
        "models.summarizer": "a Delphi never needs a summary",
        "max_turns": "a Delphi goes by whole rounds; use max_rounds",
        "profile": "a Delphi has no persona profiles",
    }

    protocol: Literal["delphi"] = Field(default="delphi", description="Always `delphi`.")
    answer: Literal["option"] | NumberAnswer = Field(
        default=NumberAnswer(number=""),
        description="What is estimated: a number, {number: unit}, empty for one without a unit, or one of `options`.",
    )
    experts: int = Field(default=5, ge=2, le=1_000, description="Experts, where no participants are named.")
    spread: str = Field(
        default="0.1 relative",
        pattern=r"^\d+(?:\.\d+)?(?:[eE]-?\d+)? (?:relative|absolute)$",
        description="Interquartile range within which it ends: `0.1 relative` (to the median) or `2 absolute` (in the "
        "unit).",
    )
    stable: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="Share of the pooled 5–95 % range by which the median may move in a round that counts as stable; "
        "two such rounds in a row end it.",
    )
    agreement: float = Field(default=0.75, gt=0.5, le=1, description="Share for one option at which it ends.")
    max_rounds: int = Field(default=4, ge=1, le=100, description="Rounds at most.")
    max_turns: None = Field(default=None, description="A Delphi goes by whole rounds.")
    positions: Literal["rounds"] = Field(default="rounds", description="Each estimate is a position on record.")
    stopping: Literal["never"] = Field(default="never", description="Estimates alone end a Delphi.")

    @model_validator(mode="before")
    @classmethod
    def _chooses(cls, given: Any) -> Any:
        """Options of its own are what is chosen among."""
        if isinstance(given, dict) and given.get("options") and "answer" not in given:
            return given | {"answer": "option"}
        return given

    def bound(self, median: float) -> float:
        """The widest interquartile range that ends it; a relative `spread` is of the median's size."""
        figure, _, kind = self.spread.partition(" ")
        return float(figure) * (abs(median) if kind == "relative" else 1.0)
