"""The drawings of the protocols as pictures: `python docs/make/drawings.py` makes anew those whose page has changed.

A site that has them needs no network. Making them needs one, for mermaid, which npm installs, and Chromium.
"""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).parents[1]
PLACE = DOCS / "pictures" / "drawings"
MERMAID = DOCS.parent / "build" / "mermaid"
VERSION = "mermaid@11.17.2"
DRAWN = re.compile(r"<!-- drawing (\w+) -->\n```mermaid\n(.*?)```\n", re.DOTALL)
SETTINGS = {"startOnLoad": False, "deterministicIds": True, "htmlLabels": False, "flowchart": {"htmlLabels": False}}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
CHROMIUM = "/usr/bin/chromium"


def drawn() -> dict[str, str]:
    """The mermaid text of each drawing on the pages, by name."""
    return {name: text for page in sorted(DOCS.glob("*.md")) for name, text in DRAWN.findall(page.read_text("utf-8"))}


def mark(text: str) -> str:
    """What a picture ends with that was made of this text."""
    return f"<!-- of {hashlib.sha256(text.encode()).hexdigest()} -->\n"


def is_of(name: str, text: str) -> bool:
    """Whether there is a picture of the drawing as it is now."""
    file = PLACE / f"{name}.svg"
    return file.exists() and file.read_text("utf-8").endswith(mark(text))


def shown(page: str) -> str:
    """A page with pictures in the place of its drawings; one without a picture of its own stands as text."""

    def picture(found: re.Match[str]) -> str:
        name, text = found.groups()
        return f"![The steps of {name}](pictures/drawings/{name}.svg)\n" if is_of(name, text) else found[0]

    return DRAWN.sub(picture, page)


def tidy(svg: str) -> str:
    """A picture on white, without what mermaid notes for itself and what no drawing here uses, numbers cut."""
    svg = re.sub(r' data-[\w-]+="[^"]*"', "", svg).replace('style="', 'style="background:#fff;', 1)
    svg = re.sub(r'width="100%"(.*?viewBox="0 0 ([\d.]+) ([\d.]+)")', r'width="\2" height="\3"\1', svg, count=1)
    used = set(re.findall(r'class="([^"]*)"', svg))
    known = {name for names in used for name in names.split()}
    rules = re.search(r"<style>(.*?)</style>", svg, re.DOTALL)
    kept = [rule for rule in re.findall(r"[^{}]+\{[^{}]*\}", rules[1] if rules else "") if _is_used(rule, known)]
    svg = re.sub(r"<style>.*?</style>", lambda _: f"<style>{''.join(kept)}</style>", svg, count=1, flags=re.DOTALL)
    return re.sub(r"(\d+\.\d)\d+", r"\1", svg)


def _is_used(rule: str, known: set[str]) -> bool:
    named = re.findall(r"\.([A-Za-z][\w-]*)", rule.partition("{")[0])
    return "@" not in rule and (not named or any(name in known for name in named))


def make(names: Iterable[str], texts: dict[str, str]) -> None:
    """Write the pictures of these drawings."""
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
    """Make what is not there."""
    PLACE.mkdir(exist_ok=True)
    texts = drawn()
    for file in PLACE.glob("*.svg"):
        if file.stem not in texts:
            file.unlink()
    if lacking := [name for name, text in texts.items() if not is_of(name, text)]:
        make(lacking, texts)


if __name__ == "__main__":
    sys.exit(main())
