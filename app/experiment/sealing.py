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
from ...state.rules import Rules
from ..display.plain import as_json
from .draw import asked, trials
from .plan import Plan, digest

LIBRARIES = ("moot", "langgraph", "langchain-core", "langchain-openai", "openai", "pydantic")


def seal(plan: Plan, model: str) -> dict[str, Any]:
    """The seal of a plan as it would be run now. `model`: of those for whom the plan names none."""
    drawn = {one.cell.slug: one for one in trials(plan)}
    rules = [asked(plan, one, model).rules for one in drawn.values()]
    return {
        "name": plan.name,
        "plan": plan.hash,
        "items": digest(plan.document["items"]),
        "words": words(plan.protocol, rules),
        "models": models(rules),
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


def models(rules: Sequence[Rules]) -> list[str]:
    """Every model that the rules name."""
    return sorted({str(spec) for one in rules for spec in (one.model, *one.models.values()) if spec})


def words(protocol: str, rules: Sequence[Rules]) -> dict[str, str]:
    """SHA-256 of each file of words a run may be told from, by its path: templates, personas, terms."""
    found = dict[str, str]()
    for one in rules:
        language = base_language(one.language)
        roots: list[Any] = [files(prompts) / language]
        if one.templates:
            roots += [Path(one.templates) / tag for tag in dict.fromkeys([language, one.language])]
        for place in (root / kind for root in roots for kind in (protocol, "shared")):
            entries = list(place.iterdir()) if place.is_dir() else []
            found |= {f"{language}/{place.name}/{entry.name}": _hash(entry) for entry in entries if entry.is_file()}
        tables = [entry for entry in files(prompts).iterdir() if entry.name.endswith(f".{language}.toml")]
        found |= {entry.name: _hash(entry) for entry in tables}
        own = Path(one.templates).glob(f"*.{language}.toml") if one.templates else []
        found |= {f"own {entry.name}": _hash(entry) for entry in own}
    return dict(sorted(found.items()))


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
    if not isinstance(found, dict):
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
