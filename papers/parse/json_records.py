"""Parsers for JSON and JSON lines: papers as objects.

Keys: title, abstract, authors, year, id, url and text.
"""

import json
from pathlib import Path

from .paper_fields import ParseResult, UnreadableFileError, collect_papers
from .textfile import read_text


def parse_json(path: Path) -> ParseResult:
    """Parse one object, a list of objects, or an object with such a list under `papers`.

    Raises `UnreadableFileError` for other content.
    """
    content = _decode_json(read_text(path))
    if isinstance(content, dict):
        content = content.get("papers", [content])
    if not isinstance(content, list):
        raise UnreadableFileError("is not a paper, a list of papers, or an object with a list under `papers`")
    return collect_papers(content, path)


def parse_json_lines(path: Path) -> ParseResult:
    """Parse one object per line and skip blank lines. Report lines that are not JSON."""
    records: list[object] = []
    for line in read_text(path).split("\n"):
        if line.strip():
            try:
                records.append(_decode_json(line))
            except UnreadableFileError as error:
                records.append(error)
    return collect_papers(records, path)


def _decode_json(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UnreadableFileError(f"is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise UnreadableFileError("is nested too deeply") from None
    except ValueError as error:
        raise UnreadableFileError(f"is not JSON: {error}") from None
