"""The order of checkpoints: what follows one that was read is newer than it, whatever the clock says.

An id begins with a time, and savers call the greatest id the newest. On a clock that is behind the one that wrote, what
is saved next would count as older than what it follows, and be passed over.
"""

from uuid import UUID

import langgraph.checkpoint.base.id as ids
from langgraph.checkpoint.base import CheckpointTuple


def followed(found: CheckpointTuple | None) -> CheckpointTuple | None:
    """A checkpoint that was read; the ids this process makes from now on are greater than its."""
    if found and (ticks := _ticks(found.checkpoint["id"])) > (ids._last_v6_timestamp or 0):
        ids._last_v6_timestamp = ticks  # type: ignore[assignment]
    return found


def _ticks(checkpoint: str) -> int:
    """The time in an id, in units of 100 ns; 0 where it has none."""
    uuid = UUID(checkpoint)
    return (uuid.time_low << 28 | uuid.time_mid << 12 | uuid.time_hi_version & 0xFFF) if uuid.version == 6 else 0
