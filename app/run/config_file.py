"""Settings in a YAML file, which may contain only plain data and known keys, each key once."""

import os
from collections.abc import Sequence
from pathlib import Path
from shutil import copymode
from tempfile import TemporaryDirectory
from typing import Any

from ...state import InputError, check_dotted_key, parse_yaml

TEXT_SIZE_LIMIT = 10_000_000  # bytes of a text used as material
CONFIG_SIZE_LIMIT = 1_000_000  # bytes of a config file or a plan

CAP_SETTINGS = {"max_calls": "budget.calls", "max_total_tokens": "budget.tokens", "max_cost": "budget.cost"}
"""Settings that cap the cost of a run, by their names on the command line."""

SETTING_ALIASES = {
    **CAP_SETTINGS,
    "synthesizer": "models.synthesizer",
    "memory_management": "memory",
    "memory_guidance_style": "memory.guidance_style",
    "memory_compression_threshold": "memory.compression_threshold",
    "memory_compression_target": "memory.compression_target",
    "include_internal_reasoning": "memory.include_internal_reasoning",
}
"""Settings by their other names on the command line and in config files."""


def read_config(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file. Raises `InputError` for anything else."""
    document = parse_yaml(read_text(path, "config", CONFIG_SIZE_LIMIT), "config", CONFIG_SIZE_LIMIT, str(path))
    if document is None:
        return {}
    if not isinstance(document, dict) or not all(isinstance(key, str) for key in document):
        raise InputError("config", str(path), "write a mapping of keys to values")
    return document


def check_regular_file(path: Path, key: str) -> None:
    """Check that a path names no pipe or device, whose reading could wait forever.

    Raises `InputError`, which names `key`.
    """
    if path.exists() and not path.is_file():
        raise InputError(key, str(path), "must be a regular file; give its path")


def read_text(path: Path, key: str, limit: int = TEXT_SIZE_LIMIT) -> str:
    """Return the text of a UTF-8 file of at most `limit` bytes.

    `key`: setting that an error names. Raises `InputError`.
    """
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise InputError(key, str(path), f"cannot be read: {error.strerror}") from None
    if len(content) > limit:
        raise InputError(key, str(path), f"give a file of at most {limit:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(key, str(path), "give a text file in UTF-8") from None


def write_text(
    path: Path,
    text: str,
    key: str = "-o",
    makes_folder: bool = False,
    mode: int = 0o666,
    endings: Sequence[str] = (),
) -> None:
    """Write a UTF-8 text file. If it cannot be written whole, an older file stays as it is.

    A database of runs is never replaced. `key`: option that an error names. `makes_folder`: whether to create a missing
    folder. `mode`: permissions of a new file. `endings`: allowed ends of the file's name; empty: any. Raises
    `InputError`.
    """
    if endings and path.suffix.lower() not in endings:
        raise InputError(key, path.name, f"must end in {' or '.join(endings)}")
    try:
        if makes_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode)
        if path.is_file():
            with path.open("rb") as file:
                if file.read(16) == b"SQLite format 3\0":
                    raise InputError(key, str(path), "must be no database; name another file")
        is_kept = path.is_file() and path.stat().st_size and not path.is_symlink()
        if not (is_kept and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            path.write_text(text, "utf-8", newline="")
            return
        with TemporaryDirectory(prefix=".moot-", dir=path.parent) as folder:  # a full disk leaves the older file whole
            new_path = Path(folder) / path.name
            new_path.write_text(text, "utf-8", newline="")
            copymode(path, new_path)
            new_path.replace(path)
    except OSError as error:
        raise InputError(key, str(path), f"cannot be written: {error.strerror}") from None


def parse_assignments(assignments: Sequence[str]) -> dict[str, Any]:
    """Parse texts such as `key=value` into settings.

    Values of text settings stay as written. Other values are YAML. Parsed as YAML, a text such as "Note: yes" would
    become a mapping. Raises `InputError` for a text without a key and a value.
    """
    settings: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key.strip():
            raise InputError("--set", assignment, "write key=value, such as --set memory.memory_max_chars=5000")
        name = key.strip()
        is_text = name in ("topic", "material") or name.startswith(("statement.", "persona.", "personas.", "role."))
        try:
            check_dotted_key(name)
        except ValueError as error:
            raise InputError("--set", name[:100], str(error)) from None
        settings[name] = value if is_text else parse_yaml(value, key)
    return settings


def merge_value(base: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Return a copy of `base` with a value at a dotted key. Missing mappings along the key are created."""
    first_key, dot, remaining_key = key.partition(".")
    if not dot and isinstance(value, dict) and isinstance(base.get(first_key), dict):
        for inner_key, inner_value in value.items():
            base = merge_value(base, f"{first_key}.{inner_key}", inner_value)
        return base
    nested_value = base.get(first_key)
    return base | {
        first_key: merge_value(nested_value if isinstance(nested_value, dict) else {}, remaining_key, value)
        if dot
        else value
    }
