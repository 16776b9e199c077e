"""A gate that shows requests to be parallel without a clock: none passes until so many stand before it."""

import asyncio

from fakeserver.exchange import FakeFailure


class Gate:
    """Opens for good when `size` requests stand before it at once.

    A client that gives up leaves the gate. `deadline`: seconds after the first arrival when all who wait fail instead.
    """

    def __init__(self, size: int, deadline: float) -> None:
        self.size = size
        self.deadline = deadline
        self._waiting = 0
        self._came = 0
        self._open = size <= 0
        self._opened = asyncio.Event()
        self._alarm: asyncio.TimerHandle | None = None

    async def passed(self) -> None:
        """Wait at the gate. Raises FakeFailure with code gate_timeout when too few came in time."""
        if self._open:
            return
        self._waiting += 1
        self._alarm = self._alarm or asyncio.get_running_loop().call_later(self.deadline, self._give_up)
        if self._waiting == self.size:
            self._open = True
            self._alarm.cancel()
            self._opened.set()
        try:
            await self._opened.wait()
        finally:
            self._waiting -= 1
        if not self._open:
            came = f"{self._came} of {self.size} requests stood at the gate after {self.deadline} s"
            raise FakeFailure("gate_timeout", came)

    def _give_up(self) -> None:
        self._came = self._waiting
        self._opened.set()
