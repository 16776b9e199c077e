"""Sample report, and pictures of a terminal and the room: `python docs/make/samples.py` writes them.

The report is that of the recorded consensus, the pictures show the recorded debate. The room needs Chromium.
"""

import fcntl
import io
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from itertools import groupby
from pathlib import Path

import pyte
from drawings import CHROMIUM
from rich.console import Console
from rich.style import Style
from rich.text import Text

DOCS = Path(__file__).parents[1]
CALLED = """
import random, sys
from moot.app.main import main
from moot.app.saved import runs
sys.argv[0], runs.secrets = "moot", random.Random(0)
main()
"""
"""The command, called so that what it prints names no folder, and the same run every time."""
MOOT = [sys.executable, "-c", CALLED]
FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Fonts that a picture would fetch from elsewhere."""
COLUMNS, ROWS = 96, 400
REPORTED = ["example", "consensus"]
RECORDED = ["example", "debate", "--no-pacing"]
PICTURED = ["example", "debate"]


def report(words: list[str], file: Path) -> None:
    """Run a deliberation in a temporary database, and write its report to `file`.

    `words`: arguments of the command.
    """
    with tempfile.TemporaryDirectory() as place:
        env = {**os.environ, "MOOT_DB": f"{place}/moot.db"}
        subprocess.run([*MOOT, "show", _save_run(words, env), "--format", "html", "-o", file], env=env, check=True)


def _save_run(words: list[str], env: dict[str, str]) -> str:
    """Run a deliberation and return the name of its saved run.

    `words`: arguments of the command. `env`: environment variables.
    """
    process = subprocess.run([*MOOT, *words, "--quiet"], env=env, check=True, capture_output=True, text=True)
    run = re.search(r"[Ss]aved as ([\w-]+)", process.stdout)
    assert run is not None, process.stdout
    return run[1]


def take_screenshot(words: list[str], file: Path) -> None:
    """Run a deliberation, and write a picture of its page in the room to `file`."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        env = {**os.environ, "MOOT_DB": f"{place}/moot.db", "XDG_DATA_HOME": place}
        run = _save_run(words, env)
        command = [*MOOT, "serve", "--port", "0"]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
            try:
                address = next(match[0] for line in server.stdout or () if (match := re.search(r"http://\S+", line)))
                page = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_page()
                page.set_viewport_size({"width": 1200, "height": 1100})
                page.goto(address)
                page.goto(f"{address.partition('/enter')[0]}/runs/{run}")
                page.screenshot(path=file)
            finally:
                server.terminate()


def recording(words: list[str], file: Path) -> None:
    """Run a command, and write a picture of the terminal at its end to `file`."""
    screen = pyte.Screen(COLUMNS, ROWS)
    with tempfile.TemporaryDirectory() as place:
        pyte.ByteStream(screen).feed(_typed([*MOOT, *words], {"MOOT_DB": f"{place}/moot.db"}))
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text(f"$ {shlex.join(['moot', *words]).removesuffix(' --no-pacing')}", "bold"))
    for line in _lines(screen):
        console.print(line)
    file.write_text(FONT.sub("", console.export_svg(title="moot", unique_id="moot")), "utf-8")


def _typed(words: list[str], env: dict[str, str]) -> bytes:
    """Return everything that a command writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    known = {**os.environ, **env, "TERM": "xterm-256color", "COLORTERM": ""}
    text = b""
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=known) as process:
        os.close(theirs)
        while news := _read(ours):
            text += news
        os.close(ours)
    assert process.returncode == 0, text.decode("utf-8", "replace")
    return text


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def _lines(screen: pyte.Screen) -> list[Text]:
    """Return the styled lines of the screen, without empty ones at the end."""
    lines = [_line([screen.buffer[row][column] for column in range(COLUMNS)]) for row in range(screen.cursor.y + 1)]
    while lines and not lines[-1].plain:
        lines.pop()
    return lines


def _line(cells: list[pyte.screens.Char]) -> Text:
    line = Text()
    for style, alike in groupby(cells, _style):
        line.append("".join(cell.data for cell in alike), style)
    line.rstrip()
    return line


def _style(cell: pyte.screens.Char) -> Style:
    colour = {"default": None, "brown": "yellow"}.get(cell.fg, cell.fg)
    if colour and re.fullmatch(r"[0-9a-f]{6}", colour):
        colour = f"#{colour}"
    return Style(color=colour and colour.replace("bright", "bright_"), bold=cell.bold, italic=cell.italics)


if __name__ == "__main__":
    report(REPORTED, DOCS / "samples" / "report.html")
    recording(RECORDED, DOCS / "pictures" / "terminal.svg")
    take_screenshot(PICTURED, DOCS / "pictures" / "room.png")
