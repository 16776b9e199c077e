"""Base classes of the types that a run stores or asks for. Their instances never change."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

StrippedText = Annotated[str, StringConstraints(strip_whitespace=True)]
"""Text without blanks at its ends. With a minimum length, blanks alone are no text."""


class FrozenModel(BaseModel):
    """Pydantic model whose instances cannot be changed."""

    model_config = ConfigDict(frozen=True)


class ClosedModel(FrozenModel):
    """Frozen model that rejects unknown keys, and numbers that are not finite."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class StrictModel(ClosedModel):
    """Closed model that converts no values, so the text "3" is not accepted as a number."""

    model_config = ConfigDict(strict=True)
