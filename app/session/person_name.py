"""Name of the person at this terminal, saved in the user's configuration folder.

Moot asks for it once.
"""

import sys
from pathlib import Path

import platformdirs

from ..display import flatten_line, translate_display_phrase

DEFAULT_NAME = "You"
"""Name of a person at a terminal who enters no name."""

MAX_NAME_LENGTH = 80


def get_name_path() -> Path:
    """Return the path of the file with the person's name."""
    return Path(platformdirs.user_config_dir("moot", appauthor=False)) / "name"


def ask_own_name(language: str) -> str:
    """Return the saved name of the person, or ask for the name and save it.

    Away from a terminal, return the saved name or `DEFAULT_NAME`. If the name cannot be saved, Moot asks again next
    time.
    """
    try:
        saved_name = flatten_line(get_name_path().read_text("utf-8"))[:MAX_NAME_LENGTH]
    except (OSError, UnicodeDecodeError):
        saved_name = ""
    if saved_name or not sys.stdout.isatty():
        return saved_name or DEFAULT_NAME
    try:
        name = (
            flatten_line(input(translate_display_phrase(language, "table.name", name=DEFAULT_NAME)))[:MAX_NAME_LENGTH]
            or DEFAULT_NAME
        )
    except EOFError:
        return DEFAULT_NAME
    try:
        get_name_path().parent.mkdir(parents=True, exist_ok=True)
        get_name_path().write_text(f"{name}\n", "utf-8")
    except OSError:
        return name
    return name
