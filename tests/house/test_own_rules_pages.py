"""What the pages on rules and protocols of one's own say: their files and examples work as they stand."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from brought import installed
from command.program import PROGRAM
from places import ROOT

BLOCK = re.compile(r"(?:^<!-- file ([^\n]*?) -->\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = ("extending", "own-protocol")


def run(place: Path, *words: str) -> str:
    """What a program prints that is run in a folder whose package is installed."""
    env = os.environ | {"PYTHONPATH": str(place), "MOOT_DB": str(place / "moot.db")}
    done = subprocess.run(words, cwd=place, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def declared(place: Path) -> None:
    """Install the package of a folder, as its `pyproject.toml` declares it."""
    project = tomllib.loads((place / "pyproject.toml").read_text("utf-8"))["project"]
    installed(place, project["name"], project["entry-points"], {}, project.get("description", ""))


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_print_what_stands_there(page: str, tmp_path: Path) -> None:
    printed = ""
    for file, kind, text in BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8")):
        if file:
            (tmp_path / file).write_text(text, "utf-8")
            if file == "pyproject.toml":
                declared(tmp_path)
        elif kind == "python":
            printed = run(tmp_path, sys.executable, "-W", "ignore", "-c", text)
        elif kind == "text":
            assert printed == text
        elif kind == "shell":
            for line in text.splitlines():
                assert run(tmp_path, PROGRAM, *shlex.split(line)[1:])
