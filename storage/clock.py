"""Single source of the current time, so that tests and replays can set it."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from ..state.context_variable import bind_variable


def format_time(moment: datetime) -> str:
    """Format a time for the record: ISO 8601, UTC, milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def format_local_time(moment: datetime) -> str:
    """Format a time for people, such as "14:05 CET". Add the date if it is not today's."""
    local_time = moment.astimezone()
    is_today = local_time.date() == get_time().astimezone().date()
    return local_time.strftime("%H:%M %Z" if is_today else "%Y-%m-%d %H:%M %Z")


_clock: ContextVar[Callable[[], datetime] | None] = ContextVar("moot_clock", default=None)


def get_time() -> datetime:
    """Return the current time in UTC."""
    source = _clock.get()
    return source() if source else datetime.now(UTC)


def get_timestamp() -> str:
    """Return the current time as ISO 8601, UTC, milliseconds."""
    return format_time(get_time())


def compute_seconds_until(date: str) -> float:
    """Compute the seconds from now to an HTTP date such as "Wed, 21 Oct 2026 07:28:00 GMT".

    Return 0 for any other text.
    """
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        return 0.0
    return (moment - get_time()).total_seconds() if moment.tzinfo else 0.0


def count_milliseconds_since(start: float) -> int:
    """Return the milliseconds since `start`, a reading of `time.perf_counter()`."""
    return round((time.perf_counter() - start) * 1000)


def use_clock(source: Callable[[], datetime]) -> AbstractContextManager[None]:
    """Take the current time from `source` within the `with` block."""
    return bind_variable(_clock, source)
