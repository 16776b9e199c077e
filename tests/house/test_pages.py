"""What the README and the pages in docs say can be done: their examples run and print what stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import drawings
import pages
import pytest
import reference
import samples
from moot.app.protocols.registry import PROTOCOLS
from places import ROOT

import examples

README = (ROOT / "README.md").read_text("utf-8")
NAMES = {str(page.relative_to(ROOT)): page for page in examples.PAGES}
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)|(?:src|srcset|href)=\"([^\"#]*)")
LOADED = re.compile(r"<link[^>]* rel=\"?(?:stylesheet|icon|preconnect)[^>]*|src=\"?[^\"> ]+|url\([^)]*\)|@import[^;]*")
"""What a browser loads of its own accord."""


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_examples_of_a_page_print_what_stands_there(name: str, tmp_path: Path) -> None:
    page = NAMES[name].read_text("utf-8")
    made = examples.written(page, tmp_path)
    assert examples.lasting(made) == examples.lasting(page), "run: make samples"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_link_leads_to_a_file_and_a_heading(name: str) -> None:
    page = NAMES[name]
    for target, heading, source in LINK.findall(page.read_text("utf-8")):
        if (target or source).startswith(("http://", "https://")):
            continue
        file = page.parent / (target or source or page.name)
        assert file.exists(), target or source
        if heading:
            assert heading in anchors(file), f"{target}{heading}"


def anchors(file: Path) -> set[str]:
    """The headings of a page, as links name them."""
    titles = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
    return {"#" + re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_has_a_page_with_its_diagram_and_an_example(name: str) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    assert f"(pictures/drawings/{name}.svg)" in page
    assert re.search(rf"^moot {name} ", page, re.MULTILINE)
    assert f"(docs/{name}.md)" in README


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_picture_is_shown_as_large_as_it_is_drawn(name: str) -> None:
    head = (drawings.PLACE / f"{name}.svg").read_text("utf-8").partition(">")[0]
    sizes = re.search(r' width="(\S+)" height="(\S+)" .*viewBox="\S+ \S+ (\S+) (\S+)"', head)
    assert sizes
    assert sizes.group(1, 2) == sizes.group(3, 4)


def test_every_page_stands_in_the_list_on_the_front_page_once() -> None:
    runs = [file for section in pages.listed().values() for _, file in section]
    assert sorted(runs) == sorted(page.name for page in (ROOT / "docs").glob("*.md") if page.name != pages.FRONT)


def test_the_page_of_every_setting_is_made_from_the_schemas() -> None:
    assert reference.PAGE.read_text("utf-8") == reference.page(), "run: make samples"


def test_the_readme_can_be_read_at_one_go() -> None:
    assert len(README.splitlines()) <= 120


@pytest.mark.long
def test_the_recording_is_what_a_terminal_shows(tmp_path: Path) -> None:
    samples.recording(samples.RECORDED, tmp_path / "terminal.svg")
    for file in (tmp_path / "terminal.svg", ROOT / "docs" / "pictures" / "terminal.svg"):
        text = file.read_text("utf-8").replace("&#160;", " ")
        assert "Example: recorded answers" in text
        assert "moot show debate-" in text
        assert "url(" not in text.replace("url(#", "")


@pytest.mark.long
def test_the_site_shows_every_diagram_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    diagrams = drawings.list_diagrams()
    assert not [name for name, text in diagrams.items() if not drawings.is_of(name, text)], "run: make samples"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    process = subprocess.run(command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True)
    assert process.returncode == 0, process.stderr.decode()
    built = {file: file.read_text("utf-8") for kind in ("*.html", "*.svg") for file in tmp_path.rglob(kind)}
    for name in diagrams:
        assert f'src="../pictures/drawings/{name}.svg"' in built[tmp_path / name / "index.html"]
    loaded = [match for text in built.values() for match in LOADED.findall(text)]
    assert [address for address in loaded if "//" in address] == []
    assert not [file for file, text in built.items() if 'class="mermaid"' in text], "whose library would be fetched"
