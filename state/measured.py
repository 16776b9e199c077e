"""What is reported of an experiment's rankings. Beside each figure stands how many entries were left out of it."""

from pydantic import BaseModel, ConfigDict, Field

from .principle import Principle


class Standing(BaseModel):
    """Where the principles stand in one of the four rankings."""

    model_config = ConfigDict(frozen=True)

    ranking: int = Field(ge=1, le=4, description="Which ranking.")
    mean_rank: dict[Principle, float] = Field(default_factory=dict, description="1 (best) to 4; empty: none counted.")
    first_places: dict[Principle, int] = Field(default_factory=dict, description="How many rank it first.")
    counted: int = Field(default=0, ge=0, description="Rankings counted.")
    left_out: int = Field(default=0, ge=0, description="Rankings missing or defaulted.")


class Change(BaseModel):
    """What changed from one ranking to another."""

    model_config = ConfigDict(frozen=True)

    first: int = Field(ge=1, le=4, description="The earlier ranking.")
    second: int = Field(ge=1, le=4, description="The later ranking.")
    kendall: dict[str, int] = Field(
        default_factory=dict, description="Kendall distance by participant: pairs of principles in opposite order, 0–6."
    )
    kendall_mean: float | None = Field(default=None, ge=0, le=6, description="Their mean; none: none counted.")
    flips: list[list[int]] = Field(
        default_factory=list, description="4 × 4: participants by first place before (row) and after (column), 1 to 4."
    )
    certainty_shift: dict[str, int] = Field(default_factory=dict, description="By participant, −4 to +4 levels.")
    certainty_mean: float | None = Field(default=None, ge=-4, le=4, description="Their mean; none: none counted.")
    certainty_distribution: list[int] = Field(
        default_factory=list, description="How many shifted by −4, −3, … +4 levels."
    )
    counted: int = Field(default=0, ge=0, description="Participants counted.")
    left_out: int = Field(default=0, ge=0, description="Participants with either ranking missing or defaulted.")


class Ceiling(BaseModel):
    """Whether so many start with one principle first that movement towards it cannot show."""

    model_config = ConfigDict(frozen=True)

    warning: bool = Field(default=False, description="True from the threshold on.")
    principle: Principle | None = Field(default=None, description="The most common first place; the lowest of equals.")
    share: float | None = Field(default=None, ge=0, le=1, description="Its share of the first rankings counted.")
    threshold: float = Field(default=0.8, ge=0.5, le=1, description="The share from which it warns.")
    counted: int = Field(default=0, ge=0, description="Rankings counted.")
    left_out: int = Field(default=0, ge=0, description="Rankings missing or defaulted.")


class Measures(BaseModel):
    """What is reported of one experiment's rankings."""

    model_config = ConfigDict(frozen=True)

    standings: list[Standing] = Field(default_factory=list, description="For rankings 1 to 4.")
    changes: list[Change] = Field(default_factory=list, description="From 1 to 2, 2 to 3, 3 to 4, 1 to 4.")
    ceiling: Ceiling = Field(default=Ceiling(), description="Whether movement could show.")
