"""Bases of the types that a run stores or asks for: their values never change."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

StrippedText = Annotated[str, StringConstraints(strip_whitespace=True)]
"""Text without blanks at its ends. With a minimum length, blanks alone are no text."""


class FrozenModel(BaseModel):
    """Type whose instances cannot be changed."""

    model_config = ConfigDict(frozen=True)


class ClosedModel(FrozenModel):
    """Frozen type that refuses unknown keys, and numbers that are not finite."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class StrictModel(ClosedModel):
    """Closed type that converts no values, such as a number in a text."""

    model_config = ConfigDict(strict=True)
