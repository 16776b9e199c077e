"""Navigation of the documentation site, read from the list of pages in docs/README.md.

A line `- [Title](page.md): what it is about` under a `##` heading is a page of that section.
"""

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
FRONT = "README.md"


def listed() -> dict[str, list[tuple[str, str]]]:
    """Return the pages of each section as pairs of title and file, in order."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for line in (DOCS / FRONT).read_text("utf-8").splitlines():
        if line.startswith("## "):
            sections[line[3:]] = []
        elif sections and (match := re.match(r"- \[(.+?)\]\(([\w-]+\.md)\)", line)):
            sections[next(reversed(sections))].append((match[1], match[2]))
    return sections


def on_config(config: Any) -> Any:
    """Give the site's configuration the navigation of the front page, as a hook of mkdocs."""
    pages = [{section: [{title: file} for title, file in run]} for section, run in listed().items() if run]
    config.nav = [{"Moot": FRONT}, *pages]
    return config
