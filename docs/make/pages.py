"""The list of pages: docs/README.md is the front page of the documentation, and its list is the site's navigation.

A line `- [Title](page.md): what it is about` under a `##` heading is a page of that section.
"""

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
FRONT = "README.md"


def listed() -> dict[str, list[tuple[str, str]]]:
    """By section, the title and the file of each page, in order."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for line in (DOCS / FRONT).read_text("utf-8").splitlines():
        if line.startswith("## "):
            sections[line[3:]] = []
        elif sections and (match := re.match(r"- \[(.+?)\]\(([\w-]+\.md)\)", line)):
            sections[next(reversed(sections))].append((match[1], match[2]))
    return sections


def on_config(config: Any) -> Any:
    """A hook of mkdocs: give the site the navigation of the front page."""
    pages = [{section: [{title: file} for title, file in run]} for section, run in listed().items() if run]
    config.nav = [{"Moot": FRONT}, *pages]
    return config
