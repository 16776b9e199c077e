"""BibTeX and RIS: what reference managers export."""

from collections.abc import Mapping
from pathlib import Path

from .parsed import EXTRA, Parsed, Unreadable, gathered
from .textfile import read_text


def bibtex(path: Path) -> Parsed:
    """Every entry as a paper, LaTeX accents decoded; a malformed entry is reported and the rest go on."""
    try:
        from bibtexparser.entrypoint import parse_string
        from bibtexparser.middlewares import LatexDecodingMiddleware
    except ModuleNotFoundError:
        raise Unreadable(f"BibTeX {EXTRA}") from None
    library = parse_string(read_text(path), append_middleware=[LatexDecodingMiddleware()])
    entries = [
        {"id": entry.key} | {field.key.lower(): field.value for field in entry.fields} for entry in library.entries
    ]
    failed = [f"line {(block.start_line or 0) + 1}: {_why(block.error)}" for block in library.failed_blocks]
    if not entries and not failed:
        raise Unreadable("holds no BibTeX entry")
    parsed = gathered(entries, path)
    return Parsed(papers=parsed.papers, broken=[*parsed.broken, *failed])


def ris(path: Path) -> Parsed:
    """Every reference as a paper. Raises `Unreadable` when there is none."""
    try:
        import rispy  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError:
        raise Unreadable(f"RIS {EXTRA}") from None
    references = rispy.loads(read_text(path))
    if not references:
        raise Unreadable("holds no RIS reference (TY … ER)")
    return gathered([_fields(reference) for reference in references], path)


def _why(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or "not valid BibTeX"


def _fields(reference: Mapping[str, object]) -> dict[str, object]:
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
