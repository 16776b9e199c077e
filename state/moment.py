"""Moments: how a time is recorded, and read again."""

from datetime import UTC, datetime


def written(moment: datetime) -> str:
    """A time as it is recorded: ISO 8601, UTC, milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
