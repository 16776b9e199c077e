"""Delta channels: a checkpoint stores what was written, not what has gathered. Langgraph is met here alone."""

from collections.abc import Callable

from langgraph.channels import DeltaChannel

SNAPSHOT_EVERY = 5000
"""Writes between snapshots of a delta channel: rare, since each one stores everything gathered so far."""


def delta(reducer: Callable[..., object]) -> DeltaChannel:  # type: ignore[type-arg]
    """A channel whose writes `reducer` folds."""
    return DeltaChannel(reducer, snapshot_frequency=SNAPSHOT_EVERY)
