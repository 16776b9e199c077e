"""Parser for PDF: the text of every page, with limits on pages, text and unpacked streams."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from .paper_fields import INSTALL_HINT, ParseResult, UnreadableFileError, check_file, make_paper
from .prose import extract_abstract, extract_title

if TYPE_CHECKING:
    import pypdf

MAX_BYTES = 50_000_000
MAX_PAGES = 1_000
MAX_STREAM_BYTES = 25_000_000
"""Maximum unpacked bytes of one compressed stream."""
MAX_PDF_CHARACTERS = 2_000_000


def parse_pdf(path: Path) -> ParseResult:
    """Parse the file as one paper.

    Raises `UnreadableFileError` if the file is encrypted, damaged, empty or too large, or if pypdf is not installed.
    """
    check_file(path, MAX_BYTES)
    try:
        import pypdf
        from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError, PyPdfError
    except ModuleNotFoundError:
        raise UnreadableFileError(f"PDF {INSTALL_HINT}") from None
    try:
        with pypdf.apply_configuration(
            zlib_maximum_output_length=MAX_STREAM_BYTES, lzw_maximum_output_length=MAX_STREAM_BYTES
        ):
            reader = pypdf.PdfReader(path)
            text, information = _extract_text(reader), reader.metadata
    except (DependencyError, FileNotDecryptedError):
        raise UnreadableFileError("is encrypted: save the file without a password") from None
    except LimitReachedError as error:
        raise UnreadableFileError(f"becomes too large when it is unpacked: {error}") from None
    except PyPdfError as error:
        raise UnreadableFileError(f"is not a readable PDF: {error}") from None
    metadata = _parse_metadata(information) if information else {}
    fields = {"title": extract_title(text), "abstract": extract_abstract(text), "text": text}
    return ParseResult(papers=[make_paper(fields | metadata, path)])


def _extract_text(reader: "pypdf.PdfReader") -> str:
    if (page_count := len(reader.pages)) > MAX_PAGES:
        raise UnreadableFileError(f"has {page_count:,} pages; at most {MAX_PAGES:,} are allowed")
    text = ""
    for page in reader.pages:
        text += page.extract_text() + "\n"
        if len(text) > MAX_PDF_CHARACTERS:
            raise UnreadableFileError(f"holds more than {MAX_PDF_CHARACTERS:,} characters of text")
    if not text.strip():
        raise UnreadableFileError("contains no text (perhaps a scan): run text recognition on the file first")
    return text


def _parse_metadata(information: "pypdf.DocumentInformation") -> dict[str, object]:
    """Return the authors, year and title in a PDF's metadata.

    `Ada Smith, Bo Chan` are two authors, `Smith, Ada` is one. A title that is only a file name is ignored.
    """
    author, title = information.author or "", information.title or ""
    names = [name.strip() for name in re.split(r"[;；、&]|\s+(?:and|y)\s+", author) if name.strip()]
    if len(names) == 1 and all(" " in part.strip() for part in author.split(",")):
        names = [part.strip() for part in author.split(",")]
    match = re.search(r"D?:?\s*([12]\d{3})", information.creation_date_raw or "")
    is_file_name = re.match(r"microsoft word|untitled|.*\.(?:dvi|tex|docx?|pdf)$", title, re.IGNORECASE | re.DOTALL)
    fields: dict[str, object] = {"authors": names, "year": match[1] if match else None}
    return fields if is_file_name or len(title) < 8 else fields | {"title": title}
