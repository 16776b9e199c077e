"""Rehearsal: an offline chat model, for trying a run before paying a provider."""

from .model import Rehearsal

__all__ = ["Rehearsal"]
