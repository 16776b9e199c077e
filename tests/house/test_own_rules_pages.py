"""What the pages on rules and protocols of one's own say: their files and examples work as they stand."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from brought import BLOCK, beside, called, files_of, installed
from places import ROOT

EXAMPLES = """
import contextlib, io, json, sys
said = []
for text in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(text, "example", "exec"), {})
    said.append(printed.getvalue())
print(json.dumps(said))
"""


def printed_by(examples: list[str], place: Path) -> list[str]:
    """What each example prints, run in a folder."""
    words = [sys.executable, "-W", "ignore", "-c", EXAMPLES]
    env, text = os.environ | beside(place), json.dumps(examples)
    process = subprocess.run(words, input=text, cwd=place, env=env, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stderr
    return [str(one) for one in json.loads(process.stdout)]


@pytest.mark.long
@pytest.mark.parametrize("page", ["extending", "own-protocol"])
def test_the_examples_of_a_page_print_what_stands_there(page: str, tmp_path: Path) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8"))
    texts = {file: text for file, _, text in blocks if file}
    project = tomllib.loads(texts["pyproject.toml"])["project"]
    summary = project.get("description", "")
    installed(tmp_path, project["name"], project["entry-points"], files_of(page), summary)
    told = [(kind, text) for file, kind, text in blocks if not file]
    shown = iter(printed_by([text for kind, text in told if kind == "python"], tmp_path))
    printed = ""
    for kind, text in told:
        printed = next(shown) if kind == "python" else printed
        assert kind != "text" or text == printed
    lines = [shlex.split(line)[1:] for kind, text in told if kind == "shell" for line in text.splitlines()]
    done, _ = called(*lines, at=tmp_path)
    assert [errors for code, _, errors in done if code] == []


@pytest.mark.long
def test_the_modules_of_the_pages_pass_a_strict_type_check(tmp_path: Path) -> None:
    for page, module in (("own-protocol", "salon.py"), ("extending", "house_rules.py")):
        (tmp_path / module).write_text(files_of(page)[module], "utf-8")
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "moot").symlink_to(ROOT)
    words = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "salon.py", "house_rules.py"]
    env = os.environ | {"MYPYPATH": str(tmp_path / "types")}
    checked = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600)
    assert checked.returncode == 0, checked.stdout
