"""Pictures of the protocols' graphs: `python docs/make/drawings.py` writes those that have changed.

Writing them needs Chromium, and a network for mermaid, which npm installs. Pages that show them need neither.
"""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from moot.app.protocols.registry import PROTOCOLS
from moot.app.report.diagram import render_diagram

DOCS = Path(__file__).parents[1]
PLACE = DOCS / "pictures" / "drawings"
MERMAID = DOCS.parent / "build" / "mermaid"
VERSION = "mermaid@11.17.2"
SETTINGS = {"startOnLoad": False, "deterministicIds": True, "htmlLabels": False, "flowchart": {"htmlLabels": False}}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
CHROMIUM = "/usr/bin/chromium"


def list_diagrams() -> dict[str, str]:
    """Return the mermaid text of each protocol's graph, by the name of the protocol."""
    return {name: render_diagram(protocol.module.graph) for name, protocol in PROTOCOLS.items()}


def mark(text: str) -> str:
    """Return the last line of a picture, which contains the hash of the mermaid text."""
    return f"<!-- of {hashlib.sha256(text.encode()).hexdigest()} -->\n"


def is_of(name: str, text: str) -> bool:
    """Return whether the picture `name` exists and was made from this mermaid text."""
    file = PLACE / f"{name}.svg"
    return file.exists() and file.read_text("utf-8").endswith(mark(text))


def tidy(svg: str) -> str:
    """Return a picture on white, with rounded numbers and without parts of mermaid that it does not use."""
    svg = re.sub(r' data-[\w-]+="[^"]*"', "", svg).replace('style="', 'style="background:#fff;', 1)
    size = r'width="100%"(.*?viewBox="\S+ \S+ ([\d.]+) ([\d.]+)")'
    svg = re.sub(size, r'width="\2" height="\3"\1', svg, count=1)
    used = set(re.findall(r'class="([^"]*)"', svg))
    known = {name for names in used for name in names.split()}
    rules = re.search(r"<style>(.*?)</style>", svg, re.DOTALL)
    matches = [rule for rule in re.findall(r"[^{}]+\{[^{}]*\}", rules[1] if rules else "") if _is_used(rule, known)]
    svg = re.sub(r"<style>.*?</style>", lambda _: f"<style>{''.join(matches)}</style>", svg, count=1, flags=re.DOTALL)
    return re.sub(r"(\d+\.\d)\d+", r"\1", svg)


def _is_used(rule: str, known: set[str]) -> bool:
    named = re.findall(r"\.([A-Za-z][\w-]*)", rule.partition("{")[0])
    return "@" not in rule and (not named or any(name in known for name in named))


def make(names: Iterable[str], texts: dict[str, str]) -> None:
    """Write the pictures of these graphs.

    `texts`: mermaid texts by name.
    """
    from playwright.sync_api import sync_playwright

    subprocess.run(["npm", "install", "--silent", "--no-save", "--prefix", MERMAID, VERSION], check=True)
    with sync_playwright() as driver:
        page = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_page()
        page.add_script_tag(path=MERMAID / "node_modules" / "mermaid" / "dist" / "mermaid.min.js")
        page.evaluate("settings => mermaid.initialize(settings)", SETTINGS | {"fontFamily": FONT})
        for name in names:
            svg = page.evaluate("([id, text]) => mermaid.render(id, text).then(one => one.svg)", [name, texts[name]])
            (PLACE / f"{name}.svg").write_text(tidy(svg) + mark(texts[name]), "utf-8")
            print(f"made {name}.svg")


def main() -> None:
    """Write the pictures that are missing or outdated, and delete others."""
    PLACE.mkdir(exist_ok=True)
    texts = list_diagrams()
    for file in PLACE.glob("*.svg"):
        if file.stem not in texts:
            file.unlink()
    if lacking := [name for name, text in texts.items() if not is_of(name, text)]:
        make(lacking, texts)


if __name__ == "__main__":
    sys.exit(main())
