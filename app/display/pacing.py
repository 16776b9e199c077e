"""Reading speed of a rehearsal on a terminal. It delays the display, but not the run."""

import asyncio
import os
import re
import sys
from collections.abc import Callable

WORDS_PER_SECOND = 60


class TextPacer:
    """Printer that shows text at once or, if `is_pacing`, word by word at reading speed."""

    def __init__(self) -> None:
        self.is_pacing = False
        self._is_listening = False

    async def show_text(self, text: str, show: Callable[[str], None]) -> None:
        """Pass the words of `text` to `show` at reading speed, or all at once. Enter turns pacing off."""

        def handle_enter() -> None:
            sys.stdin.readline()
            self.is_pacing = False

        can_listen = self.is_pacing and not self._is_listening and sys.platform != "win32" and sys.stdin.isatty()
        if can_listen and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp():  # in the foreground
            asyncio.get_running_loop().add_reader(sys.stdin.fileno(), handle_enter)
            self._is_listening = True
        for word in re.findall(r"\s*\S+\s*", text) if self.is_pacing else [text]:
            show(word)
            if self.is_pacing:
                await asyncio.sleep(1 / WORDS_PER_SECOND)

    def close_input(self) -> None:
        """Stop the pacing and stop watching standard input."""
        self.is_pacing = False
        if self._is_listening:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            self._is_listening = False
