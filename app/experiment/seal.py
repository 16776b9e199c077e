"""Seal of an experiment, made before its first call: hashes of plan and templates, versions, models."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import itemgetter
from pathlib import Path
from typing import Any

from ... import prompts
from ...models import RunStoppedError
from ...prompts import get_base_language, load_phrases
from ...state import InputError
from ...storage import get_timestamp
from ..display.plain_text import format_json
from ..run.request import RunRequest
from ..saved import SavedExperiment, compute_digest
from .plan import EXTENDABLE_KEYS, Plan
from .planned_runs import build_condition_requests, plan_runs

LIBRARIES = ("moot", "langgraph", "langchain-core", "langchain-openai", "openai", "pydantic")


def make_seal(plan: Plan, model: str) -> dict[str, Any]:
    """Make the seal of a plan: hashes, models, versions and the time.

    `model`: default model of the participants.
    """
    requests = build_condition_requests(plan, plan_runs(plan), model)
    words, document = read_templates(plan, requests), plan.document
    return {
        "name": plan.name,
        "plan": plan.hash,
        "items": compute_digest(document["items"]),
        "extendable": {key: document[key] for key in (*EXTENDABLE_KEYS, "task")} | {"items": len(plan.items)},
        "words": {path: hash_text(text) for path, text in words.items()},
        "models": list_models(requests),
        "versions": map_versions(),
        "registered": plan.registered,
        "at": get_timestamp(),
    }


def map_versions() -> dict[str, str]:
    """Return the versions of Moot, of its libraries and of Python."""
    version_by_name = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            version_by_name[name] = version(name)
        except PackageNotFoundError:
            continue
    return version_by_name


def list_models(requests: Sequence[RunRequest]) -> list[str]:
    """Return every model that the requests name, sorted."""
    return sorted(set().union(*(request.models for request in requests)))


def list_planned_models(plan: Plan, model: str) -> list[str]:
    """Return every model that the runs of a plan call.

    `model`: default model of the participants.
    """
    return list_models(build_condition_requests(plan, plan_runs(plan), model))


def hash_text(text: str) -> str:
    """Return the SHA-256 of a file's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def read_templates(plan: Plan, requests: Sequence[RunRequest]) -> dict[str, str]:
    """Return the text of each file of templates, personas or terms for these runs, by path.

    Bytes that are not UTF-8 are escaped. Raises `InputError` for a missing folder of templates.
    """
    folder_names = [plan.protocol, "shared", *["independent"] * bool(plan.arms)]
    files_by_path = dict[str, Traversable]()
    for folder, tag in sorted({(request.settings.templates, tag) for request in requests for tag in request.languages}):
        if folder and not Path(folder).is_dir():
            raise InputError(
                "templates", folder, "there is no such folder; make one with the files <language>/<protocol>/*.md"
            )
        language = get_base_language(tag)
        roots: list[tuple[Traversable, str, str]] = [(files(prompts), "", language)]
        roots += [(Path(folder), f"{folder}/", own_language) for own_language in {language, tag} if folder]
        for root, prefix, own_language in roots:
            for name in folder_names:
                if (root / own_language / name).is_dir():
                    for file in (root / own_language / name).iterdir():
                        files_by_path[f"{prefix}{own_language}/{name}/{file.name}"] = file
            for file in root.iterdir():
                if file.name.endswith(f".{own_language}.toml"):
                    files_by_path[f"{prefix}{file.name}"] = file
    return {
        path: file.read_bytes().decode("utf-8", "surrogateescape")
        for path, file in sorted(files_by_path.items(), key=itemgetter(0))
        if file.is_file()
    }


def check_sealed_words(experiment: SavedExperiment, plan: Plan, request: RunRequest) -> None:
    """Check that the templates and personas of a run are the sealed ones. Raises `RunStoppedError`."""
    if experiment.seal is None:
        return
    sealed_hashes, folder = experiment.seal["words"], request.settings.templates
    hashes = {path: "" for path in sealed_hashes if path.startswith(f"{folder}/") and not Path(path).is_file()}
    hashes |= {path: hash_text(text) for path, text in read_templates(plan, [request]).items()}
    # An extended plan may name templates that were not sealed with it.
    known_paths = sealed_hashes if experiment.changes else hashes
    changed_paths = [path for path in hashes if path in known_paths and hashes[path] != sealed_hashes.get(path)]
    if changed_paths:
        remedy = "was changed after the seal; restore it, or give the plan another name"
        raise RunStoppedError(f"templates = {', '.join(changed_paths)}: {remedy}")


def get_seal_path(plan_path: Path) -> Path:
    """Return the path of the seal next to a plan file."""
    return plan_path.with_suffix(".seal.json")


def write_seal(path: Path, seal: Mapping[str, Any]) -> None:
    """Write a seal. Raises `InputError` if one exists, because a plan is sealed only once."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(format_json(seal) + "\n")
    except FileExistsError:
        raise InputError("seal", str(path), "the plan is sealed already; give a changed plan another name") from None
    except OSError as error:
        raise InputError("seal", str(path), f"cannot be written: {error.strerror}") from None


def read_seal(plan_path: Path) -> dict[str, Any] | None:
    """Return the seal next to a plan file, or `None` without one.

    Raises `InputError` for a file that is no seal.
    """
    path = get_seal_path(plan_path)
    if not path.exists():
        return None
    try:
        seal = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError("seal", str(path), f"cannot be read: {error}") from None
    if not isinstance(seal, dict) or not {"plan", "versions", "at"} <= seal.keys():
        raise InputError("seal", str(path), "is not a seal; make one with `moot experiment seal`")
    return seal


def list_seal_differences(seal: Mapping[str, Any], current_seal: Mapping[str, Any]) -> list[str]:
    """Return the names of the entries in which two seals differ.

    The time, and entries that follow from the plan, are left out.
    """
    before, after = _flatten_seal(seal), _flatten_seal(current_seal)
    return sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))


def _flatten_seal(seal: Mapping[str, Any]) -> dict[str, Any]:
    entries = [(key, value if isinstance(value, dict) else {"": value}) for key, value in seal.items()]
    return {
        f"{key} {name}".rstrip(): part
        for key, parts in entries
        if key not in ("at", "extendable")
        for name, part in parts.items()
    }


def get_seal_phrase(plan: Plan, experiment: SavedExperiment) -> tuple[str, dict[str, str]]:
    """Return the key of the report's phrase about the seal, with the values of the phrase.

    The keys `registered` and `sealed` mean that the experiment was sealed and executed as sealed.
    """
    seal = experiment.seal
    if experiment.altered:
        return "altered", {"parts": experiment.altered}
    if seal is None:
        return "none", {}
    if experiment.changes:
        additions = "; ".join(change.partition(" ")[2] for change in experiment.changes)
        return "changed", {"hash": seal["plan"], "changes": additions}
    if differences := list_seal_differences({"versions": seal["versions"]}, {"versions": experiment.versions}):
        names = ", ".join(difference.removeprefix("versions ") for difference in differences)
        return "versions", {"hash": seal["plan"], "versions": names}
    values = {"at": seal["at"], "hash": experiment.hash, "place": plan.registered}
    return "registered" if plan.registered else "sealed", values


def is_exploratory(plan: Plan, experiment: SavedExperiment) -> bool:
    """Return whether the plan was not sealed before the first call, or not executed as sealed."""
    return get_seal_phrase(plan, experiment)[0] not in ("registered", "sealed")


def format_seal_sentence(plan: Plan, experiment: SavedExperiment, language: str = "en") -> str:
    """Return a sentence with the seal's hash, or with the reason why the experiment is exploratory."""
    key, values = get_seal_phrase(plan, experiment)
    return load_phrases("findings").translate_phrase(language, f"sealed.{key}", **values)
