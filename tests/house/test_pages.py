"""What the README says can be done: its Python blocks run, its drawings are the graphs', its commands exist."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from places import ROOT
from typer.testing import CliRunner

README = (ROOT / "README.md").read_text("utf-8")
GRAPHS = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMANDS = sorted(set(re.findall(r"^(?:\$ )?moot ([a-z]+)", README, re.MULTILINE)))


@pytest.mark.parametrize("block", BLOCKS, ids=[block.splitlines()[0][:50] for block in BLOCKS])
def test_a_python_block_runs_as_it_stands(block: str, tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text(block, "utf-8")
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_a_drawing_in_the_readme_is_the_graphs_own(name: str) -> None:
    module, _, attribute = GRAPHS[name]["path"].partition(":")
    drawing = getattr(import_module(module), attribute).get_graph().draw_mermaid().strip()
    shown = re.search(rf"### {name.capitalize()}\n.*?```mermaid\n(.*?)\n```", README, re.DOTALL)
    assert shown is not None, f"README has no drawing under ### {name.capitalize()}"
    assert shown[1].strip() == drawing


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_in_the_readme_exists(command: str) -> None:
    from moot.app.main import app

    assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0
