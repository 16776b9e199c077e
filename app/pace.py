"""A reading pace for rehearsals on a terminal: the display waits, the deliberation does not."""

import asyncio
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WORDS_PER_SECOND = 60


class Pace:
    """Shows words one by one, until it is told to hurry."""

    def __init__(self, on: bool) -> None:
        self.on = on

    async def show(self, text: str, put: Callable[[str], None]) -> None:
        """Give `put` the words of `text` at a reading pace, or all at once."""
        for word in re.findall(r"\s*\S+\s*", text) if self.on else [text]:
            put(word)
            if self.on:
                await asyncio.sleep(1 / WORDS_PER_SECOND)

    def hurry(self) -> None:
        """Show everything at once from here on."""
        self.on = False

    @contextmanager
    def until_enter(self) -> Iterator[None]:
        """Within the block, Enter hurries; only where a person sits at a terminal, and this system can listen."""
        listening = self.on and sys.stdin.isatty() and sys.platform != "win32"
        loop = asyncio.get_running_loop()
        if listening:
            loop.add_reader(sys.stdin.fileno(), self._entered)
        try:
            yield
        finally:
            if listening:
                loop.remove_reader(sys.stdin.fileno())

    def _entered(self) -> None:
        sys.stdin.readline()
        self.hurry()
