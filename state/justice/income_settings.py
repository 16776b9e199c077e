"""Settings of the justice experiment: the incomes at stake."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from ..errors import make_setting_error
from .group_settings import StrictSettings
from .income import DEFAULT_WEIGHTS, Distribution, DistributionSet, Weights
from .situations import BASE_DISTRIBUTIONS, SITUATIONS


class OriginalValuesSettings(StrictSettings):
    """Setting that uses the published situations A to D of the original experiments in Phase 1."""

    enabled: bool = Field(
        default=False, description="Whether rounds 1–4 of Phase 1 use the published situations A–D, unscaled."
    )


class TableSettings(StrictSettings):
    """Settings of the incomes at stake, and of the class probabilities in prompts."""

    distribution_range_phase1: list[float] = Field(
        default=[0.5, 2.0],
        min_length=2,
        max_length=2,
        description="Lowest and highest multiplier of the incomes in Phase 1.",
    )
    distribution_range_phase2: list[float] = Field(
        default=[0.5, 2.0],
        min_length=2,
        max_length=2,
        description="Lowest and highest multiplier of the incomes in Phase 2.",
    )
    income_class_probabilities: Weights | None = Field(
        default=list(DEFAULT_WEIGHTS),
        description="Probabilities of the five income classes, high to low, sum 1; none: equal.",
    )
    reveal_class_probabilities: Literal["never", "after_choice", "before_choice"] = Field(
        default="after_choice", description="Moment when participants learn the class probabilities."
    )
    custom_tables: list[Distribution] | None = Field(
        default=None, min_length=4, max_length=4, description="Four income distributions that replace Moot's own."
    )
    table_spread: float = Field(
        default=1.0, ge=1, le=100, description="Factor of each income's distance from the average."
    )
    phase1_first_round_unscaled: bool = Field(
        default=True, description="Whether round 1 of Phase 1 leaves the incomes unscaled."
    )
    original_values_mode: OriginalValuesSettings = Field(
        default=OriginalValuesSettings(), description="Published situations."
    )

    @field_validator("distribution_range_phase1", "distribution_range_phase2")
    @classmethod
    def _check_bounds(cls, value: list[float]) -> list[float]:
        if not 0 < value[0] <= value[1] <= 1_000_000:
            raise ValueError("give [min, max] with 0 < min ≤ max ≤ 1000000")
        return value

    @field_validator("income_class_probabilities")
    @classmethod
    def _check_weight_sum(cls, value: list[float] | None) -> list[float] | None:
        if value is not None and abs(sum(value) - 1) > 1e-6:
            raise ValueError(f"the five weights add up to {sum(value):g}; they must add up to 1")
        return value

    @model_validator(mode="after")
    def _check_tables(self) -> Self:
        self._check_table("table_spread", self.table_spread, lambda: self.base)
        for phase in ("distribution_range_phase1", "distribution_range_phase2"):
            for multiplier in getattr(self, phase):
                self._check_table(phase, multiplier, partial(self.base.scale_incomes, multiplier))
        return self

    @staticmethod
    def _check_table(key: str, value: object, build_table: Callable[[], DistributionSet]) -> None:
        try:
            build_table()
        except ValueError as error:
            raise make_setting_error(key, value, str(error)) from None

    @property
    def base(self) -> DistributionSet:
        """Return the set of distributions that is multiplied for each draw.

        It is the custom or built-in set, with the configured spread and class weights.
        """
        distributions = BASE_DISTRIBUTIONS.distributions if self.custom_tables is None else self.custom_tables
        table = DistributionSet(distributions=distributions, weights=self.income_class_probabilities)
        return table if self.table_spread == 1 else table.widen_incomes(self.table_spread)

    @property
    def has_higher_stakes(self) -> bool:
        """Return whether the group's incomes are on average higher than those of the four applications.

        Averages are expected values of the four distributions, at the middle of the range of multipliers.
        """
        base_sum, group_midpoint = sum(self.base.averages), _compute_midpoint(self.distribution_range_phase2)
        phase1_midpoint = _compute_midpoint(self.distribution_range_phase1)
        first_multiplier = Fraction(1) if self.phase1_first_round_unscaled else phase1_midpoint
        phase1_sum = base_sum * (first_multiplier + 3 * phase1_midpoint) / 4
        if self.original_values_mode.enabled:
            phase1_sum = sum(
                (sum(situation.averages, Fraction(0)) for situation in SITUATIONS.values()), Fraction(0)
            ) / len(SITUATIONS)
        return base_sum * group_midpoint > phase1_sum

    def list_unreachable_amounts(self, minimum: int, maximum: int) -> list[str]:
        """Return a description of each set whose floors or ranges all lie outside `minimum` to `maximum`."""
        faults = []
        for phase in ("distribution_range_phase1", "distribution_range_phase2"):
            if phase == "distribution_range_phase1" and self.original_values_mode.enabled:
                continue
            for multiplier in dict.fromkeys(getattr(self, phase)):
                table = self.base.scale_incomes(multiplier)
                for kind, values in (("floor", table.floors), ("range", table.ranges)):
                    if not any(minimum <= value <= maximum for value in values):
                        amounts = ", ".join(f"{value:,}" for value in sorted(values))
                        faults.append(
                            f"{phase}: at {multiplier:g} each {kind} ({amounts}) is below or above the accepted amounts"
                        )
        return faults


def _compute_midpoint(bounds: list[float]) -> Fraction:
    return sum((Fraction(repr(bound)) for bound in bounds), Fraction(0)) / 2
