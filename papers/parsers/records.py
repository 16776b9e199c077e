"""Parsers for files of records: JSON, JSON lines, BibTeX and RIS.

Keys of a JSON record: title, abstract, authors, year, id, url and text.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from .paper_fields import INSTALL_HINT, ParseResult, UnreadableFileError, collect_papers, read_text


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


def parse_bibtex(path: Path) -> ParseResult:
    """Parse every entry as a paper and decode LaTeX accents. Report malformed entries.

    Raises `UnreadableFileError` for a file without entries, and if the package for BibTeX is missing.
    """
    try:
        from bibtexparser.entrypoint import parse_string
        from bibtexparser.middlewares import LatexDecodingMiddleware
    except ModuleNotFoundError:
        raise UnreadableFileError(f"BibTeX {INSTALL_HINT}") from None
    library = parse_string(read_text(path), append_middleware=[LatexDecodingMiddleware()])
    entries = [
        {"id": entry.key} | {field.key.lower(): field.value for field in entry.fields} for entry in library.entries
    ]
    entry_faults = [
        f"line {(block.start_line or 0) + 1}: {str(block.error).strip().partition(chr(10))[0] or 'not valid BibTeX'}"
        for block in library.failed_blocks
    ]
    if not entries and not entry_faults:
        raise UnreadableFileError("holds no BibTeX entry")
    parse_result = collect_papers(entries, path)
    return ParseResult(papers=parse_result.papers, faults=[*parse_result.faults, *entry_faults])


def parse_ris(path: Path) -> ParseResult:
    """Parse every reference as a paper.

    Raises `UnreadableFileError` if the file has no reference, or if the package for RIS is missing.
    """
    try:
        import rispy  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError:
        raise UnreadableFileError(f"RIS {INSTALL_HINT}") from None
    if not (references := rispy.loads(read_text(path))):
        raise UnreadableFileError("holds no RIS reference (TY … ER)")
    return collect_papers([_extract_fields(reference) for reference in references], path)


def _extract_fields(reference: Mapping[str, object]) -> dict[str, object]:
    urls = reference.get("urls")
    return {
        "id": reference.get("id"),
        "title": reference.get("title") or reference.get("primary_title"),
        "abstract": reference.get("abstract") or reference.get("notes_abstract"),
        "authors": reference.get("authors") or reference.get("first_authors"),
        "year": reference.get("year") or reference.get("publication_year") or reference.get("date"),
        "url": urls[0] if isinstance(urls, list) and urls else reference.get("url"),
        "doi": reference.get("doi"),
    }
