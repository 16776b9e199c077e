"""The command on a terminal of its own, with a person who types."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from command.program import PROGRAM

SEATED = "import os, sys; os.login_tty(0); os.execv(sys.argv[1], sys.argv[1:])"
"""Takes standard input for its terminal, as a shell's child would have it, and becomes the command."""


class Seen(NamedTuple):
    """What the terminal showed, and how the command ended."""

    text: str
    code: int


def typed(
    words: Sequence[str | Path],
    keys: Sequence[tuple[str, str]] = (),
    on_open: Callable[[int], None] = lambda _: None,
) -> Seen:
    """Run the command; each key is typed when its text has appeared on the terminal, which `on_open` is given."""
    left, content, signal = list(keys), b"", b""
    terminal, end = pty.openpty()
    on_open(terminal)
    called = [sys.executable, "-c", SEATED, PROGRAM, *(str(word) for word in words)]
    env = {**os.environ, "TERM": "xterm-256color"}
    with subprocess.Popen(called, stdin=end, stdout=end, stderr=end, env=env) as process:
        os.close(end)
        while news := _read(terminal, signal):
            content += news
            if left and left[0][0].encode() in content:
                text = left.pop(0)[1].encode()
                signal = text if text == b"\x03" else b""
                os.write(terminal, text)
        os.close(terminal)
    return Seen(content.decode("utf-8", "replace"), process.returncode)


def _read(terminal: int, signal: bytes) -> bytes:
    """What comes next; nothing when the command is done, or silent for too long.

    `signal`: typed again after a silence, since a prompt does not notice one that comes just before it listens.
    """
    for _ in range(30):
        if select.select([terminal], [], [], 2)[0]:
            break
        os.write(terminal, signal)
    else:
        return b""
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""
