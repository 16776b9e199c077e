"""Bases of the types that a run stores: their values never change."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """Type whose instances cannot be changed."""

    model_config = ConfigDict(frozen=True)


class ClosedModel(FrozenModel):
    """Frozen type that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid")
