"""The name of whoever sits at this terminal: asked once, and kept in the user's configuration folder."""

import sys
from pathlib import Path

import platformdirs

from ..display.plain import one_line
from ..display.wording import say

UNNAMED = "You"
"""The name of a person at a terminal who gave none."""

LONGEST = 80


def place() -> Path:
    """The file the name is kept in."""
    return Path(platformdirs.user_config_dir("moot", appauthor=False)) / "name"


def own_name(language: str) -> str:
    """The name that was kept; else the one that is given now, which is kept. Where it cannot be, it is asked again."""
    try:
        kept = one_line(place().read_text("utf-8"))[:LONGEST]
    except (OSError, UnicodeDecodeError):
        kept = ""
    if kept or not sys.stdout.isatty():
        return kept or UNNAMED
    try:
        name = one_line(input(say(language, "table.name", name=UNNAMED)))[:LONGEST] or UNNAMED
    except EOFError:
        return UNNAMED
    try:
        place().parent.mkdir(parents=True, exist_ok=True)
        place().write_text(f"{name}\n", "utf-8")
    except OSError:
        return name
    return name
