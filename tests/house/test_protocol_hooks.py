"""Shared files know no protocol: what one shows, asks or counts in its own way goes through its hooks."""

import ast
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from moot.app.protocols.hooks import Hooks, get_hooks
from moot.app.protocols.registry import HIDDEN_PROTOCOLS, PROTOCOLS, ProtocolEntry
from moot.state.errors import InputError
from places import ROOT

NAMES = {*PROTOCOLS, *HIDDEN_PROTOCOLS}
SHARED = (
    "experiment",
    "display",
    "report",
    "saved",
    "export",
    "run",
    "people",
    "web",
    "workers",
    "tools",
    "agent",
    "commands",
)
FILES = sorted(
    path
    for folder, pattern in [
        *((f"app/{room}", "**/*.py") for room in SHARED),
        ("app", "*.py"),
        ("state", "*.py"),
        ("nodes", "*.py"),
    ]
    for path in (ROOT / folder).glob(pattern)
    if path.stem not in NAMES  # the settings of a protocol stand in `state/<protocol>.py`
)

NAMED = {
    "app/commands/compare_talk.py": "lists the protocols whose answers it compares, and their settings",
    "app/commands/example.py": "plays a debate if no example is named",
    "app/council_api.py": "takes a mode of foreign clients for each of three protocols",
    "app/experiment/selftest.py": "runs one small plan",
    "app/first_steps.py": "suggests a first command",
    "app/main.py": "takes another word for a command",
    "app/tools/inspect/agents.py": "makes an agent for each protocol, by name",
    "app/tools/mcp/server.py": "offers a tool for the API of councils",
}
"""Shared files that name a protocol, with what they do."""

GROUPS = {"state.consensus", "state.independent"}
"""Rooms of a protocol that hold a group of channels and settings for several, or what experiments compare with."""


def placed(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported(path: Path) -> Iterator[str]:
    """The rooms a file imports from, by their names inside the package."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))


def rooms_of_protocols(path: Path) -> set[str]:
    parts = [module.removeprefix("moot.").split(".") for module in imported(path)]
    rooms = {".".join(part[:2]) for part in parts if len(part) > 1 and part[0] in ("state", "nodes", "graphs")}
    own = {room for room in rooms if room.split(".")[1] in NAMES} - GROUPS
    return own | {
        ".".join(part[:3]) for part in parts if part[:2] == ["app", "protocols"] and part[2:3] and part[2] in NAMES
    }


def named(path: Path) -> set[str]:
    """The names of protocols that a file holds as texts, but for the one that only experiments run."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and node.value in PROTOCOLS}


@pytest.mark.parametrize("path", FILES, ids=placed)
def test_a_shared_file_imports_no_room_of_a_protocol(path: Path) -> None:
    assert rooms_of_protocols(path) == set()


@pytest.mark.parametrize("path", FILES, ids=placed)
def test_a_shared_file_names_no_protocol(path: Path) -> None:
    assert not named(path) or placed(path) in NAMED


@pytest.mark.parametrize("room", ["display", "report"])
def test_what_is_shown_knows_no_session_either(room: str) -> None:
    modules = {module for path in (ROOT / "app" / room).glob("*.py") for module in imported(path)}
    assert [module for module in modules if module.startswith("app.session")] == []


def test_no_exception_is_left_over() -> None:
    assert {placed(path) for path in FILES if named(path)} == set(NAMED)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_what_a_protocol_does_in_its_own_way_are_public_hooks(name: str) -> None:
    assert type(get_hooks(name)) is Hooks


def test_a_package_s_protocol_has_the_same_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = Hooks(progress_lines=lambda _: ["Thanks."])
    monkeypatch.setattr(ProtocolEntry, "module", SimpleNamespace(HOOKS=hooks))
    monkeypatch.setattr("moot.app.protocols.hooks.get_protocol", lambda name: ProtocolEntry(name, "", package="salons"))
    assert get_hooks("salon") is hooks
    monkeypatch.setattr(ProtocolEntry, "module", SimpleNamespace())
    assert get_hooks("salon") == Hooks()
    monkeypatch.setattr(ProtocolEntry, "module", SimpleNamespace(HOOKS={"charts": []}))
    with pytest.raises(InputError, match="protocol = 'salon': the package salons has a dict as HOOKS"):
        get_hooks("salon")
