"""Parsers for BibTeX and RIS, the export formats of reference managers."""

from collections.abc import Mapping
from pathlib import Path

from .paper_fields import INSTALL_HINT, ParseResult, UnreadableFileError, collect_papers
from .textfile import read_text


def parse_bibtex(path: Path) -> ParseResult:
    """Parse every entry as a paper and decode LaTeX accents. Report malformed entries."""
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
    return ParseResult(papers=parse_result.papers, broken=[*parse_result.broken, *entry_faults])


def parse_ris(path: Path) -> ParseResult:
    """Parse every reference as a paper. Raises `UnreadableFileError` if the file has no reference."""
    try:
        import rispy  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError:
        raise UnreadableFileError(f"RIS {INSTALL_HINT}") from None
    references = rispy.loads(read_text(path))
    if not references:
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
