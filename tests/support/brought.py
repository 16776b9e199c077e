"""A package as a user installs it: a module of its own, and the metadata that declare what it brings."""

import os
from pathlib import Path

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


def beside(*places: Path) -> dict[str, str]:
    """The environment in which these packages are installed as well."""
    return {"PYTHONPATH": os.pathsep.join(map(str, places))}
