"""Rehearsal: an offline chat model for trying a set-up before paying a provider."""

from .model import Rehearsal

__all__ = ["Rehearsal"]
