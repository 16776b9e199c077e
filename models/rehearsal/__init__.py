"""Rehearsal: an offline chat model, for trying a run before paying a provider."""

from .planted_model import PlantedModel, get_world
from .rehearsal_model import RehearsalModel

__all__ = ["PlantedModel", "RehearsalModel", "get_world"]
