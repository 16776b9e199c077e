"""The house: no room is too full, every room is shipped, and the list of protocols is the only one."""

import json
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from moot.app.main import COMMAND_MODULES, COMMANDS, get_module_name
from moot.app.protocols.registry import HIDDEN_PROTOCOLS, PROTOCOLS
from places import ROOT
from release import list_missing_texts

FULL = 35
"""Files of Python a folder may hold, with room for the next protocol: some 25 are a feel, not a bound.

`commands`, where each file is the command of its name, may hold more.
"""

SOURCE = ("app", "graphs", "models", "nodes", "papers", "prompts", "state", "storage")
FOLDERS = sorted({path.parent for room in (*SOURCE, "tests") for path in (ROOT / room).rglob("*.py")})
SERVED = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]
README = (ROOT / "README.md").read_text("utf-8")


def placed(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("folder", FOLDERS, ids=placed)
def test_a_room_holds_what_one_can_look_over(folder: Path) -> None:
    most = FULL * (1 + (folder.name == "commands"))
    assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= most


def test_every_room_is_shipped() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    rooms = [
        "moot",
        *(f"moot.{placed(FOLDER).replace('/', '.')}" for FOLDER in FOLDERS if placed(FOLDER).split("/")[0] in SOURCE),
    ]
    assert sorted(project["tool"]["setuptools"]["packages"]) == sorted(rooms)


def test_every_graph_that_is_no_part_of_another_is_in_the_list_of_protocols() -> None:
    texts = {path.stem: path.read_text("utf-8") for path in (ROOT / "graphs").glob("*.py")}
    parts = {part for text in texts.values() for part in re.findall(r"^from \.(\w+) import", text, re.MULTILINE)}
    whole = {name for name, text in texts.items() if "\ngraph = build()" in text} - parts
    assert sorted([*PROTOCOLS, *HIDDEN_PROTOCOLS]) == sorted(whole)


def test_langgraph_json_serves_the_protocols_in_the_words_of_their_graphs() -> None:
    captions = {name: (PROTOCOL.module.__doc__ or "").partition("\n")[0] for name, PROTOCOL in PROTOCOLS.items()}
    served = {name: {"path": f"moot.graphs.{name}:graph", "description": caption} for name, caption in captions.items()}
    assert list(SERVED.items()) == list(served.items())


def test_the_readme_s_table_is_that_of_the_protocols() -> None:
    assert re.findall(r"^\| \*\*\[(\w+)\]\(docs/\1\.md\)\*\* \|", README, re.MULTILINE) == list(PROTOCOLS)


def test_every_protocol_has_its_words_in_every_language() -> None:
    assert list_missing_texts([*PROTOCOLS, *HIDDEN_PROTOCOLS]) == []


def test_a_command_is_a_file_of_its_name() -> None:
    files = {path.stem.replace("_", "-") for path in (ROOT / "app" / "commands").rglob("*.py")} - {"--init--"}
    assert files <= set(COMMANDS)
    assert set(COMMANDS) - files - set(COMMAND_MODULES) <= {one.name for one in PROTOCOLS.values()}
    modules = {name: import_module(f"moot.app.{get_module_name(name)}") for name in {*files, *COMMAND_MODULES}}
    assert all(hasattr(module, name.replace("-", "_")) for name, module in modules.items())


@pytest.mark.parametrize("path", sorted((ROOT / "app" / "commands").glob("*.py")), ids=placed)
def test_no_command_is_made_from_another(path: Path) -> None:
    assert re.findall(r"^from \.\w* import", path.read_text("utf-8"), re.MULTILINE) == []
