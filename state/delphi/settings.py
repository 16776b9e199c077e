"""Settings of a Delphi: the form of the answer, the experts, the rounds, and when estimates converge."""

import re
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from ..errors import make_setting_error
from ..positions.settings import CALIBRATION_SETTINGS, NumberAnswer, PositionSettings

WIDTH_PATTERN = r"^\d+(?:\.\d+)?(?:[eE]-?\d+)? (?:relative|absolute)$"


class DelphiSettings(PositionSettings):
    """Settings of a Delphi: the form of the answer, the experts, the rounds, and when estimates converge."""

    model_config = ConfigDict(title="Delphi")

    anonymous: ClassVar[bool] = True
    concedes: ClassVar[bool] = False
    blind_round: ClassVar[int | None] = 1
    reserve: ClassVar[int] = 0
    unused_settings: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["positions", "stable_rounds"], "the estimates of a Delphi are its positions"),
        **dict.fromkeys(
            ["stop_rule", "judge_interval", "models.judge", *CALIBRATION_SETTINGS],
            "the estimates alone decide when a Delphi ends",
        ),
        **dict.fromkeys(["max_tokens_synthesis", "models.synthesizer"], "the result is written without a model"),
        "models.summarizer": "a Delphi never needs a summary",
        "max_turns": "a Delphi counts rounds, not turns; use max_rounds",
        "profile": "a Delphi has no persona profiles",
    }

    protocol: Literal["delphi"] = Field(default="delphi", description="Always `delphi`.")
    answer: Literal["option"] | NumberAnswer = Field(
        default=NumberAnswer(number=""),
        description="What to estimate: {number: UNIT}, or `option` to choose one of `options`.",
    )
    expert_count: int = Field(default=5, ge=2, le=1_000, description="Number of experts if you name no participants.")
    max_spread: str = Field(
        default="0.1 relative",
        pattern=WIDTH_PATTERN,
        description=(
            "Largest interquartile range that ends the run: `0.1 relative` (to the median), `2 absolute` (in the unit)."
        ),
    )
    max_median_shift: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description=(
            "Largest change of the median, as a share of the estimates' 90 % range, that counts as stable. Two "
            "stable rounds end the run."
        ),
    )
    agreement_share: float = Field(
        default=0.75, gt=0.5, le=1, description="Share of experts who must choose the same option to end the run."
    )
    max_rounds: int = Field(default=4, ge=1, le=100, description="Maximum rounds.")
    max_turns: None = Field(default=None, description="Always none; a Delphi has only whole rounds.")
    positions: Literal["rounds"] = Field(default="rounds", description="Each estimate is a recorded position.")
    stop_rule: Literal["never"] = Field(default="never", description="Estimates alone end a Delphi.")

    @model_validator(mode="before")
    @classmethod
    def _select_options(cls, values: Any) -> Any:
        spread = values.get("max_spread") if isinstance(values, dict) else None
        if isinstance(spread, str) and not re.match(WIDTH_PATTERN, spread):
            raise make_setting_error(
                "max_spread", spread, "write 0.1 relative (to the median) or 2 absolute (in the unit)"
            )
        if isinstance(values, dict) and values.get("options") and "answer" not in values:
            return values | {"answer": "option"}
        return values

    def compute_max_range(self, median: float) -> float:
        """Return the largest interquartile range at which estimates count as converged, in the answer's unit.

        `median`: median of the round. A relative `max_spread` is a share of it.
        """
        figure, _, kind = self.max_spread.partition(" ")
        return float(figure) * (abs(median) if kind == "relative" else 1.0)
