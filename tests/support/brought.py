"""A package as a user installs it: a module of its own, and the metadata that declare what it brings."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from places import ROOT

BLOCK = re.compile(r"(?:^<!-- file ([^\n]*?) -->\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""A block of a page, and of which file it is the text, if of one."""
METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nSummary: {summary}\n"


def installed(
    place: Path, name: str, declared: dict[str, dict[str, str]], modules: dict[str, str], summary: str = ""
) -> Path:
    """Put a package into a folder as an installer does; `declared`: by group, what each name stands for."""
    about = place / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(METADATA.format(name=name, summary=summary), "utf-8")
    groups = [
        f"[{group}]\n" + "".join(f"{one} = {at}\n" for one, at in names.items()) for group, names in declared.items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups), "utf-8")
    for file, text in modules.items():
        path = place / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return place


def files_of(page: str) -> dict[str, str]:
    """The files that a page in `docs` shows, without the one that says how they are installed.

    Where a file stands on the page again, its text is appended.
    """
    files: dict[str, str] = {}
    for file, _, text in BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8")):
        if file and file != "pyproject.toml":
            files[file] = f"{files[file]}\n\n{text}" if file in files else text
    return files


def beside(*places: Path) -> dict[str, str]:
    """The environment in which these packages are installed as well."""
    return {"PYTHONPATH": os.pathsep.join(map(str, places))}


DRIVER = """
import json, sys
from typer.testing import CliRunner
from moot.app.main import app
results = []
for words in json.load(sys.stdin):
    done = CliRunner().invoke(app, words)
    results.append([done.exit_code, done.stdout, done.stderr])
print(json.dumps(results + [sorted(name for name in sys.modules if name in ("house_rules", "salon", "clash"))]))
"""

Done = tuple[int, str, str]


def called(*commands: list[str], at: Path, here: bool = True) -> tuple[list[Done], list[str]]:
    """Exit code, output and errors of each command, run in one process, and which packages it imported.

    `here`: whether the packages are installed.
    """
    env = os.environ | {"MOOT_DB": str(at / "runs.db"), "COLUMNS": "200"} | ({"PYTHONPATH": str(at)} if here else {})
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", DRIVER],
        input=json.dumps(commands),
        cwd=at.parent,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    *results, imported = json.loads(process.stdout.splitlines()[-1])
    return [(code, out, errors) for code, out, errors in results], imported
