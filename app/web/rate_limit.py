"""Limit on how often a caller may act."""

from collections import deque
from time import monotonic


class RateLimit:
    """Limit on the number of actions of each caller within `seconds`."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit, self.seconds = limit, seconds
        self._times: dict[str, deque[float]] = {}

    def try_acquire(self, caller: str) -> bool:
        """Return whether the caller may act now. If so, count the action."""
        now = monotonic()
        self._times = {
            known_caller: times for known_caller, times in self._times.items() if times[-1] > now - self.seconds
        }
        times = self._times.setdefault(caller, deque(maxlen=self.limit))
        if len(times) == self.limit and times[0] > now - self.seconds:
            return False
        times.append(now)
        return True
