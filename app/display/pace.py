"""Shows a rehearsal on a terminal at reading speed; only the display is slowed down, not the run."""

import asyncio
import os
import re
import sys
from collections.abc import Callable

WORDS_PER_SECOND = 60


class Pace:
    """Shows words at once, or one by one from `begin` until it is told to hurry."""

    def __init__(self) -> None:
        self.on = False
        self._listening = False

    async def show(self, text: str, put: Callable[[str], None]) -> None:
        """Give `put` the words of `text` at a reading pace, or all at once; Enter ends the pacing."""
        if self.on and not self._listening and _somebody_types():
            asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._entered)
            self._listening = True
        for word in re.findall(r"\s*\S+\s*", text) if self.on else [text]:
            put(word)
            if self.on:
                await asyncio.sleep(1 / WORDS_PER_SECOND)

    def begin(self) -> None:
        """Show words at reading speed from now on."""
        self.on = True

    def hurry(self) -> None:
        """Show everything at once from here on."""
        self.on = False

    def end(self) -> None:
        """Stop watching standard input."""
        self.on = False
        if self._listening:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            self._listening = False

    def _entered(self) -> None:
        sys.stdin.readline()
        self.hurry()


def _somebody_types() -> bool:
    """Whether standard input is a terminal of which this process is in the foreground."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        return False
    return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
