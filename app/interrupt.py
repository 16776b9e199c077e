"""Ctrl-C: the first stops a run after its current step, the second at once."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INSIST = 0.2
"""Seconds after which a cancellation is repeated: before Python 3.12 `asyncio.wait_for` may lose one."""


class CtrlC:
    """Counts interrupts. `first` is called at the first one; the second cancels the running task."""

    def __init__(self, first: Callable[[], None]) -> None:
        self.times, self._first = 0, first

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Within the block, in a task of the main thread's loop, interrupts come here."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def pressed(*_: object) -> None:
            self.times += 1
            if self.times == 1:
                self._first()
            elif self.times == 2 and task is not None:
                loop.call_soon_threadsafe(_cancel, task)

        before = signal.signal(signal.SIGINT, pressed)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _cancel(task: "asyncio.Task[object]") -> None:
    """Cancel a task until it is done."""
    if not task.done():
        task.cancel()
        task.get_loop().call_later(INSIST, _cancel, task)
