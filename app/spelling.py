"""Commands to be typed, spelled with the path this one was called by, so that they run as printed."""

import shlex
import sys


def program() -> str:
    """How this command was called."""
    called = sys.argv[0]
    if called.endswith((".py", "-c", "-m")):
        return "moot"
    return shlex.quote(called)


def command(*words: str, db: str = "") -> str:
    """A command line; `db` as it was given, without a password it may hold."""
    place = ["--db", db] if db else []
    return " ".join([program(), *(shlex.quote(word) for word in [*words, *place])])
