"""Choice of the parser for a file, by its type."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ...state import InputError
from .paper_fields import ParseResult, UnreadableFileError
from .pdf import parse_pdf
from .prose import parse_prose
from .records import parse_bibtex, parse_json, parse_json_lines, parse_ris

PARSERS: dict[str, Callable[[Path], ParseResult]] = {
    ".pdf": parse_pdf,
    ".md": parse_prose,
    ".markdown": parse_prose,
    ".txt": parse_prose,
    ".bib": parse_bibtex,
    ".ris": parse_ris,
    ".json": parse_json,
    ".jsonl": parse_json_lines,
}


def parse_file(path: Path) -> ParseResult:
    """Parse a file. If it is unreadable, return the reason as the only broken record."""
    parser = PARSERS.get(path.suffix.lower())
    try:
        if parser is None:
            raise UnreadableFileError(f"has an unknown file type; known types: {', '.join(PARSERS)}")
        return parser(path)
    except (UnreadableFileError, OSError) as error:
        return ParseResult(faults=[error.strerror or "cannot be read" if isinstance(error, OSError) else str(error)])


def list_paper_files(paths: Sequence[str | Path]) -> list[Path]:
    """Return each file in `paths` once, with the files of known types in folders and their subfolders.

    Hidden files and folders, links to folders, and links that lead outside are skipped. Raises `InputError` for a
    missing path and for a folder without papers.
    """
    files: dict[Path, None] = {}
    for path in map(Path, paths):
        if path.is_dir():
            if not (folder_files := sorted(_list_folder_files(path))):
                raise InputError("path", str(path), f"has no papers in it; known file types: {', '.join(PARSERS)}")
            files.update(dict.fromkeys(folder_files))
        elif path.exists():
            files[path] = None
        else:
            raise InputError("path", str(path), "there is no such file or folder")
    return list(files)


def _list_folder_files(folder: Path) -> list[Path]:
    paths, root = list[Path](), folder.resolve()
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        candidates = [Path(parent, name) for name in files if Path(name).suffix.lower() in PARSERS and name[0] != "."]
        paths += [path for path in candidates if not path.is_symlink() or path.resolve().is_relative_to(root)]
    return paths
