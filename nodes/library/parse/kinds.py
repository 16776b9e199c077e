"""Which parser reads which file."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ....state.refused import Refused
from .bibliography import bibtex, ris
from .parsed import Parsed, Unreadable
from .pdf import pdf
from .prose import prose
from .records import json_file, json_lines

PARSERS: dict[str, Callable[[Path], Parsed]] = {
    ".pdf": pdf,
    ".md": prose,
    ".markdown": prose,
    ".txt": prose,
    ".bib": bibtex,
    ".ris": ris,
    ".json": json_file,
    ".jsonl": json_lines,
}


def parse(path: Path) -> Parsed:
    """What the file holds; a file that cannot be read gives its reason as the only content."""
    parser = PARSERS.get(path.suffix.lower())
    try:
        if parser is None:
            raise Unreadable(f"is of no known kind; known: {', '.join(PARSERS)}")
        return parser(path)
    except (Unreadable, OSError) as reason:
        return Parsed(broken=[reason.strerror or "cannot be read" if isinstance(reason, OSError) else str(reason)])


def paper_files(paths: Sequence[str | Path]) -> list[Path]:
    """The files named, and those of known kinds in the folders named and below, in order of name, each once.

    Hidden files and folders, links to folders, and links out of the folder named are left out. Raises `Refused` for a
    path that is not there and for a folder that holds none.
    """
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(_files_in(path))
            if not inside:
                raise Refused("path", str(path), f"holds no papers; known: {', '.join(PARSERS)}")
            found.update(dict.fromkeys(inside))
        elif path.exists():
            found[path] = None
        else:
            raise Refused("path", str(path), "there is no such file or folder")
    return list(found)


def _files_in(folder: Path) -> list[Path]:
    found, inside = list[Path](), folder.resolve()
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        known = [Path(where, name) for name in files if Path(name).suffix.lower() in PARSERS and name[0] != "."]
        found += [path for path in known if not path.is_symlink() or path.resolve().is_relative_to(inside)]
    return found
