"""Bases of the types that a run stores: their values never change."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """Type whose values never change."""

    model_config = ConfigDict(frozen=True)


class ClosedModel(FrozenModel):
    """Type whose values never change, and that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid")
