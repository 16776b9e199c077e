"""JSON and JSON lines: papers as objects with title, abstract, authors, year, id, url and text."""

import json
from pathlib import Path

from .parsed import Parsed, Unreadable, gathered
from .textfile import read_text


def json_file(path: Path) -> Parsed:
    """One object, a list of them, or an object with such a list under `papers`. Raises `Unreadable`."""
    found = _loaded(read_text(path))
    if isinstance(found, dict):
        found = found.get("papers", [found])
    if not isinstance(found, list):
        raise Unreadable("is not a paper, a list of papers, or an object with a list under `papers`")
    return gathered(found, path)


def json_lines(path: Path) -> Parsed:
    """One object a line, blank lines left out; a line that is no JSON is reported and the rest go on."""
    records: list[object] = []
    for line in read_text(path).split("\n"):
        if line.strip():
            try:
                records.append(_loaded(line))
            except Unreadable as reason:
                records.append(reason)
    return gathered(records, path)


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise Unreadable("is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"is not JSON: {error}") from None
