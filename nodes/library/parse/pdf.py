"""PDF: the text of every page, within bounds on pages, text and what compressed streams may swell to."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from .parsed import EXTRA, Parsed, Unreadable, paper_from
from .prose import abstract_of, title_of
from .textfile import check_size

if TYPE_CHECKING:
    import pypdf

MAX_BYTES = 50_000_000
"""Largest PDF file."""
MAX_PAGES = 1_000
MAX_STREAM = 25_000_000
"""Most bytes that one compressed stream may hold when it is unpacked."""
MAX_TEXT = 2_000_000
"""Most characters of text in one PDF."""


def pdf(path: Path) -> Parsed:
    """The file as one paper. Raises `Unreadable` when it is encrypted, holds no text or exceeds a bound."""
    check_size(path, MAX_BYTES)
    try:
        import pypdf
        from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError, PyPdfError
    except ModuleNotFoundError:
        raise Unreadable(f"PDF {EXTRA}") from None
    try:
        with pypdf.apply_configuration(zlib_maximum_output_length=MAX_STREAM, lzw_maximum_output_length=MAX_STREAM):
            reader = pypdf.PdfReader(path)
            text, information = _text(reader), reader.metadata
    except (DependencyError, FileNotDecryptedError):
        raise Unreadable("is encrypted: save it without a password") from None
    except LimitReachedError as error:
        raise Unreadable(f"swells beyond the limits of a PDF: {error}") from None
    except PyPdfError as error:
        raise Unreadable(f"is not a readable PDF: {error}") from None
    about = {"title": _title(information), **_made(information)} if information else {"title": ""}
    found = {"abstract": abstract_of(text), "text": text} | about
    return Parsed(papers=[paper_from(found | {"title": about["title"] or title_of(text)}, path)])


def _text(reader: "pypdf.PdfReader") -> str:
    pages = len(reader.pages)
    if pages > MAX_PAGES:
        raise Unreadable(f"has {pages:,} pages; at most {MAX_PAGES:,}")
    text = ""
    for page in reader.pages:
        text += page.extract_text() + "\n"
        if len(text) > MAX_TEXT:
            raise Unreadable(f"holds more than {MAX_TEXT:,} characters of text")
    if not text.strip():
        raise Unreadable("holds no text (a scan?): run text recognition on it first")
    return text


def _made(information: "pypdf.DocumentInformation") -> dict[str, object]:
    """Authors and year of the metadata: `Ada Smith, Bo Chan` are two, `Smith, Ada` is one."""
    author = information.author or ""
    names = [name.strip() for name in re.split(r"[;；、&]|\s+(?:and|y)\s+", author) if name.strip()]
    if len(names) == 1 and all(" " in part.strip() for part in author.split(",")):
        names = [part.strip() for part in author.split(",")]
    made = re.search(r"D?:?\s*([12]\d{3})", information.creation_date_raw or "")
    return {"authors": names, "year": made[1] if made else None}


def _title(information: "pypdf.DocumentInformation") -> str:
    """The title of the metadata, unless a program left a file name there."""
    title = information.title or ""
    program = title.lower().startswith(("microsoft word", "untitled")) or title.lower().endswith(
        (".dvi", ".tex", ".doc", ".docx", ".pdf")
    )
    return "" if program or len(title) < 8 else title
