"""Rehearsal: an offline chat model, for trying a run before paying a provider."""

from .model import Rehearsal
from .planted import PlantedModel, get_world

__all__ = ["PlantedModel", "Rehearsal", "get_world"]
