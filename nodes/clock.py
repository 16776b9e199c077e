"""The one place that knows the time, so that tests and replays can set it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def written(moment: datetime) -> str:
    """A time as it is recorded: ISO 8601, UTC, milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


_clock: ContextVar[Callable[[], datetime] | None] = ContextVar("moot_clock", default=None)


def now() -> datetime:
    """The current time, UTC."""
    clock = _clock.get()
    return clock() if clock else datetime.now(UTC)


def stamp() -> str:
    """The current time as ISO 8601, UTC, milliseconds."""
    return written(now())


def seconds_until(date: str) -> float:
    """Seconds from now to an HTTP date such as "Wed, 21 Oct 2026 07:28:00 GMT"; 0 for anything else."""
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return 0.0
    return (then - now()).total_seconds() if then.tzinfo else 0.0


def milliseconds_since(start: float) -> int:
    """Milliseconds since a `time.perf_counter()` reading."""
    return round((time.perf_counter() - start) * 1000)


@contextmanager
def clock(source: Callable[[], datetime]) -> Iterator[None]:
    """Within the block, `now` asks `source`."""
    token = _clock.set(source)
    try:
        yield
    finally:
        _clock.reset(token)
