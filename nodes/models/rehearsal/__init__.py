"""The rehearsal: a chat model that needs nothing, for trying a set-up before paying a provider."""

from .model import Rehearsal

__all__ = ["Rehearsal"]
