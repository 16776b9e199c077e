"""What an experiment is sealed with before any call: hashes of the plan and of all words used, versions, models."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from ... import prompts
from ...nodes.clock import stamp
from ...prompts import base_language
from ...state.refused import Refused
from ..display.plain import as_json
from ..request import Request
from .draw import each_cell, trials
from .plan import Plan, digest

LIBRARIES = ("moot", "langgraph", "langchain-core", "langchain-openai", "openai", "pydantic")


def seal(plan: Plan, model: str) -> dict[str, Any]:
    """The seal of a plan as it would be run now. `model`: of those for whom the plan names none."""
    given = each_cell(plan, trials(plan), model)
    return {
        "name": plan.name,
        "plan": plan.hash,
        "items": digest(plan.document["items"]),
        "words": words(plan, given),
        "models": models(given),
        "versions": versions(),
        "registered": plan.registered,
        "at": stamp(),
    }


def versions() -> dict[str, str]:
    """Versions of Moot, of the libraries it stands on, and of Python."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def models(given: Sequence[Request]) -> list[str]:
    """Every model that the requests name."""
    return sorted(set().union(*(one.models for one in given)))


def words(plan: Plan, given: Sequence[Request]) -> dict[str, str]:
    """SHA-256 of each file of words a run may be told from, by its path: templates, personas, terms.

    Raises `Refused` for a folder of templates that is not there.
    """
    kinds = [plan.protocol, "shared", *["independent"] * bool(plan.arms)]
    found = dict[str, str]()
    for folder, tag in sorted({(one.rules.templates, tag) for one in given for tag in one.languages}):
        if folder and not Path(folder).is_dir():
            raise Refused("templates", folder, "no such folder; it holds <language>/<protocol>/*.md")
        language = base_language(tag)
        found |= _hashed(files(prompts), "", language, kinds)
        for own in {language, tag} if folder else ():
            found |= _hashed(Path(folder), f"{folder}/", own, kinds)
    return dict(sorted(found.items()))


def _hashed(root: Traversable, shown: str, language: str, kinds: Sequence[str]) -> dict[str, str]:
    """The hashes of the words below a folder in one language, by their paths after `shown`."""
    places = [(f"{language}/{kind}/", root / language / kind) for kind in kinds]
    entries = [(f"{path}{one.name}", one) for path, place in places if place.is_dir() for one in place.iterdir()]
    entries += [(one.name, one) for one in root.iterdir() if one.name.endswith(f".{language}.toml")]
    return {f"{shown}{path}": _hash(one) for path, one in entries if one.is_file()}


def _hash(file: Traversable) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def seal_file(plan: Path) -> Path:
    """Where the seal of a plan's file stands."""
    return plan.with_suffix(".seal.json")


def write_seal(path: Path, found: Mapping[str, Any]) -> None:
    """Write a seal; raises `Refused` where another is there already, since a seal is made once."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(as_json(found) + "\n")
    except FileExistsError:
        raise Refused("seal", str(path), "it is sealed already; a changed plan takes another name") from None
    except OSError as fault:
        raise Refused("seal", str(path), f"cannot be written: {fault.strerror}") from None


def read_seal(plan: Path) -> dict[str, Any] | None:
    """The seal beside a plan's file; none where there is none."""
    path = seal_file(plan)
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as fault:
        raise Refused("seal", str(path), f"cannot be read: {fault}") from None
    if not isinstance(found, dict) or not {"plan", "versions", "at"} <= found.keys():
        raise Refused("seal", str(path), "is no seal; `moot experiment seal` makes one")
    return found


def differs(sealed: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What is not as it was sealed, the time of sealing left out."""
    found = []
    for key in sealed.keys() | now.keys():
        before, after = sealed.get(key), now.get(key)
        if key == "at" or before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            names = sorted(before.keys() | after.keys())
            found += [f"{key} {name}" for name in names if before.get(name) != after.get(name)]
        else:
            found.append(key)
    return sorted(found)
